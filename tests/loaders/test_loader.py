"""Asks of one tick are a wave; what a wave has read, no later one reads again."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefold.loaders.asks import Answer, Ask
from tablefold.loaders.loader import Loader
from tablefold.store.errors import Throttled, Unprocessed
from tablefold.store.requests import BatchGet, Get, Query, StartKey
from tablefold.store.spans import Span
from tablefold.store.values import Item
from tests.loaders.drawn import some_asks, some_items
from tests.loaders.plain import (
    HOME,
    NOTE,
    ORDER,
    PROFILE,
    SETTINGS,
    TAG,
    PlainTable,
    item,
    page,
    sender,
    sorts,
    whole,
)

ROWS = [
    item("PROFILE", name="Ann"),
    item("SETTINGS"),
    *(item(f"ORDER#{n}") for n in range(5)),
    *(item(f"TAG#{n}") for n in range(3)),
    item("PROFILE", partition="USER#2"),
]


def loader_over(table: PlainTable, *, folding: bool = True) -> Loader:
    return Loader(sender(table), home=HOME, folding=folding)


def found(answers: Sequence[Answer]) -> list[list[str]]:
    return [sorts([one.item for one in answer.items]) for answer in answers]


def operations(table: PlainTable) -> list[str]:
    return [request.operation for request in table.sent]


# Waves.


async def test_what_is_asked_together_is_one_wave():
    table = PlainTable(ROWS)
    loader = loader_over(table)

    answers = await asyncio.gather(
        loader.ask([whole(PROFILE), page(ORDER, 2, descending=True)]),
        loader.ask([whole(PROFILE, partition="USER#2")]),
    )

    assert found([one for some in answers for one in some]) == [
        ["PROFILE"],
        ["ORDER#4", "ORDER#3"],
        ["PROFILE"],
    ]
    assert operations(table) == ["Query", "GetItem"]
    assert [one.wave for one in loader.sender.sent] == [1, 1]


async def test_the_next_asks_are_the_next_wave():
    table = PlainTable(ROWS)
    loader = loader_over(table)

    await loader.ask([whole(PROFILE)])
    await loader.ask([whole(PROFILE, partition="USER#2")])

    assert [one.wave for one in loader.sender.sent] == [1, 2]


async def test_a_wave_that_needs_no_request_does_not_count():
    table = PlainTable(ROWS)
    loader = loader_over(table)

    await loader.ask([whole(TAG)])
    await loader.ask([replace(whole(TAG), span=Span.exactly("TAG#1"))])

    assert loader.wave == 1
    assert len(table.sent) == 1


# Identity.


async def test_an_item_that_one_wave_has_read_is_not_read_by_the_next():
    table = PlainTable(ROWS)
    loader = loader_over(table)
    await loader.ask([page(ORDER, 3, descending=True), whole(PROFILE)])

    second = replace(whole(ORDER), span=Span.exactly("ORDER#2"))
    answers = await loader.ask([whole(PROFILE), second, page(ORDER, 2, descending=True)])

    assert found(answers) == [["PROFILE"], ["ORDER#2"], ["ORDER#4", "ORDER#3"]]
    assert operations(table) == ["Query"]


async def test_an_item_that_is_not_there_is_asked_for_once():
    table = PlainTable(ROWS)
    loader = loader_over(table)
    nobody = whole(PROFILE, partition="USER#9")

    assert await loader.ask([nobody]) == [Answer()]
    assert await loader.ask([replace(nobody, bound=7)]) == [Answer()]
    assert len(table.sent) == 1


async def test_an_item_is_read_again_for_attributes_that_were_not_asked_for():
    table = PlainTable(ROWS)
    loader = loader_over(table)

    await loader.ask([replace(whole(PROFILE), attributes=frozenset({"mail"}))])
    [answer] = await loader.ask([replace(whole(PROFILE), attributes=frozenset({"name"}))])

    assert answer.items[0].item["name"] == {"S": "Ann"}
    assert len(table.sent) == 2


async def test_equal_asks_of_two_fields_are_one_request_that_serves_both():
    table = PlainTable(ROWS)
    loader = loader_over(table)

    await loader.ask([whole(PROFILE, serves="a"), whole(PROFILE, serves="b")])

    [sent] = loader.sender.sent
    assert isinstance(sent.request, Get)
    assert sent.serves == ("a", "b")


async def test_a_batch_names_every_field_once():
    loader = loader_over(PlainTable(ROWS))
    fields = [whole(PROFILE, partition=f"USER#{n}", serves="users") for n in range(3)]

    await loader.ask(fields)

    [sent] = loader.sender.sent
    assert isinstance(sent.request, BatchGet)
    assert sent.serves == ("users",)


async def test_asking_for_nothing_sends_nothing():
    table = PlainTable(ROWS)

    assert await loader_over(table).ask([]) == []
    assert table.sent == []


# Guesses.


async def test_a_guess_that_nobody_carries_is_answered_with_nothing_and_asked_for_later():
    table = PlainTable(ROWS)
    loader = loader_over(table)

    answers = await loader.ask([whole(NOTE), whole(TAG, tentative=True)])
    later = await loader.ask([whole(TAG)])

    assert answers == [Answer(), Answer()]
    assert found(later) == [["TAG#0", "TAG#1", "TAG#2"]]
    assert len(table.sent) == 2


async def test_a_guess_that_is_carried_saves_the_next_wave():
    table = PlainTable(ROWS)
    loader = loader_over(table)

    await loader.ask([whole(SETTINGS), whole(TAG, tentative=True)])
    later = await loader.ask([whole(TAG)])

    assert found(later) == [["TAG#0", "TAG#1", "TAG#2"]]
    assert operations(table) == ["Query"]


# Failures.


async def test_a_failing_request_fails_only_its_own_asks():
    table = PlainTable(ROWS, failing={"USER#2": Throttled("busy")})
    loader = loader_over(table)

    mine, theirs = await loader.ask([whole(TAG), whole(TAG, partition="USER#2")])

    assert found([mine]) == [["TAG#0", "TAG#1", "TAG#2"]]
    assert isinstance(theirs.error, Throttled)
    assert [one.error for one in loader.sender.sent] == [None, "Throttled"]


async def test_what_has_failed_is_not_tried_again_in_the_same_operation():
    table = PlainTable(failing={"USER#1": Throttled("busy")})
    loader = loader_over(table)

    [first] = await loader.ask([whole(TAG)])
    [second] = await loader.ask([whole(TAG)])

    assert first.error is second.error
    assert len(table.sent) == 1


async def test_keys_left_unprocessed_fail_only_their_own_fields():
    table = PlainTable(ROWS, unprocessed=frozenset({("USER#2", "PROFILE")}))

    mine, theirs = await loader_over(table).ask(
        [whole(PROFILE), whole(PROFILE, partition="USER#2")]
    )

    assert found([mine]) == [["PROFILE"]]
    assert isinstance(theirs.error, Unprocessed)


# Without folding.


async def test_without_folding_the_answers_are_the_same():
    asks: list[Ask] = [whole(PROFILE), whole(SETTINGS), whole(TAG), page(ORDER, 2, descending=True)]
    folded, plain = PlainTable(ROWS), PlainTable(ROWS)

    answers = await loader_over(folded).ask(asks)

    assert answers == await loader_over(plain, folding=False).ask(asks)
    assert len(folded.sent) < len(plain.sent)


@given(some_items(), some_asks(), st.integers(1, 9))
async def test_folding_changes_no_answer(items: list[Item], asks: list[Ask], cut: int):
    certain = [ask for ask in asks if not ask.tentative]
    folded = await loader_over(PlainTable(items, cut=cut)).ask(asks)
    plain = await loader_over(PlainTable(items, cut=cut), folding=False).ask(certain)

    kept = [answer for ask, answer in zip(asks, folded, strict=True) if not ask.tentative]
    assert [answer.items for answer in kept] == [answer.items for answer in plain]
    assert not [answer for answer in (*kept, *plain) if answer.error or answer.stopped]


@given(some_items(), some_asks(), some_asks())
async def test_a_later_wave_answers_as_if_it_were_the_first(
    items: list[Item], earlier: list[Ask], later: list[Ask]
):
    loader = loader_over(PlainTable(items))
    await loader.ask(earlier)
    certain = [replace(ask, tentative=False) for ask in later]

    answers = await loader.ask(certain)

    afresh = await loader_over(PlainTable(items)).ask(certain)
    assert [answer.items for answer in answers] == [answer.items for answer in afresh]


# The end of an operation.


async def left_over(before: set[asyncio.Task[object]]) -> set[asyncio.Task[object]]:
    for _ in range(5):
        await asyncio.sleep(0)
    return asyncio.all_tasks() - before


async def test_cancel_ends_what_is_under_way():
    before = asyncio.all_tasks()
    table = PlainTable(ROWS, pause=60)
    loader = loader_over(table)
    waiting = asyncio.ensure_future(loader.ask([whole(TAG), whole(PROFILE, partition="USER#2")]))
    async with asyncio.timeout(1):
        await table.reached(2)

    loader.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(waiting, timeout=1)
    assert await left_over(before) == set()
    assert table.under_way == 0


async def test_cancel_before_the_wave_leaves_sends_nothing():
    before = asyncio.all_tasks()
    table = PlainTable(ROWS)
    loader = loader_over(table)
    waiting = asyncio.ensure_future(loader.ask([whole(TAG)]))
    await asyncio.sleep(0)

    loader.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(waiting, timeout=1)
    assert await left_over(before) == set()
    assert table.sent == []


async def test_cancel_after_the_end_changes_nothing():
    loader = loader_over(PlainTable(ROWS))
    [answer] = await loader.ask([whole(TAG)])

    loader.cancel()

    assert len(answer.items) == 3
    assert isinstance(loader.sender.sent[0].request, Query)


async def test_a_page_further_on_says_nothing_of_what_lies_before_it():
    table = PlainTable(ROWS)
    loader = loader_over(table)
    onward = replace(page(ORDER, 2), start=StartKey((("PK", "USER#1"), ("SK", "ORDER#1"))))

    assert found(await loader.ask([onward])) == [["ORDER#2", "ORDER#3"]]
    assert found(await loader.ask([page(ORDER, 2)])) == [["ORDER#0", "ORDER#1"]]
