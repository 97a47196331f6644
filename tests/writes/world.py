"""What the table should hold: objects in plain Python, and their items written down by hand.

Nothing here asks the code under test where an object stands, or how.
"""

import datetime
import enum
import hashlib
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from typing import Any, cast

from tests.writes.model import Money, Status

Values = Mapping[str, Any]
Key = tuple[str, str]
Item = dict[str, Any]

NOW = "now"
"""A stamp of the write that was just made: the clock knows it, the test does not."""


@dataclass(frozen=True)
class Kind:
    """By hand, per entity: where it stands, and what its attributes are when nothing is given."""

    home: Callable[[Values], Key]
    names: tuple[str, ...]
    """The attributes of the home key."""
    defaults: Values
    copies: Callable[[Values], list[tuple[Key, tuple[str, ...] | None]]] = lambda v: []
    indexes: Callable[[Values], Item] = lambda v: {}
    unique: tuple[tuple[str, ...], ...] = ()
    versioned: bool = False
    dated: bool = False
    optional: frozenset[str] = frozenset()
    null: frozenset[str] = frozenset()
    """Optional with a default: null is written down."""
    minimum: Values = field(default_factory=dict[str, Any])


def _order_copies(v: Values) -> list[tuple[Key, tuple[str, ...] | None]]:
    whole: tuple[Key, tuple[str, ...] | None] = (
        (f"USER#{v['user_id']}", f"ORDER#{v['placed_on'].isoformat()}#{v['id']}"),
        None,
    )
    if v["shelf"] is None:
        return [whole]
    return [whole, ((f"SHELF#{v['shelf']}", f"ORDER#{v['id']}"), ("id", "stock", "memo"))]


def _order_indexes(v: Values) -> Item:
    shard = zlib.crc32(f"ORDER#{v['id']}\0META".encode()) % 3
    made = {
        "GSI1PK": f"STATUS#{v['status'].value}#{shard}",
        "GSI1SK": f"{v['placed_on'].isoformat()}#{v['id']}",
    }
    if v["open"]:
        made |= {"GSI2PK": "OPEN", "GSI2SK": f"ORDER#{v['id']}"}
    if v["stock"]:
        made |= {"GSI3PK": "STOCKED", "GSI3SK": f"ORDER#{v['id']}"}
    return made


def _user_indexes(v: Values) -> Item:
    moment = v["updated_at"].removesuffix("Z")
    if "." not in moment:  # the key always has six digits, the attribute none where all are zero
        moment += ".000000"
    return {
        "GSI1PK": f"EMAIL#{v['email']}",
        "GSI1SK": f"USER#{v['id']}",
        "GSI2PK": "RECENT",
        "GSI2SK": f"{moment}Z#{v['id']}",
    }


KINDS: Mapping[str, Kind] = {
    "User": Kind(
        lambda v: (f"USER#{v['id']}", "PROFILE"),
        ("id",),
        {"team": None, "nick": None},
        indexes=_user_indexes,
        unique=(("email",), ("team", "nick")),
        versioned=True,
        dated=True,
        optional=frozenset({"team", "nick"}),
    ),
    "Order": Kind(
        lambda v: (f"ORDER#{v['id']}", "META"),
        ("id",),
        {
            "shelf": None,
            "open": True,
            "total": None,
            "price": Decimal("1.50"),
            "stock": 0,
            "tags": frozenset[str](),
            "notes": [],
            "memo": None,
            "hint": "none",
        },
        copies=_order_copies,
        indexes=_order_indexes,
        optional=frozenset({"shelf", "total", "memo", "hint"}),
        null=frozenset({"hint"}),
        minimum={"stock": 0},
    ),
    "Doc": Kind(
        lambda v: (f"DOC#{v['id']}", "LATEST"),
        ("id",),
        {"shelf": None, "status": Status.NEW},
        copies=lambda v: (
            [] if v["shelf"] is None else [((f"SHELF#{v['shelf']}", f"DOC#{v['id']}"), None)]
        ),
        indexes=lambda v: (
            {}
            if v["shelf"] is None
            else {"GSI2PK": f"DOCS#{v['shelf']}", "GSI2SK": f"V{v['version']:05d}#{v['id']}"}
        ),
        unique=(("title",),),
        versioned=True,
        dated=True,
        optional=frozenset({"shelf"}),
    ),
    "DocPast": Kind(
        lambda v: (f"DOC#{v['id']}", f"PAST#{v['day'].isoformat()}"), ("id", "day"), {}
    ),
    "Follow": Kind(
        lambda v: (f"USER#{v['a']}", f"FOLLOWS#{v['b']}"),
        ("a", "b"),
        {"since": None},
        copies=lambda v: [((f"USER#{v['b']}", f"FOLLOWED_BY#{v['a']}"), None)],
        optional=frozenset({"since"}),
    ),
    "Counter": Kind(
        lambda v: (f"COUNTER#{v['id']}", "IT"),
        ("id",),
        {
            "n": 0,
            "amount": Decimal(0),
            "label": "none",
            "memo": None,
            "marks": frozenset[str](),
            "log": [],
        },
        versioned=True,
        optional=frozenset({"label", "memo"}),
        null=frozenset({"label"}),
        minimum={"n": 0},
    ),
    "Note": Kind(lambda v: (f"NOTE#{v['id']}", "IT"), ("id",), {}),
}


