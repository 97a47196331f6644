"""Pages: arguments become a stretch of a collection, positions become sealed cursors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import orjson

from ..loaders.asks import Answer, Found
from ..loaders.fanout import Placed, Rank, merge, reading_order
from ..store.cursors import Sealer
from ..store.entities import Index
from ..store.errors import BadInput, CursorInvalid
from ..store.keys import SORT_KEY_MAX_BYTES
from ..store.requests import StartKey
from ..store.spans import Span, following
from .paths import Path


@dataclass(frozen=True, slots=True)
class PageSizes:
    default: int = 20
    largest: int = 200


@dataclass(frozen=True, slots=True)
class Stretch:
    """`count` items from `cursor` on, read against the list's order where `backward`."""

    count: int
    backward: bool
    cursor: str | None


def stretch(arguments: Mapping[str, object], sizes: PageSizes) -> Stretch:
    first, last = arguments.get("first"), arguments.get("last")
    after, before = arguments.get("after"), arguments.get("before")
    if first is not None and last is not None:
        raise BadInput("Give either first (forward) or last (backward), not both.")
    if after is not None and before is not None:
        raise BadInput("Give either after (with first) or before (with last), not both.")
    backward = last is not None or before is not None
    if backward and (first is not None or after is not None):
        raise BadInput("first goes with after, last goes with before.")
    name, count = ("last", last) if backward else ("first", first)
    if count is None:
        count = sizes.default
    if not isinstance(count, int) or not 1 <= count <= sizes.largest:
        raise BadInput(f"{name} must be from 1 to {sizes.largest}; it is {count}.")
    cursor = before if backward else after
    return Stretch(count, backward, None if cursor is None else str(cursor))


Side = Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class Position:
    """Where an item stands in a collection: its sort key, its key in the table, its shard.

    `bare` is the side of it on which nothing was shown, where a walk gave up before it came to
    its first item: `before` it on the way forward, `after` it on the way back.
    """

    sort: str
    partition: str | None = None
    home_sort: str | None = None
    shard: int = 0
    bare: Side | None = None


@dataclass(frozen=True, slots=True)
class Cursors:
    """Seals the positions of one collection, as one viewer sees it."""

    sealer: Sealer
    index: Index
    home: Index
    path: Path
    context: bytes

    @classmethod
    def of(
        cls,
        sealer: Sealer,
        *,
        table: str,
        field: str,
        index: Index,
        home: Index,
        path: Path,
        filter: object,
        viewer: str,
    ) -> Cursors:
        context = orjson.dumps(
            [
                table,
                field,
                index.name,
                path.partitions,
                path.span.low,
                path.span.high,
                path.descending,
                repr(filter) if filter is not None else None,
                viewer,
            ]
        )
        return cls(sealer, index, home, path, context)

    @property
    def sharded(self) -> bool:
        return len(self.path.partitions) > 1

    def seal(self, position: Position) -> str:
        parts: list[object] = [position.sort]
        if self.index.name is not None:
            parts += [position.partition, position.home_sort]
        if self.sharded:
            parts.append(position.shard)
        if position.bare is not None:
            parts.append(position.bare)
        return self.sealer.seal(orjson.dumps(parts), self.context)

    def open(self, cursor: str) -> Position:
        """CursorInvalid unless this very collection sealed it."""
        parts = orjson.loads(self.sealer.open(cursor, self.context))
        partition = home_sort = None
        sort, *rest = parts
        if self.index.name is not None:
            partition, home_sort, *rest = rest
        shard = rest.pop(0) if self.sharded else 0
        [bare] = rest or [None]
        if shard >= len(self.path.partitions):
            raise CursorInvalid
        return Position(sort, partition, home_sort, shard, bare)

    def start_key(self, position: Position) -> StartKey:
        partition = self.path.partitions[position.shard]
        names = self.index.names
        here = ((names.partition, partition), (names.sort, position.sort))
        if self.index.name is None or position.partition is None or position.home_sort is None:
            return StartKey(here)
        home = self.home.names
        return StartKey(
            (*here, (home.partition, position.partition), (home.sort, position.home_sort))
        )

    def position_of(self, found: Found, shard: int) -> Position:
        item = found.item
        sort = item[self.index.names.sort]["S"]
        if self.index.name is None:
            return Position(sort, shard=shard)
        partition, home_sort = self.home.names.key_of(item)
        return Position(sort, partition, home_sort, shard)

    def position_at(self, start: StartKey, shard: int) -> Position:
        """The position of the last item that was examined, shown or not."""
        held = dict(start.attributes)
        home = self.home.names
        return Position(
            held[self.index.names.sort],
            held.get(home.partition) if self.index.name is not None else None,
            held.get(home.sort) if self.index.name is not None else None,
            shard,
        )


