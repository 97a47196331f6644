"""Where a page ends, where its cursors lead, and what need not be read again on the way."""

import datetime
from collections.abc import Generator

import pytest
import strawberry

from tablefold import Gateway
from tablefold.store.engines import Engine
from tests.harness.serving import SECRET
from tests.properties.halls import Hall, Query, Seat, Talk, table
from tests.resolvers.asked import Asked, stored

DAY = datetime.date(2024, 1, 1)
HALL, OTHER = strawberry.ID("a"), strawberry.ID("b")


def talk(n: int, hall: strawberry.ID = HALL) -> Talk:
    return Talk(hall_id=hall, held_on=DAY, n=n, topic="bees", state="on", size=n % 10)


ROWS = [
    Hall(id=HALL, name="Great"),
    *(Seat(hall_id=HALL, row=row) for row in range(3)),
    *(talk(n) for n in range(40)),
    Hall(id=OTHER, name="Small"),
    *(talk(n, OTHER) for n in range(3)),
]
PAGE = "edges { cursor node { n } } pageInfo { ...P }"
INFO = "fragment P on PageInfo { hasNextPage hasPreviousPage startCursor endCursor }"


@pytest.fixture(scope="module")
def gateway(engine: Engine) -> Generator[Gateway, None, None]:
    made = Gateway(table, query=Query, generated=True, cursor_secret=SECRET)
    with stored(made, engine, ROWS):
        yield made


def talks(arguments: str, selected: str = PAGE) -> str:
    head = "query ($c: String)" if "$c" in arguments else "query"
    info = INFO if "...P" in selected else ""
    return f'{head} {{ hall(id: "a") {{ talks({arguments}) {{ {selected} }} }} }} {info}'


async def page_of(ask: Asked, arguments: str, **variables: str) -> dict[str, object]:
    page = (await ask(talks(arguments), **variables))["hall"]["talks"]
    return {"numbers": [edge["node"]["n"] for edge in page["edges"]], **page["pageInfo"]}


async def cursor_of(ask: Asked, n: int) -> str:
    page = (await ask(talks("first: 40")))["hall"]["talks"]
    return page["edges"][n]["cursor"]


ONE_KEY = 'heldOn: {eq: "2024-01-01"}, n: {eq: 7}'


async def test_a_list_of_one_key_is_filtered_too(ask: Asked) -> None:
    other = await page_of(ask, f"{ONE_KEY}, where: {{size: {{eq: 8}}}}")
    assert sorted(ask.operations) == ["GetItem", "Query"], "the hall, its page"
    own = await page_of(ask, f"{ONE_KEY}, where: {{size: {{eq: 7}}}}")

    assert (other["numbers"], own["numbers"]) == ([], [7])


async def test_a_list_of_one_key_ends_with_it(ask: Asked) -> None:
    whole = await page_of(ask, f"first: 1, {ONE_KEY}")
    assert ask.operations == ["BatchGetItem"], "the hall, its talk"

    cursor = str(whole["endCursor"])
    beyond = await page_of(ask, f"first: 1, after: $c, {ONE_KEY}", c=cursor)

    assert (whole["numbers"], whole["hasNextPage"]) == ([7], False)
    assert (beyond["numbers"], beyond["hasNextPage"]) == ([], False)
    assert ask.operations == ["GetItem"], "the hall"


async def test_a_page_turned_around_is_the_page_before(ask: Asked) -> None:
    first = await page_of(ask, "first: 5")
    second = await page_of(ask, "first: 5, after: $c", c=str(first["endCursor"]))
    back = await page_of(ask, "last: 5, before: $c", c=str(second["startCursor"]))

    assert back["numbers"] == first["numbers"] == [0, 1, 2, 3, 4]
    assert (back["startCursor"], back["endCursor"]) == (first["startCursor"], first["endCursor"])
    assert (back["hasPreviousPage"], back["hasNextPage"]) == (False, True)


