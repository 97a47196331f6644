"""What stands in a table, as objects: pools of values to ask for, and the oracle over it all."""

import dataclasses
import datetime
import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from examples.fund import model as fund
from examples.shop import model as shop
from tablefold import Gateway
from tablefold.store.rows import items_of_object
from tablefold.store.values import Item

from tests.properties.operations import Pools
from tests.properties.oracle import Collection, Oracle, Place, first, key_text, stored

T = TypeVar("T")
BAD_IDS = ("nobody", "nobody", "a#b", "")


@dataclass(frozen=True)
class World:
    """Home items as objects, and copies as the objects that they were made of."""

    model: Any
    homes: Sequence[object]
    copies: Sequence[shop.Order] = ()

    def items(self) -> list[Item]:
        layout = self.model.gateway.layout
        items = [items_of_object(layout, home)[0] for home in self.homes]
        return [*items, *(item for one in self.copies for item in items_of_object(layout, one)[1:])]

    def of(self, cls: type[T]) -> list[T]:
        return [home for home in self.homes if type(home) is cls]

    @functools.cached_property
    def pools(self) -> Pools:
        return shop_pools(self) if self.model is shop else fund_pools(self)

    @functools.cached_property
    def oracle(self) -> Oracle:
        return (shop_oracle if self.model is shop else fund_oracle)(self.model.gateway, self)


def sampled(model: Any) -> World:
    """The example with its own sample data."""
    rows = [as_stored(row) for row in model.gateway.sample()]
    return World(model, rows, [row for row in rows if isinstance(row, shop.Order)])


def as_stored(row: Any) -> Any:
    numbers = {
        one.name: stored(held)
        for one in dataclasses.fields(row)
        if one.init and isinstance(held := getattr(row, one.name), Decimal)
    }
    return dataclasses.replace(row, **numbers) if numbers else row


SIZES = (1, 2, 3, 3, 5, 10, 0, 201)


def shop_pools(world: World) -> Pools:
    users = [*(one.id for one in world.of(shop.User)), *BAD_IDS]
    orders = [*(one.id for one in (*world.of(shop.Order), *world.copies)), *BAD_IDS]
    products = [*(one.id for one in world.of(shop.Product)), *BAD_IDS]
    days = sorted({one.placed_on.isoformat() for one in world.copies} | {"2026-02-30"[:8] + "28"})
    node_id = world.oracle.node_id
    return Pools(
        {
            "user.id": users[:6] + users[-4:],
            "users.ids": users,
            "userId": users[:6] + users[-4:],
            "email": [*(one.email for one in world.of(shop.User)[:6]), "nobody@example.com"],
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
            "nodeId": [*map(node_id, world.homes[:40]), node_id(MISSING_ORDER), "garbage"],
        }
    )


MISSING_ORDER = shop.Order(
    id=shop.strawberry.ID("missing"),
    user_id="u_001",
    placed_on=datetime.date(2026, 1, 1),
    status=shop.OrderStatus.PAID,
    total=Decimal(1),
)


def fund_pools(world: World) -> Pools:
    documents = [one.document_id for one in world.of(fund.Document)]
    positions = sorted({one.position_id for one in world.of(fund.CapitalCall)})
    dated = [one.dated for one in world.of(fund.DocumentVersion)]
    node_id = world.oracle.node_id
    return Pools(
        {
            "documentId": [*documents * 3, *BAD_IDS],
            "documentIds": [*documents * 3, *BAD_IDS],
            "positionId": [*positions * 3, *BAD_IDS[:2]],
            "position.positionId": [*positions * 3, *BAD_IDS[:2]],
            "Date": ["2025-08-15", "2025-09-01", "2025-01-01", *map(str, dated)],
            "first": SIZES,
            "last": SIZES,
            "nodeId": [*map(node_id, world.homes[:40]), "garbage"],
        }
    )


# The shop.


