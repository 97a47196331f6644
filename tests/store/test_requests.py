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
    StartKey,
    TransactGet,
)
from tablefold.store.spans import Span
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
INDEX_NAMES = KeyNames("GSI1PK", "GSI1SK")
KEY = ("USER#1", "PROFILE")
KEY_JSON = {"PK": {"S": "USER#1"}, "SK": {"S": "PROFILE"}}
ITEM = {**KEY_JSON, "name": {"S": "Ada"}}


def test_get_renders():
    assert Get("shop", NAMES, KEY).render() == {
        "TableName": "shop",
        "Key": KEY_JSON,
        "ReturnConsumedCapacity": "TOTAL",
    }


def test_get_with_projection_and_consistency_renders():
    assert Get("shop", NAMES, KEY, projection=("name", "size"), consistent=True).render() == {
        "TableName": "shop",
        "Key": KEY_JSON,
        "ProjectionExpression": "#n0, #n1",
        "ExpressionAttributeNames": {"#n0": "name", "#n1": "size"},
        "ConsistentRead": True,
        "ReturnConsumedCapacity": "TOTAL",
    }


def test_batch_get_renders():
    batch = BatchGet("shop", NAMES, (KEY, ("USER#2", "PROFILE")), projection=("name",))
    assert batch.render() == {
        "RequestItems": {
            "shop": {
                "Keys": [KEY_JSON, {"PK": {"S": "USER#2"}, "SK": {"S": "PROFILE"}}],
                "ProjectionExpression": "#n0",
                "ExpressionAttributeNames": {"#n0": "name"},
            }
        },
        "ReturnConsumedCapacity": "TOTAL",
    }


def test_the_remainder_of_a_batch_get_asks_for_the_unprocessed_keys():
    batch = BatchGet("shop", NAMES, (KEY, ("USER#2", "PROFILE")), projection=("name",))
    body = {"UnprocessedKeys": {"shop": {"Keys": [KEY_JSON]}}}
    assert batch.remainder(body) == BatchGet("shop", NAMES, (KEY,), projection=("name",))
    assert batch.remainder({"UnprocessedKeys": {}}) is None
    assert batch.remainder({}) is None


@pytest.mark.parametrize(
    ("span", "condition", "value"),
    [
        (Span(), "", []),
        (Span("a", "a"), " AND #n1 = :v1", ["a"]),
        (Span("a", begins=True), " AND begins_with(#n1, :v1)", ["a"]),
        (Span.beginning("a"), " AND begins_with(#n1, :v1)", ["a"]),
        (Span("a", "b"), " AND #n1 BETWEEN :v1 AND :v2", ["a", "b"]),
        (Span("a", "b", open=True), " AND #n1 BETWEEN :v1 AND :v2", ["a", "b"]),
        (Span("a"), " AND #n1 >= :v1", ["a"]),
        (Span(high="b"), " AND #n1 <= :v1", ["b"]),
        (Span(high="b", open=True), " AND #n1 < :v1", ["b"]),
    ],
)
def test_a_span_becomes_one_sort_key_condition(span: Span, condition: str, value: list[str]):
    rendered = Query("shop", None, NAMES, "USER#1", span).render()
    assert rendered["KeyConditionExpression"] == "#n0 = :v0" + condition
    texts = [value["S"] for value in rendered["ExpressionAttributeValues"].values()]
    assert texts == ["USER#1", *value]
    assert "IndexName" not in rendered


def test_query_with_everything_renders():
    query = Query(
        "shop",
        "GSI1",
        INDEX_NAMES,
        "STATUS#PENDING#0",
        Span("2024", begins=True),
        descending=True,
        limit=11,
        start=StartKey((("GSI1PK", "STATUS#PENDING#0"), ("PK", "ORDER#1"))),
        filter=Compare("total", ">", encode(10)),
        projection=("total", "GSI1SK"),
    )
    assert query.render() == {
        "TableName": "shop",
        "IndexName": "GSI1",
        "KeyConditionExpression": "#n0 = :v0 AND begins_with(#n1, :v1)",
        "FilterExpression": "#n2 > :v2",
        "ProjectionExpression": "#n2, #n1",
        "ExpressionAttributeNames": {"#n0": "GSI1PK", "#n1": "GSI1SK", "#n2": "total"},
        "ExpressionAttributeValues": {
            ":v0": {"S": "STATUS#PENDING#0"},
            ":v1": {"S": "2024"},
            ":v2": {"N": "10"},
        },
        "ScanIndexForward": False,
        "Limit": 11,
        "ExclusiveStartKey": {"GSI1PK": {"S": "STATUS#PENDING#0"}, "PK": {"S": "ORDER#1"}},
        "ReturnConsumedCapacity": "TOTAL",
    }


def test_a_start_key_is_the_same_in_whatever_order_it_arrives():
    one = StartKey.parse({"SK": {"S": "b"}, "PK": {"S": "a"}})
    assert one == StartKey.parse({"PK": {"S": "a"}, "SK": {"S": "b"}})
    assert one.render() == {"PK": {"S": "a"}, "SK": {"S": "b"}}


def test_reads_describe_themselves_in_a_line():
    query = Query(
        "shop",
        "GSI1",
        INDEX_NAMES,
        "STATUS#PENDING#0",
        Span("2024", begins=True),
        descending=True,
        limit=11,
    )
    three = (KEY, ("USER#2", "PROFILE"), ("USER#3", "PROFILE"))
    assert query.describe() == (
        'Query GSI1: GSI1PK = "STATUS#PENDING#0", GSI1SK begins_with "2024", descending, limit 11'
    )
    assert Get("shop", NAMES, KEY).describe() == 'GetItem PK = "USER#1", SK = "PROFILE"'
    assert BatchGet("shop", NAMES, (KEY,)).describe() == "BatchGetItem 1 key: USER#1/PROFILE"
    assert BatchGet("shop", NAMES, (*three, KEY)).describe() == (
        "BatchGetItem 4 keys: USER#1/PROFILE, USER#2/PROFILE, USER#3/PROFILE, …"
    )
    gets = TransactGet((Get("shop", NAMES, KEY),))
    assert gets.describe() == "TransactGetItems 1 key: USER#1/PROFILE"


def test_a_query_describes_filter_and_start():
    query = Query(
        "shop",
        None,
        NAMES,
        "USER#1",
        Span("a", "b"),
        filter=Compare("total", ">", encode(10)),
        start=StartKey((("PK", "USER#1"), ("SK", "a1"))),
    )
    assert query.describe() == (
        'Query PK = "USER#1", SK BETWEEN "a" AND "b", filter total > 10, after USER#1/a1'
    )


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


def test_transact_get_renders():
    get = Get("shop", NAMES, KEY, projection=("name",))
    assert TransactGet((get,)).render() == {
        "TransactItems": [
            {
                "Get": {
                    "TableName": "shop",
                    "Key": KEY_JSON,
                    "ProjectionExpression": "#n0",
                    "ExpressionAttributeNames": {"#n0": "name"},
                }
            }
        ],
        "ReturnConsumedCapacity": "TOTAL",
    }


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
