"""The root: generated, written by the user, or both; and what its fields take."""

import datetime

import pytest
import strawberry

from tablefold import Connection, Gateway, Table, lookup, many, one
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.schemas import fields_of
from tests.harness.serving import data_of

table = Table("shop")


@table.entity("USER#{id}", "PROFILE", gsi1=lookup("EMAIL#{email}", "USER#{id}"))
class User:
    id: strawberry.ID
    email: str
    orders: Connection["Order"] = many(newest_first=True, filters=["total", "note"])


@table.entity("USER#{user_id}", "ORDER#{day}#{n:03d}")
class Order:
    user_id: strawberry.Private[str]
    day: datetime.date
    n: int
    total: int
    note: str | None = None


@strawberry.type
class Query:
    account: User = one(description="Who it is.", deprecation_reason="Use user.")
    by_mail: User = one(through="GSI1")
    first_order: Order = one(newest_first=False)
    orders: Connection[Order] = many(newest_first=True)

    @strawberry.field
    def version(self) -> str:
        return "1"


ROWS = (
    User(id=strawberry.ID("u1"), email="a@b"),
    *(
        Order(user_id="u1", day=datetime.date(2024, 1, day), n=n, total=day * 10 + n)
        for day in (1, 2, 3)
        for n in (1, 2)
    ),
)


def roots(gateway: Gateway) -> set[str]:
    return set(fields_of(gateway, "Query"))


OWN = {"account", "byMail", "firstOrder", "orders", "version"}
GENERATED = {"user", "users", "userByEmail", "order", "ordersByUserId", "node"}


def test_the_root_is_generated_where_nobody_writes_one() -> None:
    assert roots(Gateway(table)) == GENERATED


def test_a_query_of_one_s_own_stands_instead() -> None:
    assert roots(Gateway(table, query=Query)) == OWN


def test_a_query_of_one_s_own_stands_in_addition() -> None:
    assert roots(Gateway(table, query=Query, generated=True)) == OWN | GENERATED


async def test_a_field_of_one_s_own_stands_before_a_generated_one(
    serve: Serve, proxy: Proxy
) -> None:
    @strawberry.type
    class Mine:
        @strawberry.field
        def user(self) -> str:
            return "me"

    served = serve(Gateway(table, query=Mine, generated=True))
    assert data_of(await served.execute("{ user }")) == {"user": "me"}


def test_descriptions_and_deprecations_are_shown() -> None:
    sdl = Gateway(table, query=Query).sdl()
    assert '"""Who it is."""\n  account(id: ID!): User @deprecated(reason: "Use user.")' in sdl


async def test_plain_resolvers_and_table_fields_are_answered_together(
    serve: Serve, proxy: Proxy
) -> None:
    served = serve(Gateway(table, query=Query), *ROWS)
    query = """{ version account(id: "u1") { email } byMail(email: "a@b") { id }
      firstOrder(userId: "u1") { total } }"""
    assert data_of(await served.execute(query)) == {
        "version": "1",
        "account": {"email": "a@b"},
        "byMail": {"id": "u1"},
        "firstOrder": {"total": 11},
    }


async def test_a_plain_resolver_alone_sends_nothing(serve: Serve, proxy: Proxy) -> None:
    served = serve(Gateway(table, query=Query))
    assert data_of(await served.execute("{ version }")) == {"version": "1"}
    assert proxy.sent == []


@pytest.mark.parametrize(
    ("arguments", "totals"),
    [
        ("first: 2", [32, 31]),
        ("first: 2, direction: ASCENDING", [11, 12]),
        ("last: 2", [12, 11]),
        ('day: {eq: "2024-01-02"}', [22, 21]),
        ('day: {eq: "2024-01-02"}, n: {eq: 1}', [21]),
        ('day: {eq: "2024-01-02"}, n: {from: 2}', [22]),
        ('day: {from: "2024-01-02"}', [32, 31, 22, 21]),
        ('day: {to: "2024-01-01"}', [12, 11]),
        ('day: {from: "2024-01-02", to: "2024-01-02"}', [22, 21]),
        ("where: {total: {gt: 12, lt: 31}}", [22, 21]),
        ("where: {total: {in: [11, 32, 99]}}", [32, 11]),
        ("where: {note: {exists: true}}", []),
        ('day: {from: "2024-01-02"}, where: {total: {ne: 31}}, first: 2', [32, 22]),
    ],
)
@pytest.mark.engines("dynoxide")
async def test_a_collection_takes_pages_ranges_direction_and_filters(
    serve: Serve, arguments: str, totals: list[int]
) -> None:
    served = serve(Gateway(table), *ROWS)
    query = f'{{ user(id: "u1") {{ orders({arguments}) {{ nodes {{ total }} }} }} }}'
    nodes = data_of(await served.execute(query))["user"]["orders"]["nodes"]
    assert [node["total"] for node in nodes] == totals


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "n: {eq: 1}",
            "n: the sort key is ORDER#{day}#{n:03d}, so n can only be narrowed once day has a "
            "value: day: {eq: …}.",
        ),
        (
            'day: {eq: "2024-01-01", from: "2024-01-01"}',
            "day: give either eq or from and to, not both.",
        ),
        (
            'day: {from: "2024-01-02", to: "2024-01-01"}',
            "day: from (2024-01-02) lies after to (2024-01-01). Swap them.",
        ),
    ],
)
@pytest.mark.engines("dynoxide")
async def test_a_range_that_no_key_can_answer_is_refused_before_reading(
    serve: Serve, proxy: Proxy, arguments: str, message: str
) -> None:
    served = serve(Gateway(table))
    query = f'{{ ordersByUserId(userId: "u1", {arguments}) {{ nodes {{ total }} }} }}'
    result = await served.execute(query)
    [error] = result.errors or []
    assert error.message == message
    assert (error.extensions or {})["code"] == "BAD_USER_INPUT"
    assert proxy.sent == []


def test_the_price_of_a_filter_is_in_the_schema() -> None:
    arguments = fields_of(Gateway(table), "User")["orders"].args
    assert "paid for" in arguments["where"].description
    assert arguments["day"].description == "Narrows the sort key: only what matches is read."
    assert arguments["direction"].description == "By the sort key; DESCENDING unless given."
