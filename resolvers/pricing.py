"""Prices: what an operation may cost at most, told by its selection and arguments alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..loaders.folding import CAPACITY_BYTES, CAPACITY_UNIT, ITEM_BYTES
from ..loaders.reading import PAGE_MAX_READ
from ..store.errors import LimitExceeded
from .paging import PageSizes
from .selection import Selected, Selector

UNBOUNDED = 100
"""How many items a collection of which nobody declared a bound is taken to have."""


@dataclass(frozen=True, slots=True)
class Price:
    """Capacity units of a field, over all the places where it occurs; `total` with what follows."""

    selected: Selected
    count: int
    own: float
    total: float
    below: tuple[Price, ...] = ()

    def all(self) -> Iterator[Price]:
        yield self
        for price in self.below:
            yield from price.all()


@dataclass(slots=True)
class Pricing:
    """Prices fields. `counts` tries other page lengths than those that are asked for."""

    selector: Selector
    sizes: PageSizes
    counts: Mapping[Selected, int]

    def price(self, selected: Selected, *, times: int = 1) -> Price:
        try:
            arguments = self.selector.arguments(selected)
        except Exception:  # the field itself will say what is wrong with them
            arguments = {}
        count = self.counts.get(selected) or _count(selected, arguments, self.sizes)
        own = times * _capacity(selected, arguments, count)
        by_type: list[tuple[Price, ...]] = []
        if selected.link.aggregate is None:
            for name in selected.children:
                below = (self.price(one, times=times * count) for one in selected.under(name))
                by_type.append(tuple(below))
        # Of several types, each object has one.
        dearest = max(by_type, key=_sum, default=())
        return Price(selected, count, own, own + _sum(dearest), dearest)


def refuse_dear(
    selector: Selector,
    selected: Iterable[Selected],
    *,
    sizes: PageSizes,
    most: float,
    times: int = 1,
) -> float:
    """The price of `selected`; LimitExceeded, with the page length that would fit, over `most`."""
    roots = list(selected)
    prices = [Pricing(selector, sizes, {}).price(one, times=times) for one in roots]
    total = _sum(prices)
    if total <= most:
        return total
    every = [price for root in prices for price in root.all()]
    dearest = max(every, key=lambda price: price.own)
    raise LimitExceeded(
        f"This operation may cost {total:,.1f} capacity units; at most {most:,.1f} are allowed. "
        f"{dearest.selected.dotted} is its dearest field, with {dearest.own:,.1f}. "
        + _advice(selector, roots, every, sizes=sizes, most=most)
    )


def _advice(
    selector: Selector,
    roots: list[Selected],
    prices: list[Price],
    *,
    sizes: PageSizes,
    most: float,
) -> str:
    """A shorter page that would do, of the list that costs most with all that is under it."""
    pages = [price for price in prices if price.selected.link.kind == "connection"]
    for page in sorted(pages, key=lambda price: price.total, reverse=True):
        if fitting := _fitting(selector, roots, page, sizes=sizes, most=most):
            return f"{page.selected.dotted}(first: {fitting}) would fit."
    return "Ask for less at once."


def _fitting(
    selector: Selector, roots: list[Selected], page: Price, *, sizes: PageSizes, most: float
) -> int:
    """The longest page with which the whole is within `most`, or 0."""
    low, high = 0, page.count
    while low < high - 1:
        middle = (low + high) // 2
        pricing = Pricing(selector, sizes, {page.selected: middle})
        if _sum(pricing.price(root) for root in roots) <= most:
            low = middle
        else:
            high = middle
    return low


def _sum(prices: Iterable[Price]) -> float:
    return sum(price.total for price in prices)


def _count(selected: Selected, arguments: Mapping[str, object], sizes: PageSizes) -> int:
    """How many objects the field shows each time."""
    link = selected.link
    match link.kind:
        case "connection" if link.aggregate is None:
            asked = arguments.get("first") or arguments.get("last")
            count = asked if isinstance(asked, int) else sizes.default
            return min(max(count, 1), sizes.largest)
        case "keys":
            keys = next((value for value in arguments.values() if isinstance(value, list)), [])
            return max(len(keys), 1)
        case "list" | "groups" | "connection":
            return link.bounded or UNBOUNDED
        case _:
            return 1


def _capacity(selected: Selected, arguments: Mapping[str, object], count: int) -> float:
    """Of reading the field once. Keys are read one by one, lists by the page."""
    link = selected.link
    if link.kind == "group":
        return 0.0
    if link.kind in ("one", "keys", "node"):
        return CAPACITY_UNIT * count
    read = count + 1
    if arguments.get("where"):
        read = max(read, PAGE_MAX_READ)
    shards = link.key.shards or 1
    pages = math.ceil(read * ITEM_BYTES / CAPACITY_BYTES)
    return CAPACITY_UNIT * pages * shards
