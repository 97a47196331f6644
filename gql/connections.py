"""Relay connections as GraphQL types; the objects behind them come from `resolvers.pages`."""

from __future__ import annotations

from typing import Generic, TypeVar

import strawberry

from ..resolvers.paths import SortDirection

T = TypeVar("T")


strawberry.enum(SortDirection, description="The order in which a list is read.")


@strawberry.type(description="Where a page stands in its list.")
class PageInfo:
    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@strawberry.type(description="An item of a list, with the cursor to go on from it.")
class Edge(Generic[T]):
    cursor: str
    node: T | None


@strawberry.type(description="A page of a list.")
class Connection(Generic[T]):
    """The annotation of a collection that is paged: `Connection["Order"]`."""

    edges: list[Edge[T]]
    nodes: list[T | None]
    page_info: PageInfo
