"""Folding: several asks of one wave become the fewest requests that serve them.

Asks of one partition that are neighbours in sort-key order share a Query. The planner weighs
what a shared Query reads in vain against the request it saves, and never reads across an
entity that has no bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..store.requests import BATCH_GET_MAX_KEYS
from ..store.spans import Span
from .asks import Ask, Attributes, Resident, union

ITEM_BYTES = 400
"""What an item is taken to weigh before anybody has read one."""

REQUEST_WORTH = 1.0
"""Capacity units that saving one request may cost."""

CAPACITY_BYTES = 4096
CAPACITY_UNIT = 0.5  # an eventually consistent read


@dataclass(frozen=True, slots=True)
class PartitionRead:
    """One Query, continued where DynamoDB cuts it; a page, if there is one, is read last."""

    asks: tuple[Ask, ...]
    span: Span
    descending: bool = False
    limit: int | None = None

    @property
    def page(self) -> Ask | None:
        return next((ask for ask in self.asks if not ask.whole), None)

    @property
    def attributes(self) -> Attributes:
        return union(ask.attributes for ask in self.asks)


@dataclass(frozen=True, slots=True)
class ItemsRead:
    """One GetItem, or one BatchGetItem of up to a hundred keys."""

    asks: tuple[Ask, ...]

    @property
    def attributes(self) -> Attributes:
        return union(ask.attributes for ask in self.asks)


Read = PartitionRead | ItemsRead


def fold(asks: Iterable[Ask], *, folding: bool = True) -> list[Read]:
    """The requests that serve `asks`; with `folding` off, each collection has its own."""
    partitions: dict[tuple[str | None, str], list[Ask]] = {}
    for ask in asks:
        partitions.setdefault((ask.index.name, ask.partition), []).append(ask)
    reads: list[Read] = []
    singles: list[Ask] = []
    for group in partitions.values():
        kept = group if folding else [ask for ask in group if not ask.tentative]
        for read in _fold_partition(kept, folding=folding):
            if all(ask.single for ask in read.asks):
                singles.extend(read.asks)
            else:
                reads.append(read)
    reads.extend(_batches([ask for ask in singles if not ask.tentative]))
    return reads


def _batches(singles: Sequence[Ask]) -> Iterator[ItemsRead]:
    """Asks for one key stay together, so that a key is never asked for twice."""
    by_key: dict[tuple[str, str], list[Ask]] = {}
    for ask in singles:
        by_key.setdefault((ask.partition, ask.span.low), []).append(ask)
    groups = list(by_key.values())
    for at in range(0, len(groups), BATCH_GET_MAX_KEYS):
        chunk = groups[at : at + BATCH_GET_MAX_KEYS]
        yield ItemsRead(tuple(ask for group in chunk for ask in group))


def _fold_partition(asks: Sequence[Ask], *, folding: bool) -> Iterator[PartitionRead]:
    wholes = sorted((_read_of([ask]) for ask in asks if ask.whole), key=lambda read: read.span.low)
    pages = [_read_of(group) for group in _same_pages([ask for ask in asks if not ask.whole])]
    if folding:
        wholes = _merge_neighbours(wholes)
        pages = [_attach(page, wholes) for page in pages]
    for read in (*wholes, *pages):
        if not all(ask.tentative for ask in read.asks):
            yield read


def _same_pages(pages: Sequence[Ask]) -> Iterator[list[Ask]]:
    """Pages that differ only in their length are one page, as long as the longest."""
    groups: dict[Ask, list[Ask]] = {}
    for page in pages:
        alike = replace(page, limit=0, attributes=frozenset(), members=())
        groups.setdefault(alike, []).append(page)
    yield from groups.values()


def _read_of(asks: list[Ask]) -> PartitionRead:
    first = asks[0]
    limits = [ask.limit for ask in asks if ask.limit is not None]
    return PartitionRead(tuple(asks), first.span, first.descending, max(limits) if limits else None)


def _merge_neighbours(reads: list[PartitionRead]) -> list[PartitionRead]:
    """Whole collections in key order; each joins the one before it where that is worth it."""
    merged: list[PartitionRead] = []
    for read in reads:
        if merged and _worthwhile(merged[-1], read):
            before = merged.pop()
            merged.append(PartitionRead((*before.asks, *read.asks), before.span.hull(read.span)))
        else:
            merged.append(read)
    return merged


def _worthwhile(before: PartitionRead, read: PartitionRead) -> bool:
    if all(ask.single for ask in (*before.asks, *read.asks)):
        return before.span == read.span  # single items are cheaper in a batch
    between = _items_between(before, read)
    return between is not None and _capacity(between) <= REQUEST_WORTH


def _attach(page: PartitionRead, wholes: list[PartitionRead]) -> PartitionRead:
    """Takes from `wholes` what a Query on its way to the page can bring along."""
    [first, *_] = page.asks
    if first.filter is not None or first.start is not None:
        return page
    while wholes:
        # A Query reads whole collections completely, so they must come before the page ends.
        neighbours = [
            whole
            for whole in wholes
            if (
                whole.span.low >= page.span.low
                if page.descending
                else whole.span.low <= page.span.low
            )
        ]
        if not neighbours:
            return page
        nearest = (
            min(neighbours, key=lambda whole: whole.span.low)
            if page.descending
            else max(neighbours, key=lambda whole: whole.span.low)
        )
        joined = _joined(page, nearest)
        if joined is None:
            return page
        wholes.remove(nearest)
        page = joined
    return page


def _joined(page: PartitionRead, whole: PartitionRead) -> PartitionRead | None:
    if page.span.meets(whole.span) and not page.span.covers(whole.span):
        return None
    if page.span.covers(whole.span):
        return None  # the page may end before the whole is read
    between = _items_between(page, whole)
    held = _items_held(whole)
    if between is None or held is None or page.limit is None:
        return None
    # A single item is surely wanted; of a bounded collection all but one may be missing, and
    # the page then reads further than it must.
    if _capacity(between + held - 1) > REQUEST_WORTH:
        return None
    return PartitionRead(
        (*whole.asks, *page.asks),
        page.span.hull(whole.span),
        page.descending,
        page.limit + between + held,
    )


def _items_held(read: PartitionRead) -> int | None:
    """At most how many items lie in the read's span."""
    if read.span.single:
        return 1
    bounds = [ask.bound for ask in read.asks]
    if any(bound is None for bound in bounds):
        return None
    return sum(bound for bound in bounds if bound is not None)


def _items_between(first: PartitionRead, second: PartitionRead) -> int | None:
    """At most how many items lie in the gap; None where an entity without a bound does."""
    gap = first.span.gap(second.span)
    if gap is None:
        return 0
    count = 0
    for resident in _residents(first, second):
        if not resident.span.meets(gap):
            continue
        if resident.bound is None:
            return None
        count += resident.bound
    return count


def _residents(*reads: PartitionRead) -> tuple[Resident, ...]:
    for read in reads:
        for ask in read.asks:
            if ask.residents:
                return ask.residents
    return ()


def _capacity(items: int) -> float:
    return CAPACITY_UNIT * items * ITEM_BYTES / CAPACITY_BYTES
