"""Filters: a `where` argument becomes a condition that DynamoDB applies after reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from ..store.attributes import Attribute
from ..store.conditions import (
    All,
    BeginsWith,
    Compare,
    Condition,
    Contains,
    Exists,
    Missing,
    OneOf,
)
from ..store.entities import Entity
from ..store.naming import camel

Build = Callable[[Attribute, object], Condition]

OPERATORS: Mapping[str, Build] = {
    "eq": lambda a, value: Compare(a.stored, "=", a.codec.encode(value)),
    "ne": lambda a, value: Compare(a.stored, "<>", a.codec.encode(value)),
    "lt": lambda a, value: Compare(a.stored, "<", a.codec.encode(value)),
    "le": lambda a, value: Compare(a.stored, "<=", a.codec.encode(value)),
    "gt": lambda a, value: Compare(a.stored, ">", a.codec.encode(value)),
    "ge": lambda a, value: Compare(a.stored, ">=", a.codec.encode(value)),
    "in": lambda a, value: OneOf(
        a.stored, tuple(a.codec.encode(one) for one in cast("list[object]", value))
    ),
    "beginsWith": lambda a, value: BeginsWith(a.stored, {"S": str(value)}),
    "contains": lambda a, value: Contains(a.stored, {"S": str(value)}),
    "exists": lambda a, value: Exists(a.stored) if value else Missing(a.stored),
}


def condition(entity: Entity, filters: tuple[str, ...], where: object) -> Condition | None:
    """None where nothing is asked for."""
    if not isinstance(where, Mapping):
        return None
    given = cast("Mapping[str, Mapping[str, object] | None]", where)
    parts: list[Condition] = []
    for name in filters:
        for operator, value in (given.get(camel(name)) or {}).items():
            if value is not None:
                parts.append(OPERATORS[operator](entity.attributes[name], value))
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else All(tuple(parts))
