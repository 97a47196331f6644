"""The shop's sample has enough of everything for its operations to be worth looking at."""

from collections import Counter, defaultdict
from decimal import Decimal

from examples.shop import gateway
from examples.shop.model import Order, OrderItem, Product, User
from examples.shop.sample import sample
from tablefold.store.rows import items_of_object

THINGS = list(sample())


def test_it_is_the_same_every_time():
    assert list(sample()) == THINGS


def test_it_loads_in_a_moment():
    items = [item for thing in THINGS for item in items_of_object(gateway.layout, thing)]
    keys = {(item["PK"]["S"], item["SK"]["S"]) for item in items}
    assert len(keys) == len(items) <= 2_000


def test_every_status_fills_more_than_a_page():
    counted = Counter(one.status for one in THINGS if isinstance(one, Order))
    assert min(counted.values()) > gateway.sizes.default


def test_an_order_costs_what_its_items_do():
    bought: defaultdict[str, Decimal] = defaultdict(Decimal)
    for one in THINGS:
        if isinstance(one, OrderItem):
            bought[one.order_id] += one.quantity * one.price
    assert {one.id: one.total for one in THINGS if isinstance(one, Order)} == bought


def test_every_item_is_of_a_product_and_every_order_of_a_user():
    products = {one.id for one in THINGS if isinstance(one, Product)}
    users = {one.id for one in THINGS if isinstance(one, User)}
    assert {one.product_id for one in THINGS if isinstance(one, OrderItem)} <= products
    assert {one.user_id for one in THINGS if isinstance(one, Order)} <= users
    assert len(products) >= 150
    assert len(users) >= 60
    assert any(isinstance(one, User) and not one.active for one in THINGS)
