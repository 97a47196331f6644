"""The screen's types over ready-made objects: what GraphQL itself costs, without a table."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import strawberry
from strawberry.extensions import ParserCache, ValidationCache

from examples.shop.model import OrderStatus


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
class Edge:
    cursor: str
    node: Order | None


@strawberry.type
class PageInfo:
    has_next_page: bool
    end_cursor: str | None


@strawberry.type
class Orders:
    edges: list[Edge]
    page_info: PageInfo


@strawberry.type
class User:
    name: str
    email: str
    addresses: list[Address]
    held: strawberry.Private[Orders]

    @strawberry.field
    def orders(self, first: int, after: str | None = None) -> Orders:
        return self.held


def user(shown: dict[str, Any]) -> User:
    """The objects behind an answer."""
    orders = shown["orders"]
    return User(
        name=shown["name"],
        email=shown["email"],
        addresses=[
            Address(
                kind=one["kind"],
                street=one["street"],
                city=one["city"],
                postal_code=one["postalCode"],
            )
            for one in shown["addresses"]
        ],
        held=Orders(
            edges=[Edge(cursor=one["cursor"], node=_order(one["node"])) for one in orders["edges"]],
            page_info=PageInfo(
                has_next_page=orders["pageInfo"]["hasNextPage"],
                end_cursor=orders["pageInfo"]["endCursor"],
            ),
        ),
    )


def _order(shown: dict[str, Any]) -> Order:
    return Order(
        id=shown["id"],
        placed_on=datetime.date.fromisoformat(shown["placedOn"]),
        status=OrderStatus[shown["status"]],
        total=Decimal(shown["total"]),
    )


def schema(ready: User) -> strawberry.Schema:
    @strawberry.type
    class Query:
        @strawberry.field
        async def user(self, id: strawberry.ID) -> User | None:
            return ready

    return strawberry.Schema(query=Query, extensions=[ParserCache, ValidationCache])
