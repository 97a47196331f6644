"""The screen query: what an account page asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from strawberry.types import ExecutionResult

SCREEN = Path(__file__).with_name("screen.graphql").read_text(encoding="utf-8")
VARIABLES: dict[str, Any] = {"id": "u_001"}
ORDERS = 10
ADDRESSES = 3


def shown(result: ExecutionResult) -> dict[str, Any]:
    """The user on the screen; RuntimeError unless all of it came."""
    if result.errors or result.data is None:
        raise RuntimeError(f"the screen query failed: {result.errors}")
    user: dict[str, Any] = result.data["user"]
    if len(user["orders"]["edges"]) != ORDERS or len(user["addresses"]) != ADDRESSES:
        raise RuntimeError(f"the screen is not complete: {user}")
    return user
