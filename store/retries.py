"""When to send a request again, and how long to wait before. Pure: nothing here sleeps."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ConditionFailed, StoreError, TransactionCancelled, passing


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Full jitter: each pause is drawn from zero to a bound that doubles up to `cap`."""

    base: float = 0.025
    cap: float = 1.0
    attempts: int = 8

    def pause(self, attempt: int, *, chance: float, remaining: float) -> float | None:
        """Seconds to wait after the failure of `attempt` (from 1); None when to give up.

        `chance` is a draw from [0, 1). A pause that would outlast `remaining` is not begun.
        """
        if attempt >= self.attempts:
            return None
        pause = chance * min(self.cap, self.base * 2 ** (attempt - 1))
        return pause if pause < remaining else None


@dataclass(slots=True)
class RetryBudget:
    """What all requests of a wire may repeat together.

    When much fails, repeating everything asks a table in trouble for several times as much.
    Each retry takes one out; a request that succeeds at once puts `share` back, one that was
    repeated its last retry, and each second `per_second`. So in the long run retries add a fifth
    to what is asked, while a short disturbance finds `size` of them ready.
    """

    size: float = 500.0
    share: float = 0.2
    per_second: float = 5.0
    _spent: float = 0.0
    _looked_at: float = 0.0

    def take(self, *, now: float) -> bool:
        """Whether a retry may be made; `now` is a reading of the monotonic clock."""
        healed = (now - self._looked_at) * self.per_second
        self._spent, self._looked_at = max(0.0, self._spent - healed), now
        if self._spent + 1 > self.size:
            return False
        self._spent += 1
        return True

    def succeeded(self, *, retried: bool) -> None:
        self._spent = max(0.0, self._spent - (1.0 if retried else self.share))


def may_repeat(error: StoreError, *, repeatable: bool) -> bool:
    """`repeatable`: the request does no harm when it is applied twice."""
    return passing(error) and (repeatable or not error.may_have_applied)


def conclusive(error: StoreError) -> bool:
    """Whether an answer tells the fate of every attempt before it, as the refusal of a repeated
    transaction does: had one been applied, its token would have made this one succeed.
    """
    refused = isinstance(error, (ConditionFailed, TransactionCancelled))
    return refused and not passing(error)
