"""Walking lists page by page: complete, in order, exact at both ends, on every engine."""

import datetime
import enum
import itertools
import random
from collections.abc import AsyncIterator, Callable, Generator
from typing import Any

import pytest
import strawberry

from tablefold import Connection, Gateway, Table, many, one, sharded
from tablefold.store.engines import Engine
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET, codes_of, data_of, served

DAY = datetime.date(2024, 1, 1)


@strawberry.enum
class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


table = Table("paging")


@table.entity("SHELF#{id}", "INFO")
class Shelf:
    id: strawberry.ID
    books: Connection["Book"] = many(filters=["colour", "pages"], through="SHELF#{shelf_id}")


@table.entity(
    "SHELF#{shelf_id}",
    "BOOK#{printed_on}#{n:04d}",
    gsi1=("COLOUR#{colour}", "{printed_on}"),
    gsi2=sharded("ALL", "{printed_on}", shards=3, name="all_books"),
)
class Book:
    """Many books share a day, so index sort keys have ties."""

    shelf_id: strawberry.ID
    printed_on: datetime.date
    n: int
    colour: Colour
    pages: int


@table.entity("SHELF#{shelf_id}", "BOOKEND#{n:02d}")
class Bookend:
    """A neighbour whose keys begin almost alike."""

    shelf_id: strawberry.ID
    n: int


@strawberry.type
class Query:
    newest_book: Book = one(newest_first=True, through="GSI2")
    every_book: list[Book] = many(bounded=100, through="GSI2")
    some_books: Connection[Book] = many(through="GSI2", filters=["colour", "pages"])


def books() -> list[Book]:
    dice = random.Random(7)
    return [
        Book(
            shelf_id=strawberry.ID(shelf),
            printed_on=DAY + datetime.timedelta(days=dice.randrange(9)),
            n=n,
            colour=dice.choice(list(Colour)),
            pages=dice.randrange(100),
        )
        for shelf, count in (("a", 23), ("b", 1))
        for n in range(count)
    ]


BOOKS = books()
ROWS = [
    *BOOKS,
    Shelf(id=strawberry.ID("a")),
    Shelf(id=strawberry.ID("b")),
    Shelf(id=strawberry.ID("empty")),
    *(Bookend(shelf_id=strawberry.ID("a"), n=n) for n in range(3)),
]

FIELDS = "edges { cursor node { n printedOn shelfId } } pageInfo { ...P }"
INFO = "fragment P on PageInfo { hasNextPage hasPreviousPage startCursor endCursor }"


@pytest.fixture(scope="module")
def gateway(engine: Engine, pytestconfig: pytest.Config) -> Generator[Gateway, None, None]:
    made = Gateway(table, query=Query, generated=True, cursor_secret=SECRET)
    url = engine.endpoint_url
    with served(made, engine_url=url, gateway_url=url, rows=ROWS) as serving:
        yield serving


LISTS: dict[str, tuple[str, Callable[[Book], bool]]] = {
    "shelf": ('booksByShelfId(shelfId: "a"', lambda book: book.shelf_id == "a"),
    "range": (
        'booksByShelfId(shelfId: "a", printedOn: {from: "2024-01-03", to: "2024-01-06"}',
        lambda book: (
            book.shelf_id == "a"
            and DAY + datetime.timedelta(2) <= book.printed_on <= DAY + datetime.timedelta(5)
        ),
    ),
    "from": (
        'booksByShelfId(shelfId: "a", printedOn: {from: "2024-01-05"}',
        lambda book: book.shelf_id == "a" and book.printed_on >= DAY + datetime.timedelta(4),
    ),
    "day": (
        'booksByShelfId(shelfId: "a", printedOn: {eq: "2024-01-04"}',
        lambda book: book.shelf_id == "a" and book.printed_on == DAY + datetime.timedelta(3),
    ),
    "index with ties": ("booksByColour(colour: RED", lambda book: book.colour is Colour.RED),
    "shards with ties": ("allBooks(", lambda book: True),
    "shards in a range": (
        'allBooks(printedOn: {to: "2024-01-04"}',
        lambda book: book.printed_on <= DAY + datetime.timedelta(3),
    ),
    "one": ('booksByShelfId(shelfId: "b"', lambda book: book.shelf_id == "b"),
    "none": ('booksByShelfId(shelfId: "empty"', lambda book: False),
}


