"""Halls drawn at random: what stands in them, and how their lists are asked for."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import strawberry
from hypothesis import strategies as st

from tests.properties.halls import Guest, Hall, Note, Seat, Slide, Talk
from tests.properties.listed import EVERYTHING, Entry, Listed, Narrowed

DAYS = [datetime.date(2023, 12, 31), datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)]
NUMBERS = [0, 1, 2, 9, 10, 11, 99, 100, 999]
MOMENTS = [
    datetime.datetime(2024, 1, day, 9, 0, 0, ms * 1000, tzinfo=datetime.UTC)
    for day in (1, 2)
    for ms in (0, 5, 40)
]
IDS = ["1", "10", "9", "a", "é", "\U0001f600"]
SIZES = range(4)
SHARDS = 3


# The first of each is drawn most often: its lists are long, the other's lie elsewhere.
HALLS = ["a", "a", "a", "b"]
TOPICS = ["bees", "bees", "bees", "beech"]
STATES = ["on", "on", "on", "off"]

STANDING: list[object] = [
    *(Hall(id=strawberry.ID(hall), name=f"Hall {hall}") for hall in sorted(set(HALLS))),
    *(Seat(hall_id=strawberry.ID(HALLS[0]), row=row) for row in range(3)),
]
"""What is there in every example, and stays."""


def things() -> st.SearchStrategy[Any]:
    hall = st.sampled_from(HALLS).map(strawberry.ID)
    size, day, n = st.sampled_from(SIZES), st.sampled_from(DAYS), st.sampled_from(NUMBERS)
    topic, state = st.sampled_from(TOPICS), st.sampled_from(STATES)
    talks = st.builds(
        Talk,
        hall_id=hall,
        held_on=day,
        n=n,
        topic=topic,
        state=state,
        size=size,
        ballast=st.none(),
    )
    came, ids = st.sampled_from(MOMENTS), st.sampled_from(IDS).map(strawberry.ID)
    guests = st.builds(Guest, hall_id=hall, came=came, id=ids, size=size)
    notes = st.builds(Note, hall_id=hall, on=day, n=n, size=size)
    slides = st.builds(Slide, hall_id=hall, on=day, n=n, size=size)
    return st.one_of(talks, talks, talks, guests, guests, notes, slides)


SORTS_OF_STRANGERS = [
    "TALK#",
    "TALK#2024-01-01",
    "TALK#2024-01-01#",
    "TALK#2024-01-01#0001x",
    "TALK#2024-01-01#5",
    "TALK#2024-01-02#0010",
    "TALK#2024-01-02#99999",
    "TALKS",
    "GUEST#2024-01-01",
    "GUEST#2024-01-01T09:00:00.000Z#",
    "GUEST#2024-01-02T09:00:00.005Z#1#1",
    "GUEST#2024-01-02T09:00:00.005Z#1",
    "PAPER#2024-01-01#1",
    "PAPER#2024-01-01#010",
    "PAPER",
    "A",
    "Z",
]


@st.composite
def strangers(draw: st.DrawFn) -> Entry:
    """Items of somebody else's, in the midst of the lists of every index."""
    day = draw(st.sampled_from([*map(str, DAYS), "2024-01-01x", "2024"]))
    shard = draw(st.integers(0, SHARDS - 1))
    item: dict[str, Any] = {
        "PK": {"S": f"HALL#{HALLS[0]}"},
        "SK": {"S": draw(st.sampled_from(SORTS_OF_STRANGERS))},
        "entityType": {"S": "Stranger"},
        "size": {"N": str(draw(st.sampled_from(SIZES)))},
        "GSI1PK": {"S": f"TOPIC#{TOPICS[0]}"},
        "GSI1SK": {"S": day},
        "GSI2PK": {"S": f"STATE#{STATES[0]}#{shard}"},
        "GSI2SK": {"S": day},
    }
    kept = draw(st.sampled_from([("GSI1PK", "GSI1SK"), ("GSI2PK", "GSI2SK"), ()]))
    return Entry({n: v for n, v in item.items() if not n.startswith("GSI") or n in kept})


@st.composite
def lists(draw: st.DrawFn, among: Sequence[str] = ()) -> Listed:
    """One of those called `among`, or any."""
    every = [*_in_hall(draw(st.sampled_from(HALLS))), *_across()]
    listed = draw(st.sampled_from([one for one in every if one.name in among] or every))
    listed = replace(listed, range=draw(RANGES[listed.name]))
    if listed.name != "papers":
        listed = replace(listed, where=draw(WHERES))
    direction = draw(st.sampled_from(["", "ASCENDING", "DESCENDING"]))
    if not direction:
        return listed
    descending = direction == "DESCENDING"
    return replace(listed, descending=descending, direction=f"direction: {direction}")