@dataclass(frozen=True)
class Thing:
    """One object. `absent` are attributes that its items lack though it has a value for them, and
    `extra` attributes that no model knows: both as another program may have left them.
    """

    kind: str
    values: Values
    absent: frozenset[str] = frozenset()
    extra: Values = field(default_factory=dict[str, Any])

    @property
    def home(self) -> Key:
        return KINDS[self.kind].home(self.values)

    def guards(self) -> list[Key]:
        made: list[Key] = []
        for names in KINDS[self.kind].unique:
            if all(self.values[name] is not None for name in names):
                texts = "#".join(str(self.values[name]) for name in names)
                made.append((f"UNIQUE#{self.kind}#{'+'.join(names)}#{texts}", "UNIQUE"))
        return made

    def places(self) -> set[Key]:
        """Every item of it: at home, in copies, and its guards."""
        copies = KINDS[self.kind].copies(self.values)
        return {self.home, *(where for where, _ in copies), *self.guards()}

    def items(self) -> Iterator[tuple[Key, Item]]:
        kind = KINDS[self.kind]
        stored = {
            camel(name): written(value)
            for name, value in self.values.items()
            if name not in self.absent
            and (value is not None or name in kind.null)
            and value != set()
        }
        named = {"entityType": self.kind}
        yield (
            self.home,
            {**keyed(self.home), **named, **stored, **self.extra, **kind.indexes(self.values)},
        )
        for where, carries in kind.copies(self.values):
            if carries is None:
                yield where, {**keyed(where), **named, **stored, **self.extra}
            else:
                some = {camel(name) for name in carries}
                held = {name: value for name, value in stored.items() if name in some}
                yield where, {**keyed(where), **named, **held}
        for guard in self.guards():
            yield guard, {**keyed(guard), "entityType": "UNIQUE", "owner": [*self.home]}


def keyed(key: Key) -> Item:
    return {"PK": key[0], "SK": key[1]}


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def written(value: Any) -> Any:
    """As boto3 reads it back."""
    match value:
        case bool() | str() | None:
            return value
        case int():
            return Decimal(value)
        case enum.Enum():
            return value.value
        case datetime.date():
            return value.isoformat()
        case Money():
            return {"amount": value.amount, "currency": value.currency}
        case frozenset():
            return set(cast("frozenset[Any]", value))
        case _:
            return value


# Changes.


@dataclass(frozen=True)
class Create:
    kind: str
    values: Values


@dataclass(frozen=True)
class Put:
    kind: str
    values: Values
    version: int | None = None


