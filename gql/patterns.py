"""Access patterns: every field that reaches items, with the request it would cause alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
class Shown:
    """A field as GraphQL shows it."""

    name: str
    type: str
    arguments: tuple[str, ...]
    description: str | None


@dataclass(frozen=True, slots=True)
class Pattern:
    """`request` names its values in braces; None where what lies under the field asks instead."""

    owner: str
    field: Shown
    link: Link
    request: ReadRequest | None

    def shown(self) -> dict[str, Any]:
        link = self.link
        return {
            "owner": self.owner,
            "name": self.field.name,
            "arguments": list(self.field.arguments),
            "type": self.field.type,
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
            if one.link is not None:
                request = _request(layout, one.link)
                yield Pattern(definition_of(cls).name, shown[name], one.link, request)


def shown_fields(gateway: Gateway, cls: type) -> dict[str, Shown]:
    """What GraphQL shows of a type, by the names of Python."""
    definition = definition_of(cls)
    made: Any = gateway.graphql_schema.get_type(definition.name)
    found: dict[str, Shown] = {}
    for one in definition.fields:
        name = gateway.schema.config.name_converter.get_graphql_name(one)
        if (field := made.fields.get(name)) is not None:
            shown = Shown(name, str(field.type), tuple(field.args), field.description)
            found[one.python_name] = shown
    return found


def _request(layout: Layout, link: Link) -> ReadRequest | None:
    if not link.reaches:
        return None
    key = link.key
    values = {name: Symbol(f"{{{name}}}") for name in link.origins}
    path = access_path(link, values, {})
    partition = path.partitions[0]
    if key.shards:
        partition = f"{partition.removesuffix('0')}{{0…{key.shards - 1}}}"
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
    shown = described(request)
    return {
        "operation": request.operation,
        "index": link.index.name,
        "condition": shown.get("keyCondition") or _key_condition(request),
        "descending": shown.get("descending", False),
        "limit": shown.get("limit"),
        "paged": link.kind == "connection",
        "narrowing": list(link.narrowing),
        "filters": list(link.filters),
        "shards": link.key.shards,
    }


def _key_condition(request: ReadRequest) -> str | None:
    """A lookup's key in the words of a Query."""
    match request:
        case Get():
            partition, sort = request.key
        case BatchGet():
            partition, sort = request.keys[0]
        case Query():
            return None
    return f"{request.names.partition} = '{partition}' AND {request.names.sort} = '{sort}'"
