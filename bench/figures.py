"""Figures: samples of one thing, told by their median and the quartiles around it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    samples: tuple[float, ...]

    @classmethod
    def of(cls, samples: Sequence[float]) -> Figure:
        return cls(tuple(samples))

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def quartiles(self) -> tuple[float, float]:
        if len(self.samples) < 2:
            return self.median, self.median
        low, _, high = statistics.quantiles(self.samples, n=4, method="inclusive")
        return low, high

    def __mul__(self, factor: float) -> Figure:
        return Figure(tuple(sample * factor for sample in self.samples))

    def __sub__(self, other: Figure) -> Figure:
        """Sample by sample: rounds are interleaved, so what slowed one slowed the other."""
        pairs = zip(self.samples, other.samples, strict=True)
        return Figure(tuple(mine - theirs for mine, theirs in pairs))

    def over(self, other: Figure) -> Figure:
        pairs = zip(self.samples, other.samples, strict=True)
        return Figure(tuple(mine / theirs for mine, theirs in pairs))

    def __str__(self) -> str:
        low, high = self.quartiles
        return f"{_shown(self.median)} ({_shown(low)}–{_shown(high)})"


def _shown(number: float) -> str:
    """Three digits that count."""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
