"""Root fields: derived from the keys, or declared by the user with `one()` and `many()`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import strawberry
from strawberry.annotation import StrawberryAnnotation

from ..loaders.asks import Member
from ..resolvers.links import Link, Reach, narrowing_names
from ..store.entities import Entity, Group, Key
from ..store.errors import ModelError
from .building import Model, annotate_root, hints_of, link_to
from .connections import Connection
from .fields import LinkField, LinkSpec
from .inputs import argument
from .model import Table, link_fields
from .nodes import Node


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def plural(word: str) -> str:
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    if re.search(r"(s|x|z|ch|sh)$", word):
        return word + "es"
    return word + "s"


def generated_query(table: Table, model: Model) -> type:
    """A Query type with a field for each way in that the keys offer."""
    fields: dict[str, LinkField] = {}
    for name, entity in model.layout.entities.items():
        several = table.entities[name].plural or plural(snake(name))
        for field_name, made in _entity_fields(entity, several):
            if field_name in fields:
                raise ModelError(
                    f"Query.{field_name} would come from two keys.\n  Name one of them: "
                    'key(…, name="…"), or sharded(…, name="…").'
                )
            fields[field_name] = made
    for group in model.layout.groups.values():
        fields.setdefault(snake(group.name), _group_field(group))
    fields["node"] = _node_field(model)
    for name, made in fields.items():
        if made.link is not None:
            made.link.name = f"Query.{name}"
            model.links.append(made.link)
    return strawberry.type(type("Query", (), dict(fields)), name="Query")


def declared_query(table: Table, model: Model, query: type, namespace: Mapping[str, type]) -> None:
    """Links the `one()` and `many()` fields of a Query class of the user's own."""
    fields = link_fields(query)
    hints = hints_of(query, namespace) if fields else {}
    for name, one in fields.items():
        where = f"{query.__name__}.{name}"
        annotate_root(one, where, hints[name])
        one.link = link_to(model, where, None, one.spec, hints[name])
        model.links.append(one.link)


def _entity_fields(entity: Entity, several: str) -> Iterator[tuple[str, LinkField]]:
    one = snake(entity.name)
    home = entity.home
    if home.names:
        reach = Reach(Member(entity, home), {name: name for name in home.names})
        yield one, _field(Link("", "one", None, (reach,)), entity.cls, f"One {entity.name} by key.")
    if len(home.names) == 1:
        yield several, _keys_field(entity, home)
    for key in entity.keys:
        yield from _key_fields(entity, key, one, several)


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
