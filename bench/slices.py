"""Slices of a run under load, and what they say about it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from .figures import table
from .workers import Usage

FLAT_MEMORY = 0.03
"""The share by which memory may grow from the second slice to the last."""

FLAT_LATENCY = 1.5
"""How many times the first slices' median latency the last slices may have."""


@dataclass(slots=True)
class Slice:
    """What clients saw between two looks at the server."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list[float])
    errors: list[str] = field(default_factory=list[str])
    cpu: float = 0.0
    megabytes: float = 0.0

    def close(self, seconds: float, before: Usage, after: Usage) -> None:
        self.seconds = seconds
        self.cpu = after.cpu - before.cpu
        self.megabytes = after.megabytes

    def percentile(self, percent: int) -> float:
        """Milliseconds."""
        if len(self.latencies) < 2:
            return 0.0
        return statistics.quantiles(self.latencies, n=100)[percent - 1] * 1_000


def shown(slices: Sequence[Slice]) -> str:
    head = (
        *("seconds", "operations", "errors", "p50 ms", "p95 ms", "p99 ms"),
        *("server CPU ms per operation", "server memory MB"),
    )
    ended = 0.0
    rows: list[list[object]] = []
    for one in slices:
        began, ended = ended, ended + one.seconds
        rows.append(
            [
                f"{began:.0f}–{ended:.0f}",
                f"{len(one.latencies):,}",
                len(one.errors),
                *(f"{one.percentile(percent):.0f}" for percent in (50, 95, 99)),
                f"{one.cpu / max(1, len(one.latencies)) * 1_000:.2f}",
                f"{one.megabytes:.1f}",
            ]
        )
    return table(head, rows)


def verdicts(slices: Sequence[Slice]) -> list[str]:
    """One line each for errors, memory and latency; the first slice warms up."""
    errors = [error for one in slices for error in one.errors]
    operations = sum(len(one.latencies) for one in slices)
    lines = [
        f"no error in {operations:,} operations"
        if not errors
        else f"{len(errors)} ERRORS in {operations:,} operations, such as: {errors[0]}"
    ]
    rest = slices[1:] or slices
    growth = rest[-1].megabytes / rest[0].megabytes - 1
    flat = "flat" if growth <= FLAT_MEMORY else "GROWING"
    lines.append(
        f"memory {flat}: {growth:+.1%} from the second slice to the last, "
        f"{slope(rest):+.2f} MB per minute"
    )
    half = max(1, len(rest) // 2)
    early = statistics.median(one.percentile(50) for one in rest[:half])
    late = statistics.median(one.percentile(50) for one in rest[-half:])
    ratio = late / early if early else 1.0
    steady = "flat" if ratio <= FLAT_LATENCY else "GROWING"
    lines.append(f"latency {steady}: median {early:.0f} ms in the first half, {late:.0f} ms later")
    return lines


def slope(slices: Sequence[Slice]) -> float:
    """Megabytes per minute, as a straight line through the slices has it."""
    if len(slices) < 2:
        return 0.0
    minutes: list[float] = []
    passed = 0.0
    for one in slices:
        passed += one.seconds / 60
        minutes.append(passed)
    return statistics.linear_regression(minutes, [one.megabytes for one in slices]).slope
