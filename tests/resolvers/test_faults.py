"""A stored value that no key can hold is the item's fault, not the client's."""

from collections.abc import Generator
from typing import Any

import pytest
import strawberry
from strawberry.permission import BasePermission

from tablefold import Gateway, Table, copy, many, one
from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.serving import SECRET
from tests.resolvers.asked import Asked, stored

pytestmark = pytest.mark.engines("dynoxide")

table = Table("faults", naming="PascalCase")


class Everybody(BasePermission):
    message = "Nobody."

    def has_permission(self, source: Any, info: Any, **kwargs: Any) -> bool:
        return True


@table.entity("ORDER#{id}", "META")
class Order:
    id: strawberry.ID
    lines: list["Line"] = many(bounded=10)
    notes: list["Note"] = many(bounded=10)


@table.entity("ORDER#{order_id}", "LINE#{n:02d}")
class Line:
    order_id: strawberry.ID
    n: int
    product_id: str
    product: "Product" = one(id="product_id")
    guarded: "Product" = one(id="product_id", permission_classes=[Everybody])
    reviews: list["Review"] = many(bounded=5, product_id="product_id")


@table.entity("PRODUCT#{id}", "INFO")
class Product:
    id: strawberry.ID
    name: str


@table.entity("PRODUCT#{product_id}", "REVIEW#{n:02d}")
class Review:
    product_id: strawberry.ID
    n: int


@table.entity(
    "NOTE#{id}", "NOTE", copies=[copy("ORDER#{order_id}", "NOTE#{n:02d}", carries=["title"])]
)
class Note:
    id: strawberry.ID
    order_id: strawberry.ID
    n: int
    title: str
    body: str


def note(n: int) -> Note:
    id, order = strawberry.ID(f"n{n}"), strawberry.ID("o")
    return Note(id=id, order_id=order, n=n, title=f"Title {n}", body=f"Body {n}")


ROWS = [
    Order(id=strawberry.ID("o")),
    Product(id=strawberry.ID("p"), name="Pen"),
    note(1),
    note(2),
    *(
        Line(order_id=strawberry.ID("o"), n=n, product_id=product)
        for n, product in enumerate(["p", "x#y", "", "p" * 3000])
    ),
]
BROKEN = {
    1: "ProductId must not contain '#', which separates the parts of a key.",
    2: "ProductId is empty; it is part of a key and needs a value.",
    3: "ProductId would make the key PRODUCT#{id} longer than the 2,048 bytes that DynamoDB "
    "allows. Use a shorter value.",
}


@pytest.fixture(scope="module")
def gateway(engine: Engine) -> Generator[Gateway, None, None]:
    with stored(Gateway(table, cursor_secret=SECRET), engine, ROWS) as made:
        yield made


@pytest.mark.parametrize("field", ["product", "guarded"])
async def test_a_stored_value_that_no_key_can_hold_is_an_error_of_its_item(ask: Asked, field: str):
    result = await ask.result(f'{{ order(id: "o") {{ lines {{ n {field} {{ name }} }} }} }}')

    pen = {"name": "Pen"}
    assert result.data == {
        "order": {
            "lines": [{"n": 0, field: pen}, *({"n": n, field: None} for n in range(1, 4))],
        }
    }
    told = {error.path[2]: error for error in result.errors or [] if error.path}
    assert {(error.extensions or {})["code"] for error in told.values()} == {"ITEM_INVALID"}
    assert {at: error.message for at, error in told.items()} == {
        at: f"The item ORDER#o / LINE#{at:02d} is no valid Line: {what} "
        f"Line.{field} needs it for PRODUCT#{{id}} / INFO."
        for at, what in BROKEN.items()
    }


async def test_it_is_the_items_fault_for_a_collection_too(ask: Asked):
    result = await ask.result('{ orderLine: line(orderId: "o", n: 1) { reviews { n } } }')

    [error] = result.errors or []
    assert (error.extensions or {})["code"] == "ITEM_INVALID"
    assert error.path == ["orderLine", "reviews"]
    assert error.message == (
        "The item ORDER#o / LINE#01 is no valid Line: ProductId must not contain '#', which "
        "separates the parts of a key. Line.reviews needs it for PRODUCT#{product_id} / "
        "REVIEW#{n:02d}."
    )


async def test_an_argument_that_no_key_can_hold_is_the_clients_fault(ask: Asked):
    result = await ask.result('{ product(id: "x#y") { name } }')

    [error] = result.errors or []
    assert (error.extensions or {})["code"] == "BAD_USER_INPUT"
    assert ask.sent == []


async def test_a_copy_that_names_no_home_fails_in_its_own_place(ask: Asked, engine: Engine):
    dynamodb, name = tables.client(engine.endpoint_url), ask.gateway.table_name
    key = {"PK": {"S": "ORDER#o"}, "SK": {"S": "NOTE#01"}}
    item = dynamodb.get_item(TableName=name, Key=key).get("Item", {})
    dynamodb.put_item(TableName=name, Item={**item, "Id": {"S": "x#y"}})

    result = await ask.result('{ order(id: "o") { notes { title body } } }')

    assert result.data == {"order": {"notes": [None, {"title": "Title 2", "body": "Body 2"}]}}
    [error] = result.errors or []
    assert (error.extensions or {})["code"] == "ITEM_INVALID"
    assert error.path == ["order", "notes", 0]
    assert error.message == (
        "The item ORDER#o / NOTE#01 is no valid Note: id must not contain '#', which separates "
        "the parts of a key."
    )
