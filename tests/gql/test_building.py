"""Attributes and keys that do not fit together are refused with a sentence that teaches."""

import enum
from decimal import Decimal

import pytest
import strawberry

from tablefold import Gateway, Index, Table, attribute, copy, key
from tests.harness.refusals import refusal


def test_a_placeholder_must_be_an_attribute() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE#{nam}")
    class User:
        id: strawberry.ID
        name: str

    assert refusal(table) == (
        "User: the template 'PROFILE#{nam}' names {nam}, which is no attribute of User.\n"
        "  It has id, name. Add it (a strawberry.Private[…] attribute stays out of the schema), "
        "or correct the name."
    )


def test_a_whole_number_in_a_sort_key_needs_a_width() -> None:
    table = Table("shop")

    @table.entity("ORDER#{order_id}", "ITEM#{n}")
    class Item:
        order_id: str
        n: int

    assert refusal(table) == (
        "Item.n in 'ITEM#{n}': a whole number in a sort key needs a width, because '9' sorts "
        "after '10'.\n  Write {name:08d} with as many digits as the largest value has."
    )


def test_a_whole_number_in_a_partition_key_needs_none() -> None:
    table = Table("shop")

    @table.entity("ORDER#{n}", "META")
    class Order:
        n: int

    assert "order(n: Int!): Order" in Gateway(table).sdl()


@pytest.mark.parametrize("number", [Decimal, float])
def test_decimals_do_not_sort_as_text(number: type) -> None:
    table = Table("shop")
    item = type("Item", (), {"__annotations__": {"id": str, "price": number}})
    table.entity("ITEM#{id}", "PRICE#{price}")(item)

    assert refusal(table) == (
        "Item.price in 'PRICE#{price}': a decimal number has no text form that sorts by its "
        "value. Keep a whole number in the key, such as cents with a width: {cents:012d}."
    )


def test_what_every_item_needs_for_its_key_cannot_be_null() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "NICK#{nick}")
    class User:
        id: strawberry.ID
        nick: str | None = None

    assert refusal(table) == (
        "User.nick may be null, but every User needs it for its key USER#{id} / NICK#{nick}.\n"
        "  Annotate it without None, or take it out of the key."
    )


def test_an_index_leaves_out_what_is_null() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE", gsi1=("NICK#{nick}", "USER#{id}"))
    class User:
        id: strawberry.ID
        nick: str | None = None

    user = Gateway(table).layout.entities["User"]
    [item] = user.items({"id": "u1"})
    assert "GSI1PK" not in item


def test_an_enum_that_holds_the_separator_cannot_stand_in_a_key() -> None:
    table = Table("shop")

    @strawberry.enum
    class Size(enum.Enum):
        LARGE = "size#L"

    @table.entity("ITEM#{id}", "SIZE#{size}")
    class Item:
        id: strawberry.ID
        size: Size

    assert refusal(table) == (
        "Item.size in 'SIZE#{size}': Size.LARGE is stored as 'size#L', which is empty or "
        "contains the separator '#'."
    )


def test_placeholders_that_touch_are_refused_with_the_entity_s_name() -> None:
    table = Table("shop")

    @table.entity("ITEM#{id}{kind}", "INFO")
    class Item:
        id: strawberry.ID
        kind: str

    assert refusal(table) == (
        "Item: Template 'ITEM#{id}{kind}': {id} and {kind} touch, so a key could not be taken "
        "apart again.\n  Write '#' between them."
    )


def test_an_attribute_has_a_type_that_an_item_can_hold() -> None:
    table = Table("shop")

    @table.entity("ITEM#{id}", "INFO")
    class Item:
        id: strawberry.ID
        phase: complex

    assert refusal(table).startswith("Item.phase: an item cannot hold <class 'complex'>. Use str,")


def test_two_attributes_cannot_have_one_stored_name() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE")
    class User:
        id: strawberry.ID
        full_name: str
        name: str = attribute("fullName")

    assert refusal(table) == (
        "User: full_name and name would both be stored as 'fullName'.\n"
        '  Give one of them a name of its own: name: … = attribute("…").'
    )


@pytest.mark.parametrize("stored", ["PK", "SK", "ByEmail", "entityType"])
def test_a_stored_name_cannot_be_one_that_the_table_uses(stored: str) -> None:
    table = Table("shop", indexes={"email": Index("by_email", pk="ByEmail", sk="SK2")})

    @table.entity("USER#{id}", "PROFILE")
    class User:
        id: strawberry.ID
        email: str = attribute(stored)

    assert refusal(table) == (
        f"User.email would be stored as {stored!r}, which the table uses for its keys or types.\n"
        '  Give it another stored name: email: … = attribute("…"). What stands in a key is read '
        "back from the key."
    )


def test_when_names_an_attribute() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE", gsi1=key("USERS", "{id}", when="activ"))
    class User:
        id: strawberry.ID
        active: bool

    assert refusal(table) == (
        "User, GSI1: when='activ' is no attribute of User.\n  It has id, active."
    )


def test_carries_names_attributes() -> None:
    table = Table("shop")

    @table.entity("ORDER#{id}", "META", copies=[copy("USERS", "{id}", carries=["totl"])])
    class Order:
        id: strawberry.ID
        total: int

    assert refusal(table) == (
        "Order, table: carries names 'totl', no attribute of Order.\n  It has id, total."
    )


def test_a_group_is_told_by_its_attributes() -> None:
    table = Table("fund")

    @table.entity("{document_id}", "LATEST")
    class Document:
        document_id: str

    @table.group("{document_id}", by="{position_id}")
    class Position:
        document_id: str

    assert refusal(table) == (
        "Position: by='{position_id}' names 'position_id', which is no attribute of Position.\n"
        "  It has document_id."
    )


def test_a_table_without_entities_has_nothing_to_serve() -> None:
    assert refusal(Table("shop")) == (
        "The table shop has no entities, so there is nothing to ask for.\n"
        "  Declare them with @table.entity(pk, sk) before Gateway(table) is made; import their "
        "module if they live in another."
    )


def test_the_global_id_s_name_is_taken() -> None:
    table = Table("shop")

    @table.entity("USER#{node_id}", "PROFILE")
    class User:
        node_id: str

    assert refusal(table) == (
        "User.node_id: nodeId is the id that every object has in this API.\n"
        '  Give the attribute another name; attribute("…") keeps its stored one.'
    )


@pytest.mark.parametrize(
    ("annotation", "write"),
    [
        ("Order", "one()"),
        ("list[Order]", "many(bounded=N), or many() of a Connection"),
        ("Connection[Order]", "many(bounded=N), or many() of a Connection"),
    ],
)
def test_an_entity_is_no_attribute_of_another(annotation: str, write: str) -> None:
    table = Table("shop")

    @table.entity("ORDER#{id}", "META")
    class Order:
        id: strawberry.ID

    body = {"__annotations__": {"id": strawberry.ID, "order": annotation}}
    table.entity("USER#{id}", "PROFILE")(type("User", (), body))
    assert refusal(table) == (
        "User.order: Order has items of its own, so no attribute can hold it.\n"
        f"  Make it a link: order: … = {write}."
    )
