"""A list narrowed to one key is still a list: its filter and its cursor hold."""

from collections.abc import Generator

import pytest
import strawberry

from tablefold import Connection, Gateway, Table, many, one
from tablefold.store.engines import Engine
from tests.harness.serving import SECRET
from tests.resolvers.asked import Asked, stored

table = Table("one_key")


@table.entity("USER#{id}", "PROFILE")
class User:
    id: strawberry.ID
    notes: Connection["Note"] = many(filters=["stars"])


@table.entity("USER#{user_id}", "NOTE#{n:03d}")
class Note:
    user_id: strawberry.ID
    n: int
    stars: int
    author_id: strawberry.ID = strawberry.ID("bob")
    author: "Author" = one(id="author_id")


@table.entity("AUTHOR#{id}", "AUTHOR")
class Author:
    id: strawberry.ID
    name: str


ROWS = [
    User(id=strawberry.ID("ann")),
    *(Note(user_id=strawberry.ID("ann"), n=n, stars=n) for n in range(3)),
]


@pytest.fixture(scope="module", params=[True, False], ids=["folded", "unfolded"])
def gateway(request: pytest.FixtureRequest, engine: Engine) -> Generator[Gateway, None, None]:
    made = Gateway(table, cursor_secret=SECRET, folding=request.param)
    with stored(made, engine, ROWS) as filled:
        yield filled


def notes(arguments: str) -> str:
    page = (
        "nodes { n author { name } } pageInfo { hasNextPage hasPreviousPage endCursor startCursor }"
    )
    return f'{{ user(id: "ann") {{ notes(n: {{eq: 1}}, {arguments}) {{ {page} }} }} }}'


@pytest.mark.parametrize(("least", "expected"), [(1, [{"n": 1, "author": None}]), (2, [])])
async def test_the_filter_holds(ask: Asked, least: int, expected: list[object]):
    data = await ask(notes(f"first: 5, where: {{stars: {{ge: {least}}}}}"))

    assert data["user"]["notes"]["nodes"] == expected
    assert any("FilterExpression" in one.body for one in ask.sent)


@pytest.mark.parametrize(("size", "place"), [("first", "after"), ("last", "before")])
async def test_nothing_lies_beyond_the_only_key(ask: Asked, size: str, place: str):
    cursor = (await ask(notes(f"{size}: 1")))["user"]["notes"]["pageInfo"]["endCursor"]
    query = notes(f'{size}: 1, {place}: "{cursor}"')
    data = await ask(query)

    page = data["user"]["notes"]
    assert page["nodes"] == []
    assert page["pageInfo"]["hasNextPage"] is (size == "last")
    assert page["pageInfo"]["hasPreviousPage"] is (size == "first")
    assert ask.operations == ["GetItem"], "the user alone: no request could find a note"
    plan = await ask.gateway.plan(query)
    assert plan.requests == 1, f"and no author of a note that cannot be: {plan}"


async def test_without_either_it_is_read_as_the_item_that_it_is(ask: Asked):
    data = await ask('{ notesByUserId(userId: "ann", n: {eq: 1}) { nodes { stars } } }')

    assert data["notesByUserId"]["nodes"] == [{"stars": 1}]
    assert ask.operations == ["GetItem"]
