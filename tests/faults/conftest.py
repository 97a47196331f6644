"""The shop behind a proxy that fails on purpose."""

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


@pytest.fixture(scope="session")
def the_shop(examples: Examples, faulty_proxy: FaultyProxy) -> Gateway:
    """Built once: each test gives it a wire of its own."""
    return examples.built("shop", faulty_proxy)


@pytest_asyncio.fixture
async def open_shop(the_shop: Gateway, faulty: FaultyProxy) -> AsyncGenerator[OpenShop, None]:
    """`open_shop(deadline=…, response_seconds=…)`: the shop, which has not connected yet."""

    def opened(*, deadline: float = 10.0, **wiring: Any) -> Gateway:
        options: dict[str, Any] = {"region": tables.REGION, "policy": QUICK, **wiring}
        the_shop.deadline = deadline
        the_shop._wire = Wire(  # pyright: ignore[reportPrivateUsage]
            endpoint_url=faulty.endpoint_url, **options
        )
        return the_shop

    yield opened
    await the_shop.close()
    # Whatever a test did: when its gateway is closed, no connection of it is left.
    await until(lambda: faulty.open == 0)


@pytest_asyncio.fixture
async def shop(open_shop: OpenShop) -> Gateway:
    return open_shop()
