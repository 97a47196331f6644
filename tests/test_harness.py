"""The proxy sees what was sent, and the tests run on every engine."""

import asyncio
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.messages import Message, read_request, read_response
from tests.harness.proxy import Proxy, Upstream, running

DEFINITION = {
    "TableName": "harness",
    "KeySchema": [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "PK", "AttributeType": "S"},
        {"AttributeName": "SK", "AttributeType": "S"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
MakeTable = Callable[[Mapping[str, Any]], str]


@pytest.fixture(scope="module")
def table(make_table: MakeTable) -> str:
    return make_table(DEFINITION)


def target(operation: str) -> dict[str, str]:
    return {
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        "Content-Type": "application/x-amz-json-1.0",
        "Authorization": "AWS4-HMAC-SHA256 Credential=testing/20260101/us-east-1/dynamodb/"
        "aws4_request, SignedHeaders=host, Signature=0",
        "X-Amz-Date": "20260101T000000Z",
    }


def test_the_proxy_records_each_operation_with_its_answer(proxy: Proxy, table: str):
    dynamodb = tables.client(proxy.endpoint_url)
    item = {"PK": {"S": "USER#1"}, "SK": {"S": "PROFILE"}}

    dynamodb.put_item(TableName=table, Item=item)
    dynamodb.query(
        TableName=table,
        KeyConditionExpression="PK = :pk",
        ExpressionAttributeValues={":pk": {"S": "USER#1"}},
        Limit=3,
        ScanIndexForward=False,
    )

    assert proxy.operations == ["PutItem", "Query"]
    put, query = proxy.sent
    assert put.body == {"TableName": table, "Item": item}
    assert (query.status, query.response["Items"]) == (200, [item])
    assert (query.limit, query.descending, query.index) == (3, True, None)


def test_the_proxy_records_refusals(proxy: Proxy, table: str):
    dynamodb = tables.client(proxy.endpoint_url)
    with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException):
        dynamodb.put_item(
            TableName=table,
            Item={"PK": {"S": "USER#2"}, "SK": {"S": "PROFILE"}},
            ConditionExpression="attribute_exists(PK)",
        )
    [refused] = proxy.sent
    assert refused.status == 400
    assert refused.response["__type"].endswith("ConditionalCheckFailedException")


def test_the_record_starts_empty_and_can_be_cleared(proxy: Proxy):
    assert proxy.sent == []
    tables.client(proxy.endpoint_url).list_tables()
    assert proxy.operations == ["ListTables"]
    proxy.clear()
    assert proxy.sent == []


async def test_many_requests_at_once_share_kept_alive_connections(proxy: Proxy, table: str):
    limits = httpx.Limits(max_connections=8)
    async with httpx.AsyncClient(limits=limits, base_url=proxy.endpoint_url) as http:

        async def get(number: int) -> int:
            key = {"PK": {"S": f"USER#{number}"}, "SK": {"S": "PROFILE"}}
            answer = await http.post(
                "/", json={"TableName": table, "Key": key}, headers=target("GetItem")
            )
            return answer.status_code

        assert await asyncio.gather(*map(get, range(100))) == [200] * 100

    asked = [record.body["Key"]["PK"]["S"] for record in proxy.sent]
    assert sorted(asked) == sorted(f"USER#{number}" for number in range(100))
    assert {record.status for record in proxy.sent} == {200}


def test_bytes_pass_unchanged(proxy: Proxy, engine: Engine):
    def ask(endpoint_url: str) -> bytes:
        request = urllib.request.Request(
            endpoint_url, data=b'{"Limit": 1}', headers=target("ListTables")
        )
        with urllib.request.urlopen(request) as response:
            return response.read()

    assert ask(proxy.endpoint_url) == ask(engine.endpoint_url)


@pytest.mark.engines("dynoxide", "dynamodb-local")
def test_a_test_may_name_its_engines(engine: Engine):
    assert engine.name in ("dynoxide", "dynamodb-local")


@pytest.mark.engines("dynoxide")
def test_an_override_answers_in_the_engine_s_place(engine: Engine):
    class Failing(Proxy):
        async def answer(self, request: Message, engine: Upstream) -> Message:
            head = b"HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\n"
            return Message(head, b"{}")

    with running(Failing(engine.endpoint_url)) as faulty, ThreadPoolExecutor() as pool:
        answer = pool.submit(httpx.post, faulty.endpoint_url, json={}, headers=target("Query"))
        assert answer.result().status_code == 500
        assert [(record.operation, record.status) for record in faulty.sent] == [("Query", 500)]


@pytest.mark.engines("moto")
def test_a_created_table_is_gone_afterwards(engine: Engine):
    with tables.created(engine.endpoint_url, DEFINITION) as name:
        assert name in tables.client(engine.endpoint_url).list_tables()["TableNames"]
    assert name not in tables.client(engine.endpoint_url).list_tables()["TableNames"]


async def test_a_chunked_message_is_kept_as_sent_and_read_plain():
    raw = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    reader = asyncio.StreamReader()
    reader.feed_data(raw)
    message = await read_response(reader)
    assert (message.raw, message.content) == (raw, b"abcde")


async def test_no_request_follows_when_the_client_hangs_up():
    reader = asyncio.StreamReader()
    reader.feed_eof()
    assert await read_request(reader) is None
