"""Fifty writers at once: no update is lost, nothing is sold twice, and one alone wins."""

import asyncio
import datetime
from collections import Counter as Tally

import pytest

from tablefold import Gateway
from tablefold.store.engines import Engine
from tests.writes.items import found
from tests.writes.model import Status
from tests.writes.sending import Answer, Op, send
from tests.writes.world import Change, Create, Delete, Put, Update

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")

WRITERS = 50
DAY = datetime.date(2024, 1, 1)
ORDER = {"id": "1", "user_id": "1", "placed_on": DAY, "status": Status.NEW, "shelf": "x"}


async def made(gateway: Gateway, *changes: Change) -> None:
    for change in changes:
        assert (await send(gateway, Op((change,), "transaction"))).code is None


async def race(gateway: Gateway, *ops: Op) -> list[Answer]:
    return await asyncio.gather(*(send(gateway, op) for op in ops))


def codes(answers: list[Answer]) -> dict[str | None, int]:
    return dict(Tally(answer.code for answer in answers))


async def test_every_addition_counts(gateway: Gateway, engine: Engine) -> None:
    await made(gateway, Create("Counter", {"id": "1"}))
    add = Op((Update("Counter", {"id": "1"}, add={"n": 1}, append={"log": ["x"]}),))

    assert codes(await race(gateway, *[add] * WRITERS)) == {None: WRITERS}

    item = found(engine, gateway)["COUNTER#1", "IT"]
    assert (item["n"], item["version"], len(item["log"])) == (WRITERS, WRITERS + 1, WRITERS)


async def test_nothing_is_sold_that_is_not_there(gateway: Gateway, engine: Engine) -> None:
    await made(gateway, Create("Order", {**ORDER, "stock": 20}))
    take = Op((Update("Order", {"id": "1"}, add={"stock": -1}),))

    assert codes(await race(gateway, *[take] * WRITERS)) == {None: 20, "CONFLICT": 30}

    items = found(engine, gateway)
    assert [item["stock"] for item in items.values()] == [0, 0, 0]
    assert "GSI3PK" not in items["ORDER#1", "META"]


async def test_one_has_an_address_and_no_one_else(gateway: Gateway, engine: Engine) -> None:
    joins = [
        Op((Create("User", {"id": str(n), "name": "a", "email": "x"}),)) for n in range(WRITERS)
    ]

    answers = await race(gateway, *joins)

    assert codes(answers) == {None: 1, "CONFLICT": WRITERS - 1}
    [winner] = [answer.shown["id"] for answer in answers if answer.code is None]
    items = found(engine, gateway)
    assert items.keys() == {(f"USER#{winner}", "PROFILE"), ("UNIQUE#User#email#x", "UNIQUE")}
    assert items["UNIQUE#User#email#x", "UNIQUE"]["owner"] == [f"USER#{winner}", "PROFILE"]


async def test_one_writes_over_a_version(gateway: Gateway, engine: Engine) -> None:
    await made(gateway, Create("User", {"id": "1", "name": "a", "email": "x"}))
    renames = [
        Op((Update("User", {"id": "1"}, {"name": str(n)}, version=1),)) for n in range(WRITERS)
    ]

    answers = await race(gateway, *renames)

    assert codes(answers) == {None: 1, "CONFLICT": WRITERS - 1}
    [winner] = [n for n, answer in enumerate(answers) if answer.code is None]
    item = found(engine, gateway)["USER#1", "PROFILE"]
    assert (item["name"], item["version"]) == (str(winner), 2)


async def test_one_makes_an_object(gateway: Gateway, engine: Engine) -> None:
    creates = [
        Op((Create("Order", {**ORDER, "user_id": str(n % 5), "memo": str(n)}),))
        for n in range(WRITERS)
    ]

    answers = await race(gateway, *creates)

    assert codes(answers) == {None: 1, "CONFLICT": WRITERS - 1}
    [winner] = [n for n, answer in enumerate(answers) if answer.code is None]
    memos = [item["memo"] for item in found(engine, gateway).values()]
    assert memos == [str(winner)] * 3


async def test_every_update_of_copies_and_index_keys_lands(
    gateway: Gateway, engine: Engine
) -> None:
    await made(gateway, Create("Order", ORDER))
    adds = [
        Op((Update("Order", {"id": "1"}, {"status": status}, {"price": 1}, {"tags": {str(n)}}),))
        for n, status in enumerate([Status.OLD, Status.OLD] * (WRITERS // 2))
    ]

    assert codes(await race(gateway, *adds)) == {None: WRITERS}

    items = found(engine, gateway)
    home, whole = items["ORDER#1", "META"], items["USER#1", "ORDER#2024-01-01#1"]
    assert home["GSI1PK"].startswith("STATUS#old#")
    for item in (home, whole):
        assert float(item["price"]) == WRITERS + 1.5
        assert item["tags"] == {str(n) for n in range(WRITERS)}


async def test_what_moves_under_many_hands_is_in_one_place(
    gateway: Gateway, engine: Engine
) -> None:
    """Who gives up says so; nobody's addition is lost, and nothing is left behind."""
    await made(gateway, Create("Order", ORDER))
    moves = [
        Op((Update("Order", {"id": "1"}, {"user_id": str(n % 7)}, {"stock": 1}),))
        for n in range(WRITERS)
    ]

    outcome = codes(await race(gateway, *moves))

    assert outcome.keys() <= {None, "CONFLICT"} and outcome[None] >= WRITERS // 2
    items = found(engine, gateway)
    home = items["ORDER#1", "META"]
    assert home["stock"] == outcome[None]
    owner = home["userId"]
    assert items.keys() == {
        ("ORDER#1", "META"),
        (f"USER#{owner}", "ORDER#2024-01-01#1"),
        ("SHELF#x", "ORDER#1"),
    }
    assert {item["stock"] for item in items.values()} == {home["stock"]}


async def test_one_key_applies_once(gateway: Gateway, engine: Engine) -> None:
    await made(gateway, Create("Counter", {"id": "1"}))
    add = Op((Update("Counter", {"id": "1"}, add={"n": 1}),), idempotency_key="k")

    answers = await race(gateway, *[add] * WRITERS)

    assert codes(answers) == {None: WRITERS}
    assert [answer.changed for answer in answers].count(True) == 1
    assert found(engine, gateway)["COUNTER#1", "IT"]["n"] == 1


async def test_creating_replacing_and_deleting_leave_no_pieces(
    gateway: Gateway, engine: Engine
) -> None:
    def change(n: int) -> Change:
        values = {"id": "1", "title": f"t{n % 3}", "body": str(n), "shelf": f"s{n % 4}"}
        return [Create("Doc", values), Put("Doc", values), Delete("Doc", {"id": "1"})][n % 3]

    outcome = codes(await race(gateway, *(Op((change(n),)) for n in range(WRITERS))))

    assert outcome.keys() <= {None, "CONFLICT", "NOT_FOUND"}
    items = found(engine, gateway)
    if not items:
        return
    home = items["DOC#1", "LATEST"]
    assert items.keys() == {
        ("DOC#1", "LATEST"),
        (f"SHELF#{home['shelf']}", "DOC#1"),
        (f"UNIQUE#Doc#title#{home['title']}", "UNIQUE"),
    }
    assert items[f"SHELF#{home['shelf']}", "DOC#1"]["body"] == home["body"]
