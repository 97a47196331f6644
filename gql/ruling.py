"""The rules of an entity's writes, from its declaration; what cannot hold is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from strawberry.types.base import has_object_definition

from ..resolvers.editing import NUMBERS
from ..resolvers.records import RECORD
from ..store.attributes import Attribute
from ..store.entities import Layout
from ..store.errors import ModelError
from ..store.keys import PARTITION_KEY_MAX_BYTES, Template
from ..store.rules import GUARD, Number, Rules, Unique
from ..store.texts import Plain
from .fields import MAXIMUM, MINIMUM
from .model import EntitySpec, definition_of, stored_fields
from .stamps import stamps_of

INT = range(-(2**31), 2**31)
"""What GraphQL's Int can show; an object beyond it could not be read any more."""


def rules_of(
    layout: Layout,
    name: str,
    spec: EntitySpec,
    attributes: Mapping[str, Attribute],
    hints: Mapping[str, Any],
) -> Rules:
    if spec.writes:
        _refuse_shared_copies(name, spec)
    stamps = stamps_of(name, {one: hints[one] for one in attributes})
    for role, stamped in stamps.items():
        if any(stamped in Template.of(text).names for text in (spec.home.pk, spec.home.sk)):
            raise ModelError(
                f"{name}.{stamped}: every write sets it ({role}), so it cannot stand in the home "
                "key.\n  Use an attribute of your own there."
            )
    return Rules(
        stamps.get("version"),
        stamps.get("created"),
        stamps.get("updated"),
        tuple(_unique(layout, name, names, attributes) for names in spec.unique),
        _bounds(name, spec.cls, attributes, MINIMUM),
        _bounds(name, spec.cls, attributes, MAXIMUM),
        secret_names(spec.cls, attributes),
        spec.moves,
    )


def _unique(
    layout: Layout, name: str, names: tuple[str, ...], attributes: Mapping[str, Attribute]
) -> Unique:
    for one in names:
        if one not in attributes:
            raise ModelError(
                f"{name}: unique names {one!r}, which is no attribute.\n"
                f"  It has {', '.join(attributes)}."
            )
        kind = attributes[one].codec.kind
        if kind in ("list", "set", "map", "json"):
            raise ModelError(
                f"{name}: unique names {one!r}, a {kind}, which no key can hold.\n"
                "  Name attributes with a single value."
            )
    return Unique(name, tuple(attributes[one] for one in names), layout.separator)


def _refuse_shared_copies(name: str, spec: EntitySpec) -> None:
    """Two objects whose copies meet would overwrite each other's."""
    home = _names(spec.home.pk, spec.home.sk)
    for copy in spec.copies:
        lacking = [one for one in home if one not in _names(copy.pk, copy.sk)]
        if lacking:
            raise ModelError(
                f"{name}: the copy {copy.pk} / {copy.sk} does not hold {lacking[0]}, so two "
                f"objects could have the same one, and would overwrite each other's.\n"
                f"  Put {{{lacking[0]}}} into it: {copy.sk}#{{{lacking[0]}}}."
            )


def _names(*sources: str) -> list[str]:
    return [name for source in sources for name in Template.of(source).names]


def secret_names(cls: type, attributes: Iterable[str]) -> frozenset[str]:
    """Attributes that are private, or that a permission or another extension guards."""
    shown = set(open_fields(cls))
    return frozenset(name for name in attributes if name not in shown)


def open_fields(cls: type) -> list[str]:
    """The stored fields of a type that anybody may see who can see the object."""
    if not has_object_definition(cls):
        return [one.name for one in stored_fields(cls)]
    shown = {one.python_name for one in definition_of(cls).fields if not one.extensions}
    return [one.name for one in stored_fields(cls) if one.name in shown]


def _bounds(
    name: str, cls: type, attributes: Mapping[str, Attribute], which: str
) -> dict[str, Number]:
    """What attributes were declared with, and what GraphQL can show of whole numbers."""
    found: dict[str, Number] = {}
    for field in stored_fields(cls):
        bound = field.metadata.get(which)
        if bound is not None and attributes[field.name].codec.kind not in NUMBERS:
            word = which.rpartition(".")[2]
            raise ModelError(
                f"{name}.{field.name}: {word}={bound!r} needs a number.\n"
                "  Annotate it with int or Decimal."
            )
        if bound is not None:
            found[field.name] = bound
        elif field.name in _shown_ints(cls, attributes):
            found[field.name] = INT.start if which == MINIMUM else INT.stop - 1
    return found


def _shown_ints(cls: type, attributes: Mapping[str, Attribute]) -> set[str]:
    shown = {one.python_name for one in definition_of(cls).fields}
    return {name for name, one in attributes.items() if one.codec.kind == "int" and name in shown}


def refuse_collisions(layout: Layout) -> None:
    """Guards and records have keys that no entity has."""
    for words, values in _own_keys(layout):
        source = layout.separator.join((*words, *(f"{{v{at}}}" for at in range(values))))
        template = Template.of(source, separator=layout.separator)
        own = template.typed(
            dict.fromkeys(template.names, Plain(layout.separator)),
            max_bytes=PARTITION_KEY_MAX_BYTES,
        )
        sort = Template.of(words[0], separator=layout.separator)
        for entity in layout.entities.values():
            for key in (entity.home, *entity.copies):
                if key.partition.collides(own) and key.sort.collides(sort):
                    raise ModelError(
                        f"{entity.name} at {key} could have the key {source} / {words[0]}, which "
                        "Tablefold keeps for itself.\n  Begin its partition key with another word."
                    )


def _own_keys(layout: Layout) -> Iterator[tuple[tuple[str, ...], int]]:
    """The literal parts of a partition, and how many values follow them."""
    yield (RECORD,), 1
    for entity in layout.entities.values():
        for unique in entity.rules.uniques:
            yield (GUARD, entity.name, "+".join(unique.names)), len(unique.names)
