"""From declarations to a layout and its links: every template and every field is checked here."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from strawberry.annotation import StrawberryAnnotation
from strawberry.types.base import has_object_definition
from strawberry.types.union import StrawberryUnion

from ..resolvers import residents
from ..resolvers.links import (
    Aggregate,
    Kind,
    Link,
    Reach,
    Source,
    find_reach,
    narrowing_names,
    root_reach,
)
from ..store.attributes import Attribute, codec_for, optional_of
from ..store.entities import Entity, Group, Key, Layout
from ..store.entities import Index as StoredIndex
from ..store.errors import ModelError
from ..store.keys import PARTITION_KEY_MAX_BYTES, SORT_KEY_MAX_BYTES, Template
from ..store.requests import KeyNames
from ..store.texts import KeyText, text_for
from .connections import Connection
from .fields import STORED, LinkField, LinkSpec
from .keys import KeySpec
from .model import EntitySpec, GroupSpec, Table, link_fields, stored_fields
from .scalars import SCALARS, graphql_annotation, key_annotation


@dataclass(slots=True)
class Model:
    """A built model: the layout, and the link of every field that reaches items."""

    layout: Layout
    links: list[Link] = field(default_factory=list[Link])


@dataclass(frozen=True, slots=True)
class Target:
    """What a field's annotation says: which types, and how many of them."""

    kind: Kind
    types: tuple[type, ...]
    inner: Any


def build(table: Table) -> Model:
    """ModelError, with a sentence that teaches, for whatever does not fit together."""
    home = StoredIndex(None, KeyNames(table.pk, table.sk))
    layout = Layout(
        table.name,
        home,
        {name: index.stored(table) for name, index in table.indexes.items()},
        table.naming,
        table.type_attribute,
        table.separator,
    )
    for name, spec in table.entities.items():
        layout.entities[name] = _entity(table, layout, name, spec)
    for name, group in table.groups.items():
        layout.groups[name] = _group(table, layout, name, group)
    residents.check_neighbours(layout)
    residents.tighten(layout)
    model = Model(layout)
    namespace = namespace_of(table)
    for name, entity in layout.entities.items():
        _link_type(model, entity, table.entities[name].cls, namespace)
    for name, group in layout.groups.items():
        _link_type(model, group, table.groups[name].cls, namespace)
    return model


def finish(model: Model) -> None:
    """Once every link is known, also those of the root."""
    residents.settle(model.layout, model.links)


def namespace_of(table: Table) -> dict[str, type]:
    specs = (*table.entities.items(), *table.groups.items())
    return {spec.cls.__name__: spec.cls for _, spec in specs} | {
        "Connection": typing.cast("type", Connection)
    }


def hints_of(cls: type, namespace: Mapping[str, type]) -> dict[str, Any]:
    module = sys.modules.get(cls.__module__)
    try:
        return typing.get_type_hints(
            cls, vars(module) if module else {}, dict(namespace), include_extras=True
        )
    except NameError as error:
        raise ModelError(
            f"{cls.__name__}: an annotation names {error.name!r}, which is not known where the "
            "class is declared.\n  Import it in that module, or declare it on the same table."
        ) from error


# Entities and their keys.


def _attributes(table: Table, name: str, cls: type) -> dict[str, Attribute]:
    hints = hints_of(cls, namespace_of(table))
    made: dict[str, Attribute] = {}
    for one in stored_fields(cls):
        where = f"{name}.{one.name}"
        annotation, optional = optional_of(_bare(hints[one.name]))
        codec = codec_for(annotation, scalars=SCALARS, naming=table.naming, where=where)
        stored = one.metadata.get(STORED) or table.naming.apply(one.name)
        made[one.name] = Attribute(one.name, stored, annotation, codec, optional, _default_of(one))
        _show(one, hints[one.name])
    _refuse_same_stored_name(name, made)
    return made


def _bare(hint: Any) -> Any:
    """Without `Annotated`: `strawberry.Private[str]` is a str."""
    return typing.get_args(hint)[0] if typing.get_origin(hint) is typing.Annotated else hint


