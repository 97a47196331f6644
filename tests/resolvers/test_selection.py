"""What is selected is what is asked: aliases, fragments, directives and types."""

from collections.abc import Generator

import pytest
import strawberry

from tablefold import Connection, Gateway, Limits, Table, many, one
from tablefold.store.engines import Engine
from tests.harness.serving import SECRET
from tests.resolvers.asked import Asked, stored

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")

table = Table("selection")


@table.entity("ROOM#{id}", "ROOM")
class Room:
    id: strawberry.ID
    name: str
    colour: str
    messages: Connection["Message"] = many(newest_first=True)
    events: list["Joined | Left"] = many(bounded=20)


@table.entity("ROOM#{room_id}", "MSG#{n:03d}")
class Message:
    room_id: strawberry.ID
    n: int
    text: str
    author_id: strawberry.ID
    author: "Author" = one(id="author_id")
    room: Room = one()


@table.entity("ROOM#{room_id}", "EVENT#{at}#JOINED")
class Joined:
    room_id: strawberry.ID
    at: str
    welcome: str
    author_id: strawberry.ID
    author: "Author" = one(id="author_id")


@table.entity("ROOM#{room_id}", "EVENT#{at}#LEFT")
class Left:
    room_id: strawberry.ID
    at: str
    reason: str


@table.entity("AUTHOR#{id}", "AUTHOR")
class Author:
    id: strawberry.ID
    name: str
    notes: Connection["Note"] = many()


@table.entity("AUTHOR#{author_id}", "NOTE#{n:03d}")
class Note:
    author_id: strawberry.ID
    n: int


ROOM, ANN = strawberry.ID("r"), strawberry.ID("ann")
ROWS = [
    Room(id=ROOM, name="Hall", colour="red"),
    *(Message(room_id=ROOM, n=n, text=f"text {n}", author_id=ANN) for n in range(5)),
    Joined(room_id=ROOM, at="1", welcome="hello", author_id=ANN),
    Left(room_id=ROOM, at="2", reason="tired"),
    Author(id=ANN, name="Ann"),
    *(Note(author_id=ANN, n=n) for n in range(4)),
]


@pytest.fixture(scope="module")
def gateway(engine: Engine) -> Generator[Gateway, None, None]:
    with stored(Gateway(table, cursor_secret=SECRET), engine, ROWS) as made:
        yield made


def projected(asked: Asked) -> set[str]:
    """The attributes that the one request asks for."""
    [sent] = asked.sent
    names = sent.body["ExpressionAttributeNames"]
    listed = sent.body["ProjectionExpression"].replace(" ", "").split(",")
    return {names.get(one, one) for one in listed}


# Projection.


async def test_only_what_is_selected_is_asked_for(ask: Asked):
    await ask('{ room(id: "r") { colour } }')

    assert projected(ask) == {"PK", "SK", "entityType", "colour"}


async def test_an_attribute_that_stands_in_the_key_alone_is_read_from_it(ask: Asked):
    data = await ask('{ room(id: "r") { id } }')

    assert data == {"room": {"id": "r"}}


# Aliases.


async def test_one_field_under_two_aliases_is_one_request_of_the_longest_page(ask: Asked):
    data = await ask(
        """{ room(id: "r") {
          newest: messages(first: 1) { nodes { n } }
          more: messages(first: 3) { nodes { n } }
        } }"""
    )

    assert ask.operations == ["Query"]
    assert data["room"] == {
        "newest": {"nodes": [{"n": 4}]},
        "more": {"nodes": [{"n": 4}, {"n": 3}, {"n": 2}]},
    }


async def test_aliases_of_different_pages_keep_apart(ask: Asked):
    data = await ask(
        """{ room(id: "r") {
          newest: messages(first: 1) { nodes { n } }
          oldest: messages(last: 1) { nodes { n } }
          five: messages(n: {eq: 3}) { nodes { n } }
        } }"""
    )

    assert data["room"] == {
        "newest": {"nodes": [{"n": 4}]},
        "oldest": {"nodes": [{"n": 0}]},
        "five": {"nodes": [{"n": 3}]},
    }


# Nodes next to edges.


async def test_nodes_and_edges_of_one_page_may_want_different_things_under_them(ask: Asked):
    data = await ask(
        """{ room(id: "r") { messages(first: 1) {
          nodes { text author { notes(first: 1) { nodes { n } } } }
          edges { node { n author { name notes(first: 2) { edges { node { n } } } } } }
        } } }"""
    )

    assert data["room"]["messages"] == {
        "nodes": [{"text": "text 4", "author": {"notes": {"nodes": [{"n": 0}]}}}],
        "edges": [
            {
                "node": {
                    "n": 4,
                    "author": {
                        "name": "Ann",
                        "notes": {"edges": [{"node": {"n": 0}}, {"node": {"n": 1}}]},
                    },
                }
            }
        ],
    }
    assert "Query" in ask.operations