@dataclass(frozen=True)
class Update:
    kind: str
    key: Values
    set: Values = field(default_factory=dict[str, Any])
    add: Values = field(default_factory=dict[str, Any])
    append: Values = field(default_factory=dict[str, Any])
    remove: Values = field(default_factory=dict[str, Any])
    minimum: Values = field(default_factory=dict[str, Any])
    where: Values = field(default_factory=dict[str, Any])
    version: int | None = None
    known: Values = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Delete:
    kind: str
    key: Values
    where: Values = field(default_factory=dict[str, Any])
    version: int | None = None
    known: Values = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Check:
    kind: str
    key: Values
    where: Values = field(default_factory=dict[str, Any])
    version: int | None = None


@dataclass(frozen=True)
class Publish:
    values: Values
    day: datetime.date
    version: int | None = None
    kind: str = "Doc"


@dataclass(frozen=True)
class Link:
    """One that is there is kept, and well."""

    values: Values
    kind: str = "Follow"


@dataclass(frozen=True)
class Unlink:
    key: Values
    kind: str = "Follow"


Change = Create | Put | Update | Delete | Check | Publish | Link | Unlink

BAD, MISSING, CONFLICT = "BAD_USER_INPUT", "NOT_FOUND", "CONFLICT"


@dataclass(frozen=True)
class Effect:
    """What a change does: things that go, things that come; or the codes it may be refused with."""

    gone: tuple[Thing, ...] = ()
    made: tuple[Thing, ...] = ()
    codes: frozenset[str] = frozenset()
    changed: bool = True

    @property
    def touched(self) -> set[Key]:
        return {key for thing in (*self.gone, *self.made) for key in thing.places()}


def refused(*codes: str) -> Effect:
    return Effect(codes=frozenset(codes))


@dataclass(frozen=True)
class Recorded:
    """An idempotency key that was used, what for, and the homes of what was written then."""

    made_for: object
    homes: tuple[Key, ...]


