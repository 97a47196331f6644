"""Connections that are lost, refused, silent or stale: the pool stays bounded, and recovers."""

import asyncio
import threading

import pytest

from tablefold import Gateway
from tablefold.store.engines import Engine
from tablefold.store.retries import RetryPolicy
from tests.faults.asking import ALL, PROFILE, OpenShop, errors_of, until
from tests.harness.examples import Examples
from tests.harness.faults import Fault, Faults, FaultyProxy, Script, slow
from tests.harness.messages import Message
from tests.harness.proxy import HangUp, Upstream
from tests.harness.serving import data_of

pytestmark = pytest.mark.engines("dynoxide")

ADA = {"user": {"name": "Ada Moreau"}}


class Stale:
    """Connections that were there at the time of `age` are lost, and nobody was told."""

    def __init__(self, *, silent: bool = False) -> None:
        self.known: set[Upstream] = set()  # each connection has its own way to the engine
        self.old: set[Upstream] = set()
        self._silent = silent

    def next(self, operation: str) -> Fault:
        return Fault("aged", self._meet)

    def age(self) -> None:
        self.old = set(self.known)

    async def _meet(self, request: Message, engine: Upstream) -> Message:
        self.known.add(engine)
        if engine not in self.old:
            await asyncio.sleep(0.02)  # long enough for the pool to fill
            return await engine.exchange(request)
        if self._silent:
            await asyncio.get_running_loop().create_future()
        raise HangUp(reset=True)


async def side_by_side(shop: Gateway, count: int) -> None:
    answers = await asyncio.gather(*(shop.execute(PROFILE) for _ in range(count)))
    assert [data_of(answer) for answer in answers] == [ADA] * count


async def test_of_a_pool_of_stale_connections_each_request_tries_one(
    open_shop: OpenShop, faulty: FaultyProxy
):
    shop = open_shop(pool_size=16)
    faulty.course = stale = Stale()
    await side_by_side(shop, 16)
    assert faulty.open == 16
    stale.age()
    faulty.clear()

    assert data_of(await shop.execute(PROFILE)) == ADA
    assert len(faulty.sent) == 2
    await side_by_side(shop, 16)

    assert len(faulty.sent) <= 2 + 16 + 15, "no request met a stale connection twice"
    await until(lambda: faulty.open <= 16)


async def test_after_a_silence_the_idle_connections_are_not_trusted(
    open_shop: OpenShop, faulty: FaultyProxy
):
    shop = open_shop(pool_size=8, response_seconds=0.3)
    faulty.course = stale = Stale(silent=True)
    await side_by_side(shop, 8)
    stale.age()
    faulty.clear()

    assert data_of(await shop.execute(PROFILE)) == ADA
    await side_by_side(shop, 8)

    assert [record.status for record in faulty.sent].count(0) == 1, "one has waited in vain"


async def test_connections_closed_between_requests_are_replaced(shop: Gateway, faulty: FaultyProxy):
    await side_by_side(shop, 10)
    for _ in range(3):
        with faulty.gone():
            pass
        await side_by_side(shop, 10)


@pytest.mark.engines("dynoxide", "dynamodb-local")
async def test_an_engine_that_disappears_is_unavailable_and_found_when_it_is_back(
    shop: Gateway, faulty: FaultyProxy
):
    await side_by_side(shop, 20)
    with faulty.gone():
        answers = await asyncio.gather(*(shop.execute(ALL) for _ in range(20)))
        for answer in answers:
            assert answer.data == {"user": None, "order": None}
            assert errors_of(answer) == [("user", "UNAVAILABLE"), ("order", "UNAVAILABLE")]
    faulty.clear()

    await side_by_side(shop, 20)

    assert [record.status for record in faulty.sent] == [200] * 20


async def test_an_engine_that_is_back_in_time_is_not_missed(
    open_shop: OpenShop, faulty: FaultyProxy
):
    shop = open_shop(policy=RetryPolicy(base=0.01, cap=0.02, attempts=10_000))
    with faulty.gone():
        waiting = asyncio.create_task(shop.execute(PROFILE))
        await asyncio.sleep(0.2)
        assert not waiting.done()

    assert data_of(await waiting) == ADA


async def test_the_pool_is_never_exceeded_whatever_fails(open_shop: OpenShop, faulty: FaultyProxy):
    shop = open_shop(pool_size=5)
    faulty.course = Faults(reset=0.1, lose=0.1, half=0.05, throttle=0.1, slow=0.1, delay=0.01)

    answers = await asyncio.gather(*(shop.execute(PROFILE) for _ in range(300)))

    assert [answer.data for answer in answers if not answer.errors].count(ADA) >= 290
    assert faulty.most_open <= 5
    assert faulty.opened > 5, "lost ones were replaced"


async def test_two_event_loops_at_once_keep_their_own_connections(
    shop: Gateway, faulty: FaultyProxy
):
    faulty.course = Script([slow(0.01)], cycle=True)
    turns = 10

    def elsewhere() -> None:
        async def many() -> None:
            for _ in range(turns):
                assert data_of(await shop.execute(PROFILE)) == ADA

        asyncio.run(many())

    thread = threading.Thread(target=elsewhere)
    thread.start()
    for _ in range(turns):
        assert data_of(await shop.execute(PROFILE)) == ADA
    await asyncio.to_thread(thread.join)

    assert len(faulty.sent) == 2 * turns
    assert faulty.opened == 2, "each loop kept one connection alive"


def test_the_connections_of_a_loop_that_has_ended_are_closed(
    examples: Examples, faulty: FaultyProxy
):
    gateway = examples.built("shop", faulty)

    async def once() -> None:
        await side_by_side(gateway, 3)

    for _ in range(5):
        asyncio.run(once())
    asyncio.run(until(lambda: faulty.open <= 3))
    asyncio.run(gateway.close())
    asyncio.run(until(lambda: faulty.open == 0))


@pytest.mark.parametrize(
    "url", ["http://no-such-host.invalid:8000", "http://127.0.0.1:9", "https://{engine}"]
)
async def test_an_endpoint_that_cannot_be_reached_is_unavailable(
    examples: Examples, engine: Engine, faulty: FaultyProxy, url: str
):
    """No such name, nobody listens, and no TLS where TLS is spoken."""
    async with examples.gateway("shop", faulty) as gateway:
        gateway.configure(endpoint_url=url.format(engine=engine.endpoint_url[7:]))
        result = await gateway.execute(PROFILE)

    assert result.data == {"user": None}
    assert errors_of(result) == [("user", "UNAVAILABLE")]
    assert faulty.sent == []
