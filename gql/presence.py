"""Presence: whoever leaves before the answer ends what was done for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from starlette.requests import ClientDisconnect, Request

from .tracing import current_trace


@contextlib.asynccontextmanager
async def while_connected(request: Request) -> AsyncGenerator[None, None]:
    """Cancels what is inside when the client leaves, and raises ClientDisconnect.

    A mutation goes on to its end: half of it would help nobody. For a request whose body has
    been read: the next that a server tells of is the end.
    """
    inside = asyncio.current_task()
    if inside is None:
        raise RuntimeError("A request is answered in a task.")
    gone = False

    async def watch() -> None:
        nonlocal gone
        while (await request.receive())["type"] != "http.disconnect":
            pass  # a GET's empty body
        if (trace := current_trace()) is not None and trace.writes:
            return
        gone = True
        inside.cancel()

    watching = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:
        if gone and inside.cancelling() == 1:
            raise ClientDisconnect from None
        raise  # somebody else wants the end as well
    finally:
        watching.cancel()
        if gone:
            inside.uncancel()
