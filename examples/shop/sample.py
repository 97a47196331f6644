"""The shop's sample data: 72 users, 160 products and half a year of orders, the same every time."""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from strawberry import ID

from .model import Address, Order, OrderItem, OrderStatus, Product, Shipment, User

FIRST_DAY = datetime.date(2026, 1, 1)
LAST_DAY = datetime.date(2026, 6, 30)
USERS = 72
MAIN_USER = 1
FIRST_NEWCOMER = 61  # from here on, users have not ordered yet

FIRST_NAMES = (
    *("Ada", "Bruno", "Carmen", "Dmitri", "Elif", "Farid", "Greta", "Hiro", "Ines", "Jonas"),
    *("Keiko", "Lars", "Mina", "Nadia", "Oskar", "Petra", "Quentin", "Rosa", "Samir", "Tilda"),
    *("Uma", "Viktor", "Wanda", "Yusuf"),
)
LAST_NAMES = (
    *("Moreau", "Lindqvist", "Okafor", "Tanaka", "Brandt", "Silva", "Novak", "Haddad", "Keller"),
    *("Ferrari", "Janssen", "Kowalska", "Iyer", "Sato", "Duarte", "Bergman", "Petrov", "Aydin"),
    *("Rossi", "Nakamura", "Vogel", "Castro", "Eriksen"),
)
STREETS = (
    "Mill Lane",
    "Harbour Road",
    "Station Street",
    "Linden Avenue",
    "Old Market",
    "Quay Side",
)
CITIES = ("Lisbon", "Ghent", "Malmö", "Graz", "Trieste", "Bergen", "Porto", "Leipzig", "Utrecht")
CARRIERS = (("Heron Parcel", "HP"), ("Green Wheel", "GW"), ("Tern Express", "TE"))

# Per category its styles and its things; a product is one of each.
CATALOGUE = {
    "kitchen": (
        ("Stoneware", "Enamel", "Walnut", "Copper", "Blue-glazed"),
        ("teapot", "mug", "bowl", "tray", "jug", "canister", "ladle", "colander"),
    ),
    "textile": (
        ("Linen", "Wool", "Cotton", "Striped", "Indigo"),
        ("blanket", "cushion", "apron", "tea towel", "table runner", "scarf", "tote", "curtain"),
    ),
    "paper": (
        ("Pocket", "Ruled", "Clothbound", "Recycled", "Marbled"),
        ("notebook", "diary", "sketchbook", "album", "folder", "ledger", "planner", "card set"),
    ),
    "garden": (
        ("Terracotta", "Zinc", "Willow", "Cedar", "Painted"),
        ("planter", "stool", "basket", "trough", "bird table", "bench", "side table", "stand"),
    ),
}


@dataclass(frozen=True, slots=True)
class Placed:
    """Who bought when; `nth` counts the user's orders."""

    on: datetime.date
    user: int
    nth: int


def sample() -> Iterator[object]:
    catalogue = list(products())
    yield from users()
    yield from catalogue
    placed = sorted(placements(), key=lambda one: (one.on, one.user, one.nth))
    for number, one in enumerate(placed, 1):
        yield from order(number, one, catalogue, age=len(placed) - number)


def users() -> Iterator[object]:
    for number in range(1, USERS + 1):
        first = FIRST_NAMES[(number - 1) % len(FIRST_NAMES)]
        last = LAST_NAMES[(number - 1) % len(LAST_NAMES)]
        yield User(
            id=user_id(number),
            name=f"{first} {last}",
            email=f"{first}.{last}@example.com".lower(),
            active=number % 6 != 0,
            joined_on=datetime.date(2024, 1, 8) + datetime.timedelta(days=number * 37 % 700),
        )
        yield from addresses(number)


def addresses(number: int) -> Iterator[Address]:
    kinds = ("home", "work", "holiday") if number == MAIN_USER else ("home", "work")
    for at, kind in enumerate(kinds if number % 3 else kinds[:1]):
        yield Address(
            user_id=user_id(number),
            kind=kind,
            street=f"{1 + (number * 17 + at * 5) % 90} {STREETS[(number + at) % len(STREETS)]}",
            city=CITIES[(number + at * 4) % len(CITIES)],
            postal_code=None if kind == "holiday" else f"{1000 + (number * 391 + at * 77) % 9000}",
        )


def products() -> Iterator[Product]:
    number = 0
    for category, (styles, things) in CATALOGUE.items():
        for style in styles:
            for thing in things:
                number += 1
                yield Product(
                    id=ID(f"p_{number:03d}"),
                    name=f"{style} {thing}",
                    price=Decimal(4 + number * 29 % 70) + Decimal("0.50") * (number % 2),
                    inventory=number * 13 % 120,
                    tags={category, style.lower()},
                )


def placements() -> Iterator[Placed]:
    """The main user buys about once a week and four times in the last; others a few times."""
    days = (LAST_DAY - FIRST_DAY).days
    for nth in range(25):
        ago = nth * 2 if nth < 4 else 9 + (nth - 4) * 8
        yield Placed(LAST_DAY - datetime.timedelta(days=ago), MAIN_USER, nth)
    for user in range(MAIN_USER + 1, FIRST_NEWCOMER):
        for nth in range(2 + user * 5 % 6):
            ago = (user * 53 + nth * 31) % days
            yield Placed(LAST_DAY - datetime.timedelta(days=ago), user, nth)


def order(
    number: int, placed: Placed, catalogue: list[Product], *, age: int
) -> Iterator[Order | OrderItem | Shipment]:
    """An order, its lines and its parcels; `age` is how many orders were placed after it."""
    id = ID(f"o_{number:04d}")
    lines = [
        OrderItem(
            order_id=id,
            n=n,
            product_id=product.id,
            quantity=1 + (number + n) % 3,
            price=product.price,
        )
        for n in range(1, 2 + number % 3)
        for product in [catalogue[(number * 37 + n * 59) % len(catalogue)]]
    ]
    status = status_of(number, age)
    yield Order(
        id=id,
        user_id=user_id(placed.user),
        placed_on=placed.on,
        status=status,
        total=sum((line.price * line.quantity for line in lines), Decimal()),
    )
    yield from lines
    yield from shipments(number, id, placed.on, status)


def status_of(number: int, age: int) -> OrderStatus:
    """Young orders are pending, old ones delivered; now and then one is cancelled."""
    if number % 8 == 3:
        return OrderStatus.CANCELLED
    stage = age + number * 11 % 30
    if stage < 50:
        return OrderStatus.PENDING
    if stage < 90:
        return OrderStatus.PAID
    return OrderStatus.SHIPPED if stage < 135 else OrderStatus.DELIVERED


def shipments(
    number: int, order_id: str, placed_on: datetime.date, status: OrderStatus
) -> Iterator[Shipment]:
    if status not in (OrderStatus.SHIPPED, OrderStatus.DELIVERED):
        return
    for n in range(1, 2 + (number % 5 == 0)):
        carrier, code = CARRIERS[(number + n) % len(CARRIERS)]
        moment = datetime.time(8 + number % 9, number * 7 % 60, tzinfo=datetime.UTC)
        yield Shipment(
            order_id=order_id,
            n=n,
            carrier=carrier,
            tracking=f"{code}{number:04d}{n}",
            shipped_at=datetime.datetime.combine(placed_on + datetime.timedelta(days=n), moment),
        )


def user_id(number: int) -> ID:
    return ID(f"u_{number:03d}")
