"""A read goes on until its asks are answered, and no further."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from tablefold.loaders import reading
from tablefold.loaders.asks import Answer, Ask, Found
from tablefold.loaders.folding import fold
from tablefold.loaders.memory import Memory
from tablefold.loaders.reading import CollectionTooLarge, Reading
from tablefold.store.conditions import Compare
from tablefold.store.errors import Unprocessed
from tablefold.store.requests import BatchGet, Get, Query, StartKey
from tablefold.store.spans import Span
from tablefold.store.values import Item
from tests.loaders.plain import (
    ADDRESS,
    GSI1,
    HOME,
    ORDER,
    PROFILE,
    TAG,
    USER,
    PlainTable,
    item,
    member,
    page,
    sender,
    sorts,
    whole,
)


def orders(count: int) -> list[Item]:
    return [item(f"ORDER#{n:04d}", paid="no" if n % 10 else "yes") for n in range(count)]


def names(numbers: Iterable[int]) -> list[str]:
    return [f"ORDER#{n:04d}" for n in numbers]


async def read(table: PlainTable, *asks: Ask, memory: Memory | None = None) -> list[Answer]:
    """Folds the asks into one read, and carries that out."""
    [one] = fold(asks)
    done = await Reading(sender(table), HOME, memory or Memory()).perform(one, wave=1)
    return [done[ask] for ask in asks]


def found(answer: Answer) -> list[str]:
    assert answer.error is None
    return sorts([one.item for one in answer.items])


def limits(table: PlainTable) -> list[int | None]:
    return [request.limit for request in table.sent if isinstance(request, Query)]


# Pages.


async def test_a_page_is_one_query_with_its_limit():
    table = PlainTable(orders(30))

    [answer] = await read(table, page(ORDER, 11, descending=True))

    assert limits(table) == [11]
    assert found(answer) == names(range(29, 18, -1))
    assert not answer.exhausted


async def test_the_profile_and_the_newest_orders_come_together():
    table = PlainTable([item("PROFILE"), *orders(30), item("ADDR#home")])

    profile, newest = await read(table, whole(PROFILE), page(ORDER, 3, descending=True))

    assert limits(table) == [4]
    assert found(profile) == ["PROFILE"]
    assert found(newest) == names([29, 28, 27])


async def test_each_item_of_a_page_is_recognised_once(monkeypatch: pytest.MonkeyPatch):
    recognised: list[str] = []
    found_by = Ask.found

    def counted(ask: Ask, one: Item) -> Found | None:
        recognised.append(one["SK"]["S"])
        return found_by(ask, one)

    monkeypatch.setattr(Ask, "found", counted)
    await read(PlainTable(orders(30)), page(ORDER, 3, descending=True))

    assert recognised == names([29, 28, 27])


async def test_a_missing_profile_leaves_the_page_its_length():
    table = PlainTable(orders(30))

    profile, newest = await read(table, whole(PROFILE), page(ORDER, 3, descending=True))

    assert found(profile) == []
    assert found(newest) == names([29, 28, 27])


async def test_a_last_evaluated_key_on_a_page_that_is_just_full_costs_nothing():
    table = PlainTable(orders(3))

    [answer] = await read(table, page(ORDER, 3))

    assert len(table.sent) == 1
    assert found(answer) == names(range(3))
    assert answer.stopped is None


async def test_foreign_items_do_not_cost_a_page_its_length():
    strangers = [item(f"ORDER#{n:04d}#DRAFT") for n in range(6)]
    table = PlainTable([*orders(30), *strangers])

    [answer] = await read(table, page(ORDER, 10))

    assert found(answer) == names(range(10))
    assert limits(table) == [10, 10]


async def test_a_list_of_strangers_alone_is_an_empty_page():
    table = PlainTable([item(f"ORDER#{n}#DRAFT") for n in range(5)])

    [answer] = await read(table, page(ORDER, 2))

    assert answer == Answer()


async def test_a_page_that_is_cut_at_a_megabyte_reads_only_what_is_left_of_it():
    table = PlainTable(orders(30), cut=4)

    [answer] = await read(table, page(ORDER, 10))

    assert found(answer) == names(range(10))
    assert limits(table) == [10, 6, 2]
    assert [request.start for request in table.sent if isinstance(request, Query)] == [
        None,
        StartKey((("PK", USER), ("SK", "ORDER#0003"))),
        StartKey((("PK", USER), ("SK", "ORDER#0007"))),
    ]


async def test_a_page_goes_on_from_its_cursor():
    table = PlainTable(orders(30))
    start = StartKey((("PK", USER), ("SK", "ORDER#0010")))

    [answer] = await read(table, replace(page(ORDER, 3, descending=True), start=start))

    assert found(answer) == names([9, 8, 7])


async def test_one_read_gives_each_page_its_own_length_and_end():
    table = PlainTable(orders(4))

    short, long = await read(table, page(ORDER, 2), page(ORDER, 9))

    assert limits(table) == [9]
    assert (found(short), short.exhausted) == (names(range(2)), False)
    assert (found(long), long.exhausted) == (names(range(4)), True)


async def test_a_neighbour_at_the_open_end_of_a_range_is_left_out():
    """BETWEEN takes in both ends, and `ORDER$` is the end that the span leaves out."""
    table = PlainTable([item("ORDER#0001"), item("ORDER$")])
    dollar = member("Dollar", "ORDER$")
    ask = replace(
        whole(ORDER), span=Span.between("ORDER#", "ORDER$", open=True), members=(ORDER, dollar)
    )

    [answer] = await read(table, ask)

    assert found(answer) == ["ORDER#0001"]


# Whole collections.


async def test_a_whole_collection_is_read_over_as_many_replies_as_it_takes():
    table = PlainTable([item(f"TAG#{n}") for n in range(7)], cut=3)

    [answer] = await read(table, whole(TAG))

    assert len(table.sent) == 3
    assert limits(table) == [None, None, None]
    assert found(answer) == [f"TAG#{n}" for n in range(7)]
    assert answer.exhausted


async def test_a_bounded_collection_that_holds_more_than_it_says_is_read_completely():
    """Addresses are bounded by 5, so the first request has a limit of 8."""
    addresses = [item(f"ADDR#{n:02d}") for n in range(12)]
    table = PlainTable([*addresses, *orders(9)])
    near = replace(page(ORDER, 3), residents=())

    held, oldest = await read(table, replace(whole(ADDRESS), residents=()), near)

    assert found(held) == sorts(addresses)
    assert found(oldest) == names(range(3))
    assert limits(table) == [8, 8]


async def test_a_list_far_beyond_its_bound_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "WHOLE_MAX_ITEMS", 20)
    table = PlainTable([item(f"TAG#{n:03d}") for n in range(60)], cut=10)

    with pytest.raises(CollectionTooLarge) as caught:
        await read(table, whole(TAG, serves="user.tags"))

    assert len(table.sent) == 3
    assert str(caught.value) == (
        "user.tags: the partition USER#1 holds more than 20 items here, though the list is "
        "declared bounded. Declare the field as a Connection and page through it."
    )
    assert caught.value.code == "LIMIT_EXCEEDED"


async def test_a_list_far_beyond_its_bound_is_refused_on_the_way_to_a_page_too(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(reading, "WHOLE_MAX_ITEMS", 20)
    table = PlainTable([*(item(f"ADDR#{n:03d}") for n in range(60)), *orders(5)])
    addresses, oldest = (replace(one, residents=()) for one in (whole(ADDRESS), page(ORDER, 3)))

    with pytest.raises(CollectionTooLarge):
        await read(table, addresses, oldest)


async def test_a_long_page_is_no_list_beyond_its_bound(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "WHOLE_MAX_ITEMS", 20)
    table = PlainTable([item("PROFILE"), *orders(60)], cut=10)

    _, newest = await read(table, whole(PROFILE), page(ORDER, 50, descending=True))
    [alone] = await read(table, page(ORDER, 50))

    assert found(newest) == names(range(59, 9, -1))
    assert found(alone) == names(range(50))


async def test_strangers_on_the_way_to_a_page_do_not_stop_before_it(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(reading, "PAGE_MAX_READ", 2)
    strangers = [item(f"ORDERS#{n}") for n in range(20)]  # between the orders and the profile
    table = PlainTable([*orders(3), *strangers, item("PROFILE")])

    _, answer = await read(table, whole(PROFILE), page(ORDER, 2, descending=True))

    assert found(answer) == names([2])
    assert answer.stopped == StartKey((("PK", USER), ("SK", "ORDER#0002")))


# Filters.


def paid(limit: int) -> Ask:
    return replace(page(ORDER, limit), filter=Compare("paid", "=", {"S": "yes"}))


async def test_a_filtered_page_is_filled():
    table = PlainTable(orders(100))

    [answer] = await read(table, paid(4))

    assert found(answer) == names([0, 10, 20, 30])
    assert limits(table) == [25, 25]
    assert not answer.exhausted
    assert answer.stopped is None


async def test_a_filtered_page_stops_at_the_end_of_its_list():
    [answer] = await read(PlainTable(orders(15)), paid(4))

    assert found(answer) == names([0, 10])
    assert answer.exhausted


async def test_a_filter_examines_no_more_than_its_bound(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "PAGE_MAX_READ", 60)
    table = PlainTable(orders(200))

    [answer] = await read(table, paid(20))

    assert limits(table) == [60]
    assert found(answer) == names([0, 10, 20, 30, 40, 50])
    assert answer.stopped == StartKey((("PK", USER), ("SK", "ORDER#0059")))


async def test_the_bound_holds_over_several_requests(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "PAGE_MAX_READ", 60)
    table = PlainTable(orders(200))

    [answer] = await read(table, paid(7))

    assert limits(table) == [28, 28, 4]
    assert answer.stopped == StartKey((("PK", USER), ("SK", "ORDER#0059")))


# Single items.


async def test_one_key_is_a_get_and_several_are_a_batch():
    table = PlainTable([item("PROFILE"), item("PROFILE", partition="USER#2")])
    second, nobody = (whole(PROFILE, partition=f"USER#{n}") for n in (2, 3))

    [alone] = await read(table, whole(PROFILE))
    answers = await read(table, whole(PROFILE), second, nobody)

    get, batch = table.sent
    assert isinstance(get, Get)
    assert isinstance(batch, BatchGet)
    assert found(alone) == ["PROFILE"]
    assert [found(one) for one in answers] == [["PROFILE"], ["PROFILE"], []]


async def test_one_key_for_two_asks_is_a_get_of_all_that_they_need():
    table = PlainTable([item("PROFILE", name="Ann", mail="ann@example.org")])
    name = replace(whole(PROFILE), attributes=frozenset({"name"}))
    mail = replace(whole(PROFILE), attributes=frozenset({"mail"}))

    await read(table, name, mail)

    [get] = table.sent
    assert isinstance(get, Get)
    assert get.projection == ("PK", "SK", "mail", "name")


async def test_keys_left_unprocessed_fail_alone():
    profiles = [item("PROFILE", partition=f"USER#{n}") for n in range(3)]
    table = PlainTable(profiles, unprocessed=frozenset({("USER#1", "PROFILE")}))

    first, second, third = await read(
        table, *(whole(PROFILE, partition=f"USER#{n}") for n in range(3))
    )

    assert isinstance(second.error, Unprocessed)
    assert [found(first), found(third)] == [["PROFILE"], ["PROFILE"]]


# What is remembered.


async def remembered(items: Sequence[Item], ask: Ask) -> Memory:
    memory = Memory()
    await read(PlainTable(items), ask, memory=memory)
    return memory


def order(n: int) -> Ask:
    return replace(whole(ORDER), span=Span.exactly(f"ORDER#{n:04d}"))


@pytest.mark.parametrize("descending", [False, True])
async def test_a_page_is_remembered_to_its_last_item(descending: bool):
    memory = await remembered(orders(9), page(ORDER, 3, descending=descending))
    read_ones = [8, 7, 6] if descending else [0, 1, 2]

    known = [n for n in range(9) if memory.answer(order(n)) is not None]

    assert known == sorted(read_ones)


async def test_in_an_index_the_last_sort_key_may_be_shared_and_is_not_remembered():
    tied = member("Tied", "{day}", index=GSI1)
    items = [
        item(f"ORDER#{n}", GSI1PK=USER, GSI1SK=day)
        for n, day in enumerate(["mon", "mon", "sun", "sun"])
    ]
    ask = replace(page(ORDER, 3), index=GSI1, span=Span(), members=(tied,))
    memory = await remembered(items, ask)

    monday, sunday = (replace(ask, span=Span.exactly(day)) for day in ("mon", "sun"))
    known = memory.answer(monday)
    assert known is not None
    assert found(known) == ["ORDER#0", "ORDER#1"]
    assert memory.answer(sunday) is None


@pytest.mark.parametrize(("descending", "read_ones"), [(False, [5, 6]), (True, [2, 3])])
async def test_a_page_after_a_cursor_is_remembered_from_there(
    descending: bool, read_ones: list[int]
):
    at = StartKey((("PK", USER), ("SK", "ORDER#0004")))
    onward = replace(page(ORDER, 2, descending=descending), start=at)
    memory = await remembered(orders(9), onward)

    assert [n for n in range(9) if memory.answer(order(n)) is not None] == read_ones


async def test_in_an_index_ties_of_a_cursor_are_not_remembered():
    tied = member("Tied", "{day}", index=GSI1)
    days = ["mon", "mon", "mon", "sun", "tue"]
    items = [item(f"ORDER#{n}", GSI1PK=USER, GSI1SK=day) for n, day in enumerate(days)]
    at = {"GSI1PK": USER, "GSI1SK": "mon", "PK": USER, "SK": "ORDER#0"}
    ask = replace(page(ORDER, 9), index=GSI1, span=Span(), members=(tied,))
    memory = await remembered(items, replace(ask, start=StartKey(tuple(at.items()))))

    known = [memory.answer(replace(ask, span=Span.exactly(day))) for day in ("mon", "sun", "tue")]
    assert [answer and found(answer) for answer in known] == [None, ["ORDER#3"], ["ORDER#4"]]


async def test_of_a_filtered_page_in_an_index_nothing_is_remembered():
    tied = member("Tied", "{day}", index=GSI1)
    items = [
        item(f"ORDER#{n}", GSI1PK=USER, GSI1SK="mon", paid=said)
        for n, said in ((1, "yes"), (2, "no"))
    ]
    ask = replace(page(ORDER, 3), index=GSI1, span=Span.exactly("mon"), members=(tied,))
    memory = await remembered(items, replace(ask, filter=paid(1).filter))

    assert memory.answer(ask) is None


async def test_of_a_filtered_page_only_what_it_found_is_remembered():
    memory = await remembered(orders(9), paid(1))

    known = [n for n in range(9) if memory.answer(order(n)) is not None]
    answer = memory.answer(order(0))
    assert known == [0]
    assert answer is not None and found(answer) == names([0])
