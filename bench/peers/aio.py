"""aiobotocore, which pins a botocore of its own and so needs an environment of its own."""

from __future__ import annotations

import importlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from bench.peers.work import METHODS, Place, Worker, items_in, main


class Aio:
    def __init__(self, client: Any) -> None:
        self._client = client

    async def call(self, name: str, body: dict[str, Any]) -> int:
        return items_in(await getattr(self._client, METHODS[name.split()[0]])(**body))


@asynccontextmanager
async def opened(place: Place) -> AsyncGenerator[Worker, None]:
    session = importlib.import_module("aiobotocore.session").get_session()
    config = importlib.import_module("aiobotocore.config").AioConfig(
        max_pool_connections=place.concurrency
    )
    async with session.create_client(
        "dynamodb",
        endpoint_url=place.endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=config,
    ) as client:
        yield Aio(client)


if __name__ == "__main__":
    main(opened)
