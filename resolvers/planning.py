"""Plans: an operation run against nothing, with symbols where only an answer could tell.

The same runner and the same folding make a plan and an answer, so they cannot disagree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..loaders.asks import Answer, Ask, Found, Member
from ..loaders.folding import (
    CAPACITY_BYTES,
    CAPACITY_UNIT,
    ITEM_BYTES,
    ItemsRead,
    PartitionRead,
    Read,
    fold,
)
from ..loaders.reading import PAGE_MAX_READ, request_for, serves_of
from ..loaders.sending import ReadRequest
from ..store.entities import Index
from ..store.keys import Symbol
from ..store.requests import BATCH_GET_MAX_KEYS, BatchGet
from ..store.spans import Span
from ..store.values import Item

OPENING, CLOSING = "‹", "›"


@dataclass(frozen=True, slots=True)
class Planned:
    """A request of a plan: sent up to `times` times, for at most `capacity` in all.

    It is `guessed` where earlier answers decide how often it is sent, or for which keys, and
    `filtered` where it is sent again until enough items have passed a filter.
    """

    request: ReadRequest
    serves: tuple[str, ...]
    times: int
    items: int
    capacity: float
    guessed: bool = False
    filtered: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """An operation as waves of requests; a wave needs the answers of the one before it."""

    waves: tuple[tuple[Planned, ...], ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def requests(self) -> int:
        return sum(planned.times for wave in self.waves for planned in wave)

    @property
    def capacity(self) -> float:
        return sum(planned.capacity for wave in self.waves for planned in wave)

    @property
    def dearest(self) -> tuple[str, float]:
        """The field whose requests cost most, and what they cost together."""
        costs: dict[str, float] = {}
        for planned in (planned for wave in self.waves for planned in wave):
            costs[planned.serves[0]] = costs.get(planned.serves[0], 0.0) + planned.capacity
        return max(costs.items(), key=lambda cost: cost[1], default=("", 0.0))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        every = [planned for wave in self.waves for planned in wave]
        guessed = any(planned.guessed for planned in every)
        filtered = any(planned.filtered for planned in every)
        yield (
            f"{'at most ' if guessed else ''}{_count(self.requests, 'request')} "
            f"in {_count(len(self.waves), 'wave')}, "
            f"{'more where a filter drops much, ' if filtered else ''}{_at_most(self.capacity)}"
        )
        for error in self.errors:
            yield f"! {error}"
        for number, wave in enumerate(self.waves, 1):
            yield f"wave {number}"
            for at, planned in enumerate(wave, 1):
                last = at == len(wave)
                times = f", up to {planned.times} times" if planned.times > 1 else ""
                yield f"{'└' if last else '├'}─ {planned.request.describe()}{times}"
                bar = " " if last else "│"
                yield f"{bar}    for {', '.join(planned.serves)}"
                yield (
                    f"{bar}    up to {_count(planned.items, 'item')}, {_at_most(planned.capacity)}"
                )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _at_most(capacity: float) -> str:
    return f"at most {capacity:g} capacity {'unit' if capacity == 1 else 'units'}"


@dataclass(slots=True)
class Rehearsal:
    """Answers asks with symbols and writes down the requests that would have been sent."""

    table: str
    home: Index
    folding: bool = True
    waves: list[tuple[Planned, ...]] = field(default_factory=list[tuple[Planned, ...]])
    _served: dict[Ask, set[str]] = field(default_factory=dict[Ask, set[str]])
    _covered: dict[tuple[str | None, str], list[Span]] = field(
        default_factory=dict["tuple[str | None, str]", "list[Span]"]
    )

    def known(self, ask: Ask) -> Answer | None:
        return _imagined(ask, self.home) if self._known(ask) else None

    async def ask(self, asks: Sequence[Ask]) -> list[Answer]:
        missing = [ask for ask in _together(asks) if not self._known(ask)]
        reads = fold(missing, folding=self.folding)
        if reads:
            self.waves.append(tuple(self._planned(read) for read in reads))
            for read in reads:
                self._remember(read)
        return [_imagined(ask, self.home) for ask in asks]

    def _known(self, ask: Ask) -> bool:
        if ask.empty or self._was_served(ask):
            return True
        covered = self._covered.get((ask.index.name, ask.partition), ())
        return ask.foreseeable and any(span.covers(ask.ahead) for span in covered)

    def _was_served(self, ask: Ask) -> bool:
        """Symbols that look the same stand for the same items only in the same field."""
        served = self._served.get(ask)
        return served is not None and (not _symbolic(ask) or served.issuperset(ask.serves))

    def _remember(self, read: Read) -> None:
        for ask in read.asks:
            self._served.setdefault(ask, set()).update(ask.serves)
            if ask.whole:
                self._cover(ask, ask.span)
        if isinstance(read, PartitionRead) and read.page is None:
            self._cover(read.asks[0], read.span)

    def _cover(self, ask: Ask, span: Span) -> None:
        self._covered.setdefault((ask.index.name, ask.partition), []).append(span)

    def _planned(self, read: Read) -> Planned:
        request = request_for(read, self.table, self.home)
        serves = serves_of(read)
        if isinstance(read, ItemsRead):
            return _planned_items(read, request, serves)
        times = max(ask.times for ask in read.asks)
        items = read.limit if read.limit is not None else _bound(read)
        filtered = read.page is not None and read.page.filter is not None
        if filtered:
            items = max(items, PAGE_MAX_READ)
        each = CAPACITY_UNIT * max(1, math.ceil(items * ITEM_BYTES / CAPACITY_BYTES))
        guessed = OPENING in read.asks[0].partition
        return Planned(request, serves, times, items * times, each * times, guessed, filtered)


def _together(asks: Sequence[Ask]) -> Iterator[Ask]:
    """Each ask once, with all the fields that equal ones serve, as often as all of them."""
    serves: dict[Ask, dict[str, None]] = {}
    times: dict[Ask, int] = {}
    for ask in asks:
        serves.setdefault(ask, {}).update(dict.fromkeys(ask.serves))
        times[ask] = times.get(ask, 0) + ask.times
    for ask, paths in serves.items():
        total = times[ask] if _symbolic(ask) else ask.times
        yield replace(ask, serves=tuple(paths), times=total)


def _symbolic(ask: Ask) -> bool:
    return OPENING in ask.partition or OPENING in ask.span.low


def _planned_items(read: ItemsRead, request: ReadRequest, serves: tuple[str, ...]) -> Planned:
    keys: dict[tuple[str, str], int] = {}
    for ask in read.asks:
        key = (ask.partition, ask.span.low)
        symbolic = OPENING in key[0] or OPENING in key[1]
        keys[key] = max(keys.get(key, 1), ask.times if symbolic else 1)
    count = sum(keys.values())
    if count > 1 and not isinstance(request, BatchGet):
        request = BatchGet(request.table, request.names, tuple(keys), request.projection)
    times = math.ceil(count / BATCH_GET_MAX_KEYS)
    return Planned(request, serves, times, count, CAPACITY_UNIT * count, count > len(keys))


def _bound(read: PartitionRead) -> int:
    """What lies in two asks is counted once."""
    widest: list[Ask] = []
    for ask in sorted(read.asks, key=lambda ask: ask.bound or 1, reverse=True):
        if not any(other.span.covers(ask.span) for other in widest):
            widest.append(ask)
    return sum(1 if ask.span.single else ask.bound or 1 for ask in widest)


def _imagined(ask: Ask, home: Index) -> Answer:
    if ask.empty:
        return Answer()
    return Answer(tuple(_imagined_item(ask, member, home) for member in ask.members))


def _imagined_item(ask: Ask, member: Member, home: Index) -> Found:
    entity, key = member.entity, member.key
    partition = ask.partition
    if key.shards:
        partition, _, _ = partition.rpartition(key.partition.separator)
    known: dict[str, object] = dict(key.partition.parse(partition) or {})
    if ask.span.single:
        known.update(key.sort.parse(ask.span.low) or {})
    parsed: dict[str, object] = {
        name: Symbol(f"{OPENING}{entity.name}.{name}{CLOSING}") for name in entity.attributes
    }
    for name, value in known.items():
        symbolic = isinstance(value, str) and OPENING in value
        parsed[name] = Symbol(value) if symbolic else value
    item: Item = {
        home.names.partition: {"S": ask.partition},
        home.names.sort: {"S": ask.span.low},
        ask.index.names.partition: {"S": ask.partition},
        ask.index.names.sort: {"S": ask.span.low},
    }
    return Found(item, member, parsed)