def shop_oracle(gateway: Gateway, world: World) -> Oracle:
    users, orders, products = (
        world.of(shop.User),
        world.of(shop.Order),
        world.of(shop.Product),
    )
    addresses, lines = world.of(shop.Address), world.of(shop.OrderItem)
    parcels, copies = world.of(shop.Shipment), world.copies

    def addresses_of(user: object, **options: Any) -> Collection:
        rows = (one for one in addresses if one.user_id == user)
        return Collection(rows, lambda one: one.kind, ("kind",), **options)

    def orders_of(user: object, **options: Any) -> Collection:
        rows = (one for one in copies if one.user_id == user)
        return Collection(rows, by_day, ("placedOn", "id"), paged=True, **options)

    def numbered(rows: Iterable[Any], order: object, **options: Any) -> Collection:
        mine = (one for one in rows if one.order_id == order)
        return Collection(mine, lambda one: f"{one.n:03d}", ("n",), **options)

    def by_day(order: shop.Order) -> str:
        return f"{order.placed_on}#{order.id}"

    fields = {
        "Query.user": lambda _, a: first(users, id=key_text(a["id"])),
        "Query.users": lambda _, a: [first(users, id=id) for id in map(key_text, a["ids"])],
        "Query.userByEmail": lambda _, a: first(users, email=key_text(a["email"])),
        "Query.activeUsers": lambda _, a: Collection(
            (one for one in users if one.active), lambda one: one.id, ("id",), paged=True
        ),
        "Query.address": lambda _, a: first(
            addresses, user_id=key_text(a["userId"]), kind=key_text(a["kind"])
        ),
        "Query.addressesByUserId": lambda _, a: addresses_of(key_text(a["userId"]), paged=True),
        "Query.order": lambda _, a: first(orders, id=key_text(a["id"])),
        "Query.orders": lambda _, a: [first(orders, id=id) for id in map(key_text, a["ids"])],
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
        "Query.shipment": lambda _, a: first(parcels, order_id=key_text(a["orderId"]), n=a["n"]),
        "Query.shipmentsByOrderId": lambda _, a: numbered(
            parcels, key_text(a["orderId"]), paged=True
        ),
        "Query.product": lambda _, a: first(products, id=key_text(a["id"])),
        "Query.products": lambda _, a: [first(products, id=id) for id in map(key_text, a["ids"])],
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
        gateway.sdl(),
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
    node = nodes(oracle, [*world.homes, MISSING_ORDER], world.homes)
    return oracle


def nodes(
    oracle: Oracle, known: Iterable[object], there: Sequence[object]
) -> Callable[[str], object]:
    by_id = {oracle.node_id(one): one for one in known}

    def node(node_id: str) -> object:
        found = by_id[node_id]  # an unknown id is refused
        return found if any(found is one for one in there) else None

    return node


# The fund.


def fund_oracle(gateway: Gateway, world: World) -> Oracle:
    documents, versions = world.of(fund.Document), world.of(fund.DocumentVersion)
    activities = world.of(fund.CapitalActivity)
    past = world.of(fund.CapitalActivityVersion)
    kinds = {
        "CAPITAL_CALL": world.of(fund.CapitalCall),
        "DISTRIBUTION": world.of(fund.Distribution),
        "UNFUNDED_COMMITMENT": world.of(fund.UnfundedCommitment),
    }
    calls, distributions, commitments = kinds.values()
    held = [one for rows in kinds.values() for one in rows]

    def dated(rows: Iterable[Any], document: object, **options: Any) -> Collection:
        mine = (one for one in rows if one.document_id == document)
        return Collection(mine, lambda one: one.dated.isoformat(), ("dated",), **options)

    def positioned(rows: Iterable[Any], document: object, **options: Any) -> Collection:
        mine = (one for one in rows if one.document_id == document)
        return Collection(mine, lambda one: one.position_id, ("positionId",), **options)

    def across(rows: Iterable[Any], position: object) -> Collection:
        mine = (one for one in rows if one.position_id == position)
        return Collection(mine, lambda one: one.document_id, ("documentId",), paged=True)

    def capital(document: object) -> Collection:
        def sort(one: Any) -> str:
            if isinstance(one, fund.CapitalCall):
                return f"CAPITAL_CALL#{one.position_id}"
            return f"CAPITAL_ACTIVITY#{getattr(one, 'dated', 'LATEST')}"

        rows = (one for one in (*activities, *past, *calls) if one.document_id == document)
        return Collection(rows, sort)

    def all_kinds(position: object) -> Collection:
        def sort(one: Any) -> str:
            kind = next(kind for kind, rows in kinds.items() if one in rows)
            return f"{kind}#{one.document_id}"

        return Collection((one for one in held if one.position_id == position), sort, paged=True)

    def one_of(rows: Iterable[Any], a: dict[str, Any]) -> object:
        document, position = key_text(a["documentId"]), key_text(a["positionId"])
        return first(rows, document_id=document, position_id=position)

    def of_position(rows: Sequence[Any], position: fund.Position) -> list[Any]:
        """A position's items of one kind: there is one at most."""
        found = first(rows, document_id=position.document_id, position_id=position.position_id)
        return [] if found is None else [found]

    def amount(rows: Iterable[Any]) -> Decimal:
        amounts = [one.amount for one in rows]
        return sum(amounts[1:], amounts[0]) if amounts else Decimal(0)

    def position(document: Any, id: Any) -> fund.Position:
        return fund.Position(document_id=document, position_id=id)

    def several(rows: Sequence[Any], a: dict[str, Any]) -> list[object]:
        return [first(rows, document_id=id) for id in map(key_text, a["documentIds"])]

    fields: dict[str, Callable[..., Any]] = {
        "Query.capital": lambda _, a: capital(key_text(a["documentId"])),
        "Query.positionItems": lambda _, a: all_kinds(key_text(a["positionId"])),
        "Query.capitalCallIn": lambda _, a: one_of(calls, a),
        "Query.document": lambda _, a: first(documents, document_id=key_text(a["documentId"])),
        "Query.documents": lambda _, a: several(documents, a),
        "Query.documentVersion": lambda _, a: first(
            versions, document_id=key_text(a["documentId"]), dated=a["dated"]
        ),
        "Query.documentVersionsByDocumentId": lambda _, a: dated(
            versions, key_text(a["documentId"]), paged=True
        ),
        "Query.capitalActivity": lambda _, a: first(
            activities, document_id=key_text(a["documentId"])
        ),
        "Query.capitalActivities": lambda _, a: several(activities, a),
        "Query.capitalActivityVersion": lambda _, a: first(
            past, document_id=key_text(a["documentId"]), dated=a["dated"]
        ),
        "Query.capitalActivityVersionsByDocumentId": lambda _, a: dated(
            past, key_text(a["documentId"]), paged=True
        ),
        "Query.position": lambda _, a: position(
            key_text(a["documentId"]), key_text(a["positionId"])
        ),
        "Query.node": lambda _, a: node(a["nodeId"]),
        "Document.history": lambda one, _: dated(versions, one.document_id, newest_first=True),
        "Document.activity": lambda one, _: first(activities, document_id=one.document_id),
        "Document.pastActivities": lambda one, _: dated(past, one.document_id, newest_first=True),
        "Document.capital": lambda one, _: capital(one.document_id),
        "Document.calls": lambda one, _: positioned(calls, one.document_id),
        "Document.distributions": lambda one, _: positioned(distributions, one.document_id),
        "Document.unfundedCommitments": lambda one, _: positioned(commitments, one.document_id),
        "Document.positions": lambda one, _: [
            position(one.document_id, id)
            for id in sorted({a.position_id for a in held if a.document_id == one.document_id})
        ],
        "Document.called": lambda one, _: amount(
            call for call in calls if call.document_id == one.document_id
        ),
    }
    for name, rows in (
        ("capitalCall", calls),
        ("distribution", distributions),
        ("unfundedCommitment", commitments),
    ):
        fields |= {
            f"Query.{name}": lambda _, a, rows=rows: one_of(rows, a),
            f"Query.{name}sByDocumentId": lambda _, a, rows=rows: positioned(
                rows, key_text(a["documentId"]), paged=True
            ),
            f"Query.{name}sByPositionId": lambda _, a, rows=rows: across(
                rows, key_text(a["positionId"])
            ),
        }
    for listed, count, total, rows in (
        ("calls", "callCount", "called", calls),
        ("distributions", "distributionCount", "distributed", distributions),
        ("unfundedCommitments", "commitmentCount", "unfunded", commitments),
    ):
        fields |= {
            f"Position.{listed}": lambda one, _, rows=rows: of_position(rows, one),
            f"Position.{count}": lambda one, _, rows=rows: len(of_position(rows, one)),
            f"Position.{total}": lambda one, _, rows=rows: amount(of_position(rows, one)),
        }
    oracle = Oracle(
        gateway.sdl(),
        fields,
        [
            Place(fund.Document, lambda one: [one.document_id]),
            Place(fund.CapitalActivity, lambda one: [one.document_id]),
            Place(fund.DocumentVersion, lambda one: [one.document_id, str(one.dated)]),
            Place(fund.CapitalActivityVersion, lambda one: [one.document_id, str(one.dated)]),
            *(
                Place(kind, lambda one: [one.document_id, one.position_id])
                for kind in (fund.CapitalCall, fund.Distribution, fund.UnfundedCommitment)
            ),
        ],
    )
    node = nodes(oracle, world.homes, world.homes)
    return oracle
