"""Answers that are lost, throttles and cut connections: what was acknowledged is there, what was
refused is not, and what nobody can tell is there entirely or not at all.
"""

import asyncio
import datetime
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tablefold import Gateway
from tablefold.store.engines import Engine
from tests.harness.faults import (
    Fault,
    Faults,
    FaultyProxy,
    Script,
    answered,
    refused,
    reset_after,
    reset_before,
    throttled,
)
from tests.properties.effort import LONG
from tests.writes.items import Found, found
from tests.writes.model import Status
from tests.writes.sending import Answer, Op, send
from tests.writes.world import Create, Delete, Item, Key, Thing, Update, World, whole

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")

OPERATIONS = 1_000 if LONG else 200
AT_ONCE = 10
ATTEMPTS = 8
DAY = datetime.date(2024, 1, 1)
COUNTER = Create("Counter", {"id": "1"})
ADD = Update("Counter", {"id": "1"}, add={"n": 1})
USER = Create("User", {"id": "1", "name": "a", "email": "x"})


def cancelled(*codes: str) -> Fault:
    reasons = [{"Code": code} for code in codes]
    body = {"__type": "TransactionCanceledException", "CancellationReasons": reasons}
    return answered(json.dumps(body).encode(), status=400, name="cancelled")


async def done(gateway: Gateway, *changes: Any) -> None:
    for change in changes:
        assert (await send(gateway, Op((change,), "transaction"))).code is None


def tokens(faulty: FaultyProxy) -> list[str]:
    sent = (one for one in faulty.sent if one.operation == "TransactWriteItems")
    return [one.body["ClientRequestToken"] for one in sent]


# One answer that is lost.


async def test_a_transaction_is_sent_again_with_its_token(
    gateway: Gateway, faulty: FaultyProxy, engine: Engine
) -> None:
    faulty.course = Script([reset_after(), reset_after()])

    answer = await send(gateway, Op((USER,)))

    assert answer.code is None and answer.changed
    assert len(tokens(faulty)) == 3 and len(set(tokens(faulty))) == 1
    assert len(found(engine, gateway)) == 2


async def test_a_lost_creation_of_one_item_is_settled(
    gateway: Gateway, faulty: FaultyProxy, engine: Engine
) -> None:
    faulty.course = Script([reset_after()])

    assert (await send(gateway, Op((COUNTER,)))).code is None

    # An engine that does not show what stands in the way is asked for it.
    assert faulty.operations in (["PutItem"] * 2, [*["PutItem"] * 2, "GetItem"])
    assert found(engine, gateway)["COUNTER#1", "IT"]["n"] == 0


async def test_a_creation_that_was_never_heard_of_is_made(
    gateway: Gateway, faulty: FaultyProxy, engine: Engine
) -> None:
    faulty.course = Script([reset_before()])
    assert (await send(gateway, Op((COUNTER,)))).code is None
    assert ("COUNTER#1", "IT") in found(engine, gateway)


async def test_a_lost_addition_is_unknown(
    gateway: Gateway, faulty: FaultyProxy, engine: Engine
) -> None:
    await done(gateway, COUNTER)
    faulty.clear()
    faulty.course = Script([reset_after()], only="UpdateItem")

    assert (await send(gateway, Op((ADD,)))).code == "UNKNOWN_OUTCOME"

    assert faulty.operations == ["UpdateItem"]
    assert found(engine, gateway)["COUNTER#1", "IT"]["n"] == 1


@pytest.mark.parametrize("lost", [reset_before(), reset_after()], ids=lambda fault: fault.name)
async def test_a_lost_addition_under_a_key_counts_once(
    gateway: Gateway, faulty: FaultyProxy, engine: Engine, lost: Fault
) -> None:
    await done(gateway, COUNTER)
    add = Op((ADD,), idempotency_key="k")
    faulty.course = Script([lost] * ATTEMPTS, only="TransactWriteItems")

    assert (await send(gateway, add)).code == "UNKNOWN_OUTCOME"
    answer = await send(gateway, add)

    assert answer.code is None and answer.changed is (lost == reset_before())
    assert found(engine, gateway)["COUNTER#1", "IT"]["n"] == 1


