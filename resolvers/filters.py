"""Filters: a `where` argument becomes a condition that DynamoDB applies after reading."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from ..store.attributes import Attribute
from ..store.codecs import TEXT
from ..store.conditions import (
    ONE_OF_MAX_VALUES,
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
from ..store.expressions import EXPRESSION_MAX_BYTES, Aliases
from ..store.moments import in_utc, moment_texts, texts_that_sort_late
from ..store.naming import camel
from ..store.values import AttributeValue

IN_MAX_VALUES = 100

IN_MAX_MOMENTS = 50
"""Each may have been stored as one of six texts, and all of them are compared with."""

FILTER_MAX_BYTES = EXPRESSION_MAX_BYTES - 500
"""What else a request aliases may make the aliases of a filter longer than they are alone."""

Build = Callable[[Attribute, object], Condition]


def _compare(operator: Operator) -> Build:
    return lambda a, value: Compare(a.stored, operator, a.codec.encode(value))


def _one_of(a: Attribute, value: object) -> Condition:
    return _among(a, [a.codec.encode(one) for one in _counted(value, IN_MAX_VALUES)])


def _counted(values: object, most: int) -> list[object]:
    """Each value once."""
    distinct = list(dict.fromkeys(cast("list[object]", values)))
    if not 1 <= len(distinct) <= most:
        raise BadInput(f"give from 1 to {most} values; there are {len(distinct):,}.")
    return distinct


def _among(a: Attribute, values: Sequence[AttributeValue]) -> Condition:
    """One IN takes only so many."""
    lists = [
        OneOf(a.stored, tuple(values[at : at + ONE_OF_MAX_VALUES]))
        for at in range(0, len(values), ONE_OF_MAX_VALUES)
    ]
    return lists[0] if len(lists) == 1 else Either(tuple(lists))


OPERATORS: Mapping[str, Build] = {
    "eq": _compare("="),
    "ne": _compare("<>"),
    "lt": _compare("<"),
    "le": _compare("<="),
    "gt": _compare(">"),
    "ge": _compare(">="),
    "in": _one_of,
    "beginsWith": lambda a, value: BeginsWith(a.stored, TEXT.encode(value)),
    "contains": lambda a, value: Contains(a.stored, TEXT.encode(value)),
    "exists": lambda a, value: Exists(a.stored) if value else Missing(a.stored),
}


# A stored moment may have any number of digits after the second, and "…00.5Z" sorts before
# "…00Z"; so a moment is compared with the text before its Z, and lookalikes are named.


def _at(a: Attribute, value: object) -> Condition:
    return _any_text(a, moment_texts(_moment(value)))


def _at_one_of(a: Attribute, value: object) -> Condition:
    moments = _counted([_moment(one) for one in cast("list[object]", value)], IN_MAX_MOMENTS)
    return _any_text(a, [text for one in moments for text in moment_texts(_moment(one))])


def _before(a: Attribute, value: object) -> Condition:
    bound = moment_texts(_moment(value))[0].removesuffix("Z")
    earlier = Compare(a.stored, "<", {"S": bound})
    late = texts_that_sort_late(_moment(value))
    return Either((earlier, _any_text(a, late))) if late else earlier


def _any_text(a: Attribute, texts: Iterable[str]) -> Condition:
    return _among(a, [{"S": text} for text in texts])


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
    "in": _at_one_of,
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
        for operator, value in (given.get(camel(name)) or {}).items():
            if value is not None:
                parts.append(_named(camel(name), operator, attribute, value))
    if not parts:
        return None
    return _sendable(parts[0] if len(parts) == 1 else All(tuple(parts)))


def _named(name: str, operator: str, attribute: Attribute, value: object) -> Condition:
    """BadInput that begins with the place in the argument."""
    operators = MOMENTS if attribute.codec.kind == "datetime" else OPERATORS
    try:
        return operators[operator](attribute, value)
    except BadInput as error:
        # A codec says that a value cannot be stored; why it cannot is what matters here.
        told = error.__cause__ if isinstance(error.__cause__, BadInput) else error
        raise BadInput(f"where.{name}.{operator}: {told}") from error


def _sendable(made: Condition) -> Condition:
    if len(made.render(Aliases()).encode()) > FILTER_MAX_BYTES:
        raise BadInput(
            "where: this compares with more values than DynamoDB takes in one filter. "
            "Shorten the lists under `in`, or ask several times."
        )
    return made
