"""Prices: what an operation may cost at most, known before anything is read.

A bound that ignores folding takes microseconds; only where that is over the budget is the plan
made, which knows what is read together.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass

from ..loaders.folding import CAPACITY_BYTES, CAPACITY_UNIT, ITEM_BYTES
from ..loaders.reading import PAGE_MAX_READ
from ..store.errors import LimitExceeded
from .asking import KEYS_MAX
from .paging import PageSizes
from .planning import Plan
from .selection import Selected, Selector

UNBOUNDED = 100
"""How many items a collection of which nobody declared a bound is taken to have."""

TRIES = 3

Counts = Mapping[Selected, int]
"""Page lengths to assume instead of those that are asked for."""

Rehearse = Callable[[Counts], Awaitable[Plan]]


@dataclass(frozen=True, slots=True)
class Price:
    """A field read by itself, in all its places: `own` alone, `total` with what is under it."""

    selected: Selected
    count: int
    own: float
    total: float
    below: tuple[Price, ...] = ()

    def all(self) -> Iterator[Price]:
        yield self
        for price in self.below:
            yield from price.all()


def price(selector: Selector, selected: Selected, sizes: PageSizes, *, times: int = 1) -> Price:
    try:
        arguments = selector.arguments(selected)
    except Exception:  # the field itself will say what is wrong with them
        arguments = {}
    count = _count(selected, arguments, sizes)
    own = times * _capacity(selected, arguments, count)
    by_type: list[tuple[Price, ...]] = []
    if selected.link.aggregate is None:
        for name in selected.children:
            children = selected.under(name)
            by_type.append(
                tuple(price(selector, one, sizes, times=times * count) for one in children)
            )
    # Of several types, each object has one.
    dearest = max(by_type, key=_total, default=())
    return Price(selected, count, own, own + _total(dearest), dearest)


async def refuse_dear(prices: Sequence[Price], rehearse: Rehearse, *, most: float) -> float:
    """What the fields may cost; LimitExceeded, with the page that would fit, over `most`."""
    if (bound := _total(prices)) <= most:
        return bound
    plan = await rehearse({})
    if plan.capacity <= most:
        return plan.capacity
    dearest, cost = plan.dearest
    raise LimitExceeded(
        f"This operation may cost {plan.capacity:,.1f} capacity units; at most {most:,.1f} are "
        f"allowed. Its dearest part is {dearest}, with {cost:,.1f}. "
        + await _advice(prices, rehearse, capacity=plan.capacity, most=most)
    )


async def _advice(
    prices: Sequence[Price], rehearse: Rehearse, *, capacity: float, most: float
) -> str:
    """A shorter page that would do, of the list that costs most with all that is under it."""
    every = [price for root in prices for price in root.all()]
    pages = [price for price in every if price.selected.link.kind == "connection"]
    if pages:
        page = max(pages, key=lambda price: price.total)
        if fitting := await _fitting(page, rehearse, capacity=capacity, most=most):
            return f"{page.selected.dotted}(first: {fitting}) would fit."
    return "Ask for less at once."


async def _fitting(page: Price, rehearse: Rehearse, *, capacity: float, most: float) -> int:
    """A page with which the plan is within `most`, or 0; nearly the longest."""
    least = (await rehearse({page.selected: 1})).capacity
    if least > most:
        return 0
    slope = (capacity - least) / max(page.count - 1, 1)
    fitting = 1 + math.floor((most - least) / slope) if slope else 1
    for _ in range(TRIES):
        if fitting <= 1 or (await rehearse({page.selected: fitting})).capacity <= most:
            break
        fitting = fitting * 3 // 4  # capacity comes in whole units, so the slope is not constant
    else:
        return 1
    return max(fitting, 1)


def refuse_many_keys(selector: Selector, fields: Iterable[Selected]) -> None:
    """LimitExceeded where the fields name more keys in all than one of them may.

    A plan looks at each key by itself, and to refuse an operation must not take longer than to
    answer it. A list that is too long by itself is its field's fault.
    """
    named = {one.dotted: _keys_named(selector, one) for one in fields if one.link.kind == "keys"}
    named = {field: count for field, count in named.items() if count <= KEYS_MAX}
    if (total := sum(named.values())) > KEYS_MAX:
        longest = max(named, key=lambda field: named[field])
        raise LimitExceeded(
            f"This operation names {total:,} keys, {named[longest]:,} of them in {longest}; "
            f"at most {KEYS_MAX:,} are planned at once. Send several operations."
        )


def _keys_named(selector: Selector, selected: Selected) -> int:
    try:
        arguments = selector.arguments(selected)
    except Exception:  # the field itself will say what is wrong with them
        return 0
    return max((len(value) for value in arguments.values() if isinstance(value, Sized)), default=0)


def _total(prices: Iterable[Price]) -> float:
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
            lists = (value for value in arguments.values() if isinstance(value, Sized))
            return max(len(next(lists, ())), 1)
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
    pages = math.ceil(read * ITEM_BYTES / CAPACITY_BYTES)
    return CAPACITY_UNIT * pages * (link.key.shards or 1)
