"""A link is the one way from a type to another; none or several is an error that teaches."""

import datetime
from typing import Any

import pytest
import strawberry

from tablefold import Connection, Gateway, Index, Table, copy, count_of, many, max_of, one, sum_of
from tablefold.resolvers.links import Link
from tests.harness.refusals import refusal


def sales(field: Any, annotation: Any = None, *, copied: Any = None, **numbers: Any) -> Table:
    """A user with a field over sales, which are copied to their buyers."""
    table = Table("shop")

    @table.entity("SALE#{id}", "INFO", copies=[copied or ("USER#{buyer_id}", "SALE#{day}#{id}")])
    class Sale:
        id: strawberry.ID
        buyer_id: str
        day: datetime.date
        amount: int = 0
        note: str = ""
        tags: set[str] = strawberry.field(default_factory=set[str])

    annotations = {"id": strawberry.ID, "sales": annotation or list[Sale]}
    annotations |= dict.fromkeys(numbers, int)
    body = {"__annotations__": annotations, "sales": field, **numbers}
    table.entity("USER#{id}", "PROFILE")(type("User", (), body))
    return table


def trade(**fields: tuple[Any, Any]) -> Table:
    """Users, products, and trades between two users, with `fields` on the trade."""
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE")
    class User:
        id: strawberry.ID

    @table.entity("PRODUCT#{id}", "INFO")
    class Product:
        id: strawberry.ID

    types = {"User": User, "Product": Product, "list[Product]": list[Product]}
    body: dict[str, Any] = {name: field for name, (_, field) in fields.items()}
    body["__annotations__"] = {
        "id": strawberry.ID,
        "buyer_id": str,
        "seller_id": str,
        "product_id": str,
        "n": int,
        **{name: types[annotation] for name, (annotation, _) in fields.items()},
    }
    copies = [("USER#{buyer_id}", "BOUGHT#{id}"), ("USER#{seller_id}", "SOLD#{id}")]
    table.entity("TRADE#{id}", "INFO", copies=copies)(type("Trade", (), body))
    return table


def link(table: Table, name: str) -> Link:
    return next(one for one in Gateway(table).model.links if one.name == name)


def test_templates_that_are_one_up_to_names_are_a_link() -> None:
    found = link(sales(many(bounded=9)), "User.sales")
    assert str(found.key) == "USER#{buyer_id} / SALE#{day}#{id}"
    assert found.reaches[0].binding == {"buyer_id": "id"}
    assert found.narrowing == ("day", "id")


def test_no_way_to_one_suggests_the_attribute_that_looks_right() -> None:
    assert refusal(trade(product=("Product", one()))) == (
        "Trade.product: no key of Product can be built from Trade.\n"
        "  Product lives at PRODUCT#{id} / INFO (table); "
        "Trade has id, buyer_id, seller_id, product_id, n.\n"
        '  Write one(id="product_id") with the attributes of Trade that hold them.'
    )


def test_no_way_to_many_shows_a_key_that_would_do() -> None:
    assert refusal(trade(products=("list[Product]", many(bounded=5)))) == (
        "Trade.products: no collection of Product can be built from Trade.\n"
        "  Product lives at PRODUCT#{id} / INFO (table); "
        "Trade has id, buyer_id, seller_id, product_id, n.\n"
        "  Give Product a copy or an index with the partition of Trade and a sort key that tells "
        'its items apart, such as copies=[("TRADE#{trade_id}", "PRODUCT#{id}")].'
    )


def test_two_ways_to_one_are_told_apart_by_what_fills_them() -> None:
    assert refusal(trade(user=("User", one()))) == (
        "Trade.user: User can be reached in several ways:\n"
        "  USER#{id} / PROFILE (table) with id = buyer_id\n"
        "  USER#{id} / PROFILE (table) with id = seller_id\n"
        '  Choose one, such as one(id="buyer_id").'
    )
    chosen = link(trade(user=("User", one(id="seller_id"))), "Trade.user")
    assert chosen.reaches[0].binding == {"id": "seller_id"}


