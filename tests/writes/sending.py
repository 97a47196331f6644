"""Sending a change through GraphQL or a transaction, and the short form of what comes back."""

import datetime
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from strawberry.types import ExecutionResult

from tablefold import Gateway, TablefoldError, Transaction
from tests.writes import model
from tests.writes.model import Money
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
    camel,
)

Channel = Literal["graphql", "transaction"]

CLASSES: Mapping[str, type] = {
    cls.__name__: cls
    for cls in (model.User, model.Order, model.Doc, model.Follow, model.Counter, model.Note)
}


@dataclass(frozen=True)
class Op:
    """One write as a client makes it; through GraphQL `fields` are selected of the object."""

    changes: tuple[Change, ...]
    channel: Channel = "graphql"
    idempotency_key: str | None = None
    fields: tuple[str, ...] = ("id",)


@dataclass(frozen=True)
class Answer:
    """`shown` is what GraphQL showed of the object; `code` None where nothing was refused."""

    code: str | None = None
    changed: bool | None = None
    shown: Any = None
    told: str = ""


async def send(gateway: Gateway, op: Op) -> Answer:
    if op.channel == "transaction":
        return await _transact(gateway, op)
    [change] = op.changes
    text, variables = mutation(change, op)
    return answer_of(await gateway.execute(text, variables))


def answer_of(result: ExecutionResult) -> Answer:
    for error in result.errors or []:
        return Answer((error.extensions or {})["code"], told=error.message)
    [payload] = (result.data or {}).values()
    shown = {name: value for name, value in payload.items() if name != "changed"}
    return Answer(None, payload["changed"], *shown.values())


# Transactions.


async def _transact(gateway: Gateway, op: Op) -> Answer:
    try:
        async with gateway.transaction(idempotency_key=op.idempotency_key) as tx:
            for change in op.changes:
                collect(tx, change)
    except TablefoldError as error:
        return Answer(error.code, told=str(error))
    return Answer(None, not tx.replayed)


def collect(tx: Transaction, change: Change) -> None:
    cls = CLASSES[change.kind]
    match change:
        case Create() | Link():
            tx.create(cls(**change.values))
        case Put():
            tx.put(cls(**change.values), version=change.version)
        case Update():
            tx.update(
                cls,
                *(change.key[name] for name in KINDS[change.kind].names),
                set=change.set,
                add=change.add,
                append=change.append,
                remove=change.remove,
                minimum=change.minimum,
                where=change.where,
                version=change.version,
                known=change.known,
            )
        case Delete():
            key = (change.key[name] for name in KINDS[change.kind].names)
            tx.delete(cls, *key, where=change.where, version=change.version, known=change.known)
        case Unlink():
            tx.delete(cls, *(change.key[name] for name in KINDS[change.kind].names))
        case Check():
            key = (change.key[name] for name in KINDS[change.kind].names)
            tx.check(cls, *key, where=change.where, version=change.version)
        case Publish():
            tx.publish(cls(**change.values), version=change.version, day=change.day)


# GraphQL.


def mutation(change: Change, op: Op) -> tuple[str, dict[str, Any]]:
    verb, kind = type(change).__name__, change.kind
    given: dict[str, tuple[str, Any]] = {}
    match change:
        case Create() | Put() | Publish():
            given["input"] = (f"{verb}{kind}Input!", inputs(change.values))
        case Update():
            sections = {"add": change.add, "append": change.append, "remove": change.remove}
            parts = {name: inputs(part) for name, part in sections.items() if part}
            given["input"] = (f"{verb}{kind}Input!", {**inputs(change.set), **parts})
        case Link():
            names = KINDS[kind].names
            own = {name: value for name, value in change.values.items() if name not in names}
            if own:
                given["input"] = (f"{verb}{kind}Input", inputs(own))
        case _:
            pass
    if isinstance(change, Publish):
        given["day"] = ("Date!", change.day.isoformat())
    if isinstance(change, (Update, Delete, Unlink)):
        given |= {camel(name): ("ID!", value) for name, value in change.key.items()}
    if isinstance(change, Link):
        given |= {camel(name): ("ID!", change.values[name]) for name in KINDS[kind].names}
    if isinstance(change, (Update, Delete)) and change.known:
        given["known"] = (f"{kind}Known", inputs(change.known))
    if (version := getattr(change, "version", None)) is not None:
        given["expectedVersion"] = ("Int", version)
    if op.idempotency_key is not None:
        given["idempotencyKey"] = ("String", op.idempotency_key)
    declared = ", ".join(f"${name}: {kind}" for name, (kind, _) in given.items())
    passed = ", ".join(f"{name}: ${name}" for name in given)
    field, fields = f"{verb.lower()}{kind}({passed})", " ".join(op.fields)
    text = f"mutation ({declared}) {{ {field} {{ changed {camel_of(kind)} {{ {fields} }} }} }}"
    return text, {name: value for name, (_, value) in given.items()}


def camel_of(kind: str) -> str:
    return kind[0].lower() + kind[1:]


def inputs(values: Values) -> dict[str, Any]:
    return {camel(name): as_input(value) for name, value in values.items()}


def as_input(value: Any) -> Any:
    match value:
        case enum.Enum():
            return value.name
        case datetime.date():
            return value.isoformat()
        case Decimal():
            return str(value)
        case Money():
            return {"amount": str(value.amount), "currency": value.currency}
        case set() | frozenset():
            return sorted(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        case _:
            return value


FIELDS: Mapping[str, tuple[str, ...]] = {
    "User": ("id", "name", "email", "team", "nick", "version", "createdAt", "updatedAt"),
    "Order": (
        *("id", "userId", "placedOn", "shelf", "status", "open", "total { amount currency }"),
        *("price", "stock", "tags", "notes", "memo", "hint", "user { name }"),
    ),
    "Doc": ("id", "shelf", "title", "body", "status", "version", "createdAt", "updatedAt"),
    "Follow": ("a", "b", "since"),
    "Counter": ("id", "n", "amount", "label", "memo", "marks", "log", "version"),
    "Note": ("id", "text"),
}


def shown(world: World, thing: Thing | None, fields: tuple[str, ...]) -> Any:
    """What these fields of an object should show."""
    if thing is None:
        return None
    values = {camel(name): value for name, value in thing.values.items()}
    made: dict[str, Any] = {}
    for one in fields:
        name = one.partition(" ")[0]
        if name == "user":
            user = world.find("User", {"id": values["userId"]})
            made[name] = None if user is None else {"name": user.values["name"]}
        elif name in ("createdAt", "updatedAt"):
            made[name] = values[name].removesuffix("Z") + "+00:00"
        else:
            made[name] = as_input(values[name])
    return made


def same(answered: Any, right: Any) -> bool:
    """1.50 and 1.5 are one number; a number of exact digits is shown as text."""
    match answered, right:
        case {}, {}:
            return answered.keys() == right.keys() and all(
                same(answered[name], right[name]) for name in right
            )
        case str(), str() if _is_number(answered) and _is_number(right):
            return Decimal(answered) == Decimal(right)
        case _:
            return answered == right


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).removeprefix("-").isdecimal()
