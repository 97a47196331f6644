"""The shop behind a proxy that fails on purpose."""

import contextlib
from collections.abc import AsyncGenerator, Generator
from typing import Any

import pytest
import pytest_asyncio

from tablefold import Gateway
from tablefold.store.engines import Engine
from tablefold.store.retries import RetryPolicy
from tablefold.store.wire import Wire
from tests.faults.asking import OpenShop, until
from tests.harness import tables
from tests.harness.examples import Examples
from tests.harness.faults import FaultyProxy, Script
from tests.harness.proxy import running

QUICK = RetryPolicy(base=0.001, cap=0.005)
"""As many attempts as ever, without the pauses."""


@pytest.fixture(scope="session")
def faulty_proxy(engine: Engine) -> Generator[FaultyProxy, None, None]:
    with running(FaultyProxy(engine.endpoint_url)) as proxy:
        yield proxy


@pytest.fixture
def faulty(faulty_proxy: FaultyProxy) -> FaultyProxy:
    """In front of the engine; everything passes until a test sets its `course`."""
    faulty_proxy.course = Script([])
    faulty_proxy.clear()
    return faulty_proxy


@pytest_asyncio.fixture
async def open_shop(examples: Examples, faulty: FaultyProxy) -> AsyncGenerator[OpenShop, None]:
    """`await open_shop(deadline=…, response_seconds=…)`: a shop that has not connected yet."""
    async with contextlib.AsyncExitStack() as stack:

        async def opened(*, deadline: float = 10.0, **wiring: Any) -> Gateway:
            behind = examples.gateway("shop", faulty, deadline=deadline)
            gateway = await stack.enter_async_context(behind)
            options: dict[str, Any] = {"region": tables.REGION, "policy": QUICK, **wiring}
            gateway._wire = Wire(  # pyright: ignore[reportPrivateUsage]
                endpoint_url=faulty.endpoint_url, **options
            )
            return gateway

        yield opened
    # Whatever a test did: its gateways are closed, and no connection of theirs is left.
    await until(lambda: faulty.open == 0)


@pytest_asyncio.fixture
async def shop(open_shop: OpenShop) -> Gateway:
    return await open_shop()
