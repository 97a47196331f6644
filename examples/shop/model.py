"""The shop's model: where its items live, and how they hang together."""

import datetime
import enum
from decimal import Decimal
from pathlib import Path

import strawberry

from tablefold import (
    Connection,
    Gateway,
    Table,
    Version,
    Writes,
    attribute,
    count_of,
    lookup,
    many,
    one,
    sharded,
    sum_of,
)

table = Table("shop")


@strawberry.enum
class OrderStatus(enum.Enum):
    PENDING = "PENDING"
    PAID = "PAID"
    SHIPPED = "SHIPPED"
    DELIVERED = "DELIVERED"
    CANCELLED = "CANCELLED"


@table.entity(
    "USER#{id}",
    "PROFILE",
    gsi1=lookup("EMAIL#{email}", "USER#{id}"),
    gsi2=sharded("ACTIVE_USER", "USER#{id}", shards=4, when="active", name="active_users"),
    unique=["email"],
    writes=True,
    moves=False,
)
class User:
    """Somebody who can place orders."""

    id: strawberry.ID
    name: str
    email: str
    active: bool = True
    joined_on: datetime.date
    addresses: list["Address"] = many(bounded=20)
    orders: Connection["Order"] = many(newest_first=True, filters=["status", "total"])


@table.entity("USER#{user_id}", "ADDR#{kind}", writes=True)
class Address:
    """Where a user receives parcels; `kind` is home, work, and the like."""

    user_id: strawberry.Private[str]
    kind: str
    street: str
    city: str
    postal_code: str | None = None


@table.entity(
    "ORDER#{id}",
    "META",
    copies=[("USER#{user_id}", "ORDER#{placed_on}#{id}")],
    gsi1=sharded("STATUS#{status}", "{placed_on}#{id}", shards=8, newest_first=True),
    writes=Writes("update", updates=["status"]),
    moves=False,
)
class Order:
    """An order, at home in its own partition and copied into its user's."""

    id: strawberry.ID
    user_id: strawberry.Private[str]
    placed_on: datetime.date
    status: OrderStatus
    total: Decimal
    user: User = one()
    items: list["OrderItem"] = many(bounded=100)
    shipping: list["Shipment"] = many(bounded=10)
    item_count: int = count_of("items")
    quantity: int = sum_of("items", "quantity", description="How many pieces are in the order.")


@table.entity("ORDER#{order_id}", "ITEM#{n:03d}")
class OrderItem:
    """A line of an order."""

    order_id: strawberry.Private[str]
    n: int
    product_id: strawberry.ID
    quantity: int = attribute(minimum=1)
    price: Decimal
    product: "Product" = one(id="product_id")
    order: Order = one()


@table.entity("ORDER#{order_id}", "SHIPPING#{n:03d}")
class Shipment:
    """A parcel of an order."""

    order_id: strawberry.Private[str]
    n: int
    carrier: str
    tracking: str | None = None
    shipped_at: datetime.datetime | None = None


@table.entity("PRODUCT#{id}", "INFO", writes=True, moves=False)
class Product:
    """Something the shop sells."""

    id: strawberry.ID
    name: str
    price: Decimal
    inventory: int = attribute(minimum=0)
    tags: set[str] = strawberry.field(default_factory=set)
    version: Version = 1


# Mutations and sample are made of the entities above.
from .mutations import Mutation  # noqa: E402
from .sample import sample  # noqa: E402

gateway = Gateway(
    table,
    mutation=Mutation,
    sample=sample,
    operations=Path(__file__).parent / "operations",
)
