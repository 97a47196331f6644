"""Copies may lie among their homes, and may lag behind them: what is shown is still told."""

from collections.abc import Generator
from typing import Any

import pytest
import strawberry

from tablefold import Gateway, Table, copy, many, one
from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.serving import SECRET
from tests.resolvers.asked import Asked, stored

table = Table("copies")


@table.entity("LIST#{id}", "ABOUT")
class List:
    id: strawberry.ID
    body: str = ""
    pins: list["Pin"] = many(bounded=10)


@table.entity(
    "LIST#{list_id}",
    "TASK#{id}",
    copies=[copy("LIST#{list_id}", "TASK#{id}#OWNED#{owner}", name="owned_tasks")],
)
class Task:
    list_id: strawberry.ID
    id: strawberry.ID
    owner: str


@table.entity("PIN#{id}", "PIN", copies=[copy("LIST#{list_id}", "PIN#{n:02d}", carries=["title"])])
class Pin:
    id: strawberry.ID
    list_id: strawberry.ID
    n: int
    title: str
    body: str
    weight: int
    list: List = one()


PINS = [
    Pin(
        id=strawberry.ID(str(n)),
        list_id=strawberry.ID("l"),
        n=n,
        title=f"Title {n}",
        body=f"Body {n}",
        weight=n,
    )
    for n in range(1, 4)
]

TASKS = [
    Task(list_id=strawberry.ID("l"), id=strawberry.ID(str(n)), owner=f"o{n}") for n in range(5)
]


@pytest.fixture(scope="module", params=[True, False], ids=["folded", "unfolded"])
def gateway(request: pytest.FixtureRequest, engine: Engine) -> Generator[Gateway, None, None]:
    rows = [List(id=strawberry.ID("l"), body="List"), *PINS, *TASKS]
    made = Gateway(table, cursor_secret=SECRET, folding=request.param)
    with stored(made, engine, rows) as filled:
        yield filled


def change(ask: Asked, engine: Engine, sort: str, **attributes: Any) -> None:
    """Writes into a copy what its home does not say."""
    dynamodb, key = tables.client(engine.endpoint_url), {"PK": {"S": "LIST#l"}, "SK": {"S": sort}}
    item = dynamodb.get_item(TableName=ask.gateway.table_name, Key=key).get("Item", {})
    dynamodb.put_item(TableName=ask.gateway.table_name, Item={**item, **attributes})


@pytest.mark.parametrize("field", ["tasksByListId", "ownedTasks"])
async def test_a_copy_among_its_homes_is_shown_in_its_own_list_alone(ask: Asked, field: str):
    data = await ask(
        f'{{ {field}(listId: "l", first: 3) {{ nodes {{ id }} pageInfo {{ endCursor }} }} }}'
    )
    cursor = data[field]["pageInfo"]["endCursor"]
    rest = await ask(
        f'{{ {field}(listId: "l", first: 3, after: "{cursor}") {{ nodes {{ id }} }} }}'
    )

    assert [node["id"] for node in data[field]["nodes"]] == ["0", "1", "2"]
    assert [node["id"] for node in rest[field]["nodes"]] == ["3", "4"]


@pytest.mark.parametrize("selected", ["title", "title body", "body title", "n title weight"])
async def test_what_a_copy_carries_is_shown_as_the_copy_has_it(
    ask: Asked, engine: Engine, selected: str
):
    """Whatever else is selected: a title does not change because a body is fetched from home."""
    change(ask, engine, "PIN#01", title={"S": "Old title"})

    data = await ask(f'{{ list(id: "l") {{ pins {{ {selected} }} }} }}')

    assert [pin["title"] for pin in data["list"]["pins"]] == ["Old title", "Title 2", "Title 3"]


async def test_what_a_copy_does_not_carry_is_shown_from_home(ask: Asked, engine: Engine):
    """Even where the copy has some of it, and a shared request happens to bring that along."""
    change(ask, engine, "PIN#01", body={"S": "Old body"}, weight={"N": "100"})

    data = await ask('{ list(id: "l") { body pins { body weight } } }')

    assert [pin["body"] for pin in data["list"]["pins"]] == ["Body 1", "Body 2", "Body 3"]
    assert [pin["weight"] for pin in data["list"]["pins"]] == [1, 2, 3]
    assert data["list"]["body"] == "List"


async def test_what_stands_in_a_copys_key_is_shown_as_it_stands_there(ask: Asked, engine: Engine):
    """The copy's place in its list is the old one, and so is what it says of it."""
    dynamodb, name = tables.client(engine.endpoint_url), ask.gateway.table_name
    key = {"PK": {"S": "PIN#3"}, "SK": {"S": "PIN"}}
    item = dynamodb.get_item(TableName=name, Key=key).get("Item", {})
    dynamodb.put_item(TableName=name, Item={**item, "n": {"N": "77"}})

    for selected in ("n", "n body"):
        data = await ask(f'{{ list(id: "l") {{ pins {{ {selected} }} }} }}')
        assert [pin["n"] for pin in data["list"]["pins"]] == [1, 2, 3]
