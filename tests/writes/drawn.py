"""Writes at random, in a world so small that they meet each other often."""

import datetime
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tests.writes.model import Money, Status
from tests.writes.sending import FIELDS, Op
from tests.writes.world import (
    KINDS,
    Change,
    Check,
    Create,
    Delete,
    Link,
    Publish,
    Put,
    Thing,
    Unlink,
    Update,
    Values,
    World,
)

Draw = st.DrawFn
Strategy = st.SearchStrategy[Any]

NOTHING: Values = {}
IDS = st.sampled_from(["1", "2", "3"])
TEXTS = st.sampled_from(["a", "b", "ü#%"])
WORDS = st.sampled_from(["x", "y", "z"])
DAYS = st.sampled_from([datetime.date(2024, 1, day) for day in (1, 2, 3)])
MEMBERS = st.sets(WORDS, max_size=3)
MONEY = st.builds(Money, amount=st.sampled_from([Decimal("1.50"), Decimal("1.5"), Decimal(-7)]))
NUMBERS = st.sampled_from(
    [*map(Decimal, ("1.50", "1.5", "-0.1", "1000000000000000000000000000001"))]
)

ATTRIBUTES: Mapping[str, Mapping[str, Strategy]] = {
    "User": {
        "id": IDS,
        "name": TEXTS,
        "email": WORDS,
        "team": st.none() | WORDS,
        "nick": st.none() | WORDS,
    },
    "Order": {
        "id": IDS,
        "user_id": IDS,
        "placed_on": DAYS,
        "shelf": st.none() | WORDS,
        "status": st.sampled_from(Status),
        "open": st.booleans(),
        "total": st.none() | MONEY,
        "price": NUMBERS,
        "stock": st.integers(-1, 3),
        "tags": MEMBERS,
        "notes": st.lists(TEXTS, max_size=2),
        "memo": st.none() | TEXTS,
        "hint": st.none() | TEXTS,
    },
    "Doc": {
        "id": IDS,
        "shelf": st.none() | WORDS,
        "title": WORDS,
        "body": TEXTS,
        "status": st.sampled_from(Status),
    },
    "Follow": {"a": IDS, "b": IDS, "since": st.none() | DAYS},
    "Counter": {
        "id": IDS,
        "n": st.integers(-1, 3),
        "amount": NUMBERS,
        "label": st.none() | TEXTS,
        "memo": st.none() | TEXTS,
        "marks": MEMBERS,
        "log": st.lists(TEXTS, max_size=2),
    },
    "Note": {"id": IDS, "text": TEXTS},
}
REQUIRED = {
    "User": ("id", "name", "email"),
    "Order": ("id", "user_id", "placed_on", "status"),
    "Doc": ("id", "title", "body"),
    "Follow": ("a", "b"),
    "Counter": ("id",),
    "Note": ("id", "text"),
}
ADDED = {"Order": ("stock", "price"), "Counter": ("n", "amount")}
APPENDED = {"Order": ("tags", "notes"), "Counter": ("marks", "log")}
REMOVED = {"Order": ("tags",), "Counter": ("marks",)}
TELLING = {
    "User": ("email", "team", "nick", "updated_at"),
    "Order": ("user_id", "placed_on", "shelf", "status", "open", "stock"),
    "Doc": ("shelf", "title", "version"),
    "Follow": (),
    "Counter": (),
    "Note": (),
}
"""What somebody may claim to know, beside the key."""

KIND_NAMES = st.sampled_from(["User", "Order", "Order", "Order", "Doc", "Doc", "Counter", "Note"])


@st.composite
def some(draw: Draw, kind: str, least: tuple[str, ...] = ()) -> Values:
    """Values of some attributes."""
    names = draw(st.sets(st.sampled_from(sorted(ATTRIBUTES[kind])), max_size=5))
    return {name: draw(ATTRIBUTES[kind][name]) for name in sorted({*names, *least})}


@st.composite
def keys(draw: Draw, world: World, kind: str) -> Values:
    """Mostly of one that is there."""
    there = world.of(kind)
    if there and draw(st.integers(0, 7)):
        held = draw(st.sampled_from(there)).values
        return {name: held[name] for name in KINDS[kind].names}
    return {name: draw(ATTRIBUTES[kind][name]) for name in KINDS[kind].names}


@st.composite
def expected(draw: Draw, thing: Thing | None, kind: str) -> int | None:
    """A version: none, the right one, or another."""
    if not KINDS[kind].versioned:
        return None
    right = 1 if thing is None else thing.values["version"]
    return draw(st.sampled_from([None, None, right, right + 1]))


@st.composite
def claims(draw: Draw, thing: Thing | None, kind: str) -> Values:
    """What the caller believes to know: nothing, the truth, or something else."""
    names = TELLING[kind]
    if thing is None or not names or draw(st.booleans()):
        return {}
    told = {name: thing.values[name] for name in names if name != "updated_at"}
    if draw(st.integers(0, 2)):
        return told
    wrong = draw(st.sampled_from([name for name in sorted(told) if name in ATTRIBUTES[kind]]))
    return {**told, wrong: draw(ATTRIBUTES[kind][wrong].filter(lambda value: value != -1))}


@st.composite
def conditions(draw: Draw, thing: Thing | None, kind: str) -> Values:
    names = [one for one in sorted(ATTRIBUTES[kind]) if one not in KINDS[kind].names]
    if not names or draw(st.integers(0, 2)):
        return {}
    name = draw(st.sampled_from(names))
    if thing is not None and draw(st.booleans()):
        return {name: thing.values[name]}
    return {name: draw(ATTRIBUTES[kind][name])}


