"""A model on an engine, for tests of what models can do."""

import contextlib
from collections.abc import AsyncGenerator, Callable

import pytest_asyncio

from tablefold import Gateway
from tablefold.store.engines import Engine
from tests.harness.proxy import Proxy
from tests.harness.serving import served

Serve = Callable[..., Gateway]


@pytest_asyncio.fixture
async def serve(engine: Engine, proxy: Proxy) -> AsyncGenerator[Serve, None]:
    """`serve(gateway, *rows)` fills a fresh table; the proxy has recorded nothing since."""
    async with contextlib.AsyncExitStack() as stack:

        def start(gateway: Gateway, *rows: object) -> Gateway:
            stack.enter_context(
                served(
                    gateway,
                    engine_url=engine.endpoint_url,
                    gateway_url=proxy.endpoint_url,
                    rows=rows,
                )
            )
            stack.push_async_callback(gateway.close)
            proxy.clear()
            return gateway

        yield start