async def pages(
    gateway: Gateway, head: str, size: int, *, backward: bool, direction: str
) -> AsyncIterator[dict[str, Any]]:
    """Every page of a list; the walk ends where the page itself says so."""
    cursor = None
    for _ in range(200):
        count, position = ("last", "before") if backward else ("first", "after")
        onward = f', {position}: "{cursor}"' if cursor else ""
        arguments = f"{head}, {count}: {size}{onward}, direction: {direction})"
        result = await gateway.execute(f"{{ list: {_bare(arguments)} {{ {FIELDS} }} }} {INFO}")
        page = data_of(result)["list"]
        yield page
        info = page["pageInfo"]
        if not (info["hasPreviousPage"] if backward else info["hasNextPage"]):
            return
        cursor = info["startCursor"] if backward else info["endCursor"]
    pytest.fail("the walk does not end")


def _bare(arguments: str) -> str:
    """Without the comma that follows an opening parenthesis."""
    return arguments.replace("(, ", "(")


def key(node: dict[str, Any]) -> tuple[str, int, str]:
    return node["printedOn"], node["n"], node["shelfId"]


@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
@pytest.mark.parametrize("size", [1, 2, 5, 50])
@pytest.mark.parametrize("name", LISTS)
async def test_both_walks_see_every_item_once_and_in_order(
    gateway: Gateway, name: str, size: int, direction: str
) -> None:
    head, belongs = LISTS[name]
    expected = {(b.printed_on.isoformat(), b.n, str(b.shelf_id)) for b in BOOKS if belongs(b)}

    forward = [p async for p in pages(gateway, head, size, backward=False, direction=direction)]
    seen = [key(edge["node"]) for page in forward for edge in page["edges"]]
    assert len(seen) == len(set(seen)) and set(seen) == expected
    days = [day for day, _, _ in seen]
    assert days == sorted(days, reverse=direction == "DESCENDING")
    assert all(len(page["edges"]) == size for page in forward[:-1])

    backward = [p async for p in pages(gateway, head, size, backward=True, direction=direction)]
    mirrored = [key(edge["node"]) for page in reversed(backward) for edge in page["edges"]]
    assert mirrored == seen


@pytest.mark.parametrize("name", ["shelf", "index with ties", "shards with ties"])
async def test_any_edge_of_any_page_can_be_resumed_from(gateway: Gateway, name: str) -> None:
    head, _ = LISTS[name]
    whole = [p async for p in pages(gateway, head, 50, backward=False, direction="ASCENDING")]
    edges = [edge for page in whole for edge in page["edges"]]
    for at, edge in itertools.islice(enumerate(edges), 0, None, 3):
        query = _bare(f'{head}, first: 50, after: "{edge["cursor"]}")')
        after = data_of(await gateway.execute(f"{{ list: {query} {{ {FIELDS} }} }} {INFO}"))
        assert [key(e["node"]) for e in after["list"]["edges"]] == [
            key(e["node"]) for e in edges[at + 1 :]
        ]
        assert after["list"]["pageInfo"]["hasPreviousPage"] is True


@pytest.mark.parametrize("size", [1, 3, 50])
async def test_a_filter_fills_its_pages_and_loses_nothing(gateway: Gateway, size: int) -> None:
    seen: list[int] = []
    cursor = ""
    for _ in range(60):
        after = f', after: "{cursor}"' if cursor else ""
        result = await gateway.execute(
            '{ shelf(id: "a") { books(first: '
            f"{size}{after}, where: {{colour: {{eq: BLUE}}, pages: {{ge: 20}}}})"
            f" {{ {FIELDS} }} }} }} {INFO}"
        )
        page = data_of(result)["shelf"]["books"]
        seen += [edge["node"]["n"] for edge in page["edges"]]
        if not page["pageInfo"]["hasNextPage"]:
            break
        assert len(page["edges"]) == size
        cursor = page["pageInfo"]["endCursor"]
    expected = sorted(
        (b.printed_on, b.n)
        for b in BOOKS
        if b.shelf_id == "a" and b.colour is Colour.BLUE and b.pages >= 20
    )
    assert seen == [n for _, n in expected]


