import pytest

from tablefold.store.conditions import Compare
from tablefold.store.requests import (
    BatchGet,
    Get,
    KeyNames,
    Query,
    StartKey,
    TransactGet,
)
from tablefold.store.spans import Span
from tablefold.store.values import encode

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