@dataclass
class World:
    things: dict[Key, Thing] = field(default_factory=dict[Key, Thing])
    records: dict[str, Recorded] = field(default_factory=dict[str, Recorded])

    def twin(self) -> "World":
        return World(dict(self.things), dict(self.records))

    def of(self, kind: str) -> list[Thing]:
        return [thing for thing in self.things.values() if thing.kind == kind]

    def find(self, kind: str, key: Values) -> Thing | None:
        return self.things.get(KINDS[kind].home(key))

    # Items.

    def items(self) -> dict[Key, Item]:
        made: dict[Key, Item] = {}
        for thing in self.things.values():
            for key, item in thing.items():
                assert key not in made, f"the test's own model puts two items at {key}"
                made[key] = item
        for key, record in self.records.items():
            where = record_key(key)
            homes = [[*home] for home in record.homes]
            made[where] = {**keyed(where), "entityType": "IDEMPOTENCY", "keys": homes}
        return made

    # Changes.

    def effect(self, change: Change) -> Effect:
        match change:
            case Create():
                return self._create(change)
            case Put():
                return self._put(change)
            case Update():
                return self._update(change)
            case Delete():
                return self._delete(change)
            case Check():
                old = self.find(change.kind, change.key)
                return self._standing(change, old) or Effect()
            case Publish():
                return self._publish(change)
            case Link():
                made = self._create(Create(change.kind, change.values))
                return Effect(changed=False) if made.codes else made
            case Unlink():
                gone = self._delete(Delete(change.kind, change.key))
                return Effect(changed=False) if gone.codes else gone

    def apply(self, effects: list[Effect]) -> None:
        for effect in effects:
            for thing in effect.gone:
                del self.things[thing.home]
        for effect in effects:
            for thing in effect.made:
                assert thing.home not in self.things
                self.things[thing.home] = thing

    def _create(self, change: Create) -> Effect:
        made = whole(change.kind, change.values, version=1)
        if below(change.kind, made.values):
            return refused(BAD)
        if made.home in self.things or self._taken(made, None):
            return refused(CONFLICT)
        return Effect(made=(made,))

    def _put(self, change: Put) -> Effect:
        old = self.find(change.kind, change.values)
        if old is None:
            if change.version is not None:
                return refused(MISSING)
            return self._create(Create(change.kind, change.values))
        version = old.values.get("version", 0) + 1
        made = whole(change.kind, change.values, version=version)
        if KINDS[change.kind].dated:
            made = replace(made, values={**made.values, "created_at": old.values["created_at"]})
        if below(change.kind, made.values):
            return refused(BAD)
        if not _is_at(old, change.version) or self._taken(made, old):
            return refused(CONFLICT)
        return Effect((old,), (made,))

    def _update(self, change: Update) -> Effect:
        kind = KINDS[change.kind]
        nulls = {name for name, value in change.set.items() if value is None}
        if nulls - kind.optional or below(change.kind, change.set, change.minimum):
            return refused(BAD)
        old = self.find(change.kind, change.key)
        if (found := self._standing(change, old)) is not None:
            if MISSING in found.codes and change.known:
                return refused(MISSING, CONFLICT)  # its guards may be in the way as well
            return found
        assert old is not None
        new = {**old.values, **change.set}
        for name, delta in change.add.items():
            with localcontext(prec=60):
                new[name] = (old.values[name] or 0) + delta
            least = {**kind.minimum, **change.minimum}.get(name)
            if delta < 0 and least is not None and new[name] < least:
                return refused(CONFLICT)
        for name, members in change.append.items():
            held = old.values[name]
            new[name] = [*held, *members] if isinstance(held, list) else held | set(members)
        for name, members in change.remove.items():
            new[name] = old.values[name] - set(members)
        if kind.versioned:
            new["version"] = old.values["version"] + 1
        if kind.dated:
            new["updated_at"] = NOW
        changed = {*change.set, *change.add, *change.append, *change.remove, "version"}
        made = replace(old, values=new, absent=old.absent - changed)
        if (made.home != old.home and made.home in self.things) or self._taken(made, old):
            return refused(CONFLICT)
        return Effect((old,), (made,))

    def _delete(self, change: Delete) -> Effect:
        old = self.find(change.kind, change.key)
        if (found := self._standing(change, old)) is not None:
            return found
        assert old is not None
        return Effect((old,))

    def _publish(self, change: Publish) -> Effect:
        old = self.find("Doc", change.values)
        if old is None:
            return self._put(Put("Doc", change.values, change.version))
        made = whole("Doc", change.values, version=old.values["version"] + 1)
        kept = {name: old.values[name] for name in ("id", "title", "body", "version")}
        past = Thing("DocPast", {**kept, "day": change.day, "status": Status.OLD})
        if not _is_at(old, change.version) or self._taken(made, old) or past.home in self.things:
            return refused(CONFLICT)
        return Effect((old,), (made, past))

    def _standing(self, change: Update | Delete | Check, old: Thing | None) -> Effect | None:
        if old is None:
            return refused(MISSING)
        held = all(_equal(old.values[name], value) for name, value in change.where.items())
        return None if held and _is_at(old, change.version) else refused(CONFLICT)

    def _taken(self, made: Thing, old: Thing | None) -> bool:
        """Whether another one has what is unique."""
        others = [one for one in self.of(made.kind) if old is None or one.home != old.home]
        theirs = {guard for other in others for guard in other.guards()}
        return not theirs.isdisjoint(made.guards())


def whole(kind: str, values: Values, *, version: int) -> Thing:
    made = {**KINDS[kind].defaults, **values}
    if KINDS[kind].versioned:
        made["version"] = version
    if KINDS[kind].dated:
        made |= {"created_at": NOW, "updated_at": NOW}
    return Thing(kind, made)


def below(kind: str, values: Values, minimum: Values | None = None) -> bool:
    least = {**KINDS[kind].minimum, **(minimum or {})}
    held = ((values.get(name), at_least) for name, at_least in least.items())
    return any(value is not None and value < at_least for value, at_least in held)


def _is_at(old: Thing, version: int | None) -> bool:
    return version is None or old.values["version"] == version


def _equal(held: Any, value: Any) -> bool:
    return held == (frozenset(cast("set[Any]", value)) if isinstance(value, set) else value)


def record_key(key: str) -> Key:
    """A viewer's own; nobody has signed in here."""
    return f"IDEMPOTENCY#{hashlib.sha256(f'0::{key}'.encode()).hexdigest()[:40]}", "IDEMPOTENCY"
