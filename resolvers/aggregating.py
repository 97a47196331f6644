"""Numbers over the items of a bounded collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from typing import Any

from .links import Aggregate

SUM_DIGITS = 400
"""From 1E-130 to 9.9E+125, and room for carries: Python's own 28 digits would round."""


def _sum(numbers: Sequence[Any]) -> Any:
    if not numbers:
        return Decimal(0)
    with localcontext(prec=SUM_DIGITS):
        return sum(numbers[1:], numbers[0])


_FUNCTIONS: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "sum": _sum,
    "min": lambda numbers: min(numbers, default=None),
    "max": lambda numbers: max(numbers, default=None),
}


def aggregate(what: Aggregate, rows: Sequence[Mapping[str, object]]) -> object:
    """The `sum` of nothing is zero; `min` and `max` of nothing are None."""
    if what.attribute is None:
        return len(rows)
    held = [row[what.attribute] for row in rows if row[what.attribute] is not None]
    return _FUNCTIONS[what.how](held)
