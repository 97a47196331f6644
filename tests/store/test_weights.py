"""What an item weighs, by DynamoDB's own rules and by an engine's verdict."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tablefold.store.engines import Engine
from tablefold.store.values import encode
from tablefold.store.weights import ITEM_MAX_BYTES, item_bytes, value_bytes
from tests.harness import tables


@pytest.mark.parametrize(
    ("value", "weight"),
    [
        ({"S": "abc"}, 3),
        ({"S": "é"}, 2),
        ({"N": "0"}, 1),
        ({"N": "7"}, 2),
        ({"N": "-1234"}, 4),
        ({"N": "100000"}, 2),
        ({"B": "AAECAw=="}, 4),
        ({"BOOL": True}, 1),
        ({"NULL": True}, 1),
        ({"L": []}, 3),
        ({"L": [{"S": "ab"}]}, 6),
        ({"M": {"k": {"S": "ab"}}}, 7),
        ({"SS": ["ab", "c"]}, 3),
    ],
)
def test_a_value_weighs_what_the_rules_say(value: dict[str, Any], weight: int) -> None:
    assert value_bytes(value) == weight


def test_an_item_weighs_its_names_and_values() -> None:
    assert item_bytes({"PK": encode("a"), "näme": encode("b")}) == 2 + 1 + 5 + 1


DEFINITION = {
    "TableName": "weights",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
}


@pytest.mark.engines("dynoxide", "dynamodb-local")
def test_an_engine_draws_the_line_where_we_do(engine: Engine) -> None:
    item = {"PK": encode("a"), "list": encode(["é", 1234, True, None]), "map": encode({"k": "v"})}
    room = ITEM_MAX_BYTES - item_bytes(item) - len("text")
    fitting: Any = {**item, "text": encode("x" * room)}
    assert item_bytes(fitting) == ITEM_MAX_BYTES
    with tables.created(engine.endpoint_url, DEFINITION) as name:
        dynamodb = tables.client(engine.endpoint_url)
        dynamodb.put_item(TableName=name, Item=fitting)
        with pytest.raises(ClientError, match="size"):
            dynamodb.put_item(TableName=name, Item={**fitting, "text": encode("x" * (room + 1))})
