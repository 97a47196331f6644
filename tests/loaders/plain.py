"""A user's partition made by hand, and a table that is a list, served as DynamoDB would."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tablefold.loaders.asks import Ask, Member, Resident
from tablefold.loaders.sending import Sender
from tablefold.store.conditions import Compare
from tablefold.store.deadline import Deadline
from tablefold.store.entities import Entity, Index, Key
from tablefold.store.errors import StoreError, Unprocessed
from tablefold.store.keys import Template
from tablefold.store.requests import BatchGet, Get, KeyNames, Query
from tablefold.store.spans import Span
from tablefold.store.texts import Plain
from tablefold.store.values import Item
from tablefold.store.wire import Reply, Request

TABLE = "plain"
HOME = Index(None, KeyNames("PK", "SK"))
GSI1 = Index("GSI1", KeyNames("GSI1PK", "GSI1SK"))
USER = "USER#1"


def template(source: str) -> Template:
    made = Template.of(source)
    return made.typed({name: Plain() for name in made.names}, max_bytes=1024)


def member(name: str, sort: str, *, index: Index = HOME) -> Member:
    role = "home" if index.name is None else "index"
    key = Key(index, template("USER#{user}"), template(sort), role)
    return Member(Entity(name, object, {}, (key,), None, name), key)


# In the order of their sort keys: ADDR# < NOTE# < ORDER# < PROFILE < SETTINGS < TAG#
ADDRESS = member("Address", "ADDR#{kind}")
NOTE = member("Note", "NOTE#{n}")
ORDER = member("Order", "ORDER#{n}")
PROFILE = member("Profile", "PROFILE")
SETTINGS = member("Settings", "SETTINGS")
TAG = member("Tag", "TAG#{n}")
SPANS = {
    ADDRESS: Span.beginning("ADDR#"),
    NOTE: Span.beginning("NOTE#"),
    ORDER: Span.beginning("ORDER#"),
    PROFILE: Span.exactly("PROFILE"),
    SETTINGS: Span.exactly("SETTINGS"),
    TAG: Span.beginning("TAG#"),
}
BOUNDS: dict[Member, int | None] = {
    ADDRESS: 5,
    NOTE: 20,
    ORDER: None,
    PROFILE: 1,
    SETTINGS: 1,
    TAG: 30,
}


def residents(**bounds: int | None) -> tuple[Resident, ...]:
    """Everybody in a user's partition; `bounds` changes what the model says of some."""
    return tuple(
        Resident(span, bounds.get(one.entity.name.lower(), BOUNDS[one]), one.entity.name)
        for one, span in SPANS.items()
    )


def whole(one: Member, *, partition: str = USER, serves: str = "", tentative: bool = False) -> Ask:
    """All of a member's items, which for a profile is one."""
    return Ask(
        one.key.index,
        partition,
        SPANS[one],
        (one,),
        bound=BOUNDS[one],
        tentative=tentative,
        residents=residents(),
        serves=(serves or one.entity.name.lower(),),
    )


def living_with(ask: Ask, **bounds: int | None) -> Ask:
    return replace(ask, residents=residents(**bounds))


def page(one: Member, limit: int, *, descending: bool = False, partition: str = USER) -> Ask:
    ask = whole(one, partition=partition)
    return replace(ask, limit=limit, descending=descending, bound=None)


def item(sort: str, *, partition: str = USER, **attributes: str) -> Item:
    named = {name: {"S": value} for name, value in attributes.items()}
    return {"PK": {"S": partition}, "SK": {"S": sort}, **named}


def sorts(items: Sequence[Item]) -> list[str]:
    return [one["SK"]["S"] for one in items]


