"""What is asked ahead is asked along with its parent, or not at all."""

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest
import strawberry
from graphql import OperationDefinitionNode, parse
from graphql.execution.values import VariableValues

from tablefold import Gateway, Table, many, one
from tablefold.resolvers.asking import Asking
from tablefold.resolvers.selection import Selector
from tablefold.store.engines import Engine
from tests.harness.schemas import schema_of
from tests.harness.serving import SECRET
from tests.resolvers.asked import Asked, stored, waves

pytestmark = pytest.mark.engines("dynoxide")

table = Table("ahead")


@table.entity("USER#{id}", "PROFILE")
class User:
    id: strawberry.ID
    name: str
    addresses: list["Address"] = many(bounded=5)


@table.entity("USER#{user_id}", "ADDR#{kind}")
class Address:
    user_id: strawberry.ID
    kind: str


@table.entity("ORDER#{id}", "META")
class Order:
    id: strawberry.ID
    user_id: strawberry.ID
    gift_id: strawberry.ID
    user: User = one(id="user_id")
    gift: User = one(id="gift_id")


ROWS = [
    User(id=strawberry.ID("ann"), name="Ann"),
    Address(user_id=strawberry.ID("gone"), kind="home"),
    Order(id=strawberry.ID("o"), user_id=strawberry.ID("gone"), gift_id=strawberry.ID("ann")),
]


@pytest.fixture(scope="module")
def gateway(engine: Engine) -> Generator[Gateway, None, None]:
    with stored(Gateway(table, cursor_secret=SECRET), engine, ROWS) as made:
        yield made


async def test_children_of_a_parent_that_is_known_not_to_be_there_are_not_asked_for(ask: Asked):
    result = await ask.result(
        """{ user(id: "gone") { name }
             order(id: "o") { user { addresses { kind } } gift { name } } }"""
    )

    assert result.data == {"user": None, "order": {"user": None, "gift": {"name": "Ann"}}}
    assert waves(result) == [["BatchGetItem"], ["GetItem"]], "no Query for the addresses"


async def test_children_of_a_parent_that_is_asked_for_come_in_its_wave(ask: Asked):
    result = await ask.result('{ order(id: "o") { gift { name addresses { kind } } } }')

    assert waves(result) == [["GetItem"], ["Query"]]


def test_arguments_are_kept_for_a_selection_and_not_for_its_place_in_memory(gateway: Gateway):
    """A selection may be made for one look alone; the next may lie where it lay."""
    document = parse('{ a: user(id: "a") { name } b: user(id: "b") { name } }')
    [operation] = document.definitions
    assert isinstance(operation, OperationDefinitionNode)
    schema: Any = schema_of(gateway)
    selector = Selector(schema, {}, VariableValues({}, {}))
    selected = selector.select(schema.query_type, [operation.selection_set], ())
    asking = Asking(gateway.frame({}), selector)

    seen = [asking.arguments(replace(selected[n % 2]))["id"] for n in range(20)]

    assert seen == ["a", "b"] * 10
