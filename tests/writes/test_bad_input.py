"""What DynamoDB would refuse is refused before anything is sent, and says what to do."""

import datetime
from decimal import Decimal
from typing import Any

import pytest
import strawberry

from tablefold import BadInput, Gateway, Table, copy
from tests.harness.faults import FaultyProxy
from tests.harness.serving import SECRET
from tests.writes.model import Money, Status
from tests.writes.sending import Op, send
from tests.writes.world import Change, Check, Create, Delete, Put, Update

pytestmark = pytest.mark.engines("dynoxide")

ORDER = {"id": "1", "user_id": "1", "placed_on": datetime.date(2024, 1, 1), "status": Status.NEW}
LONG = "x" * 400_000
HUGE = Decimal("1." + "1" * 38)


def order(**values: Any) -> Create:
    return Create("Order", {**ORDER, **values})


CASES: dict[str, tuple[Change, str]] = {
    "item too long": (Create("Note", {"id": "1", "text": LONG + "x" * 9_600}), "409,600 bytes"),
    "update too long": (Update("Note", {"id": "1"}, {"text": LONG + "x" * 9_600}), "409,600"),
    "separator in a key": (Create("Note", {"id": "1#2", "text": "a"}), "#"),
    "separator in a key that is sought": (Update("Note", {"id": "1#2"}, {"text": "a"}), "#"),
    "separator in a copy's key": (order(user_id="1#2"), "#"),
    "empty key": (Create("Note", {"id": "", "text": "a"}), "empty"),
    "empty key that is sought": (Delete("Note", {"id": ""}), "empty"),
    "empty key of a copy": (order(shelf=""), "empty"),
    "long key": (Create("Note", {"id": "x" * 2_100, "text": "a"}), "2,048"),
    "39 digits": (Create("Counter", {"id": "1", "amount": HUGE}), "38"),
    "39 digits in a nested type": (order(total=Money(amount=HUGE)), "38"),
    "39 digits to add": (Update("Counter", {"id": "1"}, add={"amount": HUGE}), "38"),
    "no members to append": (Update("Counter", {"id": "1"}, append={"marks": set()}), "members"),
    "no members to remove": (Update("Counter", {"id": "1"}, remove={"marks": set()}), "members"),
    "below the minimum": (Create("Counter", {"id": "1", "n": -1}), "at least 0"),
    "set below the minimum": (Update("Counter", {"id": "1"}, {"n": -1}), "at least 0"),
    "null for what has to be there": (
        Update("Note", {"id": "1"}, {"text": None}),
        "be null",
    ),
    "replaced by what is too long": (Put("Note", {"id": "1", "text": LONG * 2}), "bytes"),
    "too long for a guard": (
        Create("User", {"id": "1", "name": "a", "email": "e", "team": "t", "nick": "n" * 2_048}),
        "too long",
    ),
}


@pytest.mark.parametrize("channel", ["graphql", "transaction"])
@pytest.mark.parametrize(("change", "said"), CASES.values(), ids=CASES)
async def test_bad_input_is_refused_before_anything_is_sent(
    gateway: Gateway, faulty: FaultyProxy, change: Change, said: str, channel: Any
) -> None:
    faulty.clear()
    answer = await send(gateway, Op((change,), channel))
    assert answer.code == "BAD_USER_INPUT", answer
    assert said in answer.told
    assert faulty.sent == []


async def told(gateway: Gateway, faulty: FaultyProxy, *changes: Change) -> str:
    faulty.clear()
    answer = await send(gateway, Op(changes, "transaction"))
    assert answer.code == "BAD_USER_INPUT", answer
    assert faulty.sent == []
    return answer.told


async def test_a_transaction_takes_a_hundred_actions(gateway: Gateway, faulty: FaultyProxy) -> None:
    """A user and two guards, 34 times."""
    users = [
        {"id": n, "name": "a", "email": n, "team": "t", "nick": n} for n in map(str, range(34))
    ]
    assert "102 actions" in await told(gateway, faulty, *(Create("User", one) for one in users))


async def test_a_transaction_takes_four_megabytes(gateway: Gateway, faulty: FaultyProxy) -> None:
    notes = [Create("Note", {"id": str(n), "text": LONG}) for n in range(11)]
    assert "4,194,304" in await told(gateway, faulty, *notes)


@pytest.mark.parametrize(
    "second",
    [
        Update("Counter", {"id": "1"}, {"memo": "a"}),
        Delete("Counter", {"id": "1"}),
        Check("Counter", {"id": "1"}),
        Create("Counter", {"id": "1"}),
    ],
    ids=lambda change: type(change).__name__,
)
async def test_an_item_has_one_action(
    gateway: Gateway, faulty: FaultyProxy, second: Change
) -> None:
    first = Update("Counter", {"id": "1"}, add={"n": 1})
    said = await told(gateway, faulty, first, second)
    assert said.startswith("Two actions of one transaction are about the item COUNTER#1 / IT")


async def test_a_guard_of_two_objects_is_one_item(gateway: Gateway, faulty: FaultyProxy) -> None:
    users = [Create("User", {"id": id, "name": "a", "email": "x"}) for id in "12"]
    assert "UNIQUE#User#email#x" in await told(gateway, faulty, *users)


async def test_copies_of_one_object_that_meet_are_told(faulty: FaultyProxy) -> None:
    table = Table("letters")

    @table.entity(
        "LETTER#{id}",
        "IT",
        copies=[
            copy("BOX#{sender}", "LETTER#{id}", name="sent"),
            copy("BOX#{receiver}", "LETTER#{id}", name="received"),
        ],
    )
    class Letter:
        id: strawberry.ID
        sender: str
        receiver: str

    gateway = Gateway(table, cursor_secret=SECRET, endpoint_url=faulty.endpoint_url)
    transaction = gateway.transaction()
    transaction.create(Letter(id=strawberry.ID("1"), sender="a", receiver="a"))
    with pytest.raises(BadInput, match="BOX#a / LETTER#1"):
        await transaction.__aexit__(None, None, None)
    assert faulty.sent == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"set": {"colour": 1}}, "no attribute 'colour'"),
        ({"where": {"colour": 1}}, "no attribute 'colour'"),
        ({"known": {"colour": 1}}, "no attribute 'colour'"),
        ({"set": {"version": 7}}, "kept by Tablefold"),
        ({"set": {"n": 1}, "add": {"n": 1}}, "changed twice"),
        ({"append": {"n": [1]}}, "of another kind"),
    ],
)
async def test_what_cannot_be_changed_so_is_told(
    gateway: Gateway, faulty: FaultyProxy, given: dict[str, Any], said: str
) -> None:
    assert said in await told(gateway, faulty, Update("Counter", {"id": "1"}, **given))


async def test_an_idempotency_key_is_no_longer_than_others(
    gateway: Gateway, faulty: FaultyProxy
) -> None:
    note = Create("Note", {"id": "1", "text": "a"})
    for key in ("", "k" * 256):
        answer = await send(gateway, Op((note,), "graphql", key))
        assert answer.code == "BAD_USER_INPUT" and "1 to 255" in answer.told
    assert faulty.sent == []
