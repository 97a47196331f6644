"""What an operation has read so far: the same item is never read twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..store.entities import Index
from ..store.requests import StartKey
from ..store.spans import Span
from ..store.values import Item
from .asks import Answer, Ask, Attributes, Found, suffices


@dataclass(frozen=True, slots=True)
class Region:
    """Every item of `span`, in ascending order."""

    span: Span
    items: tuple[Item, ...]
    attributes: Attributes


@dataclass(slots=True)
class Memory:
    """Regions by partition, and those of a single sort key by that key: there may be many."""

    _regions: dict[tuple[str | None, str], list[Region]] = field(
        default_factory=dict[tuple[str | None, str], list[Region]]
    )
    _points: dict[tuple[str | None, str, str], list[Region]] = field(
        default_factory=dict[tuple[str | None, str, str], list[Region]]
    )

    def keep(
        self,
        index: Index,
        partition: str,
        span: Span,
        items: Iterable[Item],
        attributes: Attributes,
    ) -> None:
        region = Region(span, tuple(items), attributes)
        if span.single:
            self._points.setdefault((index.name, partition, span.low), []).append(region)
        else:
            self._regions.setdefault((index.name, partition), []).append(region)

    def answer(self, ask: Ask) -> Answer | None:
        """The answer, where all that it needs has been read already, or where nothing can be."""
        if ask.empty:
            return Answer()
        if not ask.foreseeable:
            return None
        ask = replace(ask, span=ask.ahead, start=None)
        if ask.span.empty:
            return Answer()
        for region in self._around(ask):
            if suffices(region.attributes, ask.attributes):
                answer = _answered_by(region, ask)
                if answer is not None:
                    return answer
        return None

    def _around(self, ask: Ask) -> Iterator[Region]:
        index, partition = ask.index.name, ask.partition
        if ask.span.single:
            yield from self._points.get((index, partition, ask.span.low), ())
        yield from self._regions.get((index, partition), ())


def _answered_by(region: Region, ask: Ask) -> Answer | None:
    if region.span.covers(ask.span):
        return carve(ask, region.items, done=True)
    if ask.limit is None or not _begins_in(region.span, ask):
        return None
    page = carve(ask, region.items, done=False)
    return page if len(page.items) == ask.limit else None


def _begins_in(span: Span, ask: Ask) -> bool:
    """True where `span` holds the first items of the ask, in the order of its reading."""
    shared = span.clip(ask.span)
    if shared.empty:
        return False
    if ask.descending:
        return (shared.high, shared.open) == (ask.span.high, ask.span.open)
    return shared.low == ask.span.low


def sort_text(index: Index, item: Item) -> str:
    return item[index.names.sort]["S"]


def carve(
    ask: Ask,
    items: Sequence[Item],
    *,
    descending: bool = False,
    done: bool,
    stopped: StartKey | None = None,
) -> Answer:
    """The ask's own part of `items`, which were read in the order `descending` says.

    `done` says that they reach to the end of the ask's span.
    """
    sort = ask.index.names.sort
    found: list[Found] = []
    for item in items if ask.descending == descending else reversed(items):
        if item[sort]["S"] in ask.span and (one := ask.found(item)) is not None:
            found.append(one)
    if ask.limit is None:
        return Answer(tuple(found), exhausted=True)
    exhausted = done and len(found) <= ask.limit
    if len(found) >= ask.limit:
        stopped = None
    return Answer(tuple(found[: ask.limit]), exhausted=exhausted, stopped=stopped)
