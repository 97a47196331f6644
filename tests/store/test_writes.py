import pytest

from tablefold.store.conditions import Compare, Exists, Missing
from tablefold.store.expressions import (
    AddTo,
    Append,
    DeleteFrom,
    Increase,
    Remove,
    SetTo,
)
from tablefold.store.requests import (
    BATCH_GET_MAX_KEYS,
    TRANSACT_MAX_ACTIONS,
    BatchGet,
    Get,
    KeyNames,
    Query,
)
from tablefold.store.values import encode
from tablefold.store.writes import (
    BATCH_WRITE_MAX_ITEMS,
    BatchWrite,
    Check,
    Delete,
    Put,
    TransactWrite,
    Update,
)

NAMES = KeyNames("PK", "SK")
KEY = ("USER#1", "PROFILE")
KEY_JSON = {"PK": {"S": "USER#1"}, "SK": {"S": "PROFILE"}}
ITEM = {**KEY_JSON, "name": {"S": "Ada"}}


def test_a_conditional_put_renders():
    put = Put("shop", ITEM, condition=Missing("PK"), show_conflict=True, returns="ALL_OLD")
    assert put.render() == {
        "TableName": "shop",
        "Item": ITEM,
        "ConditionExpression": "attribute_not_exists(#n0)",
        "ExpressionAttributeNames": {"#n0": "PK"},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "ReturnValues": "ALL_OLD",
        "ReturnConsumedCapacity": "TOTAL",
    }


def test_an_update_gathers_its_actions_by_clause():
    update = Update(
        "shop",
        NAMES,
        KEY,
        (
            SetTo("name", encode("Ada")),
            Remove("nickname"),
            Increase("since", encode(2), start=encode(1)),
            AddTo("version", encode(1)),
            Append("log", encode(["x"])),
            DeleteFrom("tags", encode({"old"})),
        ),
        condition=Compare("version", "=", encode(6)),
        returns="ALL_NEW",
    )
    assert update.render() == {
        "TableName": "shop",
        "Key": KEY_JSON,
        "UpdateExpression": (
            "SET #n0 = :v0, #n2 = if_not_exists(#n2, :v1) + :v2, "
            "#n4 = list_append(if_not_exists(#n4, :v4), :v5) "
            "REMOVE #n1 ADD #n3 :v3 DELETE #n5 :v6"
        ),
        "ConditionExpression": "#n3 = :v7",
        "ExpressionAttributeNames": {
            "#n0": "name",
            "#n1": "nickname",
            "#n2": "since",
            "#n3": "version",
            "#n4": "log",
            "#n5": "tags",
        },
        "ExpressionAttributeValues": {
            ":v0": {"S": "Ada"},
            ":v1": {"N": "1"},
            ":v2": {"N": "2"},
            ":v3": {"N": "1"},
            ":v4": {"L": []},
            ":v5": {"L": [{"S": "x"}]},
            ":v6": {"SS": ["old"]},
            ":v7": {"N": "6"},
        },
        "ReturnValues": "ALL_NEW",
        "ReturnConsumedCapacity": "TOTAL",
    }


def test_a_transaction_renders_its_actions_in_order():
    transaction = TransactWrite(
        (
            Put("shop", ITEM, condition=Missing("PK")),
            Update("shop", NAMES, KEY, (AddTo("n", encode(-1)),)),
            Delete("shop", NAMES, KEY),
            Check("shop", NAMES, KEY, Exists("PK"), show_conflict=True),
        ),
        token="once",
    )
    rendered = transaction.render()
    assert [list(action) for action in rendered["TransactItems"]] == [
        ["Put"],
        ["Update"],
        ["Delete"],
        ["ConditionCheck"],
    ]
    assert rendered["TransactItems"][2] == {"Delete": {"TableName": "shop", "Key": KEY_JSON}}
    assert rendered["TransactItems"][3]["ConditionCheck"] == {
        "TableName": "shop",
        "Key": KEY_JSON,
        "ConditionExpression": "attribute_exists(#n0)",
        "ExpressionAttributeNames": {"#n0": "PK"},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    assert rendered["ClientRequestToken"] == "once"


def test_only_what_does_no_harm_twice_is_repeatable():
    put = Put("shop", ITEM)
    assert Get("shop", NAMES, KEY).repeatable
    assert not put.repeatable
    assert not TransactWrite((put,)).repeatable
    assert TransactWrite((put,), token="once").repeatable


def test_a_batch_write_renders_and_keeps_the_remainder():
    batch = BatchWrite("shop", NAMES, puts=(ITEM,), deletes=(KEY,))
    writes = [{"PutRequest": {"Item": ITEM}}, {"DeleteRequest": {"Key": KEY_JSON}}]
    assert batch.render() == {
        "RequestItems": {"shop": writes},
        "ReturnConsumedCapacity": "TOTAL",
    }
    left = batch.remainder({"UnprocessedItems": {"shop": writes[1:]}})
    assert left == BatchWrite("shop", NAMES, deletes=(KEY,))
    assert batch.remainder({"UnprocessedItems": {}}) is None


def test_batches_know_their_limits():
    with pytest.raises(ValueError, match="BatchGetItem takes from 1 to 100"):
        BatchGet("shop", NAMES, (KEY,) * (BATCH_GET_MAX_KEYS + 1))
    with pytest.raises(ValueError, match="BatchGetItem"):
        BatchGet("shop", NAMES, ())
    with pytest.raises(ValueError, match="BatchWriteItem takes from 1 to 25"):
        BatchWrite("shop", NAMES, deletes=(KEY,) * (BATCH_WRITE_MAX_ITEMS + 1))
    with pytest.raises(ValueError, match="TransactWriteItems takes from 1 to 100"):
        TransactWrite((Delete("shop", NAMES, KEY),) * (TRANSACT_MAX_ACTIONS + 1))


def test_requests_are_values():
    one = Put("shop", dict(ITEM), condition=Compare("n", "=", encode(1)))
    other = Put("shop", dict(ITEM), condition=Compare("n", "=", encode(1)))
    assert one == other
    assert hash(one) == hash(other)
    assert Query("shop", None, NAMES, "a") != Query("shop", None, NAMES, "b")


def test_writes_describe_the_item_and_the_condition():
    put = Put("shop", {**KEY_JSON, "n": encode(1)}, condition=Missing("PK"), names=NAMES)
    update = Update("shop", NAMES, KEY, (SetTo("n", encode(2)),), condition=Exists("PK"))
    delete = Delete("shop", NAMES, KEY)
    key = 'PK = "USER#1", SK = "PROFILE"'
    assert put.describe() == f"PutItem {key}, if attribute_not_exists(PK)"
    assert update.describe() == f"UpdateItem {key}, SET n = 2, if attribute_exists(PK)"
    assert delete.describe() == f"DeleteItem {key}"
    assert TransactWrite((put, update, put)).describe() == (
        "TransactWriteItems 3 actions: 2 Put, 1 Update"
    )
    assert BatchWrite("shop", NAMES, (ITEM,)).describe() == "BatchWriteItem 1 item"
