"""boto3 as async programs use it: its client in a pool of threads, one for each caller."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import boto3
from botocore.config import Config

from bench.peers.work import METHODS, Place, Worker, items_in, main


class Threaded:
    """The client gives DynamoDB JSON as dicts, the same as the body of the wire's reply."""

    def __init__(self, client: Any, pool: ThreadPoolExecutor) -> None:
        self._client = client
        self._pool = pool

    async def call(self, name: str, body: dict[str, Any]) -> int:
        method = getattr(self._client, METHODS[name.split()[0]])
        loop = asyncio.get_running_loop()
        return items_in(await loop.run_in_executor(self._pool, functools.partial(method, **body)))


class Blocking:
    """Without threads, and so without concurrency: the least that boto3 costs."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def call(self, name: str, body: dict[str, Any]) -> int:
        return items_in(getattr(self._client, METHODS[name.split()[0]])(**body))


def client(endpoint: str, concurrency: int) -> Any:
    make: Any = boto3.client
    return make(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(max_pool_connections=concurrency),
    )


@asynccontextmanager
async def opened(place: Place) -> AsyncGenerator[Worker, None]:
    with ThreadPoolExecutor(max_workers=place.concurrency) as pool:
        yield Threaded(client(place.endpoint, place.concurrency), pool)


if __name__ == "__main__":
    main(opened)
