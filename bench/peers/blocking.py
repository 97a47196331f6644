"""boto3 in one thread, one request after the other."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bench.peers.threaded import Blocking, client
from bench.peers.work import Place, Worker, main


@asynccontextmanager
async def opened(place: Place) -> AsyncGenerator[Worker, None]:
    yield Blocking(client(place.endpoint, place.concurrency))


if __name__ == "__main__":
    main(opened)
