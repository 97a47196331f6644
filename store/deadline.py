"""The moment by which an operation must have its answer."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True, order=True)
class Deadline:
    """`at` is a reading of the monotonic clock, so a change of the wall clock moves nothing."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        return cls(time.monotonic() + seconds)

    def remaining(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self.at - time.monotonic())

    @property
    def expired(self) -> bool:
        return time.monotonic() >= self.at
