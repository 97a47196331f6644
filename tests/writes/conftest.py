"""The model on an engine, behind a proxy that can fail on purpose."""

from collections.abc import AsyncGenerator, Generator

import pytest
import pytest_asyncio

from tablefold import Gateway
from tablefold.store.engines import Engine
from tablefold.store.retries import RetryPolicy
from tablefold.store.wire import Wire
from tests.harness import tables
from tests.harness.faults import FaultyProxy, Script
from tests.harness.proxy import running
from tests.harness.serving import served
from tests.writes import model
from tests.writes.stage import Stage, opened

QUICK = RetryPolicy(base=0.001, cap=0.01)


@pytest.fixture(scope="module")
def the_stage(engine: Engine) -> Generator[Stage, None, None]:
    with opened(engine) as made:
        yield made


@pytest.fixture
def stage(the_stage: Stage) -> Stage:
    """With nothing in its table."""
    the_stage.empty()
    return the_stage


@pytest.fixture(scope="module")
def faulty_proxy(engine: Engine) -> Generator[FaultyProxy, None, None]:
    with running(FaultyProxy(engine.endpoint_url)) as proxy:
        yield proxy


@pytest.fixture
def faulty(faulty_proxy: FaultyProxy) -> FaultyProxy:
    faulty_proxy.course = Script([])
    faulty_proxy.clear()
    return faulty_proxy


@pytest_asyncio.fixture
async def gateway(engine: Engine, faulty: FaultyProxy) -> AsyncGenerator[Gateway, None]:
    """On a fresh table; it repeats as often as ever, without the pauses."""
    made = model.gateway()
    url = faulty.endpoint_url
    with served(made, engine_url=engine.endpoint_url, gateway_url=url):
        made._wire = Wire(  # pyright: ignore[reportPrivateUsage]
            endpoint_url=url, region=tables.REGION, policy=QUICK, response_seconds=2.0
        )
        yield made
        await made.close()
