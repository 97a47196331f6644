"""What is sent is counted, bounded, and written down."""

import asyncio

import pytest

from tablefold.loaders.sending import Sent
from tablefold.store.errors import Throttled, Unprocessed
from tablefold.store.requests import BatchGet, Get, Query
from tests.loaders.plain import HOME, TABLE, USER, PlainTable, item, sender


def get(n: int) -> Get:
    return Get(TABLE, HOME.names, (f"USER#{n}", "PROFILE"))


async def test_no_more_requests_are_under_way_than_there_are_places():
    table = PlainTable(pause=0.001)
    bounded = sender(table, concurrency=3)

    await asyncio.gather(*(bounded.send(get(n), wave=1, serves=()) for n in range(20)))

    assert len(table.sent) == 20
    assert table.most_under_way == 3


async def test_each_request_is_written_down_with_what_it_brought():
    table = PlainTable([item("PROFILE"), item("TAG#1"), item("TAG#2")])
    sending = sender(table)

    await sending.send(get(1), wave=1, serves=("user",))
    await sending.send(get(2), wave=1, serves=("other",))
    await sending.send(Query(TABLE, None, HOME.names, USER), wave=2, serves=("user.tags",))

    assert [(one.wave, one.serves, one.items, one.read) for one in sending.sent] == [
        (1, ("user",), 1, 1),
        (1, ("other",), 0, 0),
        (2, ("user.tags",), 3, 3),
    ]
    assert sending.capacity == 1.5


async def test_a_failure_is_written_down_and_passed_on():
    sending = sender(PlainTable(failing={"USER#1": Throttled("busy")}))

    with pytest.raises(Throttled):
        await sending.send(get(1), wave=1, serves=("user",))

    assert [(one.error, one.capacity) for one in sending.sent] == [("Throttled", 0.0)]


async def test_a_batch_served_in_part_is_written_down_with_what_came_and_what_it_cost():
    keys = tuple((f"USER#{n}", "PROFILE") for n in range(3))
    rows = [item("PROFILE", partition=f"USER#{n}") for n in range(3)]
    sending = sender(PlainTable(rows, unprocessed=frozenset(keys[2:])))

    with pytest.raises(Unprocessed):
        await sending.send(BatchGet(TABLE, HOME.names, keys), wave=1, serves=())

    [sent] = sending.sent
    assert isinstance(sent, Sent)
    assert (sent.items, sent.capacity, sent.error) == (2, 1.0, "Unprocessed")


async def test_a_place_is_free_again_after_a_failure():
    sending = sender(PlainTable(failing={"USER#1": Throttled("busy")}), concurrency=1)

    for _ in range(3):
        with pytest.raises(Throttled):
            await sending.send(get(1), wave=1, serves=())
    await asyncio.wait_for(sending.send(get(2), wave=1, serves=()), timeout=1)
