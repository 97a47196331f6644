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
    guessing: list[tuple[PartitionRead, list[Ask]]] = []
    for group in partitions.values():
        kept = group if folding else [ask for ask in group if not ask.tentative]
        for read in _fold_partition(kept, folding=folding):
            firm = [ask for ask in read.asks if not ask.tentative]
            if not all(ask.single for ask in firm):
                reads.append(read)
            elif all(ask.single for ask in read.asks):
                singles.extend(firm)
            else:
                guessing.append((read, firm))
    if len(guessing) == 1 and not singles:
        reads.extend(read for read, _ in guessing)
    else:  # where there is a batch anyway, a Query that brings guesses along is one request more
        singles.extend(ask for _, firm in guessing for ask in firm)
    reads.extend(_batches(singles))
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
    if len(pages) == 1:
        yield [*pages]
        return
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
    return [part for read in merged for part in _apart(read)]


def _worthwhile(before: PartitionRead, read: PartitionRead) -> bool:
    between = _items_between(before, read)
    return between is not None and _capacity(between) <= REQUEST_WORTH


def _apart(read: PartitionRead) -> Iterator[PartitionRead]:
    """Single items that met no collection are cheaper in a batch."""
    if not all(ask.single for ask in read.asks):
        yield read
        return
    by_span: dict[Span, list[Ask]] = {}
    for ask in read.asks:
        by_span.setdefault(ask.span, []).append(ask)
    for asks in by_span.values():
        yield _read_of(asks)


def _attach(page: PartitionRead, wholes: list[PartitionRead]) -> PartitionRead:
    """Takes from `wholes` what a Query on its way to the page can bring along."""
    [first, *_] = page.asks
    if first.filter is not None or first.start is not None:
        return page
    for whole in _on_the_way(page, wholes):
        joined = _joined(page, whole)
        if joined is not None:
            wholes.remove(whole)
            page = joined
    return page


def _on_the_way(page: PartitionRead, wholes: Sequence[PartitionRead]) -> list[PartitionRead]:
    """What the Query reads before it comes to the page, the nearest first.

    What lies in the page's own span is none of it: the page may end before it is read.
    """
    apart = [whole for whole in wholes if not whole.span.meets(page.span)]
    if page.descending:
        after = [whole for whole in apart if whole.span.low > page.span.low]
        return sorted(after, key=lambda whole: whole.span.low)
    before = [whole for whole in apart if whole.span.low < page.span.low]
    return sorted(before, key=lambda whole: whole.span.low, reverse=True)


def _joined(page: PartitionRead, whole: PartitionRead) -> PartitionRead | None:
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
    """At most how many items lie in the read's span, those between its collections among them."""
    held, reached = 0, None
    for part in _parts(read.asks):
        [ask, *_] = part.asks
        bound = 1 if ask.span.single else ask.bound
        between = 0 if reached is None else _items_between(reached, part)
        if bound is None or between is None:
            return None
        held += bound + between
        reached = part if reached is None else replace(part, span=reached.span.hull(part.span))
    return held


def _parts(asks: Iterable[Ask]) -> list[PartitionRead]:
    """Each span once, in key order, under the ask with the highest bound."""
    by_span: dict[Span, list[Ask]] = {}
    for ask in asks:
        by_span.setdefault(ask.span, []).append(ask)
    return [
        _read_of(sorted(alike, key=lambda ask: (ask.bound is not None, -(ask.bound or 0))))
        for _, alike in sorted(by_span.items(), key=lambda pair: pair[0].low)
    ]


def _items_between(first: PartitionRead, second: PartitionRead) -> int | None:
    """At most how many items lie in the gap; None where an entity without a bound does.

    Between `DEPT#eng` and `DEPT#eng#USER#` only a name such as `eng (old)` could find a place:
    none is counted on there.
    """
    gap = first.span.gap(second.span)
    if gap is None:
        return 0
    meeting = [one for one in _residents(first, second) if one.span.meets(gap)]
    bounds = [one.bound for one in meeting if one.bound is not None]
    if len(bounds) < len(meeting):
        return None
    parent = gap.low.removesuffix("\0")
    below = parent != gap.low and gap.high is not None and gap.high.startswith(parent)
    return 0 if below else sum(bounds)


def _residents(*reads: PartitionRead) -> tuple[Resident, ...]:
    for read in reads:
        for ask in read.asks:
            if ask.residents:
                return ask.residents
    return ()


def _capacity(items: int) -> float:
    return CAPACITY_UNIT * items * ITEM_BYTES / CAPACITY_BYTES
