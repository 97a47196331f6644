"""The mutation that is measured: a new user, whose e-mail nobody else may have."""

from __future__ import annotations

import uuid
from typing import Any

from strawberry.types import ExecutionResult

CREATE = """
mutation ($input: CreateUserInput!) {
  createUser(input: $input) { user { id name email active } }
}
"""


def drawn() -> dict[str, Any]:
    """Somebody who was never there before."""
    id = uuid.uuid4().hex
    return {"id": id, "name": "Ada Moreau", "email": f"{id}@example.com", "joinedOn": "2026-01-31"}


def written(result: ExecutionResult) -> int:
    """One; RuntimeError unless the new user is shown."""
    if result.errors or result.data is None:
        raise RuntimeError(f"the mutation failed: {result.errors}")
    user = result.data["createUser"]["user"]
    if user["email"] != f"{user['id']}@example.com" or not user["active"]:
        raise RuntimeError(f"the user is another one: {user}")
    return 1
