"""Numbers over the items of a bounded collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from .links import Aggregate

_FUNCTIONS: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "sum": lambda numbers: sum(numbers[1:], numbers[0]) if numbers else Decimal(0),
    "min": lambda numbers: min(numbers, default=None),
    "max": lambda numbers: max(numbers, default=None),
}


def aggregate(what: Aggregate, rows: Sequence[Mapping[str, object]]) -> object:
    """The `sum` of nothing is zero; `min` and `max` of nothing are None."""
    if what.attribute is None:
        return len(rows)
    held = [row[what.attribute] for row in rows if row[what.attribute] is not None]
    return _FUNCTIONS[what.how](held)
