"""Refusing: what a client is told of a write that was not made, and why."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from ..store.errors import AlreadyThere, Conflict, NotFound, WriteRefused
from ..store.naming import camel
from ..store.requests import Key
from ..store.values import Item
from .changes import Change, described, home_of
from .expectations import Absent, AtVersion, Expectation, Free, Holding, Present, Within


@dataclass(frozen=True, slots=True)
class Failure:
    """One expectation that does not hold; `item` is what stands in its place."""

    change: Change
    expectation: Expectation
    item: Item | None = field(hash=False)
    at: Key | None = None
    """The key of the item that fails, where that is not the object's own."""


def refusal(failures: Sequence[Failure], shown: Mapping[str, object] | None = None) -> WriteRefused:
    """NotFound where all that fails is missing, otherwise Conflict.

    `shown` is the standing object as a client may see it, where one change alone was refused.
    """
    reasons = [(failure, _reason(failure)) for failure in failures]
    lines = [f"{described(one.change)}: {_told(reason)}" for one, reason in reasons]
    message = f"Nothing was written. {lines[0][0].upper()}{lines[0][1:]}"
    if len(lines) > 1:
        message = "\n  ".join(("Nothing was written.", *lines))
    details: dict[str, object] = {"failures": [_details(one, reason) for one, reason in reasons]}
    if shown is not None:
        details["current"] = dict(shown)
    for _, reason in reasons:
        if reason["reason"] == "VERSION":
            details["currentVersion"] = reason["currentVersion"]
    return _kind(failures)(message, details=details, causes=tuple(failures))


def _kind(failures: Sequence[Failure]) -> type[WriteRefused]:
    if all(isinstance(failure.expectation, Present) for failure in failures):
        return NotFound
    if len(failures) == 1 and isinstance(failures[0].expectation, Absent):
        return AlreadyThere
    return Conflict


def missing(change: Change) -> WriteRefused:
    return refusal([Failure(change, Present(), None)])


def overtaken(changes: Sequence[Change]) -> Conflict:
    listed = ", ".join(described(change) for change in changes[:3])
    return Conflict(
        f"Nothing was written. Others kept changing what {listed} depends on. Try again.",
        details={"failures": [_named(change) | {"reason": "CONTENTION"} for change in changes]},
    )


def _reason(failure: Failure) -> dict[str, object]:
    item = failure.item
    match failure.expectation:
        case Present():
            return {"reason": "NOT_FOUND"}
        case Absent():
            if failure.at is None or failure.at == home_of(failure.change):
                return {"reason": "EXISTS"}
            return {"reason": "EXISTS", "taken": " / ".join(failure.at)}
        case Free() as free:
            return {"reason": "NOT_UNIQUE", "attributes": [camel(name) for name in free.names]}
        case AtVersion() as version:
            held = version.held(item or {})
            return {
                "reason": "VERSION",
                "expectedVersion": version.version,
                "currentVersion": held,
            }
        case Within() as limit if limit.falling:
            return {"reason": "MINIMUM", **_held(failure, limit, "minimum")}
        case Within() as limit:
            return {"reason": "MAXIMUM", **_held(failure, limit, "maximum")}
        case Holding() as holding:
            return {"reason": "VALUE", "attribute": camel(holding.name)}
        case _:
            return {"reason": "CHANGED"}


def _told(reason: Mapping[str, object]) -> str:
    match reason["reason"]:
        case "NOT_FOUND":
            return "there is no such item."
        case "EXISTS":
            if "taken" in reason:
                return f"{reason['taken']} is taken already."
            return "there is one already."
        case "NOT_UNIQUE":
            names = cast("list[str]", reason["attributes"])
            return f"another one has this {' and '.join(names)}."
        case "VERSION":
            return (
                f"version {reason['expectedVersion']} was expected, but it has version "
                f"{reason['currentVersion']}."
            )
        case "MINIMUM":
            return f"{reason['attribute']} would fall below {reason['minimum']}{_now(reason)}."
        case "MAXIMUM":
            return f"{reason['attribute']} would rise above {reason['maximum']}{_now(reason)}."
        case "VALUE":
            return f"{reason['attribute']} has another value than the one insisted on."
        case _:
            return "it was changed meanwhile."


def _held(failure: Failure, limit: Within, bound: str) -> dict[str, object]:
    told: dict[str, object] = {"attribute": camel(limit.name), bound: _number(limit.bound)}
    if limit.name not in failure.change.entity.rules.secret:
        told["current"] = _number(limit.held(failure.item or {}))
    return told


def _now(reason: Mapping[str, object]) -> str:
    return f"; it is {reason['current']}" if "current" in reason else ""


def _details(failure: Failure, reason: Mapping[str, object]) -> dict[str, object]:
    return {**_named(failure.change), **reason}


def _named(change: Change) -> dict[str, object]:
    return {"action": change.verb, "type": change.entity.name, "key": _key_of(change)}


def _key_of(change: Change) -> dict[str, object]:
    return {camel(name): _text(change.identity[name]) for name in change.entity.home.names}


def _text(value: object) -> str:
    """A part of a key, as a client writes it."""
    if isinstance(value, enum.Enum):
        return value.name
    isoformat = getattr(value, "isoformat", None)
    return str(value) if isoformat is None else isoformat()


def _number(value: object) -> object:
    return value if isinstance(value, int) else str(value)
