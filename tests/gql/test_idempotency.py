"""A mutation that is sent twice under one key is made once."""

import datetime
from typing import Any

import httpx
import pytest
import strawberry

from tablefold import Conflict, Gateway, Limits, Table, attribute
from tests.gql.conftest import Serve
from tests.harness import tables
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET, codes_of, data_of

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")

table = Table("idempotency")


@table.entity("BOX#{id}", "INFO", writes=("create", "update", "delete", "create_many"))
class Box:
    id: strawberry.ID
    count: int = attribute(default=0)


def serving(serve: Serve, **options: Any) -> Gateway:
    return serve(
        Gateway(table, cursor_secret=SECRET, **options), Box(id=strawberry.ID("b"), count=0)
    )


ADD = """
    mutation ($key: String, $count: Int = 1) {
      updateBox(id: "b", input: {add: {count: $count}}, idempotencyKey: $key) {
        changed
        box { count }
      }
    }
"""


async def test_what_is_sent_again_under_its_key_is_not_made_again(
    serve: Serve, proxy: Proxy
) -> None:
    gateway = serving(serve)
    answers = [data_of(await gateway.execute(ADD, {"key": "k"}))["updateBox"] for _ in range(3)]

    assert [one["changed"] for one in answers] == [True, False, False]
    assert [one["box"]["count"] for one in answers] == [1, 1, 1]
    assert proxy.operations[0] == "TransactWriteItems"


async def test_a_key_may_stand_beside_the_operation(serve: Serve) -> None:
    gateway = serving(serve)
    answers = [await gateway.execute(ADD, idempotency_key="k") for _ in range(2)]

    assert [data_of(one)["updateBox"]["changed"] for one in answers] == [True, False]


async def test_a_key_with_another_input_is_refused(serve: Serve) -> None:
    gateway = serving(serve)
    data_of(await gateway.execute(ADD, {"key": "k"}))
    result = await gateway.execute(ADD, {"key": "k", "count": 2})

    assert codes_of(result) == ["CONFLICT"]
    assert "another input" in (result.errors or [])[0].message


async def test_a_refused_write_does_not_use_its_key_up(serve: Serve) -> None:
    gateway = serving(serve)
    text = 'mutation { updateBox(id: "n", input: {count: 1}, idempotencyKey: "k") { changed } }'
    assert codes_of(await gateway.execute(text)) == ["NOT_FOUND"]
    data_of(await gateway.execute('mutation { createBox(input: {id: "n"}) { changed } }'))

    assert data_of(await gateway.execute(text)) == {"updateBox": {"changed": True}}


def _name(context: dict[str, str]) -> str:
    return context["name"]


async def test_each_viewer_has_keys_of_his_own(serve: Serve) -> None:
    gateway = serving(serve, viewer=_name)
    answers = [
        data_of(await gateway.execute(ADD, {"key": "k"}, context={"name": name}))["updateBox"]
        for name in ("ann", "bob", "ann")
    ]

    assert [one["changed"] for one in answers] == [True, True, False]


async def test_a_record_is_kept_for_its_time_and_then_lets_go(serve: Serve, proxy: Proxy) -> None:
    gateway = serving(serve, idempotency=datetime.timedelta(hours=1))
    data_of(await gateway.execute(ADD, {"key": "k"}))
    dynamodb = tables.client(proxy.endpoint_url)
    found = dynamodb.scan(TableName=gateway.table_name)["Items"]
    [record] = [one for one in found if one["SK"] == {"S": "IDEMPOTENCY"}]
    now = datetime.datetime.now().timestamp()
    assert abs(int(record["expiresAt"].get("N", "0")) - now - 3600) < 60

    # DynamoDB may take days to delete what has expired.
    dynamodb.put_item(
        TableName=gateway.table_name, Item={**record, "expiresAt": {"N": str(int(now) - 1)}}
    )
    answer = data_of(await gateway.execute(ADD, {"key": "k"}))["updateBox"]
    assert answer == {"changed": True, "box": {"count": 2}}


