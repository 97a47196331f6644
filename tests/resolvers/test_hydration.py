"""Indexes and copies that carry too little are completed from home, once, and only if they must."""

from collections.abc import Generator

import pytest
import strawberry

from tablefold import Connection, Gateway, Index, Table, copy, many
from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.serving import SECRET
from tests.resolvers.asked import Asked, stored, waves

table = Table(
    "hydration",
    indexes={
        "day": Index("ByDay", pk="DayPK", sk="DaySK", projection="KEYS_ONLY"),
        "kind": Index("ByKind", pk="KindPK", sk="KindSK", projection=["title", "entityType"]),
    },
)


@table.entity("FOLDER#{id}", "ABOUT")
class Folder:
    id: strawberry.ID
    documents: Connection["Document"] = many()


@table.entity(
    "DOC#{id}",
    "INFO",
    copies=[copy("FOLDER#{folder}", "DOC#{id}", carries=["title"])],
    day=("DAY#{day}", "{id}"),
    kind=("KIND#{kind}", "{id}"),
)
class Document:
    id: strawberry.ID
    folder: str
    day: str
    kind: str
    title: str
    body: str
    note: str | None = None


DOCUMENTS = [
    Document(
        id=strawberry.ID(str(n)),
        folder="f",
        day="monday",
        kind="memo",
        title=f"Title {n}",
        body=f"Body {n}",
    )
    for n in range(3)
]


@pytest.fixture(scope="module")
def gateway(engine: Engine) -> Generator[Gateway, None, None]:
    rows = [*DOCUMENTS, Folder(id=strawberry.ID("f"))]
    with stored(Gateway(table, cursor_secret=SECRET), engine, rows) as made:
        yield made


KEYS_ONLY = 'documentsByDay(day: "monday", first: 3)'
INCLUDE = 'documentsByKind(kind: "memo", first: 3)'
COPY = 'documentsByFolder(folder: "f", first: 3)'
CHEAP = [
    (KEYS_ONLY, "id", ["0", "1", "2"]),
    (KEYS_ONLY, "day", ["monday"] * 3),
    (INCLUDE, "title", ["Title 0", "Title 1", "Title 2"]),
    (INCLUDE, "kind", ["memo"] * 3),
    (COPY, "title", ["Title 0", "Title 1", "Title 2"]),
    (COPY, "folder", ["f"] * 3),
]
DEAR = [
    (KEYS_ONLY, "title", ["Title 0", "Title 1", "Title 2"]),
    (KEYS_ONLY, "folder", ["f"] * 3),
    (INCLUDE, "body", ["Body 0", "Body 1", "Body 2"]),
    (COPY, "body", ["Body 0", "Body 1", "Body 2"]),
    (COPY, "note", [None, None, None]),
]


@pytest.mark.parametrize(("field", "attribute", "values"), CHEAP)
async def test_what_is_carried_needs_no_home_item(
    ask: Asked, field: str, attribute: str, values: list[str]
):
    data = await ask(f"{{ list: {field} {{ nodes {{ {attribute} }} }} }}")

    assert [node[attribute] for node in data["list"]["nodes"]] == values
    assert ask.operations == ["Query"]


@pytest.mark.parametrize(("field", "attribute", "values"), DEAR)
async def test_what_is_not_carried_is_one_batch_of_home_items(
    ask: Asked, field: str, attribute: str, values: list[str]
):
    result = await ask.result(f"{{ list: {field} {{ nodes {{ id {attribute} }} }} }}")

    assert result.errors is None
    assert result.data == {
        "list": {"nodes": [{"id": str(n), attribute: value} for n, value in enumerate(values)]}
    }
    assert waves(result) == [["Query"], ["BatchGetItem"]]


async def test_all_lists_of_a_wave_are_completed_by_one_batch(ask: Asked):
    result = await ask.result(
        f"{{ a: {KEYS_ONLY} {{ nodes {{ body }} }} b: {INCLUDE} {{ nodes {{ body }} }} "
        f"c: {COPY} {{ nodes {{ body }} }} }}"
    )

    assert result.errors is None
    assert waves(result) == [["Query"] * 3, ["BatchGetItem"]]
    [request] = ask.sent[-1].body["RequestItems"].values()
    assert len(request["Keys"]) == 3, "each document once, though three lists need it"


async def test_a_home_item_that_the_operation_reads_anyway_is_not_read_again(ask: Asked):
    result = await ask.result(
        f'{{ documents(ids: ["0", "1", "2"]) {{ body }} list: {COPY} {{ nodes {{ body }} }} }}'
    )

    assert result.errors is None
    assert sorted(waves(result)[0]) == ["BatchGetItem", "Query"]
    assert len(waves(result)) == 1


async def test_a_list_under_an_item_is_completed_too(ask: Asked):
    data = await ask('{ folder(id: "f") { documents(first: 2) { edges { node { body } } } } }')

    assert [edge["node"]["body"] for edge in data["folder"]["documents"]["edges"]] == [
        "Body 0",
        "Body 1",
    ]
    assert ask.operations == ["Query", "BatchGetItem"]


async def test_a_copy_whose_home_is_gone_fails_in_its_own_place(ask: Asked, engine: Engine):
    dynamodb, name = tables.client(engine.endpoint_url), ask.gateway.table_name
    copied = {
        "PK": {"S": "FOLDER#stale"},
        "SK": {"S": "DOC#gone"},
        "title": {"S": "Gone"},
        "entityType": {"S": "Document"},
    }
    dynamodb.put_item(TableName=name, Item=copied)

    result = await ask.result(
        '{ documentsByFolder(folder: "stale", first: 3) { edges { node { title body } } } }'
    )

    [error] = result.errors or []
    assert (error.extensions or {})["code"] == "ITEM_INVALID"
    assert error.path is not None
    assert error.path[:3] == ["documentsByFolder", "edges", 0]


async def test_a_plan_counts_on_every_home_item_of_a_page(gateway: Gateway):
    plan = await gateway.plan(
        '{ documentsByDay(day: "monday", first: 7) { nodes { body } } }',
    )
    [[_], [completion]] = plan.waves
    assert (completion.items, completion.capacity) == (7, 3.5)
