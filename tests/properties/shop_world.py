"""The shop as plain objects: every field of its schema, worked out over lists."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import strawberry

from examples.shop import model as shop
from tests.properties.operations import Pools
from tests.properties.oracle import Collection, Oracle, Place, Resolver, first, key_text
from tests.properties.worlds import BAD_IDS, SIZES, World, nodes, sample_of

MISSING_ORDER = shop.Order(
    id=strawberry.ID("missing"),
    user_id="u_001",
    placed_on=datetime.date(2026, 1, 1),
    status=shop.OrderStatus.PAID,
    total=Decimal(1),
)


@dataclass(frozen=True)
class Shop(World):
    copies: Sequence[shop.Order] = ()

    @classmethod
    def sampled(cls) -> "Shop":
        rows = sample_of(shop.gateway)
        return cls(shop.gateway, rows, [row for row in rows if isinstance(row, shop.Order)])

    def _pools(self) -> Pools:
        users = [*(one.id for one in self.of(shop.User)), *BAD_IDS]
        orders = [*(one.id for one in (*self.of(shop.Order), *self.copies)), *BAD_IDS]
        products = [*(one.id for one in self.of(shop.Product)), *BAD_IDS]
        days = sorted({one.placed_on.isoformat() for one in self.copies} | {"2026-02-28"})
        node_id = self.oracle.node_id
        return Pools(
            {
                "user.id": users[:6] + users[-4:],
                "users.ids": users,
                "userId": users[:6] + users[-4:],
                "email": [*(one.email for one in self.of(shop.User)[:6]), "nobody@example.com"],
                "activeUsers.id": users[:20],
                "kind": ["home", "work", "holiday", "attic"],
                "order.id": orders,
                "orders.ids": orders,
                "orderId": orders,
                "id": orders,
                "n": [1, 2, 3, 9],
                "product.id": products,
                "products.ids": products,
                "Date": [*days[:5], *days[-5:]],
                "Decimal": ["0", "20", "57.5", "100", "1000"],
                "first": SIZES,
                "last": SIZES,
                "nodeId": [*map(node_id, self.homes[:40]), node_id(MISSING_ORDER), "garbage"],
            }
        )

    def _oracle(self) -> Oracle:
        users, orders, products = (
            self.of(shop.User),
            self.of(shop.Order),
            self.of(shop.Product),
        )
        addresses, lines = self.of(shop.Address), self.of(shop.OrderItem)
        parcels, copies = self.of(shop.Shipment), self.copies

        def addresses_of(user: object, **options: Any) -> Collection:
            rows = (one for one in addresses if one.user_id == user)
            return Collection(rows, lambda one: one.kind, ("kind",), **options)

        def orders_of(user: object, **options: Any) -> Collection:
            rows = (one for one in copies if one.user_id == user)
            return Collection(rows, by_day, ("placedOn", "id"), paged=True, **options)

        def numbered(rows: Iterable[Any], order: object, **options: Any) -> Collection:
            mine = (one for one in rows if one.order_id == order)
            return Collection(mine, lambda one: f"{one.n:03d}", ("n",), **options)

        def several(rows: Iterable[Any], ids: Iterable[str]) -> list[Any]:
            return [first(rows, id=id) for id in map(key_text, ids)]

        def by_day(order: shop.Order) -> str:
            return f"{order.placed_on}#{order.id}"

        fields: dict[str, Resolver] = {
            "Query.user": lambda _, a: first(users, id=key_text(a["id"])),
            "Query.users": lambda _, a: several(users, a["ids"]),
            "Query.userByEmail": lambda _, a: first(users, email=key_text(a["email"])),
            "Query.activeUsers": lambda _, a: Collection(
                (one for one in users if one.active), lambda one: one.id, ("id",), paged=True
            ),
            "Query.address": lambda _, a: first(
                addresses, user_id=key_text(a["userId"]), kind=key_text(a["kind"])
            ),
            "Query.addressesByUserId": lambda _, a: addresses_of(key_text(a["userId"]), paged=True),
            "Query.order": lambda _, a: first(orders, id=key_text(a["id"])),
            "Query.orders": lambda _, a: several(orders, a["ids"]),
            "Query.ordersByUserId": lambda _, a: orders_of(key_text(a["userId"])),
            "Query.ordersByStatus": lambda _, a: Collection(
                (one for one in orders if one.status.name == a["status"]),
                by_day,
                ("placedOn", "id"),
                newest_first=True,
                paged=True,
            ),
            "Query.orderItem": lambda _, a: first(lines, order_id=key_text(a["orderId"]), n=a["n"]),
            "Query.orderItemsByOrderId": lambda _, a: numbered(
                lines, key_text(a["orderId"]), paged=True
            ),
            "Query.shipment": lambda _, a: first(
                parcels, order_id=key_text(a["orderId"]), n=a["n"]
            ),
            "Query.shipmentsByOrderId": lambda _, a: numbered(
                parcels, key_text(a["orderId"]), paged=True
            ),
            "Query.product": lambda _, a: first(products, id=key_text(a["id"])),
            "Query.products": lambda _, a: [
                first(products, id=id) for id in map(key_text, a["ids"])
            ],
            "Query.node": lambda _, a: node(a["nodeId"]),
            "User.addresses": lambda user, _: addresses_of(user.id),
            "User.orders": lambda user, _: orders_of(user.id, newest_first=True),
            "Order.user": lambda order, _: first(users, id=order.user_id),
            "Order.items": lambda order, _: numbered(lines, order.id),
            "Order.shipping": lambda order, _: numbered(parcels, order.id),
            "Order.itemCount": lambda order, _: sum(one.order_id == order.id for one in lines),
            "Order.quantity": lambda order, _: sum(
                one.quantity for one in lines if one.order_id == order.id
            ),
            "OrderItem.product": lambda line, _: first(products, id=line.product_id),
            "OrderItem.order": lambda line, _: first(orders, id=line.order_id),
        }
        oracle = Oracle(
            self.gateway,
            fields,
            [
                Place(shop.User, lambda one: [one.id]),
                Place(shop.Address, lambda one: [one.user_id, one.kind]),
                Place(shop.Order, lambda one: [one.id]),
                Place(shop.OrderItem, lambda one: [one.order_id, f"{one.n:03d}"]),
                Place(shop.Shipment, lambda one: [one.order_id, f"{one.n:03d}"]),
                Place(shop.Product, lambda one: [one.id]),
            ],
        )
        node = nodes(oracle, [*self.homes, MISSING_ORDER], self.homes)
        return oracle
