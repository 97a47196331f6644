"""Items as large as DynamoDB takes: a Query's reply of one megabyte holds two or three of them."""

from collections.abc import AsyncGenerator, Generator
from typing import Any

import pytest
import strawberry

from tablefold import Connection, Gateway, Table, count_of, many
from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET
from tests.resolvers.asked import Asked, asking, stored

table = Table("archive")


@table.entity("SHELF#{id}", "INFO")
class Shelf:
    id: strawberry.ID
    files: Connection["File"] = many()
    all_files: list["File"] = many(bounded=20)
    file_count: int = count_of("all_files")


@table.entity("SHELF#{shelf_id}", "FILE#{n:03d}")
class File:
    shelf_id: strawberry.Private[str]
    n: int
    text: str
    kind: str = "file"


LARGE = "x" * (394 * 1024)  # moto takes no more
NUMBERS = range(1, 10)
STRANGERS = (2, 3, 4, 7)


@pytest.fixture(scope="module")
def archive(engine: Engine) -> Generator[Gateway, None, None]:
    files = [File(shelf_id="s", n=n, text=LARGE) for n in NUMBERS if n not in STRANGERS]
    plain = [File(shelf_id="plain", n=n, text=LARGE) for n in NUMBERS]
    shelves = [Shelf(id=strawberry.ID(name)) for name in ("s", "plain")]
    gateway = Gateway(table, cursor_secret=SECRET)
    with stored(gateway, engine, [*shelves, *files, *plain]) as made:
        for n in STRANGERS:
            item: dict[str, Any] = {
                "PK": {"S": "SHELF#s"},
                "SK": {"S": f"FILE#{n:03d}"},
                "entityType": {"S": "Stranger"},
                "text": {"S": LARGE},
            }
            tables.client(engine.endpoint_url).put_item(TableName=made.table_name, Item=item)
        yield made


@pytest.fixture
async def ask(archive: Gateway, proxy: Proxy) -> AsyncGenerator[Asked, None]:
    async with asking(archive, proxy) as asked:
        yield asked


SHOWN = "{ nodes { n } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }"


@pytest.mark.parametrize("shelf", ["s", "plain"])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("backward", [False, True])
async def test_a_page_is_full_though_a_reply_is_cut(
    ask: Asked, shelf: str, size: int, backward: bool
):
    page = f"last: {size}, before: $c" if backward else f"first: {size}, after: $c"
    query = f"query ($s: String!, $c: String) {{ filesByShelfId(shelfId: $s, {page}) {SHOWN} }}"
    left = [n for n in NUMBERS if shelf == "plain" or n not in STRANGERS]
    cursor = None
    while left:
        found: Any = (await ask(query, s=shelf, c=cursor))["filesByShelfId"]
        shown, left = (left[-size:], left[:-size]) if backward else (left[:size], left[size:])
        assert [node["n"] for node in found["nodes"]] == shown
        info = found["pageInfo"]
        assert info["hasPreviousPage" if backward else "hasNextPage"] == bool(left)
        cursor = info["startCursor" if backward else "endCursor"]


@pytest.mark.engines("dynoxide", "dynamodb-local")
async def test_the_replies_are_cut_indeed(ask: Asked):
    """Otherwise the pages above would show nothing."""
    await ask('{ filesByShelfId(shelfId: "plain", first: 9) { nodes { n } } }')
    assert len(ask.operations) >= 3


@pytest.mark.engines("dynamodb-local")  # dynoxide counts the item that it left out as scanned
async def test_a_reply_that_was_cut_is_followed_by_what_is_missing_and_no_more(ask: Asked):
    await ask(f'{{ filesByShelfId(shelfId: "plain", first: 5) {SHOWN} }}')
    assert sum(one.response["ScannedCount"] for one in ask.sent) == 6


async def test_a_list_is_whole_though_its_replies_are_cut(ask: Asked):
    answer: Any = await ask('{ shelf(id: "s") { fileCount allFiles { n } files { nodes { n } } } }')
    files = [{"n": n} for n in NUMBERS if n not in STRANGERS]
    assert answer["shelf"] == {"fileCount": 5, "allFiles": files, "files": {"nodes": files}}


async def test_the_large_text_itself_arrives(ask: Asked):
    answer: Any = await ask('{ filesByShelfId(shelfId: "plain", first: 5) { nodes { text } } }')
    assert [len(node["text"]) for node in answer["filesByShelfId"]["nodes"]] == [len(LARGE)] * 5