@dataclass(frozen=True, slots=True)
class Resumption:
    """Where each shard goes on: a start key, or a narrower span."""

    span: Span
    start: StartKey | None


def resume(
    cursors: Cursors, position: Position | None, *, descending: bool, backward: bool
) -> list[Resumption]:
    """One for each shard. Equal sort keys are ordered by shard, so no tie is lost or repeated."""
    path = cursors.path
    if position is None:
        return [Resumption(path.span, None) for _ in path.partitions]
    return [
        Resumption(path.span, cursors.start_key(position))
        if shard == position.shard
        else Resumption(
            _beyond(
                path.span,
                position.sort,
                descending=descending,
                ties=(shard > position.shard) != backward,
            ),
            None,
        )
        for shard in range(len(path.partitions))
    ]


def _beyond(span: Span, sort: str, *, descending: bool, ties: bool) -> Span:
    if descending:
        return span.clip(Span("", sort)) if ties else span.below(sort)
    low = sort if ties else following(sort, max_bytes=SORT_KEY_MAX_BYTES)
    return Span("", "", open=True) if low is None else span.clip(Span(low))


@dataclass(frozen=True, slots=True)
class Stretched:
    """The items of a page in the list's order, and what lies around them."""

    items: tuple[Placed, ...]
    more: bool
    """More items follow in the direction of reading."""
    stopped: Position | None
    """Where reading ended in vain: all before it was examined, and is shown if it belongs."""


def assemble(
    cursors: Cursors,
    answers: Sequence[Answer],
    *,
    count: int,
    descending: bool,
    backward: bool,
) -> Stretched:
    """Merges the shards and cuts the page; `descending` is the direction of reading."""
    placed = merge(answers, index=cursors.index, descending=descending, backward=backward)
    placed, stopped = _cut_where_stopped(
        cursors, placed, answers, order=reading_order(descending=descending, backward=backward)
    )
    more = len(placed) > count or any(not answer.exhausted for answer in answers)
    if len(placed) > count:
        stopped = None
    shown = placed[:count]
    if backward:
        shown.reverse()
    return Stretched(tuple(shown), more, stopped)


def _cut_where_stopped(
    cursors: Cursors,
    placed: list[Placed],
    answers: Sequence[Answer],
    *,
    order: Callable[[str, int], Rank],
) -> tuple[list[Placed], Position | None]:
    """A shard that gave up early may hide items: nothing beyond its last one can be shown."""
    sort = cursors.index.names.sort
    stops = [
        (order(dict(answer.stopped.attributes)[sort], shard), shard, answer.stopped)
        for shard, answer in enumerate(answers)
        if answer.stopped is not None
    ]
    if not stops:
        return placed, None
    end, shard, start = min(stops, key=lambda stop: stop[0])
    kept = [one for one in placed if not end < order(one.sort, one.shard)]
    # A shard whose page is full, and shown in full, may hold more items before the end.
    shown = Counter(one.shard for one in kept)
    hidden = any(
        not answer.exhausted and answer.stopped is None and shown[at] == len(answer.items)
        for at, answer in enumerate(answers)
    )
    return kept, None if hidden else cursors.position_at(start, shard)