async def test_a_filtered_page_stops_at_its_bound_and_goes_on_from_there(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablefold.loaders.reading.PAGE_MAX_READ", 4)
    seen: list[int] = []
    cursor, empty = "", 0
    for _ in range(60):
        after = f', after: "{cursor}"' if cursor else ""
        result = await gateway.execute(
            f'{{ shelf(id: "a") {{ books(first: 2{after}, where: {{pages: {{ge: 80}}}})'
            f" {{ {FIELDS} }} }} }} {INFO}"
        )
        page = data_of(result)["shelf"]["books"]
        seen += [edge["node"]["n"] for edge in page["edges"]]
        empty += not page["edges"]
        if not page["pageInfo"]["hasNextPage"]:
            break
        cursor = page["pageInfo"]["endCursor"]
    expected = sorted((b.printed_on, b.n) for b in BOOKS if b.shelf_id == "a" and b.pages >= 80)
    assert seen == [n for _, n in expected]
    assert empty, "the bound was never met, so this test shows nothing"


async def test_nothing_comes_before_a_page_until_something_was_shown(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablefold.loaders.reading.PAGE_MAX_READ", 1)
    shown, cursor = 0, ""
    for _ in range(60):
        after = f', after: "{cursor}"' if cursor else ""
        result = await gateway.execute(
            f'{{ shelf(id: "a") {{ books(first: 1{after}, where: {{pages: {{ge: 80}}}})'
            f" {{ {FIELDS} }} }} }} {INFO}"
        )
        page = data_of(result)["shelf"]["books"]
        assert page["pageInfo"]["hasPreviousPage"] is bool(shown)
        shown += len(page["edges"])
        if not page["pageInfo"]["hasNextPage"]:
            break
        cursor = page["pageInfo"]["endCursor"]
    assert shown


@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
@pytest.mark.parametrize("bound", [2, 3])
@pytest.mark.parametrize("backward", [False, True])
async def test_a_filter_over_shards_that_stop_early_loses_and_repeats_nothing(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch, direction: str, bound: int, backward: bool
) -> None:
    monkeypatch.setattr("tablefold.loaders.reading.PAGE_MAX_READ", bound)
    monkeypatch.setattr("tablefold.loaders.reading.FILTER_CHUNK_MIN", 1)
    head = "someBooks(where: {colour: {eq: BLUE}, pages: {lt: 60}}"
    walked = [p async for p in pages(gateway, head, 3, backward=backward, direction=direction)]
    seen = [key(edge["node"]) for page in walked for edge in page["edges"]]
    expected = {
        (book.printed_on.isoformat(), book.n, str(book.shelf_id))
        for book in BOOKS
        if book.colour is Colour.BLUE and book.pages < 60
    }
    assert len(seen) == len(set(seen))
    assert set(seen) == expected
    assert any(len(page["edges"]) < 3 for page in walked[:-1]), "no page met its bound"


@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
async def test_a_list_over_shards_is_merged_in_order(gateway: Gateway, direction: str) -> None:
    result = await gateway.execute(f"{{ everyBook(direction: {direction}) {{ printedOn }} }}")
    days = [book["printedOn"] for book in data_of(result)["everyBook"]]
    expected = sorted(book.printed_on.isoformat() for book in BOOKS)
    assert days == (expected if direction == "ASCENDING" else expected[::-1])


async def test_the_newest_of_all_shards_is_the_newest(gateway: Gateway) -> None:
    result = await gateway.execute("{ newestBook { printedOn } }")
    newest = max(book.printed_on for book in BOOKS)
    assert data_of(result)["newestBook"] == {"printedOn": newest.isoformat()}


REFUSED = {
    "another shelf's": 'booksByShelfId(shelfId: "b", first: 2, after: $c)',
    "another range's": (
        'booksByShelfId(shelfId: "a", printedOn: {from: "2024-01-01"}, first: 2, after: $c)'
    ),
    "another direction's": (
        'booksByShelfId(shelfId: "a", first: 2, after: $c, direction: DESCENDING)'
    ),
    "another field's": "booksByColour(colour: RED, first: 2, after: $c)",
    "a sharded field's": "allBooks(first: 2, after: $c)",
}


@pytest.mark.parametrize("name", REFUSED)
async def test_a_borrowed_cursor_is_refused_before_any_request(
    gateway: Gateway, proxy: Proxy, engine: Engine, name: str
) -> None:
    first = await gateway.execute(
        f'{{ booksByShelfId(shelfId: "a", first: 2) {{ {FIELDS} }} }} {INFO}'
    )
    cursor = data_of(first)["booksByShelfId"]["pageInfo"]["endCursor"]
    gateway.configure(endpoint_url=proxy.endpoint_url)
    try:
        result = await gateway.execute(
            f"query ($c: String) {{ list: {REFUSED[name]} {{ {FIELDS} }} }} {INFO}", {"c": cursor}
        )
    finally:
        gateway.configure(endpoint_url=engine.endpoint_url)
    assert codes_of(result) == ["CURSOR_INVALID"]
    assert proxy.sent == []


async def test_a_cursor_belongs_to_its_field_even_over_the_same_list(gateway: Gateway) -> None:
    first = await gateway.execute(
        f'{{ booksByShelfId(shelfId: "a", first: 2) {{ {FIELDS} }} }} {INFO}'
    )
    cursor = data_of(first)["booksByShelfId"]["pageInfo"]["endCursor"]
    other = await gateway.execute(
        'query ($c: String) { shelf(id: "a") { books(first: 2, after: $c) { nodes { n } } } }',
        {"c": cursor},
    )
    assert codes_of(other) == ["CURSOR_INVALID"]


async def test_a_cursor_belongs_to_its_viewer(engine: Engine) -> None:
    made = Gateway(table, cursor_secret=SECRET, viewer=lambda context: context["viewer"])
    query = (
        'query ($c: String) { booksByShelfId(shelfId: "a", first: 2, after: $c)'
        f" {{ {FIELDS} }} }} {INFO}"
    )
    url = engine.endpoint_url
    with served(made, engine_url=url, gateway_url=url, rows=ROWS) as gateway:
        first = await gateway.execute(query, context={"viewer": "ann"})
        cursor = data_of(first)["booksByShelfId"]["pageInfo"]["endCursor"]
        own = await gateway.execute(query, {"c": cursor}, context={"viewer": "ann"})
        other = await gateway.execute(query, {"c": cursor}, context={"viewer": "bob"})
        named = await gateway.execute(query, {"c": cursor}, viewer="ann")
        outranked = await gateway.execute(
            query, {"c": cursor}, context={"viewer": "ann"}, viewer=""
        )
        plan = await gateway.plan(query, {"c": cursor}, viewer="ann")
        await gateway.close()
    assert own.errors is None and named.errors is None
    assert codes_of(other) == codes_of(outranked) == ["CURSOR_INVALID"]
    assert (plan.errors, plan.requests) == ((), 1)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("first: 0", "first must be from 1 to 200; it is 0."),
        ("first: -1", "first must be from 1 to 200; it is -1."),
        ("last: 201", "last must be from 1 to 200; it is 201."),
        ("first: 1, last: 1", "Give either first (forward) or last (backward), not both."),
        ('first: 1, before: "x"', "first goes with after, last goes with before."),
        (
            'printedOn: {from: "2024-02-01", to: "2024-01-01"}',
            "printedOn: from (2024-02-01) lies after to (2024-01-01). Swap them.",
        ),
        (
            'printedOn: {eq: "2024-02-01", to: "2024-01-01"}',
            "printedOn: give either eq or from and to, not both.",
        ),
        (
            "n: {eq: 3}",
            "n: the sort key is BOOK#{printed_on}#{n:04d}, so n can only be narrowed once "
            "printedOn has a value: printedOn: {eq: …}.",
        ),
    ],
)
async def test_arguments_that_make_no_page_say_what_to_write(
    gateway: Gateway, arguments: str, says: str
) -> None:
    result = await gateway.execute(
        f'{{ booksByShelfId(shelfId: "a", {arguments}) {{ {FIELDS} }} }} {INFO}'
    )
    [error] = result.errors or []
    assert error.message == says
    assert codes_of(result) == ["BAD_USER_INPUT"]
