"""The screen query as it is written by hand: Strawberry resolvers, DataLoaders, boto3 in threads.

One loader for each access pattern. Users come in BatchGetItems, collections in a Query for each
user, all at once. A cursor is the sort key in base64, without a seal.
"""

from __future__ import annotations

import asyncio
import base64
import datetime
import functools
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import strawberry
from boto3.dynamodb.types import TypeDeserializer
from strawberry.dataloader import DataLoader
from strawberry.extensions import ParserCache, ValidationCache

from bench.peers.threaded import client
from bench.peers.work import Place, Worker, main
from bench.screen import SCREEN, VARIABLES, shown
from examples.shop.model import OrderStatus

Row = dict[str, Any]


@dataclass(frozen=True)
class PageKey:
    user_id: str
    first: int
    after: str | None


class Store:
    """The table, read with boto3 in threads; items come out as plain Python."""

    def __init__(self, dynamodb: Any, table: str, pool: ThreadPoolExecutor) -> None:
        self._dynamodb = dynamodb
        self._table = table
        self._pool = pool
        self._plain: Callable[[Any], Any] = TypeDeserializer().deserialize

    async def _run(self, method: Callable[..., Any], **request: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, functools.partial(method, **request))

    def _row(self, item: Row) -> Row:
        return {name: self._plain(value) for name, value in item.items()}

    async def profiles(self, ids: list[str]) -> list[Row | None]:
        keys = [{"PK": {"S": f"USER#{id}"}, "SK": {"S": "PROFILE"}} for id in ids]
        if len(keys) == 1:
            answer = await self._run(self._dynamodb.get_item, TableName=self._table, Key=keys[0])
            return [self._row(answer["Item"]) if "Item" in answer else None]
        answer = await self._run(
            self._dynamodb.batch_get_item, RequestItems={self._table: {"Keys": keys}}
        )
        rows = map(self._row, answer["Responses"][self._table])
        by_key = {row["PK"]: row for row in rows}
        return [by_key.get(f"USER#{id}") for id in ids]

    async def addresses(self, user_id: str) -> list[Row]:
        return await self._query(user_id, "ADDR#")

    async def orders(self, page: PageKey) -> list[Row]:
        """Newest first, and one more than the page, to know whether another follows."""
        start = {}
        if page.after is not None:
            sort = base64.urlsafe_b64decode(page.after).decode()
            start["ExclusiveStartKey"] = {
                "PK": {"S": f"USER#{page.user_id}"},
                "SK": {"S": sort},
            }
        return await self._query(
            page.user_id, "ORDER#", ScanIndexForward=False, Limit=page.first + 1, **start
        )

    async def _query(self, user_id: str, prefix: str, **options: Any) -> list[Row]:
        answer = await self._run(
            self._dynamodb.query,
            TableName=self._table,
            KeyConditionExpression="PK = :pk AND begins_with(SK, :prefix)",
            ExpressionAttributeValues={":pk": {"S": f"USER#{user_id}"}, ":prefix": {"S": prefix}},
            **options,
        )
        return [self._row(item) for item in answer["Items"]]


class Loaders:
    """One of each for an operation."""

    def __init__(self, store: Store) -> None:
        self.profiles = DataLoader[str, Row | None](store.profiles)
        self.addresses = DataLoader[str, list[Row]](_each(store.addresses))
        self.orders = DataLoader[PageKey, list[Row]](_each(store.orders))


def _each(load: Callable[[Any], Awaitable[list[Row]]]) -> Callable[[Any], Any]:
    async def load_all(keys: list[Any]) -> list[list[Row]]:
        return await asyncio.gather(*map(load, keys))

    return load_all


@strawberry.type
class Address:
    kind: str
    street: str
    city: str
    postal_code: str | None


@strawberry.type
class Order:
    id: strawberry.ID
    placed_on: datetime.date
    status: OrderStatus
    total: Decimal


@strawberry.type
class OrderEdge:
    cursor: str
    node: Order


@strawberry.type
class PageInfo:
    has_next_page: bool
    end_cursor: str | None


@strawberry.type
class OrderConnection:
    edges: list[OrderEdge]
    page_info: PageInfo


@strawberry.type
class User:
    id: strawberry.ID
    name: str
    email: str

    @strawberry.field
    async def addresses(self, info: strawberry.Info[Loaders]) -> list[Address]:
        rows = await info.context.addresses.load(self.id)
        return [
            Address(
                kind=row["SK"].removeprefix("ADDR#"),
                street=row["street"],
                city=row["city"],
                postal_code=row.get("postalCode"),
            )
            for row in rows
        ]

    @strawberry.field
    async def orders(
        self, info: strawberry.Info[Loaders], first: int = 20, after: str | None = None
    ) -> OrderConnection:
        rows = await info.context.orders.load(PageKey(self.id, first, after))
        edges = [OrderEdge(cursor=_cursor(row), node=_order(row)) for row in rows[:first]]
        end = edges[-1].cursor if edges else None
        page_info = PageInfo(has_next_page=len(rows) > first, end_cursor=end)
        return OrderConnection(edges=edges, page_info=page_info)


def _cursor(row: Row) -> str:
    return base64.urlsafe_b64encode(row["SK"].encode()).decode()


def _order(row: Row) -> Order:
    _, day, id = row["SK"].split("#")
    return Order(
        id=id,
        placed_on=datetime.date.fromisoformat(day),
        status=OrderStatus(row["status"]),
        total=row["total"],
    )


@strawberry.type
class Query:
    @strawberry.field
    async def user(self, info: strawberry.Info[Loaders], id: strawberry.ID) -> User | None:
        row = await info.context.profiles.load(id)
        return None if row is None else User(id=id, name=row["name"], email=row["email"])


schema = strawberry.Schema(query=Query, extensions=[ParserCache, ValidationCache])


class Resolved:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def call(self, name: str, body: dict[str, Any]) -> int:
        result = await schema.execute(
            SCREEN, variable_values=VARIABLES, context_value=Loaders(self._store)
        )
        return len(shown(result))


@asynccontextmanager
async def opened(place: Place) -> AsyncGenerator[Worker, None]:
    # An operation asks for two collections at once.
    with ThreadPoolExecutor(max_workers=2 * place.concurrency) as pool:
        yield Resolved(Store(client(place.endpoint, 2 * place.concurrency), place.table, pool))


if __name__ == "__main__":
    main(opened)
