"""Filters: a `where` argument becomes a condition that DynamoDB applies after reading."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import cast

from ..store.attributes import Attribute
from ..store.conditions import (
    All,
    BeginsWith,
    Compare,
    Condition,
    Contains,
    Either,
    Exists,
    Missing,
    Not,
    OneOf,
    Operator,
)
from ..store.entities import Entity
from ..store.errors import BadInput
from ..store.moments import in_utc, moment_texts, texts_that_sort_late
from ..store.naming import camel

Build = Callable[[Attribute, object], Condition]


def _compare(operator: Operator) -> Build:
    return lambda a, value: Compare(a.stored, operator, a.codec.encode(value))


def _one_of(a: Attribute, value: object) -> Condition:
    return OneOf(a.stored, tuple(map(a.codec.encode, cast("list[object]", value))))


OPERATORS: Mapping[str, Build] = {
    "eq": _compare("="),
    "ne": _compare("<>"),
    "lt": _compare("<"),
    "le": _compare("<="),
    "gt": _compare(">"),
    "ge": _compare(">="),
    "in": _one_of,
    "beginsWith": lambda a, value: BeginsWith(a.stored, {"S": str(value)}),
    "contains": lambda a, value: Contains(a.stored, {"S": str(value)}),
    "exists": lambda a, value: Exists(a.stored) if value else Missing(a.stored),
}


# A stored moment may have any number of digits after the second, and "…00.5Z" sorts before
# "…00Z"; so a moment is compared with the text before its Z, and lookalikes are named.


def _at(a: Attribute, value: object) -> Condition:
    return _any_text(a, moment_texts(_moment(value)))


def _before(a: Attribute, value: object) -> Condition:
    bound = moment_texts(_moment(value))[0].removesuffix("Z")
    earlier = Compare(a.stored, "<", {"S": bound})
    late = texts_that_sort_late(_moment(value))
    return Either((earlier, _any_text(a, late))) if late else earlier


def _any_text(a: Attribute, texts: tuple[str, ...]) -> Condition:
    return OneOf(a.stored, tuple({"S": text} for text in texts))


def _moment(value: object) -> datetime.datetime:
    try:
        return in_utc(cast("datetime.datetime", value))
    except OverflowError:
        raise BadInput(f"{value} lies outside the years 1 to 9999 in UTC.") from None


def _up_to(a: Attribute, value: object) -> Condition:
    return Either((_before(a, value), _at(a, value)))


MOMENTS: Mapping[str, Build] = {
    "eq": _at,
    "ne": lambda a, value: Not(_at(a, value)),
    "lt": _before,
    "le": _up_to,
    "gt": lambda a, value: All((Exists(a.stored), Not(_up_to(a, value)))),
    "ge": lambda a, value: All((Exists(a.stored), Not(_before(a, value)))),
    "in": lambda a, value: _any_text(
        a,
        tuple(text for one in cast("list[object]", value) for text in moment_texts(_moment(one))),
    ),
    "exists": OPERATORS["exists"],
}


def condition(entity: Entity, filters: tuple[str, ...], where: object) -> Condition | None:
    """None where nothing is asked for."""
    if not isinstance(where, Mapping):
        return None
    given = cast("Mapping[str, Mapping[str, object] | None]", where)
    parts: list[Condition] = []
    for name in filters:
        attribute = entity.attributes[name]
        operators = MOMENTS if attribute.codec.kind == "datetime" else OPERATORS
        for operator, value in (given.get(camel(name)) or {}).items():
            if value is not None:
                parts.append(operators[operator](attribute, value))
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else All(tuple(parts))
