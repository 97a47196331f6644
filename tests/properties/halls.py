"""A model whose lists are awkward to page through: ties, neighbours, strangers, shards, unions."""

import datetime
from typing import Any, cast

import strawberry

from tablefold import Connection, Table, many, one, sharded

table = Table("halls")
FILTERS = ["size"]


@table.entity("HALL#{id}", "INFO")
class Hall:
    """Its sort key lies between guests (read newest first) and talks (read oldest first)."""

    id: strawberry.ID
    name: str
    talks: Connection["Talk"] = many(filters=FILTERS, through="HALL#{hall_id}")
    guests: Connection["Guest"] = many(newest_first=True, filters=FILTERS)
    seats: list["Seat"] = many(bounded=5)
    notes: Connection["Note"] = many(filters=FILTERS)
    papers: Connection["Note | Slide"] = many()


@table.entity("HALL#{hall_id}", "GUEST#{came:ms}#{id}")
class Guest:
    hall_id: strawberry.ID
    came: datetime.datetime
    id: strawberry.ID
    size: int
    hall: Hall = one()


@table.entity("HALL#{hall_id}", "SEAT#{row:02d}")
class Seat:
    hall_id: strawberry.ID
    row: int


@table.entity(
    "HALL#{hall_id}",
    "TALK#{held_on}#{n:04d}",
    gsi1=("TOPIC#{topic}", "{held_on}"),
    gsi2=sharded("STATE#{state}", "{held_on}", shards=3, newest_first=True),
)
class Talk:
    """Many talks share a day: both indexes have ties."""

    hall_id: strawberry.ID
    held_on: datetime.date
    n: int
    topic: str
    state: str
    size: int
    ballast: str | None = None
    itself: "Talk" = one(hall_id="hall_id", held_on="held_on", n="n")


# Notes and slides lie in one another's midst; only their types tell them apart.


@table.entity("HALL#{hall_id}", "PAPER#{on}#{n:03d}")
class Note:
    hall_id: strawberry.ID
    on: datetime.date
    n: int
    size: int


@table.entity("HALL#{hall_id}", "PAPER#{on}#{n:03d}")
class Slide:
    hall_id: strawberry.ID
    on: datetime.date
    n: int
    size: int


@strawberry.type
class Query:
    hall: Hall = one()
    topics: Connection[Talk] = many(through="GSI1", filters=FILTERS)
    states: Connection[Talk] = many(through="GSI2", newest_first=True, filters=FILTERS)


def identity(one: Any) -> tuple[object, ...]:
    """Which thing it is, said alike for an object and for a node of an answer."""
    held = cast("dict[str, Any]", one) if isinstance(one, dict) else _as_node(one)
    names = ("__typename", "hallId", "heldOn", "on", "came", "n", "id")
    return tuple(held[name] for name in names if name in held)


def _as_node(thing: object) -> dict[str, Any]:
    held = {_camel(name): _written(value) for name, value in vars(thing).items()}
    return {**held, "__typename": type(thing).__name__}


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _written(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime.date) else value