def traded(**options: Any) -> Table:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE")
    class User:
        id: strawberry.ID
        trades: Connection["Trade"] = many(**options)

    copies = [("USER#{buyer_id}", "BOUGHT#{id}"), ("USER#{seller_id}", "SOLD#{id}")]

    @table.entity("TRADE#{id}", "INFO", copies=copies)
    class Trade:
        id: strawberry.ID
        buyer_id: str
        seller_id: str

    return table


def test_two_copies_in_one_partition_are_told_apart_by_their_templates() -> None:
    assert refusal(traded()) == (
        "User.trades: Trade can be reached in several ways:\n"
        "  USER#{buyer_id} / BOUGHT#{id} (table) with buyer_id = id\n"
        "  USER#{seller_id} / SOLD#{id} (table) with seller_id = id\n"
        '  Choose one, such as many(through="USER#{buyer_id}").'
    )


@pytest.mark.parametrize("options", [{"through": "USER#{seller_id}"}, {"seller_id": "id"}])
def test_one_of_two_copies_is_chosen_by_its_template_or_by_what_fills_it(
    options: dict[str, Any],
) -> None:
    found = link(traded(**options), "User.trades")
    assert str(found.key) == "USER#{seller_id} / SOLD#{id}"


def test_two_indexes_are_told_apart_by_their_names() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE")
    class User:
        id: strawberry.ID
        notes: Connection["Note"] = many()

    @table.entity(
        "NOTE#{id}", "N", gsi1=("USER#{user_id}", "{id}"), gsi2=("USER#{user_id}", "{text}")
    )
    class Note:
        id: strawberry.ID
        user_id: str
        text: str

    assert refusal(table).endswith('Choose one, such as many(through="GSI1").')


def test_given_names_a_placeholder_of_the_target() -> None:
    assert refusal(trade(product=("Product", one(product_id="product_id")))) == (
        "Trade.product: 'product_id' stands in no key of Product.\n"
        "  Its keys are PRODUCT#{id} / INFO (table)."
    )


def test_given_names_an_attribute_of_the_source() -> None:
    assert refusal(trade(product=("Product", one(id="produce_id")))) == (
        "Trade.product: Trade has no attribute 'produce_id'.\n"
        "  It has id, buyer_id, seller_id, product_id, n."
    )


def test_given_needs_the_type_of_the_key() -> None:
    table = Table("shop")

    @table.entity("DAY#{day}", "INFO")
    class Day:
        day: datetime.date

    @table.entity("NOTE#{id}", "INFO")
    class Note:
        id: strawberry.ID
        at: datetime.datetime
        day: Day = one(day="at")

    assert refusal(table) == (
        "Note.day: Day.day stands in its key as date, and Note.at is datetime, so it cannot fill "
        "it.\n  Give both the same type."
    )


def test_a_whole_number_does_not_fill_a_text() -> None:
    assert refusal(trade(product=("Product", one(id="n")))) == (
        "Trade.product: Product.id stands in its key as text, and Trade.n is int, so it cannot "
        "fill it.\n  Give both the same type."
    )


def test_through_names_an_index_of_the_target() -> None:
    assert refusal(sales(many(bounded=9, through="GSI9"))) == (
        "User.sales: Sale does not appear in 'GSI9'.\n"
        "  Its keys are SALE#{id} / INFO (table); USER#{buyer_id} / SALE#{day}#{id} (table)."
    )


def test_what_is_known_stands_first_in_the_sort_key() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE")
    class User:
        id: strawberry.ID
        favourite: str
        sales: Connection["Sale"] = many(user_id="id", kind="favourite")

    @table.entity("USER#{user_id}", "SALE#{id}#{kind}")
    class Sale:
        user_id: str
        id: strawberry.ID
        kind: str

    assert refusal(table) == (
        "User.sales: in the sort key SALE#{id}#{kind} the known part does not come first, so "
        "DynamoDB could not look it up.\n"
        "  Put what is known to the left, or add an index that does."
    )


def test_filters_name_attributes() -> None:
    assert refusal(sales(many(bounded=9, filters=["amuont"]))) == (
        "User.sales: filters names 'amuont', which is no attribute of Sale.\n"
        "  It has id, buyer_id, day, amount, note, tags."
    )


