"""Retries: jittered, bounded for a request, and bounded for all of them together."""

import asyncio

import pytest

from tablefold.store.retries import RetryBudget, RetryPolicy
from tests.faults.asking import PROFILE, OpenShop, errors_of
from tests.harness.examples import OPERATIONS
from tests.harness.faults import Faults, FaultyProxy, Script, passed, throttled
from tests.harness.serving import data_of

pytestmark = pytest.mark.engines("dynoxide")

ADA = {"user": {"name": "Ada Moreau"}}
CLIENTS = 64


class Noting(RetryPolicy):
    """Notes the chances that it is given, and never waits."""

    chances: list[float] = []  # noqa: RUF012

    def pause(self, attempt: int, *, chance: float, remaining: float) -> float | None:
        self.chances.append(chance)
        return None if attempt >= self.attempts else 0.0


async def test_pauses_are_drawn_anew_each_time(open_shop: OpenShop, faulty: FaultyProxy):
    policy = Noting()
    policy.chances.clear()
    shop = open_shop(policy=policy)
    faulty.course = Script([throttled()], cycle=True)

    await asyncio.gather(*(shop.execute(PROFILE) for _ in range(10)))

    assert len(set(policy.chances)) == len(policy.chances) == 80
    assert all(0 <= chance < 1 for chance in policy.chances)
    assert min(policy.chances) < 0.25 and max(policy.chances) > 0.75


async def test_a_table_that_is_always_busy_is_asked_no_more_than_the_budget_allows(
    open_shop: OpenShop, faulty: FaultyProxy
):
    shop = open_shop(budget=RetryBudget(size=100, per_second=0))
    faulty.course = Script([throttled()], cycle=True)

    for _ in range(4):
        answers = await asyncio.gather(*(shop.execute(PROFILE) for _ in range(CLIENTS)))
        assert all(errors_of(answer) == [("user", "THROTTLED")] for answer in answers)

    assert len(faulty.sent) == 4 * CLIENTS + 100, "without it: eight times as many"


async def test_a_wide_operation_draws_on_the_same_budget(open_shop: OpenShop, faulty: FaultyProxy):
    shop = open_shop(budget=RetryBudget(size=20, per_second=0))
    [fifty] = [one for one in OPERATIONS if one.row == "S10"]
    faulty.course = Script([throttled()], cycle=True)

    result = await shop.execute(fifty.text, fifty.variables)

    assert {code for _, code in errors_of(result)} == {"THROTTLED"}
    assert len(faulty.sent) <= 51 + 20


async def test_a_short_disturbance_is_ridden_out_by_all(open_shop: OpenShop, faulty: FaultyProxy):
    shop = open_shop()
    faulty.course = Script([throttled()] * (4 * CLIENTS))

    answers = await asyncio.gather(*(shop.execute(PROFILE) for _ in range(CLIENTS)))

    served = [answer for answer in answers if not answer.errors]
    assert [data_of(answer) for answer in served] == [ADA] * len(served)
    assert len(served) >= CLIENTS * 0.9


async def test_throttles_now_and_then_never_use_the_budget_up(
    open_shop: OpenShop, faulty: FaultyProxy
):
    shop = open_shop(budget=RetryBudget(size=10, per_second=0))
    faulty.course = Faults(throttle=0.05, seed=3)

    for _ in range(20):
        for answer in await asyncio.gather(*(shop.execute(PROFILE) for _ in range(20))):
            assert data_of(answer) == ADA

    assert len(faulty.sent) > 400


async def test_when_the_table_is_well_again_so_is_the_gateway(
    open_shop: OpenShop, faulty: FaultyProxy
):
    shop = open_shop(budget=RetryBudget(size=5, per_second=0))
    faulty.course = Script([throttled()], cycle=True)
    await asyncio.gather(*(shop.execute(PROFILE) for _ in range(10)))
    faulty.course = Script([passed()])

    for _ in range(5):
        assert data_of(await shop.execute(PROFILE)) == ADA

    faulty.course = Script([throttled()])
    assert data_of(await shop.execute(PROFILE)) == ADA, "five answers have paid for a retry"