def _in_hall(hall: str) -> list[Listed]:
    partitions, parent = (f"HALL#{hall}",), f'hall(id: "{hall}")'
    return [
        Listed("talks", (Talk,), partitions, parent=parent),
        Listed("talks", (Talk,), partitions, parent=parent),
        Listed("guests", (Guest,), partitions, parent=parent, descending=True),
        Listed("notes", (Note,), partitions, parent=parent),
        Listed("papers", (Note, Slide), partitions, parent=parent),
    ]


def _across() -> list[Listed]:
    topic, state = TOPICS[0], STATES[0]
    shards = tuple(f"STATE#{state}#{shard}" for shard in range(SHARDS))
    by_topic = Listed(
        "topics", (Talk,), (f"TOPIC#{topic}",), ("GSI1PK", "GSI1SK"), keys=f'topic: "{topic}"'
    )
    by_state = Listed(
        "states", (Talk,), shards, ("GSI2PK", "GSI2SK"), keys=f'state: "{state}"', descending=True
    )
    return [by_topic, by_state, by_state]


Written = Callable[[Any], str]


def _ranges(
    name: str, shown: str, values: list[Any], write: Written
) -> st.SearchStrategy[Narrowed]:
    """Equality, both ends, or one end, on the first placeholder that is free."""
    value = st.sampled_from(values)

    def between(pair: tuple[Any, Any]) -> Narrowed:
        low, high = sorted(pair)
        text = f"{shown}: {{from: {write(low)}, to: {write(high)}}}"
        return Narrowed(text, lambda thing: low <= getattr(thing, name) <= high)

    return st.one_of(
        value.map(
            lambda v: Narrowed(f"{shown}: {{eq: {write(v)}}}", lambda t: getattr(t, name) == v)
        ),
        value.map(
            lambda v: Narrowed(f"{shown}: {{from: {write(v)}}}", lambda t: getattr(t, name) >= v)
        ),
        value.map(
            lambda v: Narrowed(f"{shown}: {{to: {write(v)}}}", lambda t: getattr(t, name) <= v)
        ),
        st.tuples(value, value).map(between),
    )


def _then(
    name: str, shown: str, values: list[Any], write: Written, below: st.SearchStrategy[Narrowed]
) -> st.SearchStrategy[Narrowed]:
    """Equality on one placeholder, then a range of the next."""

    def joined(pair: tuple[Any, Narrowed]) -> Narrowed:
        value, then = pair
        text = f"{shown}: {{eq: {write(value)}}}, {then.text}"
        return Narrowed(text, lambda t: getattr(t, name) == value and then.admits(t))

    return st.tuples(st.sampled_from(values), below).map(joined)


def _quoted(value: Any) -> str:
    text = value.isoformat() if isinstance(value, datetime.date) else value
    return f'"{text}"'


def _dated(name: str, shown: str) -> st.SearchStrategy[Narrowed]:
    days = _ranges(name, shown, DAYS, _quoted)
    numbers = _ranges("n", "n", NUMBERS, str)
    return st.one_of(ALL, ALL, days, _then(name, shown, DAYS, _quoted, numbers))


ALL = st.just(EVERYTHING)
RANGES: dict[str, st.SearchStrategy[Narrowed]] = {
    "talks": _dated("held_on", "heldOn"),
    "notes": _dated("on", "on"),
    "papers": ALL,
    "topics": st.one_of(ALL, _ranges("held_on", "heldOn", DAYS, _quoted)),
    "states": st.one_of(ALL, _ranges("held_on", "heldOn", DAYS, _quoted)),
    "guests": st.one_of(
        ALL,
        _ranges("came", "came", MOMENTS, _quoted),
        _then("came", "came", MOMENTS, _quoted, _ranges("id", "id", IDS, _quoted)),
    ),
}

WHERES = st.one_of(
    ALL,
    ALL,
    st.sampled_from(SIZES).map(lambda v: Narrowed(f"size: {{eq: {v}}}", lambda t: t.size == v)),
    st.sampled_from(SIZES).map(lambda v: Narrowed(f"size: {{ge: {v}}}", lambda t: t.size >= v)),
    st.just(Narrowed("size: {in: [0, 3]}", lambda t: t.size in (0, 3))),
    st.just(Narrowed("size: {gt: 90}", lambda t: t.size > 90)),
)
