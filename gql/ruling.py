"""The rules of an entity's writes, from its declaration; what cannot hold is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..resolvers.records import RECORD
from ..store.attributes import Attribute
from ..store.entities import Layout
from ..store.errors import ModelError
from ..store.keys import PARTITION_KEY_MAX_BYTES, Template
from ..store.rules import GUARD, Number, Rules, Unique
from ..store.texts import Plain
from .fields import MINIMUM
from .model import EntitySpec, stored_fields
from .stamps import stamps_of


def rules_of(
    layout: Layout,
    name: str,
    spec: EntitySpec,
    attributes: Mapping[str, Attribute],
    hints: Mapping[str, Any],
) -> Rules:
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
        dict(_minimums(name, spec.cls, attributes)),
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


def _minimums(
    name: str, cls: type, attributes: Mapping[str, Attribute]
) -> Iterator[tuple[str, Number]]:
    for field in stored_fields(cls):
        least = field.metadata.get(MINIMUM)
        if least is None:
            continue
        if attributes[field.name].codec.kind not in ("int", "decimal", "float"):
            raise ModelError(
                f"{name}.{field.name}: minimum={least!r} needs a number.\n"
                "  Annotate it with int or Decimal."
            )
        yield field.name, least


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
