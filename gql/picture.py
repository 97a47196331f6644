"""The model as a picture: who lives in which collection, and which fields read it, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..resolvers.residents import bounds, whole_span
from ..store.entities import Entity, Index, Key
from .model import definition_of
from .patterns import patterns, place_of, shown_fields

if TYPE_CHECKING:
    from .gateway import Gateway

Json = dict[str, Any]


def picture(gateway: Gateway) -> Json:
    layout = gateway.layout
    return {
        "table": layout.name,
        "typeAttribute": layout.type_attribute,
        "indexes": [_index(gateway, one) for one in (layout.home, *layout.indexes.values())],
        "entities": [_entity(gateway, one) for one in layout.entities.values()],
        "patterns": [one.shown() for one in patterns(gateway)],
    }


# The table and its indexes, as collections of who shares a partition.


def _index(gateway: Gateway, index: Index) -> Json:
    return {
        "name": index.name,
        "partition": index.names.partition,
        "sort": index.names.sort,
        "projected": None if index.projected is None else sorted(index.projected),
        "collections": [_collection(gateway, one) for one in _collections(gateway, index)],
    }


def _collections(gateway: Gateway, index: Index) -> list[list[tuple[Entity, Key]]]:
    """Keys whose partitions are one template up to names, in the order of declaration."""
    found: list[list[tuple[Entity, Key]]] = []
    for entity in gateway.layout.entities.values():
        for key in (key for key in entity.keys if key.index == index):
            for places in found:
                other = places[0][1]
                if key.shards == other.shards and key.partition.unify(other.partition) is not None:
                    places.append((entity, key))
                    break
            else:
                found.append([(entity, key)])
    return found


def _collection(gateway: Gateway, places: list[tuple[Entity, Key]]) -> Json:
    first = places[0][1]
    return {
        "partition": str(first.partition),
        "shards": first.shards,
        "groups": [
            {"name": group.name, "by": list(group.by)}
            for group in gateway.layout.groups.values()
            if group.index == first.index and group.partition.unify(first.partition) is not None
        ],
        "places": [
            {
                "id": place_of(entity, key),
                "entity": entity.name,
                "partition": str(key.partition),
                "sort": str(key.sort),
                "role": key.role,
                "bound": _bound(gateway, key),
                "when": key.when,
                "carries": None if key.carries is None else sorted(key.carries),
            }
            for entity, key in sorted(places, key=_in_sort_order)
        ],
    }


def _bound(gateway: Gateway, key: Key) -> int | None:
    """The least of what fields declare for all its items in one partition; None without any."""
    if key.unique or not key.sort.names:
        return 1
    links = gateway.model.links
    declared = [
        link.bounded
        for link in links
        if link.bounded is not None
        and link.kind != "groups"
        and key in (member.key for member in link.members)
        and not any(name in link.reaches[0].binding for name in key.sort.names)
    ]
    return min(declared, default=bounds(gateway.layout, links).get(id(key)))


def _in_sort_order(place: tuple[Entity, Key]) -> tuple[str, bool, str]:
    span = whole_span(place[1])
    return span.low, span.high is None, span.high or ""


# Types.


def _entity(gateway: Gateway, entity: Entity) -> Json:
    return {
        "name": entity.name,
        "description": definition_of(entity.cls).description,
        "typeValue": entity.type_value,
        "attributes": _attributes(gateway, entity),
        "keys": [
            {
                "id": place_of(entity, key),
                "index": key.index.name,
                "partition": str(key.partition),
                "sort": str(key.sort),
                "role": key.role,
                "shards": key.shards,
                "names": list(key.names),
            }
            for key in entity.keys
        ],
    }


def _attributes(gateway: Gateway, entity: Entity) -> list[Json]:
    """`type` is None where GraphQL does not show the attribute."""
    shown = shown_fields(gateway, entity.cls)
    return [
        {
            "name": one.name,
            "stored": one.stored,
            "kind": one.codec.kind,
            "type": shown[one.name].type if one.name in shown else None,
        }
        for one in entity.attributes.values()
    ]
