"""Section: what a document costs before it runs, whether it is answered or refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from graphql import GraphQLError

from examples.shop import gateway as shop
from tablefold import BadInput, Limits
from tablefold.gql.documents import Documents

from . import clock
from .effort import Effort
from .figures import table
from .stage import Stage

GENEROUS = Limits(tokens=None, depth=None, fields=None, aliases=None)
SIZES = (50, 100, 200, 400, 800)


def measure(stage: Stage, effort: Effort) -> str:
    stage.say("documents: parsed, validated and limited")
    return asyncio.run(_measure(effort))


async def _measure(effort: Effort) -> str:
    documents = {
        "doubling fragments, 20 levels": (doubling(20), Limits()),
        "one field 400 times, nested": (repeated(400), Limits()),
        **{f"no limits, {count} nested fields": (repeated(count), GENEROUS) for count in SIZES},
    }

    def prepare(text: str, limits: Limits) -> str:
        """Nothing is kept of it: each time is the first."""
        try:
            errors = Documents(shop.graphql_schema, limits).prepare(text).errors
        except (BadInput, GraphQLError) as error:
            return getattr(error, "code", "GRAPHQL_PARSE_FAILED")
        return "GRAPHQL_VALIDATION_FAILED" if errors else "accepted"

    def contender(text: str, limits: Limits) -> Callable[[], Awaitable[None]]:
        async def work() -> None:
            prepare(text, limits)

        return work

    figures = await clock.interleaved(
        {name: contender(*one) for name, one in documents.items()},
        rounds=effort.rounds,
        times=max(1, effort.operations // 100),
    )
    return table(
        ("Document", "bytes", "CPU ms", "CPU µs per byte", "outcome"),
        [
            [
                name,
                len(text),
                figures[name] * 1_000,
                figures[name] * (1_000_000 / len(text)),
                prepare(text, limits),
            ]
            for name, (text, limits) in documents.items()
        ],
    )


def doubling(levels: int) -> str:
    """Each fragment spreads the next one twice: written out, a million fields."""
    fragments = [f"fragment f{n} on User {{ ...f{n + 1} ...f{n + 1} }}" for n in range(levels)]
    last = f"fragment f{levels} on User {{ name }}"
    return "\n".join(['{ user(id: "u_001") { ...f0 } }', *fragments, last])


def repeated(count: int) -> str:
    return '{ user(id: "u_001") { ' + "orders { nodes { id } } " * count + "} }"
