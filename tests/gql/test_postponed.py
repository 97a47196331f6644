"""`from __future__ import annotations` in the user's module: every annotation is a text."""

from __future__ import annotations

import datetime
from typing import Annotated

import strawberry

from tablefold import Connection, Gateway, Table, attribute, count_of, many, one
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.serving import data_of

table = Table("shop")


@table.entity("USER#{id}", "PROFILE")
class User:
    id: strawberry.ID
    name: str = attribute("fullName")
    photo: bytes | None = None
    tags: set[str] = strawberry.field(default_factory=set)
    secret: strawberry.Private[str] = "hidden"
    orders: Connection[Order] = many()
    lines: list[Order | Note] = many(bounded=9)
    named: list[Annotated[Order | Note, strawberry.union("Line")]] = many(bounded=9)
    notes: list[Note] = many(bounded=9)
    note_count: int = count_of("notes")

    @strawberry.field
    def shout(self) -> str:
        return self.name.upper()


@table.entity("USER#{user_id}", "ORDER#{day}")
class Order:
    user_id: strawberry.Private[str]
    day: datetime.date
    user: User = one()


@table.entity("USER#{user_id}", "NOTE#{id}")
class Note:
    user_id: strawberry.Private[str]
    id: strawberry.ID


@strawberry.type
class Query:
    me: User = one()
    orders: Connection[Order] = many()


def local() -> Table:
    inner = Table("inner")

    @inner.entity("A#{id}", "A")
    class Parent:
        id: strawberry.ID
        children: list[Child] = many(bounded=3)

    @inner.entity("A#{parent_id}", "B#{id}")
    class Child:
        parent_id: strawberry.ID
        id: strawberry.ID
        parent: Parent = one()

    return inner


def test_postponed_annotations_are_understood() -> None:
    sdl = Gateway(table, query=Query).sdl()
    assert "  photo: Base64\n  tags: [String!]!\n" in sdl
    assert "): OrderConnection\n" in sdl
    assert "union Line = Order | Note" in sdl
    assert "secret" not in sdl


def test_postponed_annotations_are_understood_inside_a_function() -> None:
    sdl = Gateway(local()).sdl()
    assert "): [Child]\n" in sdl
    assert "  parent: Parent\n" in sdl


async def test_a_postponed_model_is_read(serve: Serve, proxy: Proxy) -> None:
    day = datetime.date(2024, 1, 1)
    gateway = serve(
        Gateway(table, query=Query),
        User(id=strawberry.ID("u1"), name="Ann", photo=b"!", tags={"x"}),
        Order(user_id="u1", day=day),
        Note(user_id="u1", id=strawberry.ID("n1")),
    )
    query = """{ me(id: "u1") { name photo tags shout noteCount
      lines { ... on Order { day user { name } } ... on Note { id } } } }"""
    assert data_of(await gateway.execute(query))["me"] == {
        "name": "Ann",
        "photo": "IQ==",
        "tags": ["x"],
        "shout": "ANN",
        "noteCount": 1,
        "lines": [{"id": "n1"}, {"day": "2024-01-01", "user": {"name": "Ann"}}],
    }
