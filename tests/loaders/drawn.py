"""Asks of two users' partitions, and items in them, as Hypothesis draws them."""

from dataclasses import replace

from hypothesis import strategies as st

from tablefold.loaders.asks import Ask, Member
from tablefold.store.conditions import Compare
from tablefold.store.requests import StartKey
from tablefold.store.spans import Span
from tablefold.store.values import Item
from tests.loaders.plain import SPANS, item, living_with, whole

PARTITIONS = ["USER#1", "USER#2"]
ENDS = ["", "1", "2", "21", "22", "3#x"]


@st.composite
def some_asks(draw: st.DrawFn) -> list[Ask]:
    bounds = draw(
        st.fixed_dictionaries(
            {
                name: st.none() | st.integers(1, 40)
                for name in ("address", "note", "order", "profile", "tag")
            }
        )
    )
    return draw(st.lists(an_ask(bounds), max_size=12, unique=True))


@st.composite
def an_ask(draw: st.DrawFn, bounds: dict[str, int | None]) -> Ask:
    one: Member = draw(st.sampled_from(list(SPANS)))
    partition = draw(st.sampled_from(PARTITIONS))
    ask = living_with(whole(one, partition=partition), **bounds)
    ask = replace(ask, bound=bounds.get(one.entity.name.lower(), 1))
    if not ask.span.single and draw(st.booleans()):
        narrower = draw(st.sampled_from(["", "1", "2", "21"]))
        ask = replace(ask, span=Span.beginning(ask.span.low + narrower))
    if draw(st.booleans()):
        at = ask.span.low + draw(st.sampled_from(ENDS))
        cursor = StartKey((("PK", partition), ("SK", at)))
        return replace(
            ask,
            limit=draw(st.integers(1, 12)),
            bound=None,
            descending=draw(st.booleans()),
            start=draw(st.sampled_from([None, cursor])) if at in ask.span else None,
            filter=draw(st.none() | st.just(Compare("a", "=", {"S": "x"}))),
        )
    return replace(ask, tentative=draw(st.sampled_from([False, False, True])))


@st.composite
def some_items(draw: st.DrawFn) -> list[Item]:
    """Some that the entities know, and some that they do not."""
    keys = st.tuples(
        st.sampled_from(PARTITIONS), st.sampled_from(list(SPANS.values())), st.sampled_from(ENDS)
    )
    drawn = draw(st.sets(keys.map(lambda key: (key[0], key[1].low + key[2])), max_size=30))
    return [
        item(sort, partition=partition, a=draw(st.sampled_from("xy")))
        for partition, sort in sorted(drawn)
    ]
