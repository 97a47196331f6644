"""Tablefold's wire."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from bench.calls import calls
from bench.peers.work import Place, Worker, items_in, main
from tablefold.store.deadline import Deadline
from tablefold.store.wire import Wire


class Wired:
    def __init__(self, wire: Wire, table: str) -> None:
        self._wire = wire
        self._calls = calls(table)

    async def call(self, name: str, body: dict[str, Any]) -> int:
        """Rendering the request is a part of the work, as it is for the others."""
        reply = await self._wire.send(self._calls[name], deadline=Deadline.after(10))
        return items_in(reply.body)


@asynccontextmanager
async def opened(place: Place) -> AsyncGenerator[Worker, None]:
    wire = Wire(endpoint_url=place.endpoint, region="us-east-1", pool_size=place.concurrency)
    yield Wired(wire, place.table)
    await wire.close()


if __name__ == "__main__":
    main(opened)