@pytest.mark.parametrize("key", ["", "x" * 256])
async def test_a_key_has_a_length_that_serves(serve: Serve, proxy: Proxy, key: str) -> None:
    gateway = serving(serve)

    assert codes_of(await gateway.execute(ADD, {"key": key})) == ["BAD_USER_INPUT"]
    assert proxy.operations == []


def two(table: Table, box: type) -> type:
    @strawberry.type
    class Mutation:
        @strawberry.mutation
        async def twice(self, info: strawberry.Info, key: str, known: bool) -> list[bool]:
            replayed: list[bool] = []
            for _ in range(2):
                async with Gateway.of(info).transaction(info, idempotency_key=key) as tx:
                    tx.update(box, "b", add={"count": 1})
                replayed.append(tx.replayed)
            return replayed

    return Mutation


async def test_two_writes_of_one_field_are_two_under_one_key(serve: Serve) -> None:
    gateway = serving(serve, mutation=two(table, Box))
    text = 'mutation { twice(key: "k", known: %s) }'

    assert data_of(await gateway.execute(text % "true")) == {"twice": [False, False]}
    assert data_of(await gateway.execute(text % "true")) == {"twice": [True, True]}
    assert codes_of(await gateway.execute(text % "false")) == ["CONFLICT"]


async def test_in_plain_python_every_part_of_a_change_is_its_input(serve: Serve) -> None:
    gateway = serving(serve)

    async def add(count: int = 1, **more: Any) -> bool:
        async with gateway.transaction(idempotency_key="k") as tx:
            tx.update(Box, "b", add={"count": count}, **more)
        return tx.replayed

    assert [await add(), await add(), await add(known={"count": 7})] == [False, True, True]
    others: list[dict[str, Any]] = [
        {"count": 2},
        {"where": {"count": 1}},
        {"minimum": {"count": 0}},
    ]
    for other in others:
        with pytest.raises(Conflict, match="another input"):
            await add(**other)


async def test_many_at_once_take_no_key(serve: Serve, proxy: Proxy) -> None:
    gateway = serving(serve)
    text = 'mutation { createBoxes(inputs: [{id: "x"}]) { results { error { code } } } }'

    assert codes_of(await gateway.execute(text, idempotency_key="k")) == ["BAD_USER_INPUT"]
    assert proxy.operations == []


# Over HTTP.


async def test_an_alias_makes_no_other_write(serve: Serve) -> None:
    gateway = serving(serve)
    text = "mutation { %s: updateBox(id: %s, input: {add: {count: 1}}) { changed } }"
    answers = [
        await gateway.execute(text % (alias, '"b"'), idempotency_key="k") for alias in ("a", "b")
    ]

    assert data_of(answers[0]) == {"a": {"changed": True}}
    assert data_of(answers[1]) == {"b": {"changed": False}}
    other = await gateway.execute(text % ("a", '"c"'), idempotency_key="k")
    assert codes_of(other) == ["CONFLICT"]


def client(gateway: Gateway) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app=gateway.asgi()), base_url="http://test"
    )


async def test_a_header_covers_every_field_of_a_mutation(serve: Serve) -> None:
    body = {
        "query": """
            mutation {
              a: updateBox(id: "b", input: {add: {count: 1}}) { changed }
              b: updateBox(id: "b", input: {add: {count: 1}}) { changed box { count } }
            }
        """
    }
    async with client(serving(serve)) as http:
        first = (await http.post("/graphql", json=body, headers={"Idempotency-Key": "k"})).json()
        again = (await http.post("/graphql", json=body, headers={"Idempotency-Key": "k"})).json()

    assert first["data"] == {"a": {"changed": True}, "b": {"changed": True, "box": {"count": 2}}}
    assert again["data"] == {"a": {"changed": False}, "b": {"changed": False, "box": {"count": 2}}}


async def test_a_batch_has_no_key_in_common(serve: Serve, proxy: Proxy) -> None:
    gateway = serving(serve, limits=Limits(batch=2))
    async with client(gateway) as http:
        response = await http.post(
            "/graphql", json=[{"query": ADD}, {"query": ADD}], headers={"Idempotency-Key": "k"}
        )

    assert response.status_code == 400
    assert proxy.operations == []
