"""Links: every `one()`, `many()` and number of a type finds its way, or says why it has none."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from strawberry.annotation import StrawberryAnnotation
from strawberry.types.base import StrawberryObjectDefinition

from ..resolvers.links import (
    Aggregate,
    Link,
    Reach,
    Source,
    find_reach,
    narrowing_names,
    root_reach,
)
from ..store.attributes import optional_of
from ..store.entities import Entity, Group, Layout
from ..store.errors import ModelError
from .annotations import Target, hints_of, target_of
from .arguments import arguments_of
from .fields import LinkField, LinkSpec
from .model import definition_of, fresh_links, link_fields

FILTERED = frozenset(
    ("text", "int", "float", "decimal", "bool", "date", "datetime", "uuid", "enum", "bytes")
)
SUMMED = frozenset(("int", "float", "decimal"))
ORDERED = SUMMED | {"text", "date", "datetime"}


def link_type(
    layout: Layout, source: Entity | Group, cls: type, namespace: Mapping[str, Any]
) -> list[Link]:
    fields = fresh_links(cls)
    hints = hints_of(cls, namespace) if fields else {}
    numbers: list[LinkField] = []
    for name, one in fields.items():
        if one.spec.aggregation is not None:
            numbers.append(one)
            continue
        where = f"{source.name}.{name}"
        one.link = link_to(layout, where, source, one.spec, hints[name])
        one.type_annotation = target_of(where, hints[name]).nullable
    for one in numbers:
        one.link = _number(source, one, fields)
        one.type_annotation = _maybe(hints[one.python_name])
    return [one.link for one in fields.values() if one.link is not None]


def link_interfaces(layout: Layout, namespace: Mapping[str, Any]) -> None:
    """An interface that declares links shows them as the entities that implement it do."""
    interfaces: dict[int, StrawberryObjectDefinition] = {}
    implementing: dict[int, list[type]] = {}
    for entity in layout.entities.values():
        for interface in definition_of(entity.cls).interfaces:
            interfaces[id(interface)] = interface
            implementing.setdefault(id(interface), []).append(entity.cls)
    for key, interface in interfaces.items():
        fields = link_fields(interface.origin)
        hints = hints_of(interface.origin, namespace) if fields else {}
        for name, one in fields.items():
            where = f"{interface.origin.__name__}.{name}"
            number = one.spec.aggregation is not None
            one.type_annotation = (
                _maybe(hints[name]) if number else target_of(where, hints[name]).nullable
            )
            _share_arguments(one, [link_fields(cls)[name] for cls in implementing[key]])


def _share_arguments(one: LinkField, twins: list[LinkField]) -> None:
    """What all of them take; a filter's type is each entity's own."""
    taken = [
        {
            argument.graphql_name: argument
            for argument in arguments_of(dataclasses.replace(twin.link, filters=()))
        }
        for twin in twins
        if twin.link is not None
    ]
    first, *others = taken
    one.arguments = [
        argument
        for name, argument in first.items()
        if all(
            name in other
            and other[name].type_annotation.annotation == argument.type_annotation.annotation
            for other in others
        )
    ]


def _maybe(hint: Any) -> StrawberryAnnotation:
    return StrawberryAnnotation(typing.Optional[optional_of(hint)[0]])  # noqa: UP045


def link_to(layout: Layout, name: str, source: Source, spec: LinkSpec, hint: Any) -> Link:
    """The link of a field that was declared with `one()` or `many()`."""
    target = target_of(name, hint)
    _check_number(name, spec, target)
    if len(target.types) == 1 and (group := _group_of(layout, target.types[0])) is not None:
        return _group_link(layout, name, source, spec, target, group)
    entities = list(_entities_of(layout, name, target))
    if not spec.many and len(entities) > 1:
        raise ModelError(
            f"{name}: one() reaches a single entity, not a union.\n"
            "  Use many(bounded=N) over the union, or one field for each type."
        )
    reaches = tuple(_reach(name, source, one, spec, len(entities) > 1) for one in entities)
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


def _check_number(name: str, spec: LinkSpec, target: Target) -> None:
    """many() for several, one() for one."""
    shown = " | ".join(one.__name__ for one in target.types)
    if spec.many and target.kind == "one":
        raise ModelError(
            f"{name} is declared with many() but annotated as a single {shown}.\n"
            f"  Annotate it as list[{shown}] with many(bounded=N), or as Connection[{shown}]; or "
            "declare it with one()."
        )
    if not spec.many and target.kind != "one":
        raise ModelError(
            f"{name} is declared with one() but annotated as several {shown}.\n"
            f"  Annotate it as {shown}, or declare it with many()."
        )


def _reach(name: str, source: Source, target: Entity, spec: LinkSpec, in_union: bool) -> Reach:
    partial = spec.newest_first is not None and not spec.many
    if source is not None:
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
    if spec.given:
        pairs = ", ".join(f'{a}="{b}"' for a, b in spec.given.items())
        raise ModelError(
            f"{name}: a root field has no attributes that could fill a key, so {pairs} says "
            "nothing here.\n  Leave it out: the key becomes the field's arguments."
        )
    return root_reach(
        name,
        target,
        through=spec.through,
        single=not spec.many,
        partial=partial,
        in_union=in_union,
    )


def _refuse_split(name: str, reaches: tuple[Reach, ...]) -> None:
    first = reaches[0].member.key
    for reach in reaches[1:]:
        key = reach.member.key
        if (
            key.index != first.index
            or key.partition.unify(first.partition) is None
            or _filled(reach) != _filled(reaches[0])
        ):
            raise ModelError(
                f"{name}: the types of this union do not live in one partition: {first} "
                f"({first.index}) and {key} ({key.index}).\n"
                "  One Query reads one partition. Choose an index that they share with "
                "many(through=…), or make it two fields."
            )


def _filled(reach: Reach) -> list[str | None]:
    return [reach.binding.get(name) for name in reach.member.key.partition.names]


def _refuse_unbounded(name: str, spec: LinkSpec, target: Target) -> None:
    if spec.bounded is not None and spec.bounded < 1:
        raise ModelError(f"{name}: bounded must be at least 1; it is {spec.bounded}.")
    if target.kind != "list" or spec.bounded is not None:
        return
    shown = " | ".join(one.__name__ for one in target.types)
    raise ModelError(
        f"{name} is a list, and a list is always read whole.\n"
        f"  Say how long it can get with many(bounded=N), or make it a Connection[{shown}], "
        "which is paged."
    )


def _check_filters(name: str, spec: LinkSpec, reaches: tuple[Reach, ...]) -> None:
    first, *others = reaches
    if spec.filters and others:
        raise ModelError(
            f"{name}: a union cannot be filtered; its types differ.\n"
            "  Leave filters out, or make it one field for each type."
        )
    entity, key = first.member.entity, first.member.key
    for one in spec.filters:
        if one not in entity.attributes:
            raise ModelError(
                f"{name}: filters names {one!r}, which is no attribute of {entity.name}.\n"
                f"  It has {', '.join(entity.attributes)}."
            )
        if one in key.names:
            raise ModelError(
                f"{name}: {one} stands in the key {key}, so it has an argument of its own, which "
                "reads only what it returns.\n  Leave it out of filters."
            )
        if (kind := entity.attributes[one].codec.kind) not in FILTERED:
            raise ModelError(
                f"{name}: filters compare single values, and {entity.name}.{one} is a {kind}.\n"
                "  Leave it out of filters."
            )
        # What stands in the home key can be read from there, but DynamoDB filters what is stored.
        projected, stored = key.index.projected, entity.attributes[one].stored
        if not entity.carried(key)(one) or (projected is not None and stored not in projected):
            raise ModelError(_not_carried(name, first, one, "filter by it"))


def _not_carried(name: str, reach: Reach, attribute: str, purpose: str) -> str:
    entity, key = reach.member.entity, reach.member.key
    if key.role == "copy":
        return (
            f"{name}: the copy at {key} does not carry {attribute}, so it cannot {purpose}.\n"
            f'  Add it to the copy: copy("{key.partition}", "{key.sort}", carries=[…, '
            f'"{attribute}"]).'
        )
    stored = entity.attributes[attribute].stored
    return (
        f"{name}: the index {key.index} does not carry {attribute}, so it cannot {purpose}.\n"
        f'  Project {stored!r} into it: Index("{key.index}", …, projection=[…, "{stored}"]).'
    )


def _number(source: Entity | Group, one: LinkField, fields: Mapping[str, LinkField]) -> Link:
    spec, name = one.spec, f"{source.name}.{one.python_name}"
    over = fields.get(spec.over or "")
    if over is None or over.link is None or not over.spec.many:
        lists = [n for n, f in fields.items() if f.spec.many and f.spec.aggregation is None]
        raise ModelError(
            f"{name}: {source.name} has no collection {spec.over!r} to compute over.\n"
            f"  Its collections are: {', '.join(lists) or 'none'}."
        )
    if over.link.bounded is None:
        raise ModelError(
            f"{name}: {source.name}.{spec.over} has no bound, so computing over it could read "
            f"without end.\n  Declare many(bounded=N) on {spec.over}."
        )
    for reach in over.link.reaches if spec.attribute else ():
        _check_computable(name, reach, spec)
    return dataclasses.replace(
        over.link,
        name=name,
        kind="list",
        aggregate=Aggregate(spec.aggregation or "count", spec.attribute),
        narrowing=(),
        filters=(),
    )


def _check_computable(name: str, reach: Reach, spec: LinkSpec) -> None:
    entity, wanted = reach.member.entity, spec.attribute or ""
    kinds = SUMMED if spec.aggregation == "sum" else ORDERED
    held = entity.attributes.get(wanted)
    if held is None or held.codec.kind not in kinds:
        what = "number" if spec.aggregation == "sum" else "number, date or text"
        fitting = [one.name for one in entity.attributes.values() if one.codec.kind in kinds]
        raise ModelError(
            f"{name}: {entity.name} has no {what} {wanted!r} to compute with.\n"
            f"  It has {', '.join(fitting) or 'none'}."
        )
    if not entity.carried(reach.member.key)(wanted):
        raise ModelError(_not_carried(name, reach, wanted, "compute with it"))


def _group_link(
    layout: Layout, name: str, source: Source, spec: LinkSpec, target: Target, group: Group
) -> Link:
    if source is None:
        return Link(name, "group", None, (), group=group)
    if isinstance(source, Group) or target.kind != "list" or spec.bounded is None:
        raise ModelError(
            f"{name}: a group is reached from an entity, as list[{group.name}] with "
            "many(bounded=N)."
        )
    members: list[Reach] = []
    for entity in _members_of(layout, group):
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
        raise ModelError(
            f"{name}: no entity has {', '.join(group.by)} in its sort key in the partition "
            f"{group.partition}, so nothing tells which {group.name} there are.\n"
            f"  Give the members of {group.name} such a key."
        )
    return Link(name, "groups", source, tuple(members), spec.bounded, group=group)


def _members_of(layout: Layout, group: Group) -> Iterator[Entity]:
    """The entities whose keys carry the group's attributes in its partition."""
    for entity in layout.entities.values():
        for key in entity.keys:
            if key.index != group.index or key.partition.unify(group.partition) is None:
                continue
            if all(name in key.sort.names for name in group.by):
                yield entity
                break


def _group_of(layout: Layout, cls: type) -> Group | None:
    for group in layout.groups.values():
        if group.cls is cls:
            return group
    return None


def _entities_of(layout: Layout, name: str, target: Target) -> Iterator[Entity]:
    """The entity of each type; where it is an interface, all that implement it."""
    for cls in target.types:
        entities = layout.entities.values()
        exactly = [entity for entity in entities if entity.cls is cls]
        below = [entity for entity in entities if issubclass(entity.cls, cls)]
        if not (exactly or below):
            raise ModelError(
                f"{name}: {cls.__name__} is no entity of this table.\n"
                f"  The table has {', '.join(layout.entities)}. Declare it with @table.entity, or "
                "give the field a resolver of its own with @strawberry.field."
            )
        yield from exactly or below
