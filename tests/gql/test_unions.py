"""Unions and interfaces over entities: one Query reads what lives together."""

from typing import Annotated

import strawberry

from tablefold import Connection, Gateway, Table, many, one
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.serving import data_of

table = Table("fund")


@strawberry.interface
class Movement:
    """Money that moves."""

    fund_id: strawberry.ID
    id: strawberry.ID
    amount: int
    fund: "Fund" = one()


@table.entity("FUND#{fund_id}", "CALL#{id}")
class Call(Movement):
    due: str


@table.entity("FUND#{fund_id}", "PAYOUT#{id}")
class Payout(Movement):
    paid: bool = False


@table.entity("FUND#{fund_id}", "REMARK#{id}")
class Remark:
    fund_id: strawberry.ID
    id: strawberry.ID
    text: str


@table.entity("FUND#{id}", "ABOUT")
class Fund:
    id: strawberry.ID
    name: str
    both: list[Call | Payout] = many(bounded=20)
    entries: list[Annotated[Payout | Remark, strawberry.union("Entry")]] = many(bounded=20)
    paged: Connection[Annotated[Call | Remark, strawberry.union("Line")]] = many()
    movements: list[Movement] = many(bounded=20)
    feed: Connection[Movement] = many(newest_first=True)


FUND, F1 = Fund(id=strawberry.ID("f1"), name="One"), strawberry.ID("f1")
ROWS = (
    FUND,
    Call(fund_id=F1, id=strawberry.ID("c1"), amount=10, due="soon"),
    Call(fund_id=F1, id=strawberry.ID("c2"), amount=20, due="late"),
    Payout(fund_id=F1, id=strawberry.ID("p1"), amount=5, paid=True),
    Remark(fund_id=F1, id=strawberry.ID("r1"), text="hm"),
)


def test_unions_and_interfaces_are_shown_as_such() -> None:
    sdl = Gateway(table).sdl()
    assert "union CallPayout = Call | Payout" in sdl
    assert "union Entry = Payout | Remark" in sdl
    assert "union Line = Call | Remark" in sdl
    assert "movements(\n" in sdl
    assert "): [Movement]\n" in sdl
    assert "feed(\n" in sdl
    assert "): MovementConnection\n" in sdl
    assert "type Call implements Movement & Node" in sdl


async def test_a_list_of_a_union_is_one_query(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table), *ROWS)
    query = """{ fund(id: "f1") { both { __typename
      ... on Call { id due } ... on Payout { id paid } } } }"""
    assert data_of(await gateway.execute(query))["fund"]["both"] == [
        {"__typename": "Call", "id": "c1", "due": "soon"},
        {"__typename": "Call", "id": "c2", "due": "late"},
        {"__typename": "Payout", "id": "p1", "paid": True},
    ]
    assert proxy.operations == ["Query"]


async def test_a_union_with_a_name_skips_what_lies_between(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table), *ROWS)
    query = """{ fund(id: "f1") { paged(first: 5) { nodes { __typename
      ... on Call { id } ... on Remark { text } } pageInfo { hasNextPage } } } }"""
    assert data_of(await gateway.execute(query))["fund"]["paged"] == {
        "nodes": [
            {"__typename": "Call", "id": "c1"},
            {"__typename": "Call", "id": "c2"},
            {"__typename": "Remark", "text": "hm"},
        ],
        "pageInfo": {"hasNextPage": False},
    }


async def test_an_interface_reaches_all_that_implement_it(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table), *ROWS)
    query = '{ fund(id: "f1") { movements { __typename id amount ... on Call { due } } } }'
    assert data_of(await gateway.execute(query))["fund"]["movements"] == [
        {"__typename": "Call", "id": "c1", "amount": 10, "due": "soon"},
        {"__typename": "Call", "id": "c2", "amount": 20, "due": "late"},
        {"__typename": "Payout", "id": "p1", "amount": 5},
    ]
    assert proxy.operations == ["Query"]


async def test_a_link_declared_on_an_interface_works_on_each_entity(
    serve: Serve, proxy: Proxy
) -> None:
    gateway = serve(Gateway(table), *ROWS)
    query = '{ fund(id: "f1") { feed(first: 2) { nodes { id fund { name } } } } }'
    assert data_of(await gateway.execute(query))["fund"]["feed"]["nodes"] == [
        {"id": "p1", "fund": {"name": "One"}},
        {"id": "c2", "fund": {"name": "One"}},
    ]
    assert proxy.operations.count("Query") == 1


async def test_a_union_at_the_root_takes_its_partition_as_argument(
    serve: Serve, proxy: Proxy
) -> None:
    @strawberry.type
    class Query:
        ledger: Connection[Call | Payout] = many()

    gateway = serve(Gateway(table, query=Query), *ROWS)
    assert "ledger(\n    fundId: ID!\n" in gateway.sdl()
    query = '{ ledger(fundId: "f1", first: 2) { edges { node { ... on Call { id } } } } }'
    assert data_of(await gateway.execute(query))["ledger"]["edges"] == [
        {"node": {"id": "c1"}},
        {"node": {"id": "c2"}},
    ]
    assert proxy.operations == ["Query"]