async def test_one_page_under_two_aliases_of_its_nodes(ask: Asked):
    data = await ask(
        """{ room(id: "r") { messages(first: 1) {
          a: nodes { author { name } }
          b: nodes { author { id } }
        } } }"""
    )

    assert data["room"]["messages"] == {
        "a": [{"author": {"name": "Ann"}}],
        "b": [{"author": {"id": "ann"}}],
    }
    assert ask.operations == ["Query", "GetItem"]


# Fragments.


async def test_one_fragment_in_two_places_is_filled_in_both(ask: Asked):
    data = await ask(
        """
        fragment Who on Message { n author { ...Name } }
        fragment Name on Author { name }
        { room(id: "r") {
            a: messages(first: 1) { nodes { ...Who } }
            b: messages(last: 1) { edges { node { ...Who } } nodes { ...Who } }
        } }
        """
    )

    def who(n: int) -> dict[str, object]:
        return {"n": n, "author": {"name": "Ann"}}

    assert data["room"] == {
        "a": {"nodes": [who(4)]},
        "b": {"edges": [{"node": who(0)}], "nodes": [who(0)]},
    }


async def test_fields_of_several_fragments_are_merged(ask: Asked):
    data = await ask(
        """
        fragment A on Room { messages(first: 1) { nodes { n author { id } } } }
        fragment B on Room { messages(first: 1) { nodes { text author { name } } } }
        { room(id: "r") { ...A ...B ... { colour } ... on Room { name } } }
        """
    )

    assert data["room"] == {
        "messages": {"nodes": [{"n": 4, "author": {"id": "ann", "name": "Ann"}, "text": "text 4"}]},
        "colour": "red",
        "name": "Hall",
    }


# Directives.

SKIPPING = """
query ($skip: Boolean!, $include: Boolean!) {
  room(id: "r") {
    name
    messages(first: 2) @skip(if: $skip) { nodes { n } }
    ...Events @include(if: $include)
  }
}
fragment Events on Room { events { __typename } }
"""


@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.parametrize("include", [True, False])
async def test_what_is_skipped_is_not_asked_for(ask: Asked, skip: bool, include: bool):
    """One document under all four, so that none is served another's outline."""
    data = await ask(SKIPPING, skip=skip, include=include)

    assert ("messages" in data["room"]) is not skip
    assert ("events" in data["room"]) is include
    spans = [sent.operation for sent in ask.sent]
    assert spans.count("GetItem") == (1 if skip else 0)
    assert spans.count("Query") == (0 if skip else 1) + (1 if include else 0)


async def test_a_default_decides_where_a_variable_is_missing(ask: Asked):
    query = """query ($with: Boolean = false) {
      room(id: "r") { name messages(first: 1) @include(if: $with) { nodes { n } } }
    }"""

    assert await ask(query) == {"room": {"name": "Hall"}}
    assert "messages" in (await ask(query, **{"with": True}))["room"]


# Unions.


async def test_each_type_of_a_union_is_asked_for_what_it_is_to_show(ask: Asked):
    data = await ask(
        """{ room(id: "r") { events {
          __typename
          ... on Joined { welcome author { name } }
          ... on Left { reason }
        } } }"""
    )

    assert data["room"]["events"] == [
        {"__typename": "Joined", "welcome": "hello", "author": {"name": "Ann"}},
        {"__typename": "Left", "reason": "tired"},
    ]
    assert sorted(ask.operations) == ["GetItem", "GetItem", "Query"]


async def test_a_type_that_is_not_selected_needs_nothing_of_its_own(ask: Asked):
    data = await ask('{ room(id: "r") { events { ... on Left { reason } } } }')

    assert data["room"]["events"] == [{}, {"reason": "tired"}]


async def test_only_the_type_name_costs_the_read_and_nothing_more(ask: Asked):
    data = await ask('{ room(id: "r") { __typename messages(first: 2) { __typename } } }')

    assert data["room"] == {"__typename": "Room", "messages": {"__typename": "MessageConnection"}}


async def test_fragments_within_fragments_are_refused_before_they_take_time() -> None:
    table = Table("deep")

    @table.entity("NODE#{id}", "INFO")
    class Knot:  # pyright: ignore[reportUnusedClass]
        id: strawberry.ID
        next_id: strawberry.ID
        next: "Knot" = one(id="next_id")

    depth = 30
    fragments = [
        f"fragment F{n} on Knot {{ x: next {{ ...F{n + 1} }} y: next {{ ...F{n + 1} }} }}"
        for n in range(depth)
    ]
    fragments.append(f"fragment F{depth} on Knot {{ id }}")
    gateway = Gateway(table, limits=Limits(depth=None, fields=None, aliases=None))
    result = await gateway.execute('{ knot(id: "k") { ...F0 } } ' + " ".join(fragments))
    [error] = result.errors or []
    assert error.message.startswith("This operation asks the table in more than 1,000 places.")
    assert (error.extensions or {})["code"] == "LIMIT_EXCEEDED"
