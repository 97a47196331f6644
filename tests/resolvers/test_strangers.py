"""Items that nobody modelled: passed over, without losing a page's place or its length."""

import itertools
import os
from collections.abc import Generator
from typing import Any

import pytest
import strawberry
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tablefold import Connection, Gateway, Table, count_of, lookup, many, sum_of
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
    count: int = count_of("all_things")
    total: int = sum_of("all_things", "n")
    all_things: list["Thing"] = many(bounded=200)


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


# Whatever lies among the things, and wherever a page begins or ends.

KINDS: dict[str, dict[str, Any]] = {
    "thing": {},
    "broken": {"tag": {"N": "5"}},
    "of another type": {"entityType": {"S": "Stranger"}},
    "of a type that is a number": {"entityType": {"N": "5"}},
    "of a type that is a list": {"entityType": {"L": [{"S": "Thing"}]}},
    "of a type that is null": {"entityType": {"NULL": True}},
    "with a key of its own": {"SK": "THING#{n}x"},
    "with an empty end": {"SK": "THING#{n}#"},
}
FOREIGN = [kind for kind in KINDS if kind not in ("thing", "broken")]
kinds = st.sampled_from([*KINDS, "thing", "thing", "thing"])
runs = st.lists(
    st.one_of(
        kinds.map(lambda kind: [kind]),
        st.tuples(st.sampled_from(FOREIGN), st.integers(2, 9)).map(lambda run: [run[0]] * run[1]),
    ),
    max_size=12,
).map(lambda parts: list(itertools.chain(*parts)))
numbers = itertools.count()


def write(gateway: Gateway, engine: Engine, box: str, layout: list[str]) -> None:
    rows: list[dict[str, Any]] = [
        {"PK": {"S": f"BOX#{box}"}, "SK": {"S": "INFO"}, "entityType": {"S": "Box"}}
    ]
    for n, kind in enumerate(layout):
        spoilt = KINDS[kind]
        sort = spoilt.get("SK", "THING#{n}").format(n=f"{n:03d}")
        whole = {"entityType": {"S": "Thing"}, "tag": {"S": f"{box} {n}"}, **spoilt}
        rows.append({**whole, "PK": {"S": f"BOX#{box}"}, "SK": {"S": sort}})
    client = tables.client(engine.endpoint_url)
    for at in range(0, len(rows), 25):
        puts: Any = [{"PutRequest": {"Item": row}} for row in rows[at : at + 25]]
        client.batch_write_item(RequestItems={gateway.table_name: puts})


async def assert_walk(
    gateway: Gateway, box: str, layout: list[str], size: int, *, backward: bool, down: bool
) -> None:
    """Every page is full but the last, in order, and knows exactly what lies around it."""
    count, cursor = ("last", "before") if backward else ("first", "after")
    ahead, behind = ("hasPreviousPage", "hasNextPage")[:: 1 if backward else -1]
    query = f"""query ($b: String!, $c: String) {{
        things: thingsByBoxId(
            boxId: $b, {count}: {size}, {cursor}: $c, direction: {"DES" if down else "AS"}CENDING
        ) {{ edges {{ cursor node {{ n tag }} }} pageInfo {{ hasNextPage hasPreviousPage }} }}
    }}"""
    left = [n for n, kind in enumerate(layout) if kind in ("thing", "broken")]
    if backward != down:
        left.reverse()
    position, first = None, True
    while first or left:
        result = await gateway.execute(query, {"b": box, "c": position})
        assert set(codes_of(result)) <= {"ITEM_INVALID"}
        found: Any = (result.data or {})["things"]
        edges = found["edges"][::-1] if backward else found["edges"]
        shown, left = left[:size], left[size:]
        wanted = [n if layout[n] == "thing" else None for n in shown]
        assert [edge["node"] and edge["node"]["n"] for edge in edges] == wanted
        assert found["pageInfo"][ahead] == bool(left)
        assert found["pageInfo"][behind] == (not first)
        if edges:
            position = edges[-1]["cursor"]
        first = False


@pytest.mark.engines("dynoxide")
@settings(
    max_examples=int(os.environ.get("TABLEFOLD_EXAMPLES", "25")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    print_blob=True,
)
@given(runs, st.integers(1, 6))
@example(["of another type"] * 30 + ["thing"] * 3, 3)
@example(["thing"] * 3 + ["of another type"] * 30, 3)
@example(["thing"] * 3 + ["with a key of its own"] * 30 + ["thing"] * 3, 3)
@example(["of another type"] * 30, 2)
@example(["broken", "of another type", "broken", "thing"], 1)
async def test_whatever_lies_among_the_things_every_walk_is_exact(
    gateway: Gateway, engine: Engine, layout: list[str], size: int
) -> None:
    box = f"walk {next(numbers)}"
    write(gateway, engine, box, layout)
    for backward, down in itertools.product((False, True), repeat=2):
        await assert_walk(gateway, box, layout, size, backward=backward, down=down)
    things = [n for n, kind in enumerate(layout) if kind in ("thing", "broken")]
    query = "query ($b: ID!) { box(id: $b) { count total allThings { n } } }"
    whole = data_of(await gateway.execute(query, {"b": box}))["box"]
    assert whole == {
        "count": len(things),
        "total": sum(things),
        "allThings": [{"n": n} for n in things],
    }
