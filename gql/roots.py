"""Root fields: derived from the keys, or declared by the user with `one()` and `many()`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import strawberry
from strawberry.annotation import StrawberryAnnotation
from strawberry.types.base import has_object_definition

from ..loaders.asks import Member
from ..resolvers.links import Link, Reach, narrowing_names
from ..store.entities import Entity, Group, Key
from ..store.errors import ModelError
from ..store.naming import camel, snake
from .annotations import hints_of, target_of
from .building import Model
from .connections import Connection
from .fields import LinkField, LinkSpec
from .inputs import argument
from .linking import link_to
from .model import Table, fresh_links
from .nodes import Node


def plural(word: str) -> str:
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    if re.search(r"(s|x|z|ch|sh)$", word):
        return word + "es"
    return word + "s"


@dataclass(frozen=True, slots=True)
class Way:
    """A way in that a key offers: its field, and how the model gives it another name."""

    name: str
    field: LinkField
    key: str
    rename: str


def generated_query(table: Table, model: Model) -> type:
    """A Query type with a field for each way in that the keys offer."""
    ways: dict[str, Way] = {}
    for way in _ways(table, model):
        known = ways.setdefault(camel(way.name), way)
        if known is not way:
            raise ModelError(
                f"Query.{camel(way.name)} would come from two keys:\n"
                f"  {known.key}: rename it with {known.rename}\n"
                f"  {way.key}: rename it with {way.rename}"
            )
    fields = {way.name: way.field for way in ways.values()}
    for name, made in fields.items():
        if made.link is not None:
            made.link.name = f"Query.{name}"
            model.links.append(made.link)
    return strawberry.type(type("Query", (), dict(fields)), name="Query")


def declared_query(model: Model, query: type, namespace: Mapping[str, Any]) -> None:
    """Links the `one()` and `many()` fields of a Query class of the user's own."""
    if not has_object_definition(query):
        raise ModelError(
            f"{query.__name__} is no GraphQL type yet.\n  Decorate it with @strawberry.type."
        )
    fields = fresh_links(query)
    hints = hints_of(query, namespace) if fields else {}
    for name, one in fields.items():
        where = f"{query.__name__}.{name}"
        if one.spec.aggregation is not None:
            raise ModelError(
                f"{where}: a number is computed over a collection of an entity, not of the root.\n"
                "  Declare it on the entity that has the collection."
            )
        one.link = link_to(model.layout, where, None, one.spec, hints[name])
        one.type_annotation = target_of(where, hints[name]).nullable
        model.links.append(one.link)


def _ways(table: Table, model: Model) -> Iterator[Way]:
    for name, entity in model.layout.entities.items():
        yield from _entity_ways(entity, table.entities[name].plural or plural(snake(name)))
    for group in model.layout.groups.values():
        rename = f'@table.group(…, name="…") on {group.name}'
        yield Way(snake(group.name), _group_field(group), f"the group {group.name}", rename)
    yield Way("node", _node_field(model), "the field for any nodeId", "a Query class of your own")


def _entity_ways(entity: Entity, several: str) -> Iterator[Way]:
    one, home = snake(entity.name), entity.home
    where = f"{entity.name} at {home}"
    reach = Reach(Member(entity, home), {name: name for name in home.names})
    field = _field(Link("", "one", None, (reach,)), entity.cls, f"One {entity.name} by key.")
    yield Way(one, field, where, f'@table.entity(…, name="…") on {entity.name}')
    if len(home.names) == 1:
        rename = f'@table.entity(…, plural="…") on {entity.name}'
        yield Way(several, _keys_field(entity, home), where, rename)
    for key in entity.keys:
        for name, field in _key_fields(entity, key, one, several):
            yield Way(name, field, f"{entity.name} at {key} ({key.index})", _renamed(key))


def _renamed(key: Key) -> str:
    if key.role == "home":
        return "a Query class of your own"
    how = "copy" if key.role == "copy" else "lookup" if key.unique else "key"
    more = f", shards={key.shards}" if key.shards else ""
    how = "sharded" if key.shards else how
    return f'{how}("{key.partition}", "{key.sort}"{more}, name="…")'


def _key_fields(
    entity: Entity, key: Key, one: str, several: str
) -> Iterator[tuple[str, LinkField]]:
    reach = Reach(Member(entity, key), {name: name for name in key.partition.names})
    by = "_and_".join(key.partition.names) or str(key.index).lower()
    if key.unique:
        link = Link("", "one", None, (reach,))
        yield key.field or f"{one}_by_{by}", _field(link, entity.cls, f"By {key} in {key.index}.")
        return
    if not [name for name in key.sort.names if name not in key.partition.names]:
        return
    link = Link(
        "",
        "connection",
        None,
        (reach,),
        newest_first=key.newest_first,
        narrowing=narrowing_names(f"{several}_by_{by}", reach),
    )
    shards = f", over {key.shards} shards" if key.shards else ""
    description = f"By {key} in {key.index}{shards}."
    yield key.field or f"{several}_by_{by}", _field(link, Connection[entity.cls], description)


def _field(link: Link, annotation: Any, description: str) -> LinkField:
    made = LinkField(
        LinkSpec(many=link.kind != "one"),
        type_annotation=StrawberryAnnotation(annotation | None),
        description=description,
    )
    made.link = link
    return made


def _keys_field(entity: Entity, home: Key) -> LinkField:
    [name] = home.names
    reach = Reach(Member(entity, home), {name: name})
    many = plural(name)
    made = _field(
        Link("", "keys", None, (reach,)),
        list[entity.cls | None],
        f"Several {entity.name} by key, in the order of `{many}`; null where there is none.",
    )
    attribute = entity.attributes[name]
    made.arguments = [argument(many, list[attribute.annotation], default=...)]
    return made


def _group_field(group: Group) -> LinkField:
    link = Link("", "group", None, (), group=group)
    return _field(link, group.cls, f"One {group.name}: the items that share its key.")


def _node_field(model: Model) -> LinkField:
    by_type = {
        name: Link(
            "Query.node",
            "one",
            None,
            (Reach(Member(entity, entity.home), {one: one for one in entity.home.names}),),
        )
        for name, entity in model.layout.entities.items()
    }
    model.links.extend(by_type.values())
    made = _field(Link("", "node", None, (), by_type=by_type), Node, "Any object by its nodeId.")
    made.arguments = [argument("node_id", strawberry.ID, default=...)]
    return made
