"""After many faults: no task, no connection, no thread and no memory is left behind."""

import asyncio
import gc
import logging
import threading
import tracemalloc

import pytest

from tablefold import Gateway
from tablefold.loaders.loader import Loader
from tests.faults.asking import ALL, ON_ITS_WAY_OUT, PRODUCTS, PROFILE, OpenShop, until
from tests.harness.faults import Faults, FaultyProxy

pytestmark = pytest.mark.engines("dynoxide")

MIX = Faults(
    throttle=0.15,
    error=0.1,
    reset=0.1,
    lose=0.1,
    half=0.1,
    corrupt=0.1,
    slow=0.1,
    unprocessed=0.1,
    expired=0.05,
    delay=0.02,
    seed=11,
)
POOL = 8
ROUND = 25
DEADLINE = 1.0


async def test_two_hundred_faulty_operations_leave_nothing_behind(
    open_shop: OpenShop, faulty: FaultyProxy, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.CRITICAL, "tablefold")  # pytest keeps what is logged
    shop = open_shop(pool_size=POOL, deadline=DEADLINE)

    async def operate(cancelled: bool) -> None:
        operation = asyncio.create_task(shop.execute([ALL, PROFILE, PRODUCTS][len(faulty.met) % 3]))
        if cancelled:
            await asyncio.sleep(0.01)
            operation.cancel()
        await asyncio.gather(operation, return_exceptions=True)

    async def rounds(count: int) -> None:
        for _ in range(count):
            await asyncio.gather(*(operate(n % 5 == 0) for n in range(ROUND)))

    async def held() -> int:
        # asyncio keeps a cancelled timer, and the context it came from, until its time.
        await asyncio.sleep(DEADLINE + 0.2)
        faulty.clear()  # the proxy lives in this process, and records every request
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    faulty.course = MIX
    tracemalloc.start()
    try:
        await rounds(2)  # documents are parsed, the wire is open
        tasks, threads, before = asyncio.all_tasks(), threading.active_count(), await held()
        await rounds(8)
        assert len(faulty.sent) > 8 * ROUND
        most_open, grown = faulty.most_open, await held() - before
    finally:
        tracemalloc.stop()

    await until(lambda: not asyncio.all_tasks() - tasks)
    await until(lambda: faulty.open <= POOL)
    assert most_open <= POOL + ON_ITS_WAY_OUT
    assert threading.active_count() <= threads
    assert grown < 400_000, "two kilobytes for each operation would be a leak"


async def test_an_open_connection_holds_nothing_of_the_operation_that_opened_it(
    shop: Gateway, faulty: FaultyProxy
):
    carrier = shop.wire
    await shop.execute(ALL)
    await asyncio.sleep(0.01)  # the loop lets go of what woke this test
    gc.collect()

    assert faulty.open >= 1
    loaders = [held for held in gc.get_objects() if isinstance(held, Loader)]
    assert [loader for loader in loaders if loader.sender.carrier is carrier] == []