@pytest.mark.parametrize("heard", [True, False])
async def test_a_lost_update_of_a_version_is_settled(
    gateway: Gateway, faulty: FaultyProxy, engine: Engine, heard: bool
) -> None:
    await done(gateway, USER)
    lost = reset_after() if heard else reset_before()
    faulty.course = Script([lost], only="UpdateItem")

    rename = Update("User", {"id": "1"}, {"name": "b"}, version=1)
    answer = await send(gateway, Op((rename,), fields=("name", "version")))

    assert answer.code is None
    item = found(engine, gateway)["USER#1", "PROFILE"]
    assert (item["name"], item["version"]) == ("b", 2)


async def test_what_another_has_counted_is_not_taken_for_ones_own(
    gateway: Gateway, faulty: FaultyProxy, engine: Engine
) -> None:
    """The first attempt never arrives, and somebody else takes the version meanwhile."""
    await done(gateway, COUNTER)
    sent = asyncio.get_running_loop().create_future()

    async def meet(request: Any, upstream: Any) -> Any:
        other = Update("Counter", {"id": "1"}, add={"n": 5}, version=1)
        work = asyncio.run_coroutine_threadsafe(send(gateway, Op((other,))), loop)
        assert (await asyncio.wrap_future(work)).code is None
        loop.call_soon_threadsafe(sent.set_result, None)
        return await reset_before().meet(request, upstream)

    loop = asyncio.get_running_loop()
    faulty.course = Script([Fault("meddling", meet)], only="UpdateItem")
    mine = Update("Counter", {"id": "1"}, add={"n": 1}, version=1)

    answer = await send(gateway, Op((mine,)))

    await sent
    assert answer.code == "UNKNOWN_OUTCOME"
    assert found(engine, gateway)["COUNTER#1", "IT"]["n"] == 5


async def test_what_cannot_be_looked_at_stays_unknown(
    gateway: Gateway, faulty: FaultyProxy, engine: Engine
) -> None:
    """Made, but the answer was lost; refused when sent again; and then nothing can be read."""
    denied = refused("ConditionalCheckFailedException")
    faulty.course = Script([reset_after(), denied, *[reset_before()] * ATTEMPTS])

    assert (await send(gateway, Op((COUNTER,)))).code == "UNKNOWN_OUTCOME"

    assert faulty.operations[:3] == ["PutItem", "PutItem", "GetItem"]
    assert ("COUNTER#1", "IT") in found(engine, gateway)


# What passes by itself.


@pytest.mark.parametrize(
    "fault",
    [
        cancelled("TransactionConflict", "None"),
        cancelled("None", "ThrottlingError"),
        refused("TransactionInProgressException"),
        refused("TransactionConflictException"),
        throttled(),
    ],
    ids=["conflict", "throttling", "in progress", "another's", "throttled"],
)
async def test_what_passes_is_waited_for(
    gateway: Gateway, faulty: FaultyProxy, engine: Engine, fault: Fault
) -> None:
    faulty.course = Script([fault] * 3, only="TransactWriteItems")
    assert (await send(gateway, Op((USER,)))).code is None
    assert len(tokens(faulty)) == 4 and len(set(tokens(faulty))) == 1
    assert len(found(engine, gateway)) == 2


async def test_what_does_not_pass_is_a_conflict(
    gateway: Gateway, faulty: FaultyProxy, engine: Engine
) -> None:
    conflict = cancelled("TransactionConflict", "None")
    faulty.course = Script([conflict] * ATTEMPTS, only="TransactWriteItems")
    assert (await send(gateway, Op((USER,)))).code == "CONFLICT"
    assert found(engine, gateway) == {}


@pytest.mark.parametrize(
    "after", [refused("TransactionInProgressException"), cancelled("TransactionConflict", "None")]
)
async def test_a_conflict_after_a_lost_answer_tells_nothing(
    gateway: Gateway, faulty: FaultyProxy, engine: Engine, after: Fault
) -> None:
    faulty.course = Script([reset_after(), *[after] * ATTEMPTS], only="TransactWriteItems")
    assert (await send(gateway, Op((USER,)))).code == "UNKNOWN_OUTCOME"
    assert len(found(engine, gateway)) == 2


# A thousand writes.


