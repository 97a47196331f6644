"""Random data for the examples: parents that are missing, orphans, and copies that lag behind."""

import datetime
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, TypeVar

from hypothesis import strategies as st
from strawberry import ID

from examples.fund import model as fund
from examples.shop import model as shop
from tests.properties.fund_world import Fund
from tests.properties.shop_world import Shop

T = TypeVar("T")

# Names that are neighbours in key order: a space and an exclamation mark sort before a '#'.
USERS, STRANGER = ("u", "u 1", "u!"), "u2"
ORDERS = tuple(f"o{n}" for n in range(7))
PRODUCTS = ("p", "p 1", "q")
KINDS = ("home", "home 2", "work")
DAYS = tuple(datetime.date(2026, 1, day) for day in (1, 2, 9, 10))
DOCUMENTS = ("D", "D 1")
POSITIONS = ("P", "P 1", "P!", "Q")
AMOUNTS = st.sampled_from([Decimal(0), Decimal("12.5"), Decimal(400), Decimal(-3)])


@st.composite
def shops(draw: st.DrawFn) -> Shop:
    people = (*USERS, STRANGER)
    homes: list[Any] = [
        shop.User(
            id=ID(id), name=id, email=f"{id}@x", active=draw(st.booleans()), joined_on=DAYS[0]
        )
        for id in some(draw, USERS)
    ]
    homes += [
        shop.Address(user_id=id, kind=kind, street="1", city=draw(st.sampled_from(KINDS)))
        for id in people
        for kind in some(draw, KINDS)
    ]
    homes += [
        shop.Product(id=ID(id), name=id, price=draw(AMOUNTS), inventory=1, tags=set())
        for id in some(draw, PRODUCTS)
    ]
    made = [draw(orders(ID(id), people)) for id in some(draw, ORDERS)]
    homes += some(draw, made, missing=6)
    for id in ORDERS:
        homes += [draw(lines(id, n)) for n in some(draw, range(1, 4))]
        homes += [
            shop.Shipment(order_id=id, n=n, carrier="c") for n in some(draw, (1, 2), missing=2)
        ]
    return Shop(shop.gateway, homes, draw(copies(made, people)))


def some(draw: st.DrawFn, names: Sequence[T], *, missing: int = 3) -> list[T]:
    """All but about one in `missing`."""
    return [name for name in names if draw(st.integers(1, missing)) < missing]


@st.composite
def orders(draw: st.DrawFn, id: ID, people: Sequence[str]) -> shop.Order:
    return shop.Order(
        id=id,
        user_id=draw(st.sampled_from(people)),
        placed_on=draw(st.sampled_from(DAYS)),
        status=draw(st.sampled_from(shop.OrderStatus)),
        total=draw(AMOUNTS),
    )


@st.composite
def copies(draw: st.DrawFn, made: Sequence[shop.Order], people: Sequence[str]) -> list[shop.Order]:
    """Most are as their homes are; some were forgotten, and some left behind when those moved."""
    found: dict[tuple[str, datetime.date, str], shop.Order] = {}
    for order in made:
        kept = [order] if draw(st.integers(1, 6)) < 6 else []
        if draw(st.integers(1, 3)) == 3:
            kept.append(draw(orders(order.id, people)))
        if draw(st.integers(1, 6)) == 6:
            kept.append(replace(order, total=Decimal(777)))
        found |= {(one.user_id, one.placed_on, one.id): one for one in kept}
    return list(found.values())


@st.composite
def lines(draw: st.DrawFn, order: str, n: int) -> shop.OrderItem:
    product = ID(draw(st.sampled_from((*PRODUCTS, "gone"))))
    quantity = draw(st.integers(1, 3))
    return shop.OrderItem(
        order_id=order, n=n, product_id=product, quantity=quantity, price=draw(AMOUNTS)
    )


@st.composite
def funds(draw: st.DrawFn) -> Fund:
    homes: list[Any] = []
    for document in DOCUMENTS:
        of: dict[str, Any] = {"document_id": ID(document), "version": "v"}
        of["status"] = draw(st.sampled_from(fund.Status))
        homes += [fund.Document(**of)] if draw(st.integers(1, 4)) < 4 else []
        homes += [fund.DocumentVersion(**of, dated=day) for day in some(draw, DAYS)]
        homes += [fund.CapitalActivity(**of, amount=draw(AMOUNTS))] if draw(st.booleans()) else []
        homes += [
            fund.CapitalActivityVersion(**of, dated=day, amount=draw(AMOUNTS))
            for day in some(draw, DAYS)
        ]
        homes += [
            kind(**of, position_id=ID(position), amount=draw(AMOUNTS))
            for kind in (fund.CapitalCall, fund.Distribution, fund.UnfundedCommitment)
            for position in some(draw, POSITIONS)
        ]
    return Fund(fund.gateway, homes)
