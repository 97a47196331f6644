"""A cancelled operation cancels its requests, wherever they stand, and harms nobody else."""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator
from typing import Any

import boto3
import pytest
import strawberry

from tablefold import Gateway, Table
from tablefold.store.retries import RetryPolicy
from tests.faults.asking import ALL, ORDER, PROFILE, OpenShop, until
from tests.harness.faults import FaultyProxy, Script, rewritten, silent, slow, throttled
from tests.harness.roles import Role
from tests.harness.serving import SECRET, data_of, served

pytestmark = pytest.mark.engines("dynoxide")

ADA = {"user": {"name": "Ada Moreau"}}


@pytest.fixture(autouse=True)
async def _no_task_is_left() -> AsyncGenerator[None, None]:  # pyright: ignore[reportUnusedFunction]
    before = asyncio.all_tasks()
    yield
    await until(lambda: not asyncio.all_tasks() - before - {asyncio.current_task()})


async def ended(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_requests_under_way_take_their_connections_along(shop: Gateway, faulty: FaultyProxy):
    faulty.course = Script([silent()] * 2)
    operation = asyncio.create_task(shop.execute(ALL))
    await until(lambda: len(faulty.sent) == 2)
    assert faulty.open == 2

    await ended(operation)

    await until(lambda: faulty.open == 0)
    assert data_of(await shop.execute(PROFILE)) == ADA, "on a connection of its own"
    assert [record.status for record in faulty.sent] == [0, 0, 200]


async def test_a_time_limit_around_an_operation_ends_its_requests(
    shop: Gateway, faulty: FaultyProxy
):
    faulty.course = Script([silent()], only="Query")

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await shop.execute(ORDER)

    await until(lambda: faulty.open == 0)
    assert faulty.operations == ["Query"]


async def test_a_request_between_two_attempts_is_not_sent_again(
    open_shop: OpenShop, faulty: FaultyProxy, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("random.random", lambda: 1.0)
    shop = open_shop(policy=RetryPolicy(base=0.3, cap=0.3))
    faulty.course = Script([throttled()])
    operation = asyncio.create_task(shop.execute(PROFILE))
    await until(lambda: [record.status for record in faulty.sent] == [400])
    await asyncio.sleep(0.02)

    await ended(operation)

    await asyncio.sleep(0.5)
    assert len(faulty.sent) == 1


async def test_who_waits_for_a_place_leaves_the_queue(open_shop: OpenShop, faulty: FaultyProxy):
    shop = open_shop(pool_size=1)
    faulty.course = Script([slow(0.3)])
    holder = asyncio.create_task(shop.execute(PROFILE))
    await until(lambda: len(faulty.sent) == 1)
    waiting = [asyncio.create_task(shop.execute(PROFILE)) for _ in range(4)]
    await asyncio.sleep(0.05)

    for one in (waiting[0], waiting[2]):
        await ended(one)

    for one in (holder, waiting[1], waiting[3]):
        assert data_of(await one) == ADA
    assert len(faulty.sent) == 3, "those who left were never sent"
    assert faulty.opened == 1


async def test_a_holder_that_is_cancelled_makes_place_for_the_next(
    open_shop: OpenShop, faulty: FaultyProxy
):
    shop = open_shop(pool_size=1)
    faulty.course = Script([silent()])
    holder = asyncio.create_task(shop.execute(PROFILE))
    await until(lambda: len(faulty.sent) == 1)
    waiting = asyncio.create_task(shop.execute(PROFILE))
    await asyncio.sleep(0.02)

    await ended(holder)

    assert data_of(await waiting) == ADA
    assert (faulty.opened, faulty.most_open) == (2, 1)


class SlowSession(boto3.Session):
    """Takes its time to say its region, and counts how often it was asked."""

    asked = 0

    @property
    def region_name(self) -> str:
        self.asked += 1
        time.sleep(0.2)
        return "us-east-1"


async def test_a_wire_whose_only_waiter_left_is_opened_once(
    open_shop: OpenShop, faulty: FaultyProxy
):
    session = SlowSession()
    shop = open_shop(session=session, region=None)
    operation = asyncio.create_task(shop.execute(PROFILE))
    await until(lambda: session.asked == 1)

    await ended(operation)
    await asyncio.sleep(0.3)  # the thread ends, and nobody waits

    assert data_of(await shop.execute(PROFILE)) == ADA
    assert session.asked == 1


async def test_a_wire_is_opened_for_those_who_stay(open_shop: OpenShop, faulty: FaultyProxy):
    session = SlowSession()
    shop = open_shop(session=session, region=None)
    first, second = (asyncio.create_task(shop.execute(PROFILE)) for _ in range(2))
    await until(lambda: session.asked == 1)

    await ended(first)

    assert data_of(await second) == ADA
    assert (session.asked, len(faulty.sent)) == (1, 1)


async def test_credentials_are_renewed_for_those_who_stay(open_shop: OpenShop, faulty: FaultyProxy):
    role, go_on = Role(minutes=1), threading.Event()
    role.minutes, role.before = 60, go_on.wait
    shop = open_shop(session=role.session)
    first, second = (asyncio.create_task(shop.execute(PROFILE)) for _ in range(2))
    await asyncio.sleep(0.1)

    await ended(first)
    go_on.set()

    assert data_of(await second) == ADA
    assert (role.issued, len(faulty.sent)) == (2, 1)


# An operation that ends early.


def failing_early() -> tuple[Gateway, type]:
    table = Table("early")

    @table.entity("PAGE#{id}", "TEXT")
    class Page:
        id: strawberry.ID
        text: str

    @strawberry.type
    class Query:
        @strawberry.field
        async def broken(self) -> int:  # not nullable: it ends the whole operation
            await asyncio.sleep(0.2)
            raise ValueError

    return Gateway(table, query=Query, generated=True, cursor_secret=SECRET), Page


async def test_nothing_is_sent_once_the_operation_has_ended(
    faulty: FaultyProxy, engine: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("random.random", lambda: 0.2)
    gateway, page = failing_early()
    where = {"engine_url": engine.endpoint_url, "gateway_url": faulty.endpoint_url}
    with served(gateway, **where, rows=[page(id="a", text="A")]):
        faulty.course = Script([throttled()], cycle=True)
        result = await gateway.execute('{ broken page(id: "a") { text } }')
        assert result.data is None
        sent = len(faulty.sent)
        assert sent >= 1, "it was under way when the other field failed"

        await asyncio.sleep(0.4)

        assert len(faulty.sent) == sent
        await gateway.close()


async def test_no_further_page_is_read_once_the_operation_has_ended(
    shop: Gateway, faulty: FaultyProxy
):
    def more(answer: Any) -> None:
        at = len(faulty.sent)
        answer["LastEvaluatedKey"] = {"PK": {"S": "ORDER#o_0065"}, "SK": {"S": f"ITEM#0{at:05d}"}}

    faulty.course = Script([rewritten(more)], cycle=True)
    operation = asyncio.create_task(shop.execute(ORDER))
    await until(lambda: len(faulty.sent) > 5)

    await ended(operation)

    sent = len(faulty.sent)
    await asyncio.sleep(0.1)
    assert len(faulty.sent) <= sent + 1, "one may have been on its way"
