"""Carrying out a read: its requests in turn, until every ask it serves is answered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..store.entities import Index
from ..store.errors import CollectionTooLarge, StoreError, Unprocessed
from ..store.requests import BatchGet, Get, Query, StartKey
from ..store.spans import Span
from ..store.values import Item
from .asks import Answer, Ask, Attributes
from .folding import ItemsRead, PartitionRead, Read
from .memory import Memory, carve, sort_text
from .sending import ReadRequest, Sender

WHOLE_MAX_ITEMS = 10_000
"""A collection that was declared bounded and holds more is not read any further."""

PAGE_MAX_READ = 1_000
"""How many items a page may examine in vain before it hands back a cursor to go on from."""

FILTER_CHUNK = 4  # a filtered page examines this many times its length at once
FILTER_CHUNK_MIN = 25


def request_for(
    read: Read,
    table: str,
    home: Index,
    *,
    start: StartKey | None = None,
    limit: int | None = None,
    consistent: bool = False,
) -> ReadRequest:
    """The request a read begins with, or goes on with from `start`."""
    if isinstance(read, ItemsRead):
        keys = tuple(dict.fromkeys((ask.partition, ask.span.low) for ask in read.asks))
        projection = _projection(read.attributes, home, home)
        if len(keys) == 1:
            return Get(table, home.names, keys[0], projection, consistent)
        return BatchGet(table, home.names, keys, projection, consistent)
    first, page = read.asks[0], read.page
    return Query(
        table,
        first.index.name,
        first.index.names,
        first.partition,
        read.span,
        read.descending,
        limit if start is not None else _first_limit(read),
        start or (page.start if page else None),
        page.filter if page else None,
        _projection(read.attributes, first.index, home),
        consistent and first.index.name is None,
    )


def _first_limit(read: PartitionRead) -> int | None:
    page = read.page
    if page is None or page.filter is None or read.limit is None:
        return read.limit
    return min(max(read.limit * FILTER_CHUNK, FILTER_CHUNK_MIN), PAGE_MAX_READ)


def _projection(attributes: Attributes, index: Index, home: Index) -> tuple[str, ...]:
    if not attributes:
        return ()
    keys = {
        home.names.partition,
        home.names.sort,
        index.names.partition,
        index.names.sort,
    }
    return tuple(sorted(attributes | keys))


@dataclass(frozen=True, slots=True)
class Reading:
    """Where the reads of a loader go, and where what they find is kept."""

    sender: Sender
    home: Index
    memory: Memory
    consistent: bool = False

    async def perform(self, read: Read, *, wave: int) -> dict[Ask, Answer]:
        if isinstance(read, ItemsRead):
            return await _perform_items(read, self, wave=wave)
        return await _perform_partition(read, self, wave=wave)


def serves_of(read: Read) -> tuple[str, ...]:
    """The field paths that wait for the read, parents before their children."""
    return tuple(sorted({path for ask in read.asks for path in ask.serves}))


async def _perform_items(read: ItemsRead, into: Reading, *, wave: int) -> dict[Ask, Answer]:
    home, sender = into.home, into.sender
    request = request_for(read, sender.table, home, consistent=into.consistent)
    unserved: frozenset[tuple[str, str]] = frozenset()
    failure: Unprocessed | None = None
    try:
        reply = await sender.send(request, wave=wave, serves=serves_of(read))
    except Unprocessed as error:  # what came is used, only the rest has failed
        reply, failure = error.reply, error
        if isinstance(reply.unprocessed, BatchGet):
            unserved = frozenset(reply.unprocessed.keys)
    by_key = {home.names.key_of(item): item for item in _items_in(reply.body, sender.table)}
    answers: dict[Ask, Answer] = {}
    for ask in read.asks:
        key = (ask.partition, ask.span.low)
        if failure is not None and key in unserved:
            answers[ask] = Answer(error=failure)
            continue
        item = by_key.get(key)
        held = [item] if item is not None else []
        into.memory.keep(home, ask.partition, ask.span, held, read.attributes)
        answers[ask] = carve(ask, held, done=True)
    return answers


def _items_in(body: Mapping[str, Any], table: str) -> list[Item]:
    """The items of a GetItem's or a BatchGetItem's reply."""
    if "Item" in body:
        return [body["Item"]]
    return body.get("Responses", {}).get(table, [])


async def _perform_partition(read: PartitionRead, into: Reading, *, wave: int) -> dict[Ask, Answer]:
    items: list[Item] = []
    answers: dict[Ask, Answer] = {}
    examined, start, limit = 0, None, _first_limit(read)
    stops: set[StartKey] = set()
    before = read.limit or 0
    while True:
        request = request_for(
            read,
            into.sender.table,
            into.home,
            start=start,
            limit=limit,
            consistent=into.consistent,
        )
        body = (await into.sender.send(request, wave=wave, serves=serves_of(read))).body
        items.extend(body.get("Items", ()))
        count: int = body.get("ScannedCount", 0)
        examined += count
        last = body.get("LastEvaluatedKey")
        start = StartKey.parse(last) if last else None
        if start is None or read.page is not None:
            answers = _carved(read, items, start)
        lacking = _lacking(answers)
        if start is None or _full(read, lacking, examined, start):
            break
        if start in stops:
            raise StoreError(
                f"{request.operation}: DynamoDB's answers go round in a circle; they stopped at "
                f"{start.render()} before."
            )
        stops.add(start)
        _refuse_too_many(read, items)
        limit = _next_limit(
            read, limit=limit, count=count, examined=examined, before=before, lacking=lacking
        )
        before = lacking
    _remember(read, items, done=start is None, memory=into.memory)
    return answers


def _carved(read: PartitionRead, items: list[Item], start: StartKey | None) -> dict[Ask, Answer]:
    """What each ask is answered if nothing more is read."""
    return {
        ask: carve(ask, items, descending=read.descending, done=start is None, stopped=start)
        for ask in read.asks
    }


def _full(read: PartitionRead, lacking: int, examined: int, start: StartKey) -> bool:
    """True where nothing more need be read, or where too much was read in vain."""
    page = read.page
    if page is None:
        return False
    if lacking <= 0:
        return True
    # Items that a filter drops, or that nobody modelled, may go on for ever. What lies before
    # the page is read through: a position there would lead the next page back.
    within = dict(start.attributes)[page.index.names.sort] in page.span
    allowed = PAGE_MAX_READ + (0 if page.filter is not None else read.limit or 0)
    return within and examined >= allowed


def _next_limit(
    read: PartitionRead,
    *,
    limit: int | None,
    count: int,
    examined: int,
    before: int,
    lacking: int,
) -> int | None:
    """`before` is what was lacking ahead of the last request."""
    page = read.page
    if page is None or limit is None or read.limit is None:
        return None
    if count < limit:  # DynamoDB cut the reply at a megabyte: the rest of it follows
        return limit - count
    # What was read in vain may go on and on: longer strides then keep the requests few.
    stride = limit if examined <= limit else min(limit * 2, PAGE_MAX_READ)
    if page.filter is None:
        return stride
    held = read.limit - lacking
    if held > 0 and lacking < before:  # what passed so far tells how far the rest may be
        stride = min(stride, max(math.ceil(lacking * examined / held), FILTER_CHUNK_MIN))
    left = PAGE_MAX_READ - examined
    return min(stride, left) if left > 0 else stride


def _lacking(answers: Mapping[Ask, Answer]) -> int:
    """How many items the longest page still lacks; items that nobody modelled do not count."""
    short = (
        ask.limit - len(answer.items) for ask, answer in answers.items() if ask.limit is not None
    )
    return max(short, default=0)


def _refuse_too_many(read: PartitionRead, items: list[Item]) -> None:
    page, [first, *_] = read.page, read.asks
    if len(items) <= WHOLE_MAX_ITEMS or first is page:
        return
    sort = first.index.names.sort
    if page is not None and any(item[sort]["S"] in page.span for item in items):
        return  # the bounded collections, which come first, are complete
    fields = ", ".join(serves_of(read))
    raise CollectionTooLarge(
        f"{fields}: the partition {first.partition} holds more than "
        f"{WHOLE_MAX_ITEMS:,} items here, though the list is declared bounded. "
        "Declare the field as a Connection and page through it."
    )


def _remember(read: PartitionRead, items: list[Item], *, done: bool, memory: Memory) -> None:
    first, page = read.asks[0], read.page
    if page is not None and page.filter is not None:
        _remember_each(read, items, memory=memory)
        return
    span = read.span if page is None or page.start is None else page.ahead
    if not done:
        span = _reached(span, read, items)
    if span.empty:
        return
    ascending = items[::-1] if read.descending else items
    kept = [item for item in ascending if sort_text(first.index, item) in span]
    memory.keep(first.index, first.partition, span, kept, read.attributes)


def _remember_each(read: PartitionRead, items: list[Item], *, memory: Memory) -> None:
    """What a filter let pass says nothing of what lies between, and of an index's ties."""
    first = read.asks[0]
    if first.index.name is None:
        for item in items:
            span = Span.exactly(sort_text(first.index, item))
            memory.keep(first.index, first.partition, span, [item], read.attributes)


def _reached(span: Span, read: PartitionRead, items: list[Item]) -> Span:
    """The part of `span` that was read completely."""
    index = read.asks[0].index
    if not items:
        return Span("", "", open=True)
    edge = sort_text(index, items[-1])
    # In an index other items may share the last sort key, and lie beyond the end.
    shared = index.name is not None
    if read.descending:
        return Span.between(edge + "\0" if shared else edge, span.high, open=span.open)
    return Span(span.low, edge, open=shared)