@st.composite
def updates(draw: Draw, world: World, kind: str, *, plain: bool) -> Update:
    """`plain`: what GraphQL has no words for is left out."""
    key = draw(keys(world, kind))
    thing = world.find(kind, key)
    given = dict(draw(some(kind)))
    sections: dict[str, dict[str, Any]] = {"add": {}, "append": {}, "remove": {}}
    for section, names in (("add", ADDED), ("append", APPENDED), ("remove", REMOVED)):
        for name in names.get(kind, ()):
            taken = name in given or any(name in part for part in sections.values())
            if taken or draw(st.integers(0, 2)):
                continue
            if section == "add":
                small = st.integers(-2, 3)
                drawn = draw(small if name in ("n", "stock") else st.sampled_from([Decimal("0.5")]))
            elif name in ("notes", "log"):
                drawn = draw(st.lists(TEXTS, min_size=1, max_size=2))
            else:
                drawn = draw(st.sets(WORDS, min_size=1, max_size=2))
            sections[section][name] = drawn
    effective = [name for name in given if name not in key or given[name] != key[name]]
    if not effective and not any(sections.values()):
        name = draw(st.sampled_from([one for one in sorted(ATTRIBUTES[kind]) if one not in key]))
        given[name] = draw(ATTRIBUTES[kind][name])
    where = NOTHING if plain else draw(conditions(thing, kind))
    minimum: Values = {}
    if not plain and "n" in sections["add"] and draw(st.booleans()):
        minimum = {"n": 2}
    version, known = draw(expected(thing, kind)), draw(claims(thing, kind))
    return Update(
        kind, key, given, **sections, minimum=minimum, where=where, version=version, known=known
    )


@st.composite
def changes(draw: Draw, world: World, *, plain: bool) -> Change:
    kind = draw(KIND_NAMES)
    verb = draw(
        st.sampled_from(["create", "create", "put", "update", "update", "update", "delete"])
    )
    if plain and not draw(st.integers(0, 7)):
        verb = draw(st.sampled_from(["link", "link", "unlink"]))
    elif not plain and not draw(st.integers(0, 5)):
        verb = "check"
    if kind == "Doc" and draw(st.booleans()):
        verb = "publish"
    match verb:
        case "link":
            return Link(draw(some("Follow", REQUIRED["Follow"])))
        case "unlink":
            return Unlink(draw(keys(world, "Follow")))
        case "create":
            return Create(kind, draw(some(kind, REQUIRED[kind])))
        case "put":
            values = {**draw(some(kind, REQUIRED[kind])), **draw(keys(world, kind))}
            return Put(kind, values, draw(expected(world.find(kind, values), kind)))
        case "publish":
            values = {**draw(some(kind, REQUIRED[kind])), **draw(keys(world, kind))}
            return Publish(values, draw(DAYS), draw(expected(world.find(kind, values), kind)))
        case "update":
            return draw(updates(world, kind, plain=plain))
        case "check":
            key = draw(keys(world, kind))
            thing = world.find(kind, key)
            where, version = draw(conditions(thing, kind)), draw(expected(thing, kind))
            return Check(kind, key, where, version)
        case _:
            key = draw(keys(world, kind))
            thing = world.find(kind, key)
            where = NOTHING if plain else draw(conditions(thing, kind))
            version, known = draw(expected(thing, kind)), draw(claims(thing, kind))
            return Delete(kind, key, where, version, known)


@st.composite
def single(draw: Draw, world: World, idempotency_key: str | None = None) -> Op:
    """One change through a mutation."""
    change = draw(changes(world, plain=True))
    fields = draw(st.sets(st.sampled_from(FIELDS[change.kind]), min_size=1))
    named = tuple(one for one in FIELDS[change.kind] if one in fields)
    return Op((change,), "graphql", idempotency_key, named)


@st.composite
def together(draw: Draw, world: World, idempotency_key: str | None = None) -> Op:
    """Changes that touch no item in common."""
    kept: list[Change] = []
    touched: set[tuple[str, str]] = set()
    for change in draw(st.lists(changes(world, plain=False), min_size=1, max_size=4)):
        theirs = footprint(world, change)
        if theirs.isdisjoint(touched):
            kept.append(change)
            touched |= theirs
    return Op(tuple(kept), "transaction", idempotency_key)


def footprint(world: World, change: Change) -> set[tuple[str, str]]:
    """Every item that the change may touch, whether it is made or refused."""
    values = change.key if isinstance(change, (Update, Delete, Check, Unlink)) else change.values
    touched = {KINDS[change.kind].home(values)}
    old = world.find(change.kind, values)
    if old is not None:
        touched |= old.places()
    if isinstance(change, (Create, Put, Publish, Link)):
        made = {**KINDS[change.kind].defaults, **values}
        touched |= Thing(change.kind, made).places()
    if isinstance(change, Publish):
        touched.add(KINDS["DocPast"].home({**values, "day": change.day}))
    if isinstance(change, Update) and old is not None:
        touched |= Thing(change.kind, {**old.values, **change.set}).places()
    if isinstance(change, (Update, Delete)) and old is not None:
        believed = {**old.values, **change.known}
        touched |= Thing(change.kind, believed).places()
        touched |= Thing(change.kind, {**believed, **getattr(change, "set", {})}).places()
    return touched