async def test_a_walk_that_turns_around_before_its_first_item_has_more_behind_it(
    ask: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablefold.loaders.reading.PAGE_MAX_READ", 4)
    where = "where: {size: {eq: 9}}"
    ahead = await page_of(ask, f"first: 1, {where}")
    cursor = str(ahead["endCursor"])
    assert (ahead["numbers"], ahead["hasNextPage"]) == ([], True)

    onward = await page_of(ask, f"first: 1, after: $c, {where}", c=cursor)
    back = await page_of(ask, f"last: 1, before: $c, {where}", c=cursor)

    assert onward["hasPreviousPage"] is False, "nothing was shown before it"
    assert back["hasNextPage"] is True, "the list goes on where the walk turned around"
    assert back["hasPreviousPage"] is False


async def test_a_full_page_that_looked_for_more_in_vain_goes_on_from_there(
    ask: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablefold.loaders.reading.PAGE_MAX_READ", 6)
    where = "where: {size: {eq: 2}}"
    first = await page_of(ask, f"first: 1, {where}")
    assert (first["numbers"], first["hasNextPage"]) == ([2], True)

    second = await page_of(ask, f"first: 1, after: $c, {where}", c=str(first["endCursor"]))

    start = ask.sent[0].body["ExclusiveStartKey"]
    assert start["SK"] == {"S": "TALK#2024-01-01#0005"}, "0 to 5 have been examined"
    assert (second["numbers"], second["hasPreviousPage"]) == ([], True)


async def test_each_parent_has_pages_of_its_own(ask: Asked) -> None:
    found = await ask(
        """{
          halls(ids: ["a", "none", "b"]) {
            name
            few: talks(first: 2) { ...T }
            many: talks(first: 4) { ...T }
            last: talks(last: 3) { ...T }
            some: talks(first: 2, where: {size: {ge: 2}}) { ...T }
            none: talks(first: 2, heldOn: {to: "2023-12-31"}) { ...T }
          }
        }
        fragment T on TalkConnection { nodes { n } pageInfo { hasNextPage hasPreviousPage } }
        """
    )

    great, nobody, small = found["halls"]
    assert nobody is None
    for hall, pages in (
        (great, {"few": [0, 1], "many": [0, 1, 2, 3], "last": [37, 38, 39], "some": [2, 3]}),
        (small, {"few": [0, 1], "many": [0, 1, 2], "last": [0, 1, 2], "some": [2]}),
    ):
        for name, numbers in {**pages, "none": []}.items():
            assert [node["n"] for node in hall[name]["nodes"]] == numbers
    ahead = {
        name: page["pageInfo"]["hasNextPage"] for name, page in small.items() if name != "name"
    }
    assert ahead == {"few": True, "many": False, "last": False, "some": False, "none": False}
    assert great["last"]["pageInfo"] == {"hasNextPage": False, "hasPreviousPage": True}
    assert small["last"]["pageInfo"] == {"hasNextPage": False, "hasPreviousPage": False}


# Identity: within one operation the same item is read once.

TWICE = "nodes { n itself { n size } }"


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        ("first: 3, after: $c", [21, 22, 23]),
        ("last: 3, before: $c", [17, 18, 19]),
        ("first: 3, after: $c, direction: DESCENDING", None),
        ("first: 30, after: $c", list(range(21, 40))),
    ],
)
async def test_items_of_a_page_after_a_cursor_are_not_read_again(
    ask: Asked, arguments: str, numbers: list[int] | None
) -> None:
    cursor = await cursor_of(ask, 20)
    if numbers is None:
        whole = await ask(talks("first: 40, direction: DESCENDING"))
        cursor, numbers = whole["hall"]["talks"]["edges"][19]["cursor"], [19, 18, 17]

    page = (await ask(talks(arguments, TWICE), c=cursor))["hall"]["talks"]

    assert page["nodes"] == [{"n": n, "itself": {"n": n, "size": n % 10}} for n in numbers]
    assert sorted(ask.operations) == ["GetItem", "Query"], "the hall, its page"


async def test_items_that_a_filter_let_pass_are_not_read_again(ask: Asked) -> None:
    page = (await ask(talks("first: 2, where: {size: {eq: 5}}", TWICE)))["hall"]["talks"]

    assert page["nodes"] == [{"n": n, "itself": {"n": n, "size": 5}} for n in (5, 15)]
    assert sorted(ask.operations) == ["GetItem", "Query"], "the hall, its page"


async def test_what_lies_outside_a_page_is_not_taken_for_absent(ask: Asked) -> None:
    cursor = await cursor_of(ask, 20)
    operation = """
        query ($c: String) {
          hall(id: "a") {
            talks(first: 1, after: $c) {
              nodes { hall: n itself { n } }
            }
          }
          at: talk(hallId: "a", heldOn: "2024-01-01", n: 20) { n }
          beyond: talk(hallId: "a", heldOn: "2024-01-01", n: 30) { n }
        }
    """
    found = await ask(operation, c=cursor)

    assert (found["at"], found["beyond"]) == ({"n": 20}, {"n": 30})
