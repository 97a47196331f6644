"""Asking a gateway, and the short form of what it answers."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from strawberry.types import ExecutionResult

from tablefold import Gateway

PROFILE = '{ user(id: "u_001") { name } }'
ORDER = '{ order(id: "o_0065") { id items { n } } }'
PRODUCTS = '{ products(ids: ["p_001", "p_002", "p_003", "p_004"]) { id } }'

ALL = """{
  user(id: "u_001") { name }
  order(id: "o_0065") { id items { n } }
}"""
"""A GetItem and a Query, in one wave."""

ON_ITS_WAY_OUT = 1
"""Whoever is cancelled with an answer unread resets its connection: a proxy hears that late."""


class OpenShop(Protocol):
    def __call__(self, *, deadline: float = 10.0, **wiring: Any) -> Gateway: ...


def errors_of(result: ExecutionResult) -> list[tuple[str, str]]:
    """Dotted path and code of each error."""
    return [
        (".".join(map(str, error.path or ())), (error.extensions or {})["code"])
        for error in result.errors or []
    ]


async def until(fact: Callable[[], bool]) -> None:
    """Waits for a fact, not for a time."""
    for _ in range(5_000):
        if fact():
            return
        await asyncio.sleep(0.002)
    raise AssertionError("What the test waits for did not happen.")
