"""Access patterns: every field that reaches items, with the request it would cause alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphql import GraphQLField, GraphQLObjectType

from ..loaders.sending import ReadRequest
from ..resolvers.explaining import described
from ..resolvers.links import Link
from ..resolvers.paths import access_path
from ..store.entities import Entity, Key, Layout
from ..store.keys import Symbol
from ..store.requests import BatchGet, Get, Query
from .model import definition_of, link_fields

if TYPE_CHECKING:
    from .gateway import Gateway


@dataclass(frozen=True, slots=True)
class Pattern:
    """`request` has the names of values in braces; None for a group or a node, which is not one."""

    owner: str
    name: str
    field: GraphQLField
    link: Link
    request: ReadRequest | None

    def shown(self) -> dict[str, Any]:
        link = self.link
        return {
            "owner": self.owner,
            "name": self.name,
            "arguments": list(self.field.args),
            "type": str(self.field.type),
            "description": self.field.description,
            "places": [place_of(member.entity, member.key) for member in link.members],
            "bounded": link.bounded,
            "number": link.aggregate is not None,
            "request": None if self.request is None else _shown(self.request, link),
        }


def place_of(entity: Entity, key: Key) -> str:
    """A name for where an entity appears: `Order-0` is at home, `Order-1` at its next key."""
    return f"{entity.name}-{entity.keys.index(key)}"


def patterns(gateway: Gateway) -> Iterator[Pattern]:
    """Those of the root first, then those of each type."""
    layout = gateway.layout
    types = (*layout.entities.values(), *layout.groups.values())
    for cls in (gateway.schema.query, *(one.cls for one in types)):
        shown = shown_fields(gateway, cls)
        for name, one in link_fields(cls).items():
            if one.link is None:
                continue
            owner = definition_of(cls).name
            field_name = gateway.schema.config.name_converter.get_graphql_name(one)
            yield Pattern(owner, field_name, shown[name], one.link, _request(layout, one.link))


def shown_fields(gateway: Gateway, cls: type) -> dict[str, GraphQLField]:
    """What GraphQL shows of a type, by the names of Python."""
    definition = definition_of(cls)
    made = gateway.graphql_schema.get_type(definition.name)
    fields = made.fields if isinstance(made, GraphQLObjectType) else {}
    names = {
        one.python_name: gateway.schema.config.name_converter.get_graphql_name(one)
        for one in definition.fields
    }
    return {name: fields[shown] for name, shown in names.items() if shown in fields}


def _request(layout: Layout, link: Link) -> ReadRequest | None:
    if not link.reaches:
        return None
    key = link.key
    values = {name: Symbol(f"{{{name}}}") for name in link.origins}
    path = access_path(link, values, {})
    partition = path.partitions[0]
    if key.shards:
        partition = partition.rpartition(key.partition.separator)[0] + (
            f"{key.partition.separator}{{0…{key.shards - 1}}}"
        )
    if link.kind == "keys":
        return BatchGet(layout.name, key.index.names, ((partition, path.span.low),))
    if link.kind == "one" and path.span.single and key.index.name is None:
        return Get(layout.name, key.index.names, (partition, path.span.low))
    limit = 1 if link.kind == "one" else None
    return Query(
        layout.name,
        key.index.name,
        key.index.names,
        partition,
        path.span,
        path.descending,
        limit,
    )


def _shown(request: ReadRequest, link: Link) -> dict[str, Any]:
    names = link.index.names
    shown = described(request)
    match request:
        case Query():
            condition = shown["keyCondition"]
        case Get(key=key) | BatchGet(keys=(key, *_)):
            condition = f"{names.partition} = '{key[0]}' AND {names.sort} = '{key[1]}'"
    return {
        "operation": request.operation,
        "index": link.index.name,
        "condition": condition,
        "descending": shown.get("descending", False),
        "limit": shown.get("limit"),
        "paged": link.kind == "connection",
        "narrowing": list(link.narrowing),
        "filters": list(link.filters),
        "shards": link.key.shards,
    }
