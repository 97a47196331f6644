"""Fan-out: one collection spread over shards, merged in order."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..store.entities import Index
from .asks import Answer, Found


@dataclass(frozen=True, slots=True)
class Placed:
    """A found item and the shard it came from."""

    found: Found
    shard: int
    sort: str


def merge(
    answers: Sequence[Answer], *, index: Index, descending: bool, backward: bool
) -> list[Placed]:
    """The shards' items in the order of reading."""
    sort = index.names.sort
    lists = [
        [Placed(found, shard, found.item[sort]["S"]) for found in answer.items]
        for shard, answer in enumerate(answers)
    ]
    if len(lists) == 1:
        return lists[0]
    order = reading_order(descending=descending, backward=backward)
    return list(heapq.merge(*lists, key=lambda placed: order(placed.sort, placed.shard)))


Rank = tuple["str | _Descending", int]


def reading_order(*, descending: bool, backward: bool) -> Callable[[str, int], Rank]:
    """Ranks a sort key and a shard. Equal sort keys go by shard, from the last to the first
    when the list is read backward, so that both walks see one order.
    """

    def rank(sort: str, shard: int) -> Rank:
        return _Descending(sort) if descending else sort, -shard if backward else shard

    return rank


@dataclass(frozen=True, slots=True)
class _Descending:
    text: str

    def __lt__(self, other: _Descending) -> bool:
        return self.text > other.text
