"""Answers with HTTP 200 that are not what was asked for: an error in its place, and an end."""

from typing import Any

import pytest

from tablefold import Gateway
from tablefold.store import exchange
from tests.faults.asking import ALL, ORDER, PRODUCTS, PROFILE, OpenShop, errors_of
from tests.harness.faults import Change, FaultyProxy, Script, rewritten
from tests.harness.serving import data_of

pytestmark = pytest.mark.engines("dynoxide")

SIBLING = {"user": {"name": "Ada Moreau"}, "order": None}


def without(*names: str) -> Change:
    def change(answer: Any) -> None:
        for item in answer["Items"]:
            for name in names:
                item.pop(name)

    return change


def setting(**parts: object) -> Change:
    return lambda answer: {**answer, **parts}


MALFORMED: dict[str, Change] = {
    "items without keys": without("PK", "SK"),
    "items that are none": setting(Items=[None, 1, "x"]),
    "items that are no list": setting(Items=7),
    "items that are null": setting(Items=None),
    "values without types": lambda answer: {**answer, "Items": [{"PK": "ORDER#o_0065"}]},
    "an end without a key": setting(LastEvaluatedKey={"PK": {}}),
    "an end of another shape": setting(LastEvaluatedKey="here"),
    "capacity of another shape": setting(ConsumedCapacity="much"),
    "capacity that is no number": setting(ConsumedCapacity={"CapacityUnits": "much"}),
    "a count that is no number": setting(ScannedCount="many", LastEvaluatedKey={"PK": {"S": "x"}}),
}


@pytest.mark.parametrize("change", MALFORMED.values(), ids=MALFORMED)
async def test_an_answer_of_another_shape_is_an_error_and_siblings_arrive(
    shop: Gateway, faulty: FaultyProxy, change: Change
):
    faulty.course = Script([rewritten(change)], only="Query", cycle=True)

    result = await shop.execute(ALL)

    assert result.data == SIBLING
    assert errors_of(result) == [("order", "INTERNAL")]


async def test_an_answer_without_anything_is_no_item(shop: Gateway, faulty: FaultyProxy):
    faulty.course = Script([rewritten(lambda _: {})], cycle=True)

    assert data_of(await shop.execute(ALL)) == {"user": None, "order": None}
    assert data_of(await shop.execute(PRODUCTS)) == {"products": [None] * 4}


async def test_an_item_that_nobody_asked_for_is_not_shown(shop: Gateway, faulty: FaultyProxy):
    def another(answer: Any) -> None:
        answer["Item"]["PK"]["S"] = "USER#u_002"

    faulty.course = Script([rewritten(another)], cycle=True)

    assert data_of(await shop.execute(PROFILE)) == {"user": None}


async def test_a_list_that_never_ends_is_given_up(shop: Gateway, faulty: FaultyProxy):
    def for_ever(answer: Any) -> None:
        answer["LastEvaluatedKey"] = {"PK": {"S": "ORDER#o_0065"}, "SK": {"S": "ITEM#001"}}

    faulty.course = Script([rewritten(for_ever)], only="Query", cycle=True)

    result = await shop.execute(ALL)

    assert result.data == SIBLING
    assert errors_of(result) == [("order", "INTERNAL")]
    assert faulty.operations.count("Query") == 2, "the second answer stands where the first did"


async def test_a_list_that_goes_round_in_a_circle_is_given_up(shop: Gateway, faulty: FaultyProxy):
    ends = [{"PK": {"S": "ORDER#o_0065"}, "SK": {"S": f"ITEM#00{n}"}} for n in (1, 2, 3)]

    def circling(answer: Any) -> None:
        answer["Items"] = []
        answer["LastEvaluatedKey"] = ends[faulty.operations.count("Query") % len(ends)]

    faulty.course = Script([rewritten(circling)], only="Query", cycle=True)

    result = await shop.execute(ORDER)

    assert result.data == {"order": None}
    assert errors_of(result) == [("order", "INTERNAL")]
    assert faulty.operations.count("Query") <= 4


async def test_unprocessed_keys_that_change_without_end_are_given_up(
    shop: Gateway, faulty: FaultyProxy
):
    """As many keys as before is no progress, whichever they are."""

    def another(answer: Any) -> Any:
        key = {"PK": {"S": f"PRODUCT#p_{len(faulty.sent) % 3}"}, "SK": {"S": "INFO"}}
        [table] = answer["Responses"]
        return {"Responses": {}, "UnprocessedKeys": {table: {"Keys": [key]}}}

    faulty.course = Script([rewritten(another)], cycle=True)

    result = await shop.execute('{ products(ids: ["p_0", "p_1", "p_2"]) { id } }')

    assert {code for _, code in errors_of(result)} == {"THROTTLED"}
    assert len(faulty.sent) == 8


@pytest.mark.parametrize("length", [10_000, 10_000_000])
async def test_an_answer_has_a_greatest_length(
    open_shop: OpenShop, faulty: FaultyProxy, monkeypatch: pytest.MonkeyPatch, length: int
):
    monkeypatch.setattr(exchange, "ANSWER_MAX_BYTES", 5_000)
    shop = open_shop()
    faulty.course = Script([rewritten(setting(Padding="x" * length))], only="Query", cycle=True)

    result = await shop.execute(ALL)

    assert result.data == SIBLING
    assert errors_of(result) == [("order", "INTERNAL")]
    assert faulty.operations.count("Query") == 1, "it would be as long the next time"
