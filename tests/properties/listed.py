"""What lists must show, worked out in plain Python from everything that is in the table.

An item's rank is its place in an index: sort key, shard, then its key in the table. A list is
the things that belong to it in order of rank; the page after a cursor is what lies beyond the
cursor's rank *now*, whether or not the cursor's own item still stands.
"""

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tablefold.resolvers.paging import Position
from tablefold.store.entities import Layout

Key = tuple[str, str]


@dataclass(frozen=True, order=True)
class Rank:
    sort: str
    shard: int
    home: Key


@dataclass(frozen=True)
class Entry:
    """An item, and the thing that it is; None for a stranger that the model does not know."""

    item: Mapping[str, Any]
    thing: object | None = None

    @property
    def key(self) -> Key:
        return self.item["PK"]["S"], self.item["SK"]["S"]


def entry(layout: Layout, thing: object) -> Entry:
    [item] = layout.entities[type(thing).__name__].items(vars(thing))
    return Entry(item, thing)


@dataclass
class Stored:
    """The table as it stands."""

    entries: dict[Key, Entry] = field(default_factory=dict[Key, Entry])

    def put(self, entries: Iterable[Entry]) -> None:
        self.entries.update((one.key, one) for one in entries)


@dataclass(frozen=True)
class Narrowed:
    """Arguments of a list, and which things they leave in it."""

    text: str = ""
    admits: Callable[[Any], bool] = lambda _: True


EVERYTHING = Narrowed()


@dataclass(frozen=True)
class Listed:
    """A list as GraphQL calls it, under `parent` or at the root, and what belongs to it."""

    name: str
    kinds: tuple[type, ...]
    partitions: tuple[str, ...]
    index: tuple[str, str] = ("PK", "SK")
    parent: str | None = None
    keys: str = ""
    range: Narrowed = EVERYTHING
    where: Narrowed = EVERYTHING
    descending: bool = False
    direction: str = ""

    def call(self, *paging: str) -> str:
        where = f"where: {{{self.where.text}}}" if self.where.text else ""
        parts = (self.keys, self.range.text, where, self.direction, *paging)
        return f"{self.name}({', '.join(part for part in parts if part)})"

    def rank_of(self, entry: Entry) -> Rank | None:
        """None for what does not lie in the list's partitions."""
        partition, sort = (entry.item.get(name, {}).get("S") for name in self.index)
        if partition not in self.partitions or sort is None:
            return None
        return Rank(sort, self.partitions.index(partition), entry.key)

    def rank_at(self, position: Position) -> Rank:
        home = position.partition, position.home_sort
        if home[0] is None or home[1] is None:
            return Rank(position.sort, position.shard, (self.partitions[0], position.sort))
        return Rank(position.sort, position.shard, (home[0], home[1]))

    def shows(self, entry: Entry) -> bool:
        return (
            isinstance(entry.thing, self.kinds)
            and self.rank_of(entry) is not None
            and self.range.admits(entry.thing)
            and self.where.admits(entry.thing)
        )

    def ranked(self, stored: Stored) -> list[tuple[Rank, Any]]:
        """The things of the list, in its order."""
        places = [
            (rank, one.thing)
            for one in stored.entries.values()
            if self.shows(one) and (rank := self.rank_of(one)) is not None
        ]
        order = functools.cmp_to_key(self.compare)
        return sorted(places, key=lambda place: order(place[0]))

    def compare(self, a: Rank, b: Rank) -> int:
        """Newest first turns sort keys and ties around; shards keep their order."""
        if a.sort == b.sort and a.shard != b.shard:
            return a.shard - b.shard
        return ((a > b) - (a < b)) * (-1 if self.descending else 1)

    def beyond(self, stored: Stored, rank: Rank | None, *, backward: bool) -> list[Any]:
        """What a walk from `rank` has before it, the nearest first."""
        sign = -1 if backward else 1
        places = self.ranked(stored)[::sign]
        return [
            (place, thing)
            for place, thing in places
            if rank is None or self.compare(place, rank) * sign > 0
        ]
