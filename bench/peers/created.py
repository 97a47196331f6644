"""A new user through a gateway."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from bench.new_user import CREATE, drawn, written
from bench.peers.gateways import opened_at
from bench.peers.work import Place, Worker, main
from tablefold import Gateway


class Created:
    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def call(self, name: str, body: dict[str, Any]) -> int:
        return written(await self._gateway.execute(CREATE, {"input": drawn()}))


@asynccontextmanager
async def opened(place: Place) -> AsyncGenerator[Worker, None]:
    async with opened_at(place) as gateway:
        yield Created(gateway)


if __name__ == "__main__":
    main(opened)
