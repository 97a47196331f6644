"""What has been read answers later asks, as far as it goes."""

from dataclasses import replace

from tablefold.loaders.asks import Answer, Ask
from tablefold.loaders.memory import Memory, carve
from tablefold.store.conditions import Compare
from tablefold.store.requests import StartKey
from tablefold.store.spans import Span
from tests.loaders.plain import ADDRESS, GSI1, HOME, ORDER, PROFILE, USER, item, page, sorts, whole

ORDERS = [item(f"ORDER#{n}") for n in range(1, 5)]


def found(answer: Answer | None) -> list[str]:
    assert answer is not None
    return sorts([one.item for one in answer.items])


def holding(*attributes: str, span: Span | None = None) -> Memory:
    memory = Memory()
    memory.keep(HOME, USER, span or Span.beginning("ORDER#"), ORDERS, frozenset(attributes))
    return memory


def test_what_was_read_is_known():
    assert found(holding().answer(whole(ORDER))) == ["ORDER#1", "ORDER#2", "ORDER#3", "ORDER#4"]


def test_an_item_that_was_not_among_what_was_read_is_known_not_to_exist():
    ask = replace(whole(ORDER), span=Span.exactly("ORDER#9"))

    assert holding().answer(ask) == Answer()


def test_what_lies_outside_is_not_known():
    assert holding().answer(whole(PROFILE)) is None
    assert holding().answer(whole(ORDER, partition="USER#2")) is None
    assert holding().answer(replace(whole(ORDER), index=GSI1)) is None
    assert holding(span=Span.beginning("ORDER#1")).answer(whole(ORDER)) is None


def test_a_page_is_cut_from_what_was_read_in_either_direction():
    memory = holding()

    oldest, newest = memory.answer(page(ORDER, 2)), memory.answer(page(ORDER, 2, descending=True))

    assert found(oldest) == ["ORDER#1", "ORDER#2"]
    assert found(newest) == ["ORDER#4", "ORDER#3"]
    assert oldest is not None
    assert not oldest.exhausted


def test_a_page_is_cut_from_the_beginning_of_its_list():
    first, last = Span.between("ORDER#", "ORDER#4"), Span.between("ORDER#1", "ORDER$", open=True)

    assert found(holding(span=first).answer(page(ORDER, 4))) == sorts(ORDERS)
    assert holding(span=first).answer(page(ORDER, 5)) is None, "a fifth may follow"
    assert holding(span=first).answer(page(ORDER, 2, descending=True)) is None
    assert found(holding(span=last).answer(page(ORDER, 1, descending=True))) == ["ORDER#4"]
    assert holding(span=last).answer(page(ORDER, 1)) is None


def test_a_page_as_long_as_its_list_is_the_end_of_it():
    answer = holding().answer(page(ORDER, 4))

    assert answer is not None
    assert answer.exhausted
    assert answer.stopped is None


def test_attributes_that_were_not_read_are_not_known():
    name, both = frozenset({"name"}), frozenset({"name", "city"})
    ask = whole(ORDER)

    assert holding("name").answer(replace(ask, attributes=name)) is not None
    assert holding("name").answer(replace(ask, attributes=both)) is None
    assert holding("name").answer(ask) is None, "all of them are asked for"
    assert holding().answer(replace(ask, attributes=both)) is not None, "all of them were read"


def test_filters_are_left_to_dynamodb():
    filtered = replace(page(ORDER, 2), filter=Compare("a", "=", {"S": "x"}))

    assert holding().answer(filtered) is None


def test_a_page_after_a_cursor_is_cut_from_what_was_read_beyond_it():
    at = StartKey((("PK", USER), ("SK", "ORDER#2")))
    onward, back = (replace(page(ORDER, 2, descending=way), start=at) for way in (False, True))

    assert found(holding().answer(onward)) == ["ORDER#3", "ORDER#4"]
    assert found(holding().answer(back)) == ["ORDER#1"]
    assert found(holding(span=Span("ORDER#2\0")).answer(onward)) == ["ORDER#3", "ORDER#4"]
    assert holding(span=Span("ORDER#2\0")).answer(back) is None


def test_in_an_index_ties_of_a_cursor_are_left_to_dynamodb():
    keys = (("GSI1PK", USER), ("GSI1SK", "ORDER#2"), ("PK", "a"), ("SK", "b"))
    memory = Memory()
    memory.keep(GSI1, USER, Span(), [], frozenset())

    onward = replace(page(ORDER, 2), index=GSI1, start=StartKey(keys))
    assert memory.answer(onward) is None


def test_nothing_follows_the_cursor_of_a_single_key():
    at = StartKey((("PK", USER), ("SK", "PROFILE")))

    assert Memory().answer(replace(page(PROFILE, 1), start=at)) == Answer()


def test_an_empty_span_needs_no_memory():
    assert Memory().answer(replace(whole(ORDER), span=Span("b", "a"))) == Answer()


# Carving.


def carved(ask: Ask, *, done: bool = True, stopped: StartKey | None = None) -> Answer:
    items = [item("ADDR#home"), item("ORDER"), *ORDERS, item("ORDER#5#LINE#1")]
    return carve(ask, items, done=done, stopped=stopped)


def test_items_that_nobody_modelled_are_left_out():
    assert found(carved(whole(ORDER))) == sorts(ORDERS)
    assert found(carved(whole(ADDRESS))) == ["ADDR#home"]


def test_a_page_says_where_reading_stopped_only_while_it_is_short():
    stop = StartKey((("PK", USER), ("SK", "ORDER#4")))

    assert carved(page(ORDER, 5), done=False, stopped=stop).stopped == stop
    assert carved(page(ORDER, 4), done=False, stopped=stop).stopped is None
    assert not carved(page(ORDER, 4), done=False, stopped=stop).exhausted