@dataclass
class PlainTable:
    """`cut` is how many items a reply holds at most, as if they filled DynamoDB's megabyte.

    `failing` names partitions whose requests fail, `unprocessed` keys that a batch never gets.
    """

    items: Sequence[Item] = ()
    cut: int = 1_000_000
    failing: dict[str, StoreError] = field(default_factory=dict[str, StoreError])
    unprocessed: frozenset[tuple[str, str]] = frozenset()
    pause: float = 0
    sent: list[Request] = field(default_factory=list[Request])
    under_way: int = 0
    most_under_way: int = 0

    async def send(self, request: Request, *, deadline: Deadline) -> Reply:
        self.sent.append(request)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(self.pause)
        finally:
            self.under_way -= 1
        match request:
            case Query():
                return self._query(request)
            case Get():
                return self._get(request)
            case BatchGet():
                return self._batch(request)
            case _:
                raise TypeError(f"a loader never sends {request}")

    async def reached(self, count: int) -> None:
        """Returns once `count` requests have been sent."""
        for _ in range(100):
            if len(self.sent) >= count:
                return
            await asyncio.sleep(0)

    def _query(self, request: Query) -> Reply:
        self._fail(request.partition)
        names, start = request.names, request.start
        reached = [one for one in self.items if _meets(request, one)]
        reached.sort(key=lambda one: _place(names, one), reverse=request.descending)
        if start is not None:
            last = _place(names, {name: {"S": value} for name, value in start.attributes})
            reached = [
                one
                for one in reached
                if (_place(names, one) < last if request.descending else _place(names, one) > last)
            ]
        limit = min(self.cut, len(reached) if request.limit is None else request.limit)
        read = reached[:limit]
        kept = [one for one in read if _passes(request, one)]
        body: dict[str, Any] = {
            "Items": [_projected(one, request.projection) for one in kept],
            "Count": len(kept),
            "ScannedCount": len(read),
        }
        # DynamoDB does not look whether anything follows a reply that is full.
        if read and (len(read) < len(reached) or len(read) in (request.limit, self.cut)):
            keys = dict.fromkeys((names.partition, names.sort, "PK", "SK"))
            body["LastEvaluatedKey"] = {name: read[-1][name] for name in keys}
        return Reply(body, 0.5, 0, 1.0)

    def _get(self, request: Get) -> Reply:
        self._fail(request.key[0])
        found = self._at(request.key, request.projection)
        return Reply({"Item": found} if found else {}, 0.5, 0, 1.0)

    def _batch(self, request: BatchGet) -> Reply:
        served = [key for key in request.keys if key not in self.unprocessed]
        found = [one for key in served if (one := self._at(key, request.projection))]
        body = {"Responses": {request.table: found}}
        left = tuple(key for key in request.keys if key in self.unprocessed)
        rest = replace(request, keys=left) if left else None
        reply = Reply(body, 0.5 * len(served), 0, 1.0, rest)
        if rest is not None:
            raise Unprocessed("left", operation="BatchGetItem", reply=reply)
        return reply

    def _at(self, key: tuple[str, str], projection: tuple[str, ...]) -> Item | None:
        for one in self.items:
            if HOME.names.key_of(one) == key:
                return _projected(one, projection)
        return None

    def _fail(self, partition: str) -> None:
        if partition in self.failing:
            raise self.failing[partition]


def _meets(request: Query, one: Item) -> bool:
    names, span = request.names, request.span
    if one.get(names.partition) != {"S": request.partition}:
        return False
    sort = one[names.sort]["S"]
    if span.begins:
        return sort.startswith(span.low)
    if span.high is None or not span.low:
        return sort in span
    return span.low <= sort <= span.high  # BETWEEN takes both ends in


def _place(names: KeyNames, one: Item) -> tuple[str, str, str]:
    return one[names.sort]["S"], one["PK"]["S"], one["SK"]["S"]


def _passes(request: Query, one: Item) -> bool:
    if request.filter is None:
        return True
    assert isinstance(request.filter, Compare)
    assert request.filter.operator == "="
    return one.get(request.filter.attribute) == request.filter.value


def _projected(one: Item, projection: tuple[str, ...]) -> Item:
    return {name: one[name] for name in projection if name in one} if projection else one


def sender(table: PlainTable, *, concurrency: int = 64) -> Sender:
    return Sender(table, Deadline.after(10), TABLE, concurrency)
