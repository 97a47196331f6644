import pytest

from tablefold.store.errors import (
    CancellationReason,
    ConditionFailed,
    DeadlineExceeded,
    RequestRefused,
    StoreError,
    Throttled,
    TransactionCancelled,
    Unavailable,
)
from tablefold.store.retries import RetryBudget, RetryPolicy, conclusive, may_repeat


def test_the_bound_of_a_pause_doubles_up_to_the_cap():
    policy = RetryPolicy(base=0.025, cap=0.15, attempts=6)
    bounds = [policy.pause(attempt, chance=1, remaining=9) for attempt in range(1, 6)]
    assert bounds == [0.025, 0.05, 0.1, 0.15, 0.15]


def test_a_pause_is_anywhere_between_zero_and_its_bound():
    policy = RetryPolicy(base=0.1)
    assert policy.pause(1, chance=0, remaining=9) == 0
    assert policy.pause(1, chance=0.5, remaining=9) == 0.05


def test_the_last_attempt_is_followed_by_no_pause():
    assert RetryPolicy(attempts=3).pause(3, chance=0, remaining=9) is None


def test_a_pause_past_the_deadline_is_not_begun():
    assert RetryPolicy(base=1).pause(1, chance=0.5, remaining=0.5) is None
    assert RetryPolicy().pause(1, chance=0, remaining=0) is None


def test_a_budget_is_used_up_by_retries_that_do_not_help():
    budget = RetryBudget(size=3, per_second=0)
    assert [budget.take(now=0) for _ in range(5)] == [True, True, True, False, False]


def test_a_retry_that_helps_costs_nothing():
    budget = RetryBudget(size=1, per_second=0)
    for _ in range(10):
        assert budget.take(now=0)
        budget.succeeded(retried=True)


def test_five_answers_at_once_pay_for_a_retry():
    budget = RetryBudget(size=2, share=0.2, per_second=0)
    while budget.take(now=0):
        pass
    for _ in range(4):
        budget.succeeded(retried=False)
    assert not budget.take(now=0)
    budget.succeeded(retried=False)
    assert budget.take(now=0)


def test_a_budget_fills_up_with_time_and_no_further_than_its_size():
    budget = RetryBudget(size=2, per_second=1)
    assert [budget.take(now=100) for _ in range(3)] == [True, True, False]
    assert [budget.take(now=101) for _ in range(2)] == [True, False]
    assert [budget.take(now=900) for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(
    ("error", "read", "write"),
    [
        (Throttled("x"), True, True),
        (Unavailable("x"), True, True),
        (Unavailable("x", may_have_applied=True), True, False),
        (DeadlineExceeded("x"), False, False),
        (RequestRefused("x"), False, False),
        (ConditionFailed("x"), False, False),
        (TransactionCancelled("x"), False, False),
        (
            TransactionCancelled("x", reasons=(CancellationReason("ThrottlingError"),)),
            True,
            True,
        ),
        (
            TransactionCancelled(
                "x",
                reasons=(
                    CancellationReason("TransactionConflict"),
                    CancellationReason("ConditionalCheckFailed"),
                ),
            ),
            False,
            False,
        ),
    ],
)
def test_what_may_be_sent_again(error: StoreError, read: bool, write: bool):
    assert may_repeat(error, repeatable=True) is read
    assert may_repeat(error, repeatable=False) is write


def test_the_refusal_of_a_repeated_transaction_tells_of_every_attempt():
    failed = CancellationReason("ConditionalCheckFailed")
    busy = CancellationReason("TransactionConflict")
    assert conclusive(TransactionCancelled("x", reasons=(failed, busy)))
    assert not conclusive(TransactionCancelled("x", reasons=(busy,)))
    assert not conclusive(Throttled("x"))