def test_what_stands_in_the_key_is_no_filter() -> None:
    assert refusal(sales(many(bounded=9, filters=["day"]))) == (
        "User.sales: day stands in the key USER#{buyer_id} / SALE#{day}#{id}, so it has an "
        "argument of its own, which reads only what it returns.\n  Leave it out of filters."
    )


def test_a_filter_compares_single_values() -> None:
    assert refusal(sales(many(bounded=9, filters=["tags"]))) == (
        "User.sales: filters compare single values, and Sale.tags is a set.\n"
        "  Leave it out of filters."
    )


LEAN = copy("USER#{buyer_id}", "SALE#{day}#{id}", carries=["note"])


def test_a_copy_filters_by_what_it_carries() -> None:
    assert refusal(sales(many(bounded=9, filters=["amount"]), copied=LEAN)) == (
        "User.sales: the copy at USER#{buyer_id} / SALE#{day}#{id} does not carry amount, so it "
        "cannot filter by it.\n"
        '  Add it to the copy: copy("USER#{buyer_id}", "SALE#{day}#{id}", '
        'carries=[…, "amount"]).'
    )
    assert link(sales(many(bounded=9, filters=["note"]), copied=LEAN), "User.sales").filters


@pytest.mark.parametrize(("name", "stored"), [("paid_on", "paidOn"), ("id", "id")])
def test_an_index_filters_by_what_it_projects(name: str, stored: str) -> None:
    table = Table("shop", indexes={"mine": Index("Mine", "MP", "MS", projection=["note"])})

    @table.entity("USER#{id}", "PROFILE")
    class User:
        id: strawberry.ID
        sales: Connection["Sale"] = many(filters=[name])

    @table.entity("SALE#{id}", "INFO", mine=("USER#{user_id}", "{day}"))
    class Sale:
        id: strawberry.ID
        user_id: str
        day: datetime.date
        paid_on: datetime.date

    assert refusal(table) == (
        f"User.sales: the index Mine does not carry {name}, so it cannot filter by it.\n"
        f'  Project {stored!r} into it: Index("Mine", …, projection=[…, "{stored}"]).'
    )


def test_numbers_are_computed_over_a_collection_of_the_same_type() -> None:
    assert refusal(sales(many(bounded=9), n=count_of("orders"))) == (
        "User.n: User has no collection 'orders' to compute over.\n  Its collections are: sales."
    )


def test_numbers_are_computed_over_bounded_collections() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE")
    class User:
        id: strawberry.ID
        notes: Connection["Note"] = many()
        note_count: int = count_of("notes")

    @table.entity("USER#{user_id}", "NOTE#{id}")
    class Note:
        user_id: str
        id: strawberry.ID

    assert refusal(table) == (
        "User.note_count: User.notes has no bound, so computing over it could read without end.\n"
        "  Declare many(bounded=N) on notes."
    )


@pytest.mark.parametrize("attribute", ["note", "nothing"])
def test_a_total_is_of_numbers(attribute: str) -> None:
    assert refusal(sales(many(bounded=9), n=sum_of("sales", attribute))) == (
        f"User.n: Sale has no number {attribute!r} to compute with.\n  It has amount."
    )


def test_the_highest_is_of_what_has_an_order() -> None:
    assert refusal(sales(many(bounded=9), n=max_of("sales", "tags"))) == (
        "User.n: Sale has no number, date or text 'tags' to compute with.\n"
        "  It has id, buyer_id, day, amount, note."
    )


def test_a_total_needs_what_the_copy_carries() -> None:
    assert refusal(sales(many(bounded=9), copied=LEAN, n=sum_of("sales", "amount"))) == (
        "User.n: the copy at USER#{buyer_id} / SALE#{day}#{id} does not carry amount, so it "
        "cannot compute with it.\n"
        '  Add it to the copy: copy("USER#{buyer_id}", "SALE#{day}#{id}", '
        'carries=[…, "amount"]).'
    )


def test_a_single_item_is_no_collection() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE")
    class User:
        id: strawberry.ID
        settings: Connection["Settings"] = many()

    @table.entity("USER#{user_id}", "SETTINGS")
    class Settings:
        user_id: str

    assert refusal(table) == (
        "User.settings: User has a single Settings, at USER#{user_id} / SETTINGS (table).\n"
        "  Annotate it as Settings, and declare it with one()."
    )
