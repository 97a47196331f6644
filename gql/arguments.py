"""The GraphQL arguments of a field that reaches items."""

from __future__ import annotations

from collections.abc import Iterator

from strawberry.types.arguments import StrawberryArgument

from ..resolvers.links import Link
from ..resolvers.paths import SortDirection
from ..store.attributes import Attribute
from .inputs import argument, filter_input, range_input

_PAGED = (
    ("first", int, "How many items, from the start of the list or after `after`."),
    ("after", str, "The cursor of the item that this page follows."),
    ("last", int, "How many items, from the end of the list or before `before`."),
    ("before", str, "The cursor of the item that this page precedes."),
)


def arguments_of(link: Link) -> list[StrawberryArgument]:
    if link.aggregate is not None:
        return []
    return [*_key_arguments(link), *_narrowing(link), *_filters(link), *_order(link)]


def _key_arguments(link: Link) -> Iterator[StrawberryArgument]:
    if link.source is not None:
        return
    if link.kind == "group" and link.group is not None:
        for name in (*link.group.partition.names, *link.group.by):
            yield _required(link.group.attributes[name])
    elif link.kind not in ("keys", "node"):
        [reach, *_] = link.reaches
        for name in reach.member.key.names:
            if name in reach.binding:
                yield _required(reach.member.entity.attributes[name])


def _required(attribute: Attribute) -> StrawberryArgument:
    return argument(attribute.name, attribute.annotation, default=...)


def _narrowing(link: Link) -> Iterator[StrawberryArgument]:
    for name in link.narrowing:
        attribute = link.reaches[0].member.entity.attributes[name]
        yield argument(
            name,
            range_input(attribute.annotation),
            description="Narrows the sort key: only what matches is read.",
        )


def _filters(link: Link) -> Iterator[StrawberryArgument]:
    if not link.filters:
        return
    entity = link.reaches[0].member.entity
    owner, _, field = link.name.rpartition(".")
    name = f"{owner}{field.title().replace('_', '')}Filter"
    made = filter_input(name, [entity.attributes[one] for one in link.filters])
    yield argument(
        "where",
        made,
        description="Applied after reading: what it discards has been read, and paid for.",
    )


def _order(link: Link) -> Iterator[StrawberryArgument]:
    if link.kind == "connection":
        for name, annotation, description in _PAGED:
            yield argument(name, annotation, description=description)
    if link.kind in ("connection", "list"):
        default = "DESCENDING" if link.newest_first else "ASCENDING"
        yield argument(
            "direction", SortDirection, description=f"By the sort key; {default} unless given."
        )
