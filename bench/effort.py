"""How much is measured: enough to trust, or just enough to see that everything runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """`rounds` are interleaved; each sends `requests`, or runs `operations`, which `concurrency`
    callers share.
    """

    rounds: int
    requests: int
    operations: int
    concurrency: int = 16


FULL = Effort(rounds=9, requests=160, operations=96)
QUICK = Effort(rounds=1, requests=16, operations=16)
