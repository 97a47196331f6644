"""Explaining: plans and what was really sent, as JSON for a response's extensions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..loaders.sending import Sent
from ..store.expressions import update_expression
from ..store.requests import BatchGet, Get, Query, TransactGet
from ..store.values import AttributeValue
from ..store.wire import Request
from ..store.writes import BatchWrite, Delete, Put, TransactAction, TransactWrite, Update
from .planning import Plan

_ALIAS = re.compile(r"[#:]\w+")


def explained(sent: Sequence[Sent], hidden: frozenset[str] = frozenset()) -> dict[str, Any]:
    """What an operation really asked, wave by wave, and what it cost.

    What a write insists on was read by us, and not always by who asks: the values of `hidden`
    attributes are left out.
    """
    waves: dict[int, list[dict[str, Any]]] = {}
    for one in sent:
        waves.setdefault(one.wave, []).append(
            {
                **described(one.request, hidden),
                "serves": list(one.serves),
                "itemsRead": one.read,
                "itemsReturned": one.items,
                "capacity": one.capacity,
                "startedAfter": round(one.started, 3),
                "milliseconds": round(one.milliseconds, 3),
                "retries": one.retries,
                **({"error": one.error} if one.error else {}),
            }
        )
    return {
        "requests": len(sent),
        "capacity": sum(one.capacity for one in sent),
        "waves": [{"requests": requests} for _, requests in sorted(waves.items())],
    }


def explained_plan(plan: Plan) -> dict[str, Any]:
    """A plan in the same shape, with what is expected in place of what was measured."""
    return {
        "requests": plan.requests,
        "capacity": plan.capacity,
        "waves": [
            {
                "requests": [
                    {
                        **described(planned.request),
                        "serves": list(planned.serves),
                        "times": planned.times,
                        "itemsExpected": planned.items,
                        "capacityExpected": planned.capacity,
                    }
                    for planned in wave
                ]
            }
            for wave in plan.waves
        ],
        **({"errors": list(plan.errors)} if plan.errors else {}),
    }


def described(request: Request, hidden: frozenset[str] = frozenset()) -> dict[str, Any]:
    """A request in the words of DynamoDB."""
    shown: dict[str, Any] = {"operation": request.operation}
    match request:
        case TransactWrite():
            actions = [described_action(action, hidden) for action in request.actions]
            return {**shown, "summary": request.describe(), "actions": actions}
        case Put() | Update() | Delete():
            summary = request.describe(Spelling(hidden))
            return {**shown, "summary": summary, "actions": [described_action(request, hidden)]}
        case _:
            shown["summary"] = request.describe()
    rendered = request.render()
    match request:
        case TransactGet() | BatchWrite():
            return shown
        case Query():
            shown["index"] = request.index
            shown["keyCondition"] = _spelled(rendered["KeyConditionExpression"], rendered)
            shown["descending"] = request.descending
            shown["limit"] = request.limit
            shown["filter"] = _spelled(rendered.get("FilterExpression"), rendered)
        case Get():
            shown["key"] = list(request.key)
        case BatchGet():
            shown["keys"] = [list(key) for key in request.keys]
    shown["projection"] = list(request.projection) or None
    return shown


def described_action(action: TransactAction, hidden: frozenset[str]) -> dict[str, Any]:
    """What is done to one item, and on which condition."""
    names, condition = action.names, action.condition
    key = action.key if not isinstance(action, Put) else names and names.key_of(action.item)
    update = action.actions if isinstance(action, Update) else ()
    return {
        "action": type(action).__name__,
        "key": list(key or ()),
        "update": update_expression(update, Spelling(hidden)) or None,
        "condition": None if condition is None else condition.render(Spelling(hidden)),
    }


@dataclass(slots=True)
class Spelling:
    """Names and values as they are, but for the values of `hidden` attributes."""

    hidden: frozenset[str]
    _named: str = ""

    def name(self, attribute: str) -> str:
        self._named = attribute
        return attribute

    def value(self, value: AttributeValue) -> str:
        return "…" if self._named in self.hidden else _shown(value)


def _spelled(expression: str | None, rendered: dict[str, Any]) -> str | None:
    """An expression with its aliases replaced by what they stand for."""
    if expression is None:
        return None
    aliases: dict[str, str] = dict(rendered.get("ExpressionAttributeNames", {}))
    for alias, value in rendered.get("ExpressionAttributeValues", {}).items():
        aliases[alias] = _shown(value)
    return _ALIAS.sub(lambda match: aliases.get(match[0], match[0]), expression)


def _shown(value: AttributeValue) -> str:
    """A value without its tag: 2, 'blue', ['USER#1', 'PROFILE']."""
    [(tag, content)] = value.items()
    if tag == "M":  # what stands in it may be guarded within its type
        return "{…}"
    if tag == "L":
        return f"[{', '.join(map(_shown, content))}]"
    return str(content) if tag == "N" else repr(content)
