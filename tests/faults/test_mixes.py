"""Random faults over the shop's operations: what is answered is right, or has an error."""

import asyncio
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tablefold import Gateway
from tablefold.store.retries import RetryPolicy
from tests.faults.asking import ON_ITS_WAY_OUT, OpenShop, until
from tests.harness.examples import READS, Operation
from tests.harness.faults import (
    Fault,
    FaultyProxy,
    Script,
    answered,
    corrupt,
    expired,
    failed,
    half,
    hung_up,
    passed,
    reset_after,
    reset_before,
    silent,
    slow,
    throttled,
    unprocessed,
)
from tests.harness.serving import data_of

pytestmark = pytest.mark.engines("dynoxide")

SHOP = [operation for operation in READS if operation.example == "shop"]
[BATCHES] = [operation for operation in SHOP if operation.row == "S11"]
CODES = {"THROTTLED", "UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL"}
"""INTERNAL for credentials that cannot be renewed."""

POOL = 8
DEADLINE = 3.0
MARGIN = 5.0  # other programs run on this machine too

faults = st.sampled_from(
    [
        passed(),
        throttled(),
        throttled("ThrottlingException"),
        failed(),
        reset_before(),
        reset_after(),
        hung_up(),
        half(),
        corrupt(),
        slow(0.05),
        unprocessed(),
        expired(),
        silent(),
        answered(b"<html>", status=502, name="HTML"),
    ]
)


Path = tuple[str | int, ...]


def differing(answer: Any, right: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Where an answer is not as it should be, and what it is there."""
    match answer, right:
        case {}, {}:
            for name in {**answer, **right}:
                yield from differing(answer.get(name), right.get(name), (*path, name))
        case [*_], [*_] if len(answer) == len(right):
            for at in range(len(answer)):
                yield from differing(answer[at], right[at], (*path, at))
        case _ if answer != right:
            yield path, answer
        case _:
            pass


@pytest.fixture
async def shop(open_shop: OpenShop) -> Gateway:
    quick = RetryPolicy(base=0.001, cap=0.005, attempts=4)
    return open_shop(deadline=DEADLINE, response_seconds=0.3, pool_size=POOL, policy=quick)


@pytest.fixture
async def right(shop: Gateway) -> dict[str, Any]:
    """What each operation answers when nothing fails."""
    return {one.name: data_of(await shop.execute(one.text, one.variables)) for one in SHOP}


@settings(
    max_examples=int(os.environ.get("TABLEFOLD_FAULT_MIXES", "40")),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@example(operations=[BATCHES], script=[unprocessed()], cycle=True)
@example(operations=[BATCHES], script=[unprocessed(), *[throttled()] * 9], cycle=False)
@given(
    operations=st.lists(st.sampled_from(SHOP), min_size=1, max_size=4),
    script=st.lists(faults, max_size=12),
    cycle=st.booleans(),
)
async def test_an_answer_is_right_wherever_it_has_no_error(
    shop: Gateway,
    faulty: FaultyProxy,
    right: dict[str, Any],
    operations: list[Operation],
    script: list[Fault],
    cycle: bool,
):
    tasks = asyncio.all_tasks()
    faulty.course = Script(script or [passed()], cycle=cycle)
    faulty.clear()
    began = time.monotonic()

    answers = await asyncio.gather(*(shop.execute(one.text, one.variables) for one in operations))

    assert time.monotonic() - began < DEADLINE + MARGIN
    for operation, answer in zip(operations, answers, strict=True):
        errors = {tuple(error.path or ()): error for error in answer.errors or []}
        codes = {(error.extensions or {})["code"] for error in errors.values()}
        assert codes <= CODES
        nulls = {(path, None) for path in errors}
        assert set(differing(answer.data, right[operation.name])) == nulls
    assert faulty.most_open <= POOL + ON_ITS_WAY_OUT
    await until(lambda: not asyncio.all_tasks() - tasks - {asyncio.current_task()})
