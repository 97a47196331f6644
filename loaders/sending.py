"""Sending under one operation's deadline and concurrency, and writing down what was sent."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..store.deadline import Deadline
from ..store.errors import Unprocessed
from ..store.requests import BatchGet, Get, Query
from ..store.wire import Reply, Request

CONCURRENT_REQUESTS = 64

ReadRequest = Get | BatchGet | Query


class Carrier(Protocol):
    """What brings a request to DynamoDB: the wire, or a test's stand-in for it."""

    async def send(self, request: Request, *, deadline: Deadline) -> Reply: ...


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as it happened; `started` counts from the operation's beginning."""

    wave: int
    request: Request
    serves: tuple[str, ...]
    items: int = 0
    read: int = 0
    capacity: float = 0.0
    started: float = 0.0
    milliseconds: float = 0.0
    retries: int = 0
    error: str | None = None


@dataclass(slots=True)
class Sender:
    """One per operation."""

    carrier: Carrier
    deadline: Deadline
    table: str
    concurrency: int = CONCURRENT_REQUESTS
    sent: list[Sent] = field(default_factory=list[Sent])
    _places: asyncio.Semaphore | None = None
    _began: float = field(default_factory=time.perf_counter)

    async def send(self, request: Request, *, wave: int, serves: tuple[str, ...]) -> Reply:
        if self._places is None:
            self._places = asyncio.Semaphore(self.concurrency)
        async with self._places:
            started = time.perf_counter()
            sent = Sent(wave, request, serves, started=(started - self._began) * 1000)
            try:
                reply = await self.carrier.send(request, deadline=self.deadline)
            except Unprocessed as error:  # a part of it came, and was paid for
                self.sent.append(replace(_answered(sent, error.reply), error=_name(error)))
                raise
            except Exception as error:
                spent = (time.perf_counter() - started) * 1000
                self.sent.append(replace(sent, milliseconds=spent, error=_name(error)))
                raise
        self.sent.append(_answered(sent, reply))
        return reply

    @property
    def capacity(self) -> float:
        return sum(sent.capacity for sent in self.sent)

    @property
    def waves(self) -> int:
        """How many waves have been answered."""
        return max((sent.wave for sent in self.sent), default=0)


def _name(error: Exception) -> str:
    return type(error).__name__


def _answered(sent: Sent, reply: Reply) -> Sent:
    items, read = _counts(sent.request, reply)
    return replace(
        sent,
        items=items,
        read=read,
        capacity=reply.capacity,
        milliseconds=reply.milliseconds,
        retries=reply.retries,
    )


def _counts(request: Request, reply: Reply) -> tuple[int, int]:
    """Items returned, items read for them."""
    body = reply.body
    if isinstance(request, Query):
        returned = len(body.get("Items", ()))
        return returned, body.get("ScannedCount", returned)
    if isinstance(request, BatchGet):
        returned = len(body.get("Responses", {}).get(request.table, ()))
        return returned, returned
    returned = 1 if "Item" in body else 0
    return returned, returned