def _show(one: dataclasses.Field[Any], hint: Any) -> None:
    """Tells Strawberry how to show a type that it has no word for."""
    bare = _bare(hint)
    shown = graphql_annotation(bare)
    if shown != bare and hasattr(one, "type_annotation"):
        typing.cast("Any", one).type_annotation = StrawberryAnnotation(shown)


def _default_of(one: dataclasses.Field[Any]) -> Any:
    if one.default_factory is not dataclasses.MISSING:
        return one.default_factory
    if one.default is not dataclasses.MISSING:
        value = one.default
        return lambda: value
    return None


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
        name, spec.cls, attributes, tuple(keys), layout.type_attribute, spec.type_value or name
    )


def _refuse_reserved(layout: Layout, name: str, attributes: Mapping[str, Attribute]) -> None:
    taken = {layout.home.names.partition, layout.home.names.sort}
    for index in layout.indexes.values():
        taken |= {index.names.partition, index.names.sort}
    for one in attributes.values():
        if one.stored in taken or one.stored == layout.type_attribute:
            raise ModelError(
                f"{name}.{one.name} would be stored as {one.stored!r}, which the table uses for "
                f'its keys or types.\n  Give it another stored name: attribute("…").'
            )


def _key(
    layout: Layout,
    name: str,
    attributes: Mapping[str, Attribute],
    spec: KeySpec,
    index: StoredIndex,
    role: Any,
) -> Key:
    where = f"{name}, {index}"
    if spec.when is not None and spec.when not in attributes:
        raise ModelError(f"{where}: when={spec.when!r} is no attribute of {name}.")
    for carried in spec.carries or ():
        if carried not in attributes:
            raise ModelError(f"{where}: carries names {carried!r}, no attribute of {name}.")
    return Key(
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


def _template(
    layout: Layout,
    name: str,
    attributes: Mapping[str, Attribute],
    source: str,
    *,
    sorts: bool,
) -> Template:
    template = Template.of(source, separator=layout.separator)
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


def _group(table: Table, layout: Layout, name: str, spec: GroupSpec) -> Group:
    attributes = _attributes(table, name, spec.cls)
    partition = _template(layout, name, attributes, spec.pk, sorts=False)
    by = Template.of(spec.by, separator=layout.separator).names
    for one in by:
        if one not in attributes:
            raise ModelError(f"{name}: by={spec.by!r} names {one!r}, no attribute of {name}.")
    return Group(name, spec.cls, attributes, layout.home, partition, by)


# Links.


def _link_type(
    model: Model, source: Entity | Group, cls: type, namespace: Mapping[str, type]
) -> None:
    fields = link_fields(cls)
    if not fields:
        return
    hints = hints_of(cls, namespace)
    numbers: list[LinkField] = []
    for name, one in fields.items():
        if one.spec.aggregation is not None:
            numbers.append(one)
            continue
        one.link = link_to(model, f"{source.name}.{name}", source, one.spec, hints[name])
        _annotate(one, _target(f"{source.name}.{name}", hints[name]))
    for one in numbers:
        one.link = _number(model, source, one, fields)
    model.links.extend(one.link for one in fields.values() if one.link is not None)


def _annotate(one: LinkField, target: Target) -> None:
    """Whatever has to be fetched may be null: a failed fetch then leaves its siblings alone."""
    inner = target.inner
    if target.kind == "connection":
        shown: Any = Connection[inner]
    elif target.kind == "list":
        shown = list[typing.Optional[inner]]  # noqa: UP045
    else:
        shown = inner
    one.type_annotation = StrawberryAnnotation(typing.Optional[shown])  # noqa: UP045


def annotate_root(one: LinkField, name: str, hint: Any) -> Target:
    target = _target(name, hint)
    _annotate(one, target)
    return target


def link_to(model: Model, name: str, source: Source, spec: LinkSpec, hint: Any) -> Link:
    """The link of a field that was declared with `one()` or `many()`."""
    target = _target(name, hint)
    if spec.many and target.kind == "one":
        raise ModelError(
            f"{name} is declared with many() but annotated as a single type.\n"
            "  Annotate it as list[…] with bounded=N, or as Connection[…]."
        )
    if not spec.many and target.kind != "one":
        raise ModelError(f"{name} is declared with one() but annotated as several.\n  Use many().")
    if len(target.types) == 1 and (group := _group_of(model, target.types[0])) is not None:
        return _group_link(model, name, source, spec, target, group)
    entities = list(_entities_of(model, name, target))
    partial = spec.newest_first is not None and not spec.many
    union = len(entities) > 1
    reaches = tuple(
        _reach(name, source, one, spec, partial=partial, in_union=union) for one in entities
    )
    if not spec.many and len(reaches) > 1:
        raise ModelError(
            f"{name}: one() reaches a single entity, not a union.\n"
            "  Use many(bounded=N) over the union, or one field for each type."
        )
    _refuse_split(name, reaches)
    _refuse_unbounded(name, spec, target)
    narrowing = narrowing_names(name, reaches[0]) if len(reaches) == 1 and spec.many else ()
    _check_filters(name, spec, reaches)
    newest_first = spec.newest_first
    if newest_first is None or (source is None and spec.many and not newest_first):
        newest_first = spec.many and reaches[0].member.key.newest_first
    return Link(
        name,
        target.kind,
        source,
        reaches,
        spec.bounded,
        bool(newest_first),
        narrowing,
        spec.filters,
    )


def _reach(
    name: str,
    source: Source,
    target: Entity,
    spec: LinkSpec,
    *,
    partial: bool,
    in_union: bool,
) -> Reach:
    if source is None:
        return root_reach(
            name,
            target,
            through=spec.through,
            single=not spec.many,
            partial=partial,
            in_union=in_union,
        )
    return find_reach(
        name,
        source,
        target,
        given=spec.given,
        through=spec.through,
        single=not spec.many,
        partial=partial,
        in_union=in_union,
    )


def _refuse_split(name: str, reaches: tuple[Reach, ...]) -> None:
    first = reaches[0].member.key
    for reach in reaches[1:]:
        key = reach.member.key
        if key.index != first.index or key.partition.unify(first.partition) is None:
            raise ModelError(
                f"{name}: the types of this union do not live in one partition: {first} "
                f"({first.index}) and {key} ({key.index}).\n"
                "  One Query reads one partition. Choose an index that they share with "
                "many(through=…), or make it two fields."
            )


def _refuse_unbounded(name: str, spec: LinkSpec, target: Target) -> None:
    if target.kind != "list" or spec.bounded is not None:
        if spec.bounded is not None and spec.bounded < 1:
            raise ModelError(f"{name}: bounded must be at least 1.")
        return
    shown = " | ".join(one.__name__ for one in target.types)
    raise ModelError(
        f"{name} is a list, and a list is always read whole.\n"
        f"  Say how long it can get with many(bounded=N), or make it a Connection[{shown}], "
        "which is paged."
    )


def _check_filters(name: str, spec: LinkSpec, reaches: tuple[Reach, ...]) -> None:
    if spec.filters and len(reaches) > 1:
        raise ModelError(f"{name}: a union cannot be filtered; its types differ.")
    entity, key = reaches[0].member.entity, reaches[0].member.key
    for one in spec.filters:
        if one not in entity.attributes:
            raise ModelError(
                f"{name}: filters names {one!r}, which is no attribute of {entity.name}.\n"
                f"  It has {', '.join(entity.attributes)}."
            )
        if one in key.names:
            raise ModelError(
                f"{name}: {one} stands in the key {key}; narrow it with its own argument, "
                "which reads only what it returns. Leave it out of filters."
            )
        if not entity.carried(key)(one):
            raise ModelError(
                f"{name}: {key.index} does not carry {one}, so it cannot filter by it.\n"
                "  Project it into the index, or carry it in the copy."
            )


def _number(
    model: Model, source: Entity | Group, one: LinkField, fields: Mapping[str, LinkField]
) -> Link:
    spec, name = one.spec, f"{source.name}.{one.python_name}"
    over = fields.get(spec.over or "")
    if over is None or over.link is None:
        lists = ", ".join(n for n, f in fields.items() if f.spec.aggregation is None) or "none"
        raise ModelError(
            f"{name}: {source.name} has no collection {spec.over!r} to compute over.\n"
            f"  Its collections are: {lists}."
        )
    if over.link.bounded is None:
        raise ModelError(
            f"{name}: {source.name}.{spec.over} has no bound, so computing over it could read "
            f"without end.\n  Declare many(bounded=N) on {spec.over}."
        )
    for member in over.link.members if spec.attribute else ():
        held = member.entity.attributes.get(spec.attribute or "")
        if held is None or held.codec.kind not in ("int", "float", "decimal"):
            if spec.aggregation != "total" and held is not None:
                continue
            raise ModelError(
                f"{name}: {member.entity.name} has no number {spec.attribute!r} to compute with."
            )
    return dataclasses.replace(
        over.link,
        name=name,
        kind="list",
        aggregate=Aggregate(spec.aggregation or "count", spec.attribute),
        narrowing=(),
        filters=(),
    )


def _group_link(
    model: Model, name: str, source: Source, spec: LinkSpec, target: Target, group: Group
) -> Link:
    if source is None:
        return Link(name, "group", None, (), group=group)
    if isinstance(source, Group) or target.kind != "list" or spec.bounded is None:
        raise ModelError(
            f"{name}: a group is reached from an entity, as list[{group.name}] with "
            "many(bounded=N)."
        )
    members: list[Reach] = []
    for entity in _members_of(model, group):
        reach = find_reach(
            name,
            source,
            entity,
            given=spec.given,
            through=spec.through,
            single=False,
            partial=False,
        )
        members.append(reach)
    if not members:
        raise ModelError(f"{name}: {group.name} has no collection, so nothing tells its members.")
    return Link(name, "groups", source, tuple(members), spec.bounded, group=group)


def _members_of(model: Model, group: Group) -> Iterator[Entity]:
    """The entities whose keys carry the group's attributes in its partition."""
    for entity in model.layout.entities.values():
        for key in entity.keys:
            if key.index != group.index or key.partition.unify(group.partition) is None:
                continue
            if all(name in key.sort.names for name in group.by):
                yield entity
                break


def _group_of(model: Model, cls: type) -> Group | None:
    for group in model.layout.groups.values():
        if group.cls is cls:
            return group
    return None


def _entities_of(model: Model, name: str, target: Target) -> Iterator[Entity]:
    found = False
    for cls in target.types:
        for entity in model.layout.entities.values():
            if entity.cls is cls or (inspect.isclass(cls) and issubclass(entity.cls, cls)):
                found = True
                yield entity
    if not found:
        shown = ", ".join(getattr(cls, "__name__", str(cls)) for cls in target.types)
        raise ModelError(
            f"{name}: {shown} is no entity of this table.\n"
            f"  The table has {', '.join(model.layout.entities)}."
        )


def _target(name: str, hint: Any) -> Target:
    hint, _ = optional_of(hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (list, tuple):
        return Target("list", _types(arguments[0]), optional_of(arguments[0])[0])
    if origin is Connection:
        return Target("connection", _types(arguments[0]), optional_of(arguments[0])[0])
    if hint is Connection:
        raise ModelError(f"{name}: say of what it is a connection, such as Connection[Order].")
    if not (origin or has_object_definition(hint) or isinstance(hint, type)):
        raise ModelError(f"{name}: {hint!r} is no type that could live in the table.")
    return Target("one", _types(hint), hint)


def _types(hint: Any) -> tuple[type, ...]:
    if typing.get_origin(hint) is typing.Annotated:
        bare, *extras = typing.get_args(hint)
        for extra in extras:
            if isinstance(extra, StrawberryUnion):
                return _types(bare)
        return _types(bare)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(arm for arm in typing.get_args(hint) if arm is not type(None))
    return (hint,)
