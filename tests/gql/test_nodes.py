"""Every entity has a global id, `nodeId`, by which it is found again."""

import datetime

import pytest
import strawberry

from tablefold import Gateway, Table
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.serving import data_of

table = Table("shop")


@table.entity("USER#{id}", "PROFILE")
class User:
    id: strawberry.ID
    name: str


@table.entity("USER#{user_id}", "DAY#{day}#{n:03d}")
class Day:
    user_id: strawberry.Private[str]
    day: datetime.date
    n: int


ROWS = (
    User(id=strawberry.ID("Zoë / 1"), name="Zoë"),
    Day(user_id="Zoë / 1", day=datetime.date(2024, 1, 2), n=7),
)
NODE = """query ($id: ID!) { node(nodeId: $id) {
  nodeId __typename ... on User { name } ... on Day { day n } } }"""


def test_entities_implement_the_node_interface() -> None:
    sdl = Gateway(table).sdl()
    assert "interface Node {\n  nodeId: ID!\n}" in sdl
    assert "type User implements Node {" in sdl
    assert "type Day implements Node {" in sdl


async def test_a_node_is_found_by_its_id(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table), *ROWS)
    answer = data_of(await gateway.execute('{ user(id: "Zoë / 1") { nodeId } }'))
    id = answer["user"]["nodeId"]
    found = data_of(await gateway.execute(NODE, {"id": id}))
    assert found["node"] == {"nodeId": id, "__typename": "User", "name": "Zoë"}
    assert proxy.operations == ["GetItem", "GetItem"]


async def test_a_node_of_many_key_parts_is_found_by_its_id(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table), *ROWS)
    query = '{ daysByUserId(userId: "Zoë / 1") { nodes { nodeId } } }'
    [day] = data_of(await gateway.execute(query))["daysByUserId"]["nodes"]
    found = data_of(await gateway.execute(NODE, {"id": day["nodeId"]}))
    assert found["node"] == {**day, "__typename": "Day", "day": "2024-01-02", "n": 7}


async def test_an_id_of_nothing_is_null(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table), *ROWS)
    answer = data_of(await gateway.execute('{ user(id: "Zoë / 1") { nodeId } }'))
    empty = serve(Gateway(table))
    found = data_of(await empty.execute(NODE, {"id": answer["user"]["nodeId"]}))
    assert found["node"] is None


# "WyJVc2VyIl0" is ["User"] without its key; "WyJVc2VyIiw1XQ" holds a number where text belongs.
@pytest.mark.parametrize("id", ["", "nonsense", "e30", "WyJVc2VyIl0", "WyJVc2VyIiw1XQ", "é"])
@pytest.mark.engines("dynoxide")
async def test_what_is_no_id_is_refused_before_reading(serve: Serve, proxy: Proxy, id: str) -> None:
    gateway = serve(Gateway(table))
    result = await gateway.execute(NODE, {"id": id})
    [error] = result.errors or []
    assert error.message == "nodeId is no id of this API. Take one from a nodeId field."
    assert proxy.sent == []
