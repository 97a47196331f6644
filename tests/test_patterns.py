"""The access patterns of the examples cost what they promise, counted at the engine."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from examples.shop.model import Order, OrderStatus, User
from examples.shop.sample import sample as shop_sample
from tablefold import Gateway
from tests.harness.examples import READS, Examples, Operation
from tests.harness.proxy import Proxy

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")

STATUS_SHARDS = 8
ACTIVE_USER_SHARDS = 4


@dataclass(frozen=True)
class Pattern:
    """What an operation may send: these requests, or `at_most` as many of whatever kind."""

    row: str
    requests: tuple[str, ...] = ()
    at_most: int = 0
    waves: int = 1
    index: str | None = None

    def allows(self, operations: list[str]) -> bool:
        if self.at_most:
            return 0 < len(operations) <= self.at_most
        return sorted(operations) == sorted(self.requests)


GET, QUERY, BATCH = "GetItem", "Query", "BatchGetItem"
PATTERNS = (
    Pattern("S1", (GET,)),
    Pattern("S2", (QUERY,), index="GSI1"),
    Pattern("S3", (QUERY,)),
    Pattern("S4", at_most=2),
    Pattern("S5", (QUERY,)),
    Pattern("S6", (QUERY,)),
    Pattern("S7", (QUERY, BATCH), waves=2),
    Pattern("S8", (QUERY,) * STATUS_SHARDS, index="GSI1"),
    Pattern("S9", (QUERY,)),
    Pattern("S10", at_most=51),
    Pattern("S11", (BATCH, BATCH)),
    Pattern("S12", (GET,)),
    Pattern("S13", (QUERY,) * ACTIVE_USER_SHARDS, index="GSI2"),
    Pattern("F1", (QUERY,)),
    Pattern("F2", at_most=1),
    Pattern("F3", (QUERY,)),
    Pattern("F4", (GET,)),
    Pattern("F5", (QUERY,), index="GSI_Entity_Document"),
    Pattern("F6", (QUERY,), index="GSI_Position_Document"),
    Pattern("F7", (QUERY,)),
    Pattern("F8", (QUERY,)),
    Pattern("F9", (QUERY,)),
)


@dataclass(frozen=True)
class Asked:
    """A gateway behind the proxy, asked for the rows of the table of patterns."""

    gateway: Gateway
    proxy: Proxy

    async def __call__(self, row: str, **variables: Any) -> dict[str, Any]:
        """The answer; the proxy then holds what this operation alone has sent."""
        operation = operation_of(row)
        self.proxy.clear()
        result = await self.gateway.execute(
            operation.text, {**operation.variables, **variables}, explain=True
        )
        assert result.errors is None
        assert result.data is not None
        return {**result.data, "explain": (result.extensions or {})["explain"]}


@pytest.fixture
async def shop(examples: Examples, proxy: Proxy) -> AsyncGenerator[Asked, None]:
    async with examples.gateway("shop", proxy) as gateway:
        yield Asked(gateway, proxy)


@pytest.fixture
async def fund(examples: Examples, proxy: Proxy) -> AsyncGenerator[Asked, None]:
    async with examples.gateway("fund", proxy) as gateway:
        yield Asked(gateway, proxy)


def operation_of(row: str) -> Operation:
    [operation] = [one for one in READS if one.row == row]
    return operation


def test_every_operation_that_reads_has_its_pattern():
    assert sorted(one.row for one in READS) == sorted(one.row for one in PATTERNS)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda one: one.row)
async def test_a_pattern_costs_what_it_promises(pattern: Pattern, examples: Examples, proxy: Proxy):
    async with examples.gateway(operation_of(pattern.row).example, proxy) as gateway:
        answer = await Asked(gateway, proxy)(pattern.row)

    assert pattern.allows(proxy.operations), proxy.operations
    assert {one.index for one in proxy.sent} == {pattern.index}
    assert len(answer["explain"]["waves"]) == pattern.waves
    assert answer["explain"]["requests"] == len(proxy.sent)


# What was sent, where the number alone does not tell.


async def test_profile_and_newest_orders_are_one_descending_query(shop: Asked, proxy: Proxy):
    answer = await shop("S3")

    [query] = proxy.sent
    assert query.descending
    assert query.limit == 11
    assert ids(answer["user"]["orders"]["nodes"]) == newest(orders("u_001"))[:10]


async def test_each_shard_of_a_status_is_asked_once(shop: Asked, proxy: Proxy):
    await shop("S8")

    partitions = {one.body["ExpressionAttributeValues"][":v0"]["S"] for one in proxy.sent}
    assert partitions == {f"STATUS#PENDING#{shard}" for shard in range(STATUS_SHARDS)}
    assert all(one.descending for one in proxy.sent)


async def test_history_between_two_dates_is_read_by_the_sort_key(fund: Asked, proxy: Proxy):
    await fund("F8")

    [query] = proxy.sent
    assert "BETWEEN" in query.body["KeyConditionExpression"]
    assert "FilterExpression" not in query.body


async def test_capital_is_read_by_its_prefix(fund: Asked, proxy: Proxy):
    answer = await fund("F3")

    [query] = proxy.sent
    assert "begins_with" in query.body["KeyConditionExpression"]
    assert {"S": "CAPITAL_"} in query.body["ExpressionAttributeValues"].values()
    assert [one["__typename"] for one in answer["capital"]] == [
        "CapitalActivityVersion",
        "CapitalActivity",
        "CapitalCall",
        "CapitalCall",
    ]


# Pages: each is as cheap as the first, and together they are the whole list.


async def test_orders_between_two_dates_page_forward_and_backward(shop: Asked):
    expected = [
        order.id
        for order in sorted(orders("u_001"), key=lambda one: (one.placed_on, one.id))
        if "2026-04-01" <= order.placed_on.isoformat() <= "2026-06-30"
    ]
    backwards = list(reversed(expected))

    forward = [ids(page) async for page in pages(shop, "S5", "ordersByUserId")]
    backward = [ids(page) async for page in pages_back(shop, "S5", "ordersByUserId", last=5)]

    assert len(forward) > 2
    assert forward == chunks(expected, 5)
    assert [page[::-1] for page in backward] == chunks(backwards, 5)


async def test_orders_by_status_page_over_all_shards(shop: Asked):
    pending = [order for order in orders() if order.status is OrderStatus.PENDING]

    walked = [ids(page) async for page in pages(shop, "S8", "ordersByStatus", STATUS_SHARDS)]

    assert walked == chunks(newest(pending), 10)


async def test_active_users_page_over_all_shards(shop: Asked):
    active = sorted(one.id for one in shop_sample() if isinstance(one, User) and one.active)

    walked = [ids(page) async for page in pages(shop, "S13", "activeUsers", ACTIVE_USER_SHARDS)]

    assert walked == chunks(active, 10)


async def test_a_position_is_paged_across_documents(fund: Asked):
    walked = [page async for page in pages(fund, "F6", "positionItems")]

    assert [[(one["__typename"], one["documentId"]) for one in page] for page in walked] == [
        [("CapitalCall", "DOC001"), ("CapitalCall", "DOC002"), ("Distribution", "DOC001")],
        [("Distribution", "DOC002"), ("UnfundedCommitment", "DOC001")],
    ]


async def pages(
    ask: Asked, row: str, field: str, shards: int = 1
) -> AsyncGenerator[list[dict[str, Any]], None]:
    """The nodes of every page, each at the price of at most one Query per shard."""
    after: str | None = None
    while True:
        connection = (await ask(row, after=after))[field]
        assert set(ask.proxy.operations) == {QUERY}
        assert len(ask.proxy.operations) <= shards
        yield nodes(connection)
        if not connection["pageInfo"]["hasNextPage"]:
            return
        after = connection["pageInfo"]["endCursor"]


async def pages_back(
    ask: Asked, row: str, field: str, *, last: int
) -> AsyncGenerator[list[dict[str, Any]], None]:
    """From the end of the list to its start, one Query for each page."""
    before: str | None = None
    while True:
        connection = (await ask(row, first=None, last=last, before=before))[field]
        assert ask.proxy.operations == [QUERY]
        assert connection["pageInfo"]["hasNextPage"] is (before is not None)
        yield nodes(connection)
        if not connection["pageInfo"]["hasPreviousPage"]:
            return
        before = connection["pageInfo"]["startCursor"]


def nodes(connection: dict[str, Any]) -> list[dict[str, Any]]:
    if "nodes" in connection:
        return connection["nodes"]
    return [edge["node"] for edge in connection["edges"]]


def orders(user_id: str | None = None) -> list[Order]:
    made = [one for one in shop_sample() if isinstance(one, Order)]
    return [one for one in made if user_id in (None, one.user_id)]


def newest(some: list[Order]) -> list[str]:
    return [one.id for one in sorted(some, key=lambda one: (one.placed_on, one.id), reverse=True)]


def ids(some: list[dict[str, Any]]) -> list[str]:
    return [one["id"] for one in some]


def chunks(some: Sequence[str], size: int) -> list[list[str]]:
    return [list(some[start : start + size]) for start in range(0, len(some), size)]
