"""A staff that can be made as wide and as deep as a measurement needs."""

from __future__ import annotations

from collections.abc import Iterator

import strawberry

from tablefold import Connection, Gateway, Limits, Table, many, one

table = Table("staff")

NOBODY = "nobody"
TREE_DEPTH = 6
WIDE = 200
ENTRIES = 1_001


@table.entity("PERSON#{id}", "PROFILE", copies=[("PERSON#{boss_id}", "REPORT#{id}")])
class Person:
    """At home in a partition of their own, and copied into their boss's."""

    id: strawberry.ID
    boss_id: strawberry.Private[str]
    name: str
    boss: Person = one(id="boss_id")
    reports: Connection[Person] = many(boss_id="id")
    entries: Connection[Entry] = many(person_id="id", newest_first=True)


@table.entity("PERSON#{person_id}", "ENTRY#{n:07d}")
class Entry:
    """A line of somebody's log."""

    person_id: strawberry.Private[str]
    n: int
    text: str


def gateway(*, endpoint_url: str) -> Gateway:
    return Gateway(
        table,
        endpoint_url=endpoint_url,
        region="us-east-1",
        cursor_secret="1:" + "b" * 32,
        limits=Limits(page_size=1_000, capacity=None),
    )


def sample() -> Iterator[object]:
    yield from tree("0", NOBODY, TREE_DEPTH)
    for number in range(WIDE):
        yield person(f"w{number:03d}", NOBODY)
        yield from entries(f"w{number:03d}", 5)
    yield person("writer", NOBODY)
    yield from entries("writer", ENTRIES)


def tree(id: str, boss_id: str, depth: int) -> Iterator[Person]:
    """A person with two reports, down to `depth`; ids spell the way from the top."""
    yield person(id, boss_id)
    if depth > 1:
        for branch in "01":
            yield from tree(id + branch, id, depth - 1)


def person(id: str, boss_id: str) -> Person:
    return Person(id=strawberry.ID(id), boss_id=boss_id, name=f"Person {id}")


def entries(person_id: str, count: int) -> Iterator[Entry]:
    for n in range(count):
        yield Entry(person_id=person_id, n=n, text=f"Entry {n} of {person_id}")
