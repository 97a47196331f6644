"""The screen query through a gateway."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from bench.peers.gateways import opened_at
from bench.peers.work import Place, Worker, main
from bench.screen import SCREEN, VARIABLES, shown
from tablefold import Gateway


class Folded:
    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def call(self, name: str, body: dict[str, Any]) -> int:
        return len(shown(await self._gateway.execute(SCREEN, VARIABLES)))


@asynccontextmanager
async def opened(place: Place) -> AsyncGenerator[Worker, None]:
    async with opened_at(place) as gateway:
        yield Folded(gateway)


if __name__ == "__main__":
    main(opened)
