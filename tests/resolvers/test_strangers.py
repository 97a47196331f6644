"""Items that nobody modelled: passed over, without losing a page's place or its length."""

from collections.abc import Generator

import pytest
import strawberry

from tablefold import Connection, Gateway, Table, lookup, many
from tablefold.loaders import reading
from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET, codes_of, data_of, served

table = Table("strangers")


@table.entity("BOX#{id}", "INFO")
class Box:
    id: strawberry.ID
    things: Connection["Thing"] = many(through="BOX#{box_id}")


@table.entity("BOX#{box_id}", "THING#{n:03d}", gsi1=lookup("TAG#{tag}", "{n:03d}"))
class Thing:
    box_id: strawberry.Private[str]
    n: int
    tag: str


ROWS = [
    Box(id=strawberry.ID("b")),
    *(Thing(box_id="b", n=n, tag=f"t{n}") for n in (1, 2, 97, 98, 99)),
]
STRANGERS = range(10, 60)
PAGE = "{ nodes { n } pageInfo { hasNextPage endCursor } }"


@pytest.fixture
def gateway(engine: Engine, proxy: Proxy) -> Generator[Gateway, None, None]:
    made = Gateway(table, cursor_secret=SECRET)
    url = engine.endpoint_url
    with served(made, engine_url=url, gateway_url=proxy.endpoint_url, rows=ROWS) as gateway:
        client = tables.client(url)
        for n in STRANGERS:
            item = {
                "PK": {"S": "BOX#b"},
                "SK": {"S": f"THING#{n:03d}"},
                "entityType": {"S": "Stranger"},
                "GSI1PK": {"S": "TAG#odd"},
                "GSI1SK": {"S": f"{n:03d}"},
            }
            client.put_item(TableName=gateway.table_name, Item=item)
        proxy.clear()
        yield gateway


async def walk(gateway: Gateway, size: int) -> list[list[int]]:
    pages: list[list[int]] = []
    cursor = None
    for _ in range(50):
        result = await gateway.execute(
            f'query ($c: String) {{ thingsByBoxId(boxId: "b", first: {size}, after: $c) {PAGE} }}',
            {"c": cursor},
        )
        page = data_of(result)["thingsByBoxId"]
        pages.append([node["n"] for node in page["nodes"]])
        if not page["pageInfo"]["hasNextPage"]:
            return pages
        cursor = page["pageInfo"]["endCursor"]
    pytest.fail("the walk does not end")


async def test_a_page_is_as_long_as_it_was_asked_for(gateway: Gateway) -> None:
    assert await walk(gateway, 3) == [[1, 2, 97], [98, 99]]


async def test_a_page_that_meets_only_strangers_hands_back_a_cursor(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PAGE_MAX_READ", 5)
    pages = await walk(gateway, 3)
    assert [n for page in pages for n in page] == [1, 2, 97, 98, 99]
    assert [] in pages, "no page met its bound, so this shows nothing"


async def test_a_folded_page_keeps_its_length_too(gateway: Gateway) -> None:
    result = await gateway.execute(f'{{ box(id: "b") {{ id things(first: 4) {PAGE} }} }}')
    page = data_of(result)["box"]["things"]
    assert [node["n"] for node in page["nodes"]] == [1, 2, 97, 98]
    assert page["pageInfo"]["hasNextPage"] is True


async def test_a_lookup_that_meets_only_strangers_is_an_error_and_not_null(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PAGE_MAX_READ", 5)
    result = await gateway.execute('{ thingByTag(tag: "odd") { n } }')
    assert codes_of(result) == ["LIMIT_EXCEEDED"]
