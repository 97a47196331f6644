"""When to send a request again, and how long to wait before. Pure: nothing here sleeps."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import StoreError, passing


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


def may_repeat(error: StoreError, *, repeatable: bool) -> bool:
    """`repeatable`: the request does no harm when it is applied twice."""
    return passing(error) and (repeatable or not error.may_have_applied)
