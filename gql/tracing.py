"""Tracing: every request has an id, and its answer says how long it took."""

from __future__ import annotations

import re
import secrets
import time
from contextvars import ContextVar
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

REQUEST_ID = "x-request-id"

_SANE = re.compile(r"[\w.:+/=-]{1,128}", re.ASCII)


@dataclass(slots=True)
class Trace:
    """One HTTP request; operations add what they asked of the table."""

    request_id: str
    requests: int = 0
    writes: bool = False
    began: float = field(default_factory=time.perf_counter)

    @property
    def timing(self) -> str:
        total = (time.perf_counter() - self.began) * 1000
        noun = "request" if self.requests == 1 else "requests"
        return f'total;dur={total:.1f}, table;desc="{self.requests} {noun}"'


_current: ContextVar[Trace | None] = ContextVar("tablefold_trace", default=None)


def current_trace() -> Trace | None:
    return _current.get()


class Tracing:
    """Takes over the id that a proxy gave the request, if it can stand in a log line."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID, "")
        trace = Trace(given if _SANE.fullmatch(given) else secrets.token_hex(8))
        token = _current.set(trace)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID] = trace.request_id
                headers["server-timing"] = trace.timing
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            _current.reset(token)
