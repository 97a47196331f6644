"""What is asked together is read together, where that costs less than it saves."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given

from tablefold.loaders import folding
from tablefold.loaders.asks import Ask, Resident
from tablefold.loaders.folding import ItemsRead, PartitionRead, Read, fold
from tablefold.store.conditions import Compare
from tablefold.store.requests import StartKey
from tablefold.store.spans import Span
from tests.loaders.drawn import some_asks
from tests.loaders.plain import (
    ADDRESS,
    GSI1,
    NOTE,
    ORDER,
    PROFILE,
    SETTINGS,
    TAG,
    USER,
    living_with,
    member,
    page,
    whole,
)

NEWEST = page(ORDER, 10, descending=True)
OLDEST = page(ORDER, 10)


def served(reads: Iterable[Read]) -> list[set[str]]:
    """The entities that each read serves."""
    return [{one.entity.name for ask in read.asks for one in ask.members} for read in reads]


# Pages and what lies on the way to them.


def test_profile_and_newest_orders_are_one_descending_read_of_eleven():
    [read] = fold([whole(PROFILE), NEWEST])

    assert isinstance(read, PartitionRead)
    assert read.descending
    assert read.limit == 11
    assert read.span == Span("ORDER#", "PROFILE")
    assert read.asks == (whole(PROFILE), NEWEST)


def test_the_oldest_orders_do_not_come_by_the_profile():
    assert served(fold([whole(PROFILE), OLDEST])) == [{"Order"}, {"Profile"}]


def test_a_bounded_collection_before_an_ascending_page_is_read_on_the_way():
    notes_and_orders = [whole(NOTE), OLDEST]
    [read] = fold(notes_and_orders)

    assert isinstance(read, PartitionRead)
    assert not read.descending
    assert read.limit == 20 + 10
    assert read.span == Span.between("NOTE#", "ORDER$", open=True)


def test_a_bounded_collection_after_an_ascending_page_is_not():
    assert served(fold([whole(TAG), OLDEST])) == [{"Tag"}, {"Order"}]


def test_a_page_goes_on_to_everything_that_lies_on_its_way():
    [read] = fold([whole(SETTINGS), whole(PROFILE), NEWEST])

    assert isinstance(read, PartitionRead)
    assert read.limit == 10 + 1 + 1
    assert read.span == Span("ORDER#", "SETTINGS")


def test_items_between_two_collections_on_the_way_are_counted_in():
    """Otherwise the page would come up short and need a second request."""
    letters = member("Letter", "NOTF#{n}")
    near = replace(whole(NOTE), span=Span.beginning("NOTF#"), members=(letters,), bound=3)
    [read] = fold([living_with(ask, note=8) for ask in (whole(ADDRESS), near, OLDEST)])

    assert isinstance(read, PartitionRead)
    assert read.limit == 5 + 8 + 3 + 10


def test_one_collection_under_two_fields_is_counted_once():
    twice = [whole(NOTE), replace(whole(NOTE), attributes=frozenset({"text"}))]
    [read] = fold([*twice, OLDEST])

    assert isinstance(read, PartitionRead)
    assert read.limit == 20 + 10


def test_a_single_item_in_the_page_does_not_keep_the_profile_from_joining():
    one_order = replace(whole(ORDER), span=Span.exactly("ORDER#7"), bound=1)

    assert served(fold([one_order, whole(PROFILE), NEWEST])) == [{"Profile", "Order"}, {"Order"}]


def test_a_collection_too_large_to_bring_along_keeps_its_own_read():
    assert folding.REQUEST_WORTH == 1.0
    many_notes = replace(whole(NOTE), bound=22)
    just_worth_it = replace(whole(NOTE), bound=21)

    assert served(fold([many_notes, OLDEST])) == [{"Note"}, {"Order"}]
    assert served(fold([just_worth_it, OLDEST])) == [{"Note", "Order"}]


@pytest.mark.parametrize(
    "alone",
    [
        replace(NEWEST, start=StartKey((("PK", USER), ("SK", "ORDER#3")))),
        replace(NEWEST, filter=Compare("status", "=", {"S": "PAID"})),
    ],
    ids=["with a cursor", "with a filter"],
)
def test_a_page_stays_alone(alone: Ask):
    assert served(fold([whole(PROFILE), alone])) == [{"Order"}, {"Profile"}]


def test_one_page_in_several_lengths_is_one_read_of_the_longest():
    [read] = fold([page(ORDER, 3), page(ORDER, 11), page(ORDER, 5)])

    assert isinstance(read, PartitionRead)
    assert read.limit == 11
    assert [ask.limit for ask in read.asks] == [3, 11, 5]


def test_pages_in_two_directions_are_two_reads():
    reads = fold([OLDEST, NEWEST, whole(PROFILE)])

    assert served(reads) == [{"Order"}, {"Profile", "Order"}]


# Neighbours.


def test_neighbours_are_one_read():
    [read] = fold([whole(PROFILE), whole(SETTINGS), whole(TAG)])

    assert isinstance(read, PartitionRead)
    assert read.limit is None
    assert read.span == Span.between("PROFILE", "TAG$", open=True)


def test_a_collection_and_the_single_items_next_to_it_are_one_read_in_any_order():
    asks = [whole(TAG), whole(PROFILE), whole(SETTINGS)]

    assert served(fold(asks)) == [{"Profile", "Settings", "Tag"}]
    assert served(fold(asks[::-1])) == [{"Profile", "Settings", "Tag"}]


def test_nobody_reads_across_an_entity_without_a_bound():
    assert served(fold([whole(NOTE), whole(PROFILE)])) == [{"Note"}, {"Profile"}]


@pytest.mark.parametrize(("notes", "reads"), [(20, 1), (21, 2)])
def test_a_bounded_entity_is_read_across_only_while_that_is_worth_a_request(notes: int, reads: int):
    addresses = living_with(whole(ADDRESS), note=notes)
    orders = replace(living_with(whole(ORDER), note=notes), bound=50)

    assert len(fold([addresses, orders])) == reads


@pytest.mark.parametrize(("people", "reads"), [(1000, 1), (None, 2)])
def test_an_item_and_what_hangs_below_its_key_are_one_read_while_that_is_bounded(
    people: int | None, reads: int
):
    inside = (
        Resident(Span.beginning("DEPT#"), 20, "Department"),
        Resident(Span.beginning("DEPT#"), people, "Person"),
    )
    eng = replace(whole(PROFILE), span=Span.exactly("DEPT#eng"), residents=inside)
    its_people = replace(
        whole(TAG), span=Span.beginning("DEPT#eng#USER#"), bound=people, residents=inside
    )

    assert len(fold([eng, its_people])) == reads


def test_partitions_are_never_folded_together():
    reads = fold([whole(ADDRESS), whole(ADDRESS, partition="USER#2")])

    assert [read.asks[0].partition for read in reads] == ["USER#1", "USER#2"]


def test_a_table_and_its_index_are_never_folded_together():
    there = replace(whole(ADDRESS), index=GSI1)

    assert len(fold([whole(ADDRESS), there])) == 2


# Single items.


def test_single_items_go_to_batches_of_a_hundred():
    asks = [whole(PROFILE, partition=f"USER#{n}") for n in range(250)]
    reads = fold(asks)

    assert all(isinstance(read, ItemsRead) for read in reads)
    assert [len(read.asks) for read in reads] == [100, 100, 50]


def test_a_key_is_asked_for_once_whoever_wants_it():
    name, mail = (
        replace(whole(PROFILE), attributes=frozenset({attribute})) for attribute in ("name", "mail")
    )
    others = [whole(PROFILE, partition=f"USER#{n}") for n in range(2, 101)]
    [read] = fold([name, *others, mail])

    assert isinstance(read, ItemsRead)
    assert read.asks[:2] == (name, mail)
    assert len({ask.partition for ask in read.asks}) == 100


def test_single_items_of_one_partition_are_cheaper_in_a_batch():
    [read] = fold([whole(PROFILE), whole(SETTINGS)])

    assert isinstance(read, ItemsRead)


def test_an_index_has_no_single_items():
    [read] = fold([replace(whole(PROFILE), index=GSI1)])

    assert isinstance(read, PartitionRead)


# Guesses.


def test_a_guess_alone_is_not_read():
    assert fold([whole(TAG, tentative=True)]) == []
    assert fold([whole(PROFILE, tentative=True)]) == []


def test_a_guess_comes_along_where_it_is_carried():
    guess = whole(TAG, tentative=True)
    [read] = fold([whole(SETTINGS), guess])

    assert isinstance(read, PartitionRead)
    assert guess in read.asks


def test_a_guess_does_not_take_an_item_out_of_a_batch():
    """It may be in vain, and the batch is sent anyway."""
    elsewhere = replace(whole(PROFILE), partition="USER#2")
    asks = [whole(SETTINGS), whole(TAG, tentative=True), elsewhere]
    guesses = [replace(ask, partition=f"USER#{n}") for n in (1, 2) for ask in asks[:2]]

    for wave in (asks, guesses):
        [read] = fold(wave)
        assert isinstance(read, ItemsRead)
        assert set(read.asks) == {ask for ask in wave if not ask.tentative}


def test_a_guess_out_of_reach_is_dropped():
    assert served(fold([whole(NOTE), whole(TAG, tentative=True)])) == [{"Note"}]


# Without folding.


def test_without_folding_each_collection_has_its_own_read_and_no_guess_is_served():
    asks = [whole(PROFILE), whole(TAG), NEWEST, whole(SETTINGS), whole(ADDRESS, tentative=True)]

    assert served(fold(asks, folding=False)) == [{"Tag"}, {"Order"}, {"Profile", "Settings"}]


# Whatever is asked.


@given(some_asks())
def test_every_ask_is_in_exactly_one_read_that_covers_it(asks: list[Ask]):
    reads = fold(asks)
    placed = [ask for read in reads for ask in read.asks]

    assert len(placed) == len(set(placed))
    assert {ask for ask in asks if not ask.tentative} <= set(placed) <= set(asks)
    for read in reads:
        if isinstance(read, PartitionRead):
            assert all(read.span.covers(ask.span) for ask in read.asks)
            assert {(ask.index, ask.partition) for ask in read.asks} == {
                (read.asks[0].index, read.asks[0].partition)
            }


@given(some_asks())
def test_a_page_is_the_last_thing_that_its_read_comes_to(asks: list[Ask]):
    for read in fold(asks):
        if not isinstance(read, PartitionRead) or (last := read.page) is None:
            continue
        assert read.descending == last.descending
        for ask in read.asks:
            if not ask.whole:
                assert (ask.span, ask.filter, ask.start) == (last.span, last.filter, last.start)
            elif read.descending:
                assert not ask.span.meets(last.span)
                assert ask.span.low > last.span.low
            else:
                assert not ask.span.meets(last.span)
                assert ask.span.low < last.span.low


@given(some_asks())
def test_folding_never_takes_more_reads(asks: list[Ask]):
    certain = [ask for ask in asks if not ask.tentative]

    assert len(fold(certain)) <= len(fold(certain, folding=False))


@given(some_asks())
def test_no_unbounded_stranger_is_ever_read(asks: list[Ask]):
    for read in fold(asks):
        if not isinstance(read, PartitionRead):
            continue
        strangers = [one for one in read.asks[0].residents if one.bound is None]
        for stranger in strangers:
            if stranger.span.meets(read.span):
                assert any(ask.span.meets(stranger.span) for ask in read.asks)
