"""What was sent, and what would be, in the words of DynamoDB."""

import json

from tablefold.loaders.sending import Sent
from tablefold.resolvers.explaining import described, explained, explained_plan
from tablefold.resolvers.planning import Plan, Planned
from tablefold.store.conditions import All, Compare, OneOf
from tablefold.store.expressions import SetTo
from tablefold.store.requests import BatchGet, Get, KeyNames, Query
from tablefold.store.spans import Span
from tablefold.store.writes import Update

NAMES = KeyNames("PK", "SK")
GET = Get("shop", NAMES, ("USER#1", "PROFILE"), ("PK", "name"))
BATCH = BatchGet("shop", NAMES, (("USER#1", "PROFILE"), ("USER#2", "PROFILE")))
QUERY = Query(
    "shop",
    "GSI1",
    KeyNames("GSI1PK", "GSI1SK"),
    "STATUS#PAID",
    Span.beginning("2024-"),
    descending=True,
    limit=11,
    filter=Compare("status", "=", {"S": "PAID"}),
    projection=("PK", "status"),
)


def test_a_query_is_spelled_out_without_its_aliases():
    shown = described(QUERY)

    assert shown["operation"] == "Query"
    assert shown["index"] == "GSI1"
    assert shown["keyCondition"] == "GSI1PK = 'STATUS#PAID' AND begins_with(GSI1SK, '2024-')"
    assert shown["filter"] == "status = 'PAID'"
    assert (shown["limit"], shown["descending"]) == (11, True)
    assert shown["projection"] == ["PK", "status"]


def test_values_that_look_like_aliases_are_left_alone():
    tricky = Query("shop", None, NAMES, ":v1 #n0", Span.exactly("#n1"))

    assert described(tricky)["keyCondition"] == "PK = ':v1 #n0' AND SK = '#n1'"


def test_more_than_ten_values_do_not_run_into_each_other():
    many = tuple({"S": f"value {n}"} for n in range(12))
    shown = described(Query("shop", None, NAMES, "P", filter=OneOf("status", many)))["filter"]

    assert shown == "status IN (" + ", ".join(f"'value {n}'" for n in range(12)) + ")"


def test_lookups_show_their_keys():
    assert described(GET)["key"] == ["USER#1", "PROFILE"]
    assert described(BATCH)["keys"] == [["USER#1", "PROFILE"], ["USER#2", "PROFILE"]]
    assert described(BATCH)["projection"] is None


def test_requests_are_explained_wave_by_wave():
    sent = [
        Sent(2, GET, ("user.best",), 1, 1, 0.5, 3.0, 1.23456, 0),
        Sent(1, QUERY, ("orders",), 2, 9, 1.5, 0.0, 2.0, 1),
        Sent(1, BATCH, ("users",), started=0.1, error="Throttled"),
    ]

    shown = explained(sent)

    assert (shown["requests"], shown["capacity"]) == (3, 2.0)
    assert [[one["serves"] for one in wave["requests"]] for wave in shown["waves"]] == [
        [["orders"], ["users"]],
        [["user.best"]],
    ]
    query, batch = shown["waves"][0]["requests"]
    assert (query["itemsRead"], query["itemsReturned"], query["retries"]) == (9, 2, 1)
    assert "error" not in query
    assert batch["error"] == "Throttled"
    assert shown["waves"][1]["requests"][0]["milliseconds"] == 1.235


def test_a_plan_is_explained_in_the_same_shape():
    plan = Plan(((Planned(QUERY, ("orders",), 2, 22, 3.0),), (Planned(GET, ("user",), 1, 1, 0.5),)))

    shown = explained_plan(plan)

    assert (shown["requests"], shown["capacity"]) == (3, 3.5)
    [[orders], [user]] = [wave["requests"] for wave in shown["waves"]]
    assert (orders["times"], orders["itemsExpected"], orders["capacityExpected"]) == (2, 22, 3.0)
    assert user["operation"] == "GetItem"
    json.dumps(shown)


def test_a_plan_says_which_fields_cannot_be_planned():
    assert explained_plan(Plan(errors=("first must be 1 or more.",)))["errors"] == [
        "first must be 1 or more."
    ]
    assert "errors" not in explained_plan(Plan())


def test_a_write_shows_what_it_does_to_its_item_and_on_which_condition():
    owner = {"L": [{"S": "USER#1"}, {"S": "PROFILE"}]}
    [shown] = described(
        Update(
            "shop",
            NAMES,
            ("PRODUCT#1", "INFO"),
            (SetTo("colour", {"S": "blue"}), SetTo("stock", {"N": "2"})),
            All((Compare("stock", ">=", {"N": "1.5"}), Compare("owner", "=", owner))),
        )
    )["actions"]

    assert shown == {
        "action": "Update",
        "key": ["PRODUCT#1", "INFO"],
        "update": "SET colour = 'blue', stock = 2",
        "condition": "stock >= 1.5 AND owner = ['USER#1', 'PROFILE']",
    }
