"""What a connection field shows: edges, nodes, and where the page stands in its list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..store.conditions import Condition
from .paging import Cursors, Position, Resumption, Side, Stretch, Stretched, resume


@dataclass(slots=True)
class Edge:
    node: object
    position: Position
    cursors: Cursors

    @property
    def cursor(self) -> str:
        return self.cursors.seal(self.position)


@dataclass(slots=True)
class PageInfo:
    has_next_page: bool
    has_previous_page: bool
    start: Position | None
    end: Position | None
    cursors: Cursors

    @property
    def start_cursor(self) -> str | None:
        return None if self.start is None else self.cursors.seal(self.start)

    @property
    def end_cursor(self) -> str | None:
        return None if self.end is None else self.cursors.seal(self.end)


@dataclass(slots=True)
class Page:
    edges: list[Edge]
    page_info: PageInfo

    @property
    def nodes(self) -> list[object]:
        return [edge.node for edge in self.edges]


@dataclass(frozen=True, slots=True)
class Paging:
    """One page to be read: which list, which stretch of it, from which position."""

    cursors: Cursors
    part: Stretch
    position: Position | None
    where: Condition | None

    @property
    def descending(self) -> bool:
        """The direction of reading."""
        return self.cursors.path.descending != self.part.backward

    def resumptions(self) -> list[Resumption]:
        return resume(
            self.cursors,
            self.position,
            descending=self.descending,
            backward=self.part.backward,
        )

    def page(self, stretched: Stretched, nodes: Sequence[object]) -> Page:
        cursors = self.cursors
        edges = [
            Edge(node, cursors.position_of(placed.found, placed.shard), cursors)
            for node, placed in zip(nodes, stretched.items, strict=True)
        ]
        first = edges[0].position if edges else None
        last = edges[-1].position if edges else None
        came_from: Side = "after" if self.part.backward else "before"
        behind = self.position is not None and self.position.bare != came_from
        stopped = stretched.stopped
        if stopped is not None and not edges and not behind:
            stopped = replace(stopped, bare=came_from)
        if self.part.backward:
            first = stopped or first
            return Page(edges, PageInfo(behind, stretched.more, first, last, cursors))
        last = stopped or last
        return Page(edges, PageInfo(stretched.more, behind, first, last, cursors))
