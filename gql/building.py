"""From declarations to a layout and its links: every template and every field is checked here."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from strawberry.annotation import StrawberryAnnotation

from ..resolvers import residents
from ..resolvers.links import Link
from ..store.attributes import Attribute, codec_for, default_of, optional_of
from ..store.entities import Entity, Group, Key, Layout, Role
from ..store.entities import Index as StoredIndex
from ..store.errors import ModelError
from ..store.keys import PARTITION_KEY_MAX_BYTES, SORT_KEY_MAX_BYTES, Template
from ..store.requests import KeyNames
from ..store.texts import KeyText, text_for
from .annotations import bare, hints_of, namespace_of
from .fields import STORED
from .keys import KeySpec
from .linking import link_interfaces, link_type
from .model import (
    EntitySpec,
    GroupSpec,
    Table,
    decorated_twice,
    definition_of,
    stored_fields,
)
from .ruling import refuse_collisions, rules_of
from .scalars import SCALARS, graphql_annotation, key_annotation
from .stamps import stamp_of


@dataclass(slots=True)
class Model:
    """A built model: the layout, and the link of every field that reaches items."""

    layout: Layout
    links: list[Link] = field(default_factory=list[Link])


def build(table: Table) -> Model:
    """ModelError, with a sentence that teaches, for whatever does not fit together."""
    if not table.entities:
        raise ModelError(
            f"The table {table.name} has no entities, so there is nothing to ask for.\n"
            "  Declare them with @table.entity(pk, sk) before Gateway(table) is made; import their "
            "module if they live in another."
        )
    for spec in (*table.entities.values(), *table.groups.values()):
        if definition_of(spec.cls) is not spec.definition:
            raise decorated_twice(spec.cls)
    home = StoredIndex(None, KeyNames(table.pk, table.sk))
    layout = Layout(
        table.name,
        home,
        {name: index.stored(table) for name, index in table.indexes.items()},
        table.naming,
        table.type_attribute,
        table.separator,
        table.expiry,
    )
    for name, spec in table.entities.items():
        layout.entities[name] = _entity(table, layout, name, spec)
    for name, group in table.groups.items():
        layout.groups[name] = _group(table, layout, name, group)
    refuse_collisions(layout)
    residents.check_neighbours(layout)
    residents.tighten(layout)
    model = Model(layout)
    namespace = namespace_of(table)
    for source in (*layout.entities.values(), *layout.groups.values()):
        model.links += link_type(layout, source, source.cls, namespace)
    link_interfaces(layout, namespace)
    return model


def finish(model: Model) -> None:
    """Once every link is known, also those of the root."""
    residents.settle(model.layout, model.links)


# Entities and their keys.


def _attributes(table: Table, name: str, cls: type) -> dict[str, Attribute]:
    hints = hints_of(cls, namespace_of(table))
    made: dict[str, Attribute] = {}
    for one in stored_fields(cls):
        where = f"{name}.{one.name}"
        annotation, optional = optional_of(bare(hints[one.name]))
        _refuse_entities(table, where, annotation)
        codec = codec_for(annotation, scalars=SCALARS, naming=table.naming, where=where)
        stored = one.metadata.get(STORED) or table.naming.apply(one.name)
        # What a new object is stamped with says nothing of an item that has no stamp.
        timed = stamp_of(hints[one.name]) in ("created", "updated")
        default = None if timed else default_of(one)
        made[one.name] = Attribute(one.name, stored, annotation, codec, optional, default)
    _show(cls, hints)
    _refuse_same_stored_name(name, made)
    return made


def _refuse_entities(table: Table, where: str, annotation: Any) -> None:
    """An item holds no other items: most likely `= many()` or `= one()` was forgotten."""
    inner = typing.get_args(annotation) or (annotation,)
    specs = (*table.entities.values(), *table.groups.values())
    for spec in specs:
        if any(arm is spec.cls for arm in inner):
            several = annotation is not spec.cls
            raise ModelError(
                f"{where}: {spec.cls.__name__} has items of its own, so no attribute can hold it."
                f"\n  Make it a link: {where.rpartition('.')[2]}: … = "
                f"{'many(bounded=N), or many() of a Connection' if several else 'one()'}."
            )


def _show(cls: type, hints: Mapping[str, Any]) -> None:
    """Tells Strawberry how to show the types that it has no word for."""
    for one in definition_of(cls).fields:
        hint = bare(hints.get(one.python_name))
        if one.init and (shown := graphql_annotation(hint)) != hint:
            one.type_annotation = StrawberryAnnotation(shown)


def _refuse_same_stored_name(name: str, attributes: Mapping[str, Attribute]) -> None:
    stored: dict[str, str] = {}
    for one in attributes.values():
        other = stored.setdefault(one.stored, one.name)
        if other != one.name:
            raise ModelError(
                f"{name}: {other} and {one.name} would both be stored as {one.stored!r}.\n"
                f'  Give one of them a name of its own: {one.name}: … = attribute("…").'
            )


def _entity(table: Table, layout: Layout, name: str, spec: EntitySpec) -> Entity:
    attributes = _attributes(table, name, spec.cls)
    keys = [_key(layout, name, attributes, spec.home, layout.home, "home")]
    keys += [_key(layout, name, attributes, one, layout.home, "copy") for one in spec.copies]
    keys += [
        _key(layout, name, attributes, one, layout.indexes[index], "index")
        for index, one in spec.indexes.items()
    ]
    _refuse_reserved(layout, name, attributes)
    return Entity(
        name,
        spec.cls,
        attributes,
        tuple(keys),
        layout.type_attribute,
        spec.type_value or name,
        rules_of(layout, name, spec, attributes, hints_of(spec.cls, namespace_of(table))),
    )


def _refuse_reserved(layout: Layout, name: str, attributes: Mapping[str, Attribute]) -> None:
    taken = {layout.home.names.partition, layout.home.names.sort}
    for index in layout.indexes.values():
        taken |= {index.names.partition, index.names.sort}
    for one in attributes.values():
        if one.stored in taken or one.stored == layout.type_attribute:
            raise ModelError(
                f"{name}.{one.name} would be stored as {one.stored!r}, which the table uses for "
                "its keys or types.\n"
                f'  Give it another stored name: {one.name}: … = attribute("…"). What stands in a '
                "key is read back from the key."
            )


def _key(
    layout: Layout,
    name: str,
    attributes: Mapping[str, Attribute],
    spec: KeySpec,
    index: StoredIndex,
    role: Role,
) -> Key:
    where = f"{name}, {index}"
    has = f"  It has {', '.join(attributes)}."
    if spec.when is not None and spec.when not in attributes:
        raise ModelError(f"{where}: when={spec.when!r} is no attribute of {name}.\n{has}")
    for carried in spec.carries or ():
        if carried not in attributes:
            raise ModelError(f"{where}: carries names {carried!r}, no attribute of {name}.\n{has}")
    key = Key(
        index,
        _template(layout, name, attributes, spec.pk, sorts=False),
        _template(layout, name, attributes, spec.sk, sorts=True),
        role,
        spec.shards,
        spec.unique,
        spec.when,
        spec.name,
        spec.newest_first,
        None if spec.carries is None else frozenset(spec.carries),
    )
    if role == "home":
        _refuse_optional(name, attributes, key)
    return key


def _refuse_optional(name: str, attributes: Mapping[str, Attribute], key: Key) -> None:
    """An index leaves out what has no key there; at home an item always has one."""
    for one in key.names:
        if attributes[one].optional:
            raise ModelError(
                f"{name}.{one} may be null, but every {name} needs it for its key {key}.\n"
                "  Annotate it without None, or take it out of the key."
            )


def _template(
    layout: Layout,
    name: str,
    attributes: Mapping[str, Attribute],
    source: str,
    *,
    sorts: bool,
) -> Template:
    template = _parsed(layout, name, source)
    texts: dict[str, KeyText] = {}
    for placeholder in template.placeholders:
        known = attributes.get(placeholder.name)
        if known is None:
            raise ModelError(
                f"{name}: the template {source!r} names {{{placeholder.name}}}, which is no "
                f"attribute of {name}.\n  It has {', '.join(attributes)}. Add it (a "
                "strawberry.Private[…] attribute stays out of the schema), or correct the name."
            )
        texts[placeholder.name] = text_for(
            key_annotation(known.annotation),
            placeholder.spec,
            separator=layout.separator,
            sorts=sorts,
            where=f"{name}.{placeholder.name} in {source!r}",
        )
    limit = SORT_KEY_MAX_BYTES if sorts else PARTITION_KEY_MAX_BYTES
    return template.typed(texts, max_bytes=limit)


def _parsed(layout: Layout, name: str, source: str) -> Template:
    try:
        return Template.of(source, separator=layout.separator)
    except ModelError as error:
        raise ModelError(f"{name}: {error}") from error


def _group(table: Table, layout: Layout, name: str, spec: GroupSpec) -> Group:
    attributes = _attributes(table, name, spec.cls)
    partition = _template(layout, name, attributes, spec.pk, sorts=False)
    by = _parsed(layout, name, spec.by).names
    for one in by:
        if one not in attributes:
            raise ModelError(
                f"{name}: by={spec.by!r} names {one!r}, which is no attribute of {name}.\n"
                f"  It has {', '.join(attributes)}."
            )
    return Group(name, spec.cls, attributes, layout.home, partition, by)