def orders(seed: int) -> Iterator[list[tuple[Op, Thing | None]]]:
    """Rounds of writes, each of an order of its own, and what it leaves when it is made."""
    draw = random.Random(seed)
    for start in range(0, OPERATIONS, AT_ONCE):
        made: list[tuple[Op, Thing | None]] = []
        for n in range(start, start + AT_ONCE):
            kind = draw.choice(["Order", "User", "Counter"])
            values: dict[str, Any] = {"id": str(n)}
            if kind == "Order":
                values |= {"user_id": str(n % 7), "placed_on": DAY, "status": Status.NEW}
                values |= {"shelf": "x", "stock": 5}
            if kind == "User":
                values |= {"name": "a", "email": f"e{n}", "team": "t", "nick": str(n)}
            made.append((Op((Create(kind, values),)), whole(kind, values, version=1)))
        yield made


def next_write(draw: random.Random, thing: Thing) -> Op:
    """Moves, edits, counts or deletes it, or tries to make it a second time."""
    key = {"id": thing.values["id"]}
    match thing.kind, draw.randrange(6):
        case _, 0:
            return Op((Delete(thing.kind, key),))
        case kind, 5:
            stamps = ("version", "created_at", "updated_at")
            own = {name: value for name, value in thing.values.items() if name not in stamps}
            return Op((Create(kind, {**own, "name" if kind == "User" else "memo": "second"}),))
        case "Order", 1:
            return Op((Update("Order", key, {"user_id": f"m{draw.randrange(5)}"}),))
        case "Order", 2:
            return Op((Update("Order", key, {"status": Status.OLD, "open": False}),))
        case "Order", _:
            return Op((Update("Order", key, {"memo": "m"}, {"stock": -1}),))
        case "User", 1:
            return Op((Update("User", key, {"email": f"n{thing.values['id']}"}),))
        case "User", _:
            return Op((Update("User", key, {"name": "b"}),))
        case _:
            return Op((Update("Counter", key, {"memo": "m"}, {"n": 1}),))


def comparable(items: Iterator[tuple[Key, Item]]) -> Found:
    """Stamps of time are the clock's, and so is what is sorted by them."""
    clocks = ("createdAt", "updatedAt", "GSI2SK")
    return {key: {n: v for n, v in item.items() if n not in clocks} for key, item in items}


async def test_a_thousand_writes_through_faults_are_whole(
    gateway: Gateway, faulty: FaultyProxy, engine: Engine
) -> None:
    draw, world, told = random.Random(7), World(), dict[str | None, int]()
    count = 0
    for creations in orders(7):
        ops = [op for op, _ in creations]
        standing = list(world.things.values())
        others = draw.sample(standing, min(len(standing), AT_ONCE))
        ops += [next_write(draw, thing) for thing in others]
        faulty.course = Faults(
            throttle=0.08, error=0.08, reset=0.1, lose=0.15, half=0.03, seed=count
        )
        answers = await asyncio.gather(*(send(gateway, op) for op in ops))
        faulty.course = Script([])
        items = comparable(iter(found(engine, gateway).items()))
        for op, answer in zip(ops, answers, strict=True):
            settle(world, op, answer, items)
            told[answer.code] = told.get(answer.code, 0) + 1
        count += len(ops)
        right = {key: item for thing in world.things.values() for key, item in right_of(thing)}
        assert items == right
        if count >= OPERATIONS:
            break
    assert told.keys() <= {None, "UNKNOWN_OUTCOME", "THROTTLED", "UNAVAILABLE", "CONFLICT"}
    assert told[None] > count // 2
    print(f"{count} writes: {told}; faults met: {len(faulty.met)}")


def right_of(thing: Thing) -> Iterator[tuple[Key, Item]]:
    stamps = {name: "1" for name, value in thing.values.items() if value == "now"}
    plain = Thing(thing.kind, {**thing.values, **stamps})
    return iter(comparable(plain.items()).items())


def settle(world: World, op: Op, answer: Answer, items: Found) -> None:
    """Made where it was acknowledged, not where it was refused, and otherwise as its items tell."""
    [change] = op.changes
    effect = world.effect(change)
    made = answer.code is None
    if answer.code == "UNKNOWN_OUTCOME" and not effect.codes:
        after = [pair for thing in effect.made for pair in right_of(thing)]
        gone = {thing.home for thing in effect.gone} - {key for key, _ in after}
        made = all(items.get(key) == item for key, item in after) and not gone & items.keys()
    if made:
        assert not effect.codes, (op, answer)
        world.apply([effect])
