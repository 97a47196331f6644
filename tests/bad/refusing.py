"""What holds for every refusal: nothing was sent for it, and its neighbours arrived."""

from typing import Any

from tests.harness.serving import codes_of
from tests.resolvers.asked import Asked

NEIGHBOUR = 'neighbour: account(id: "b") { email }'
ARRIVED = {"email": "b@bank"}


async def refusal(
    ask: Asked, field: str, declared: str = "", *, code: str = "BAD_USER_INPUT", **variables: Any
) -> str:
    """The message about the field aliased `bad`; what stands beside and above it is read."""
    query = f"query {declared} {{ {field} {NEIGHBOUR} }}"
    result = await ask.result(query, **variables)
    assert codes_of(result) == [code], result.errors
    [error] = result.errors or []
    assert error.path is not None and error.path[-1] == "bad"
    assert [(1, query.index("bad:") + 1)] == [tuple(at) for at in error.locations or []]
    assert (result.data or {})["neighbour"] == ARRIVED
    assert len(ask.sent) == 1 and ask.operations != ["Query"], "only its neighbours are read"
    alone = await ask.result(f"query {declared} {{ {field} }}", **variables)
    assert codes_of(alone) == [code]
    assert "{ email bad:" in field or ask.sent == []
    return error.message


async def request_refusal(
    ask: Asked, field: str, declared: str = "", **variables: Any
) -> tuple[str, int]:
    """The message about a document or its variables, and its column; nothing of it runs."""
    result = await ask.result(f"query {declared} {{ {field} {NEIGHBOUR} }}", **variables)
    assert codes_of(result) == ["BAD_USER_INPUT"], result.errors
    [error] = result.errors or []
    assert result.data is None and error.path is None
    assert ask.sent == []
    [location] = error.locations or []
    return error.message, location.column
