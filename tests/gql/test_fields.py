"""An entity's fields stay Strawberry fields: described, deprecated, renamed."""

import strawberry

from tablefold import (
    Connection,
    Gateway,
    Table,
    attribute,
    count_of,
    many,
    max_of,
    min_of,
    one,
    sum_of,
)
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.serving import data_of

table = Table("shop")


@table.entity("USER#{id}", "PROFILE")
class User:
    id: strawberry.ID
    nick: str = attribute("NickName", name="handle", description="As others see it.")
    fax: str | None = attribute(default=None, deprecation_reason="Nobody has one.")
    city: str = strawberry.field(default="Bern", description="Where.")
    orders: Connection["Order"] = many(description="Newest last.", name="purchases")
    bills: list["Bill"] = many(bounded=9, deprecation_reason="Use purchases.")
    bill_count: int = count_of("bills", description="How many.")
    owed: int = sum_of("bills", "amount")
    least: int | None = min_of("bills", "amount")
    latest: str | None = max_of("bills", "id")


@table.entity("USER#{user_id}", "ORDER#{id}")
class Order:
    user_id: strawberry.Private[str]
    id: strawberry.ID
    user: User = one(name="customer")


@table.entity("USER#{user_id}", "BILL#{id}")
class Bill:
    user_id: strawberry.Private[str]
    id: strawberry.ID
    amount: int


def user_type() -> str:
    return Gateway(table).sdl().partition("type User implements Node {")[2].partition("\n}")[0]


def test_attributes_are_described_deprecated_and_renamed() -> None:
    shown = user_type()
    assert '"""As others see it."""\n  handle: String!' in shown
    assert 'fax: String @deprecated(reason: "Nobody has one.")' in shown
    assert '"""Where."""\n  city: String!' in shown


def test_links_are_described_deprecated_and_renamed() -> None:
    shown = user_type()
    assert '"""Newest last."""\n  purchases(' in shown
    assert '): [Bill] @deprecated(reason: "Use purchases.")' in shown
    assert "customer: User" in Gateway(table).sdl()


def test_numbers_are_described_and_may_be_null_where_reading_fails() -> None:
    shown = user_type()
    assert '"""How many."""\n  billCount: Int\n' in shown
    assert "  owed: Int\n  least: Int\n  latest: String" in shown


async def test_renamed_fields_are_read(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(
        Gateway(table),
        User(id=strawberry.ID("u1"), nick="ann"),
        Order(user_id="u1", id=strawberry.ID("o1")),
    )
    query = '{ user(id: "u1") { handle fax city purchases { nodes { customer { handle } } } } }'
    assert data_of(await gateway.execute(query))["user"] == {
        "handle": "ann",
        "fax": None,
        "city": "Bern",
        "purchases": {"nodes": [{"customer": {"handle": "ann"}}]},
    }


async def test_numbers_of_a_collection_are_one_query(serve: Serve, proxy: Proxy) -> None:
    bills = [Bill(user_id="u1", id=strawberry.ID(f"b{n}"), amount=n) for n in (5, 3, 4)]
    gateway = serve(Gateway(table), User(id=strawberry.ID("u1"), nick="ann"), *bills)
    query = '{ user(id: "u1") { billCount owed least latest bills { amount } } }'
    assert data_of(await gateway.execute(query))["user"] == {
        "billCount": 3,
        "owed": 12,
        "least": 3,
        "latest": "b5",
        "bills": [{"amount": 3}, {"amount": 4}, {"amount": 5}],
    }
    assert proxy.operations.count("Query") == 1


async def test_numbers_of_nothing(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table), User(id=strawberry.ID("u1"), nick="ann"))
    query = '{ user(id: "u1") { billCount owed least latest } }'
    assert data_of(await gateway.execute(query))["user"] == {
        "billCount": 0,
        "owed": 0,
        "least": None,
        "latest": None,
    }
