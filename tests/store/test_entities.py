import datetime
import enum
import uuid
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefold.store.attributes import Attribute, codec_for, optional_of
from tablefold.store.entities import Entity, Index, Key, Role
from tablefold.store.errors import BadInput, ItemInvalid
from tablefold.store.keys import (
    PARTITION_KEY_MAX_BYTES,
    SORT_KEY_MAX_BYTES,
    Symbol,
    Template,
)
from tablefold.store.naming import Naming
from tablefold.store.requests import KeyNames
from tablefold.store.texts import text_for
from tablefold.store.values import Item

HOME = Index(None, KeyNames("PK", "SK"))
GSI1 = Index("GSI1", KeyNames("GSI1PK", "GSI1SK"))
GSI2 = Index("GSI2", KeyNames("GSI2PK", "GSI2SK"), frozenset({"PK", "SK", "GSI2PK", "total"}))


class Status(enum.Enum):
    PAID = "Paid"
    OPEN = "Open"


def attribute(name: str, annotation: Any, *default: object) -> Attribute:
    inner, optional = optional_of(annotation)
    codec = codec_for(inner, scalars={}, naming=Naming.CAMEL_CASE, where=name)
    make = (lambda: default[0]) if default else None
    return Attribute(name, Naming.CAMEL_CASE.apply(name), inner, codec, optional, make)


ATTRIBUTES = {
    one.name: one
    for one in (
        attribute("id", str),
        attribute("user_id", str),
        attribute("placed_on", datetime.date),
        attribute("status", Status, Status.OPEN),
        attribute("total", Decimal),
        attribute("active", bool, True),
        attribute("note", str | None),
        attribute("tags", set[str]),
        attribute("coupon", str | None, "NONE"),
    )
}


def template(source: str, *, sorts: bool) -> Template:
    bare = Template.of(source)
    texts = {
        one.name: text_for(
            ATTRIBUTES[one.name].annotation, one.spec, separator="#", sorts=sorts, where=source
        )
        for one in bare.placeholders
    }
    return bare.typed(texts, max_bytes=SORT_KEY_MAX_BYTES if sorts else PARTITION_KEY_MAX_BYTES)


def key(pk: str, sk: str, index: Index = HOME, role: Role = "home", **options: Any) -> Key:
    return Key(index, template(pk, sorts=False), template(sk, sorts=True), role, **options)


ORDER = Entity(
    "Order",
    object,
    ATTRIBUTES,
    (
        key("ORDER#{id}", "META"),
        key("USER#{user_id}", "ORDER#{placed_on}#{id}", role="copy"),
        key("NOTE#{note}", "ORDER#{id}", role="copy", carries=frozenset({"total"})),
        key("STATUS#{status}", "{placed_on}#{id}", GSI1, "index", shards=12, when="active"),
        key("NOTE#{note}", "{placed_on}", GSI2, "index"),
    ),
    "entityType",
    "Order",
)
[ORDER_HOME, USER_COPY, NOTE_COPY, BY_STATUS, BY_NOTE] = ORDER.keys
VALUES: dict[str, object] = {
    "id": "o1",
    "user_id": "u1",
    "placed_on": datetime.date(2024, 1, 31),
    "status": Status.PAID,
    "total": Decimal("12.50"),
    "active": True,
    "note": None,
    "tags": {"b", "a"},
    "coupon": "X",
}
STORED: Item = {
    "id": {"S": "o1"},
    "userId": {"S": "u1"},
    "placedOn": {"S": "2024-01-31"},
    "status": {"S": "Paid"},
    "total": {"N": "12.50"},
    "active": {"BOOL": True},
    "tags": {"SS": ["a", "b"]},
    "coupon": {"S": "X"},
    "entityType": {"S": "Order"},
}
ITEM: Item = {
    **STORED,
    "PK": {"S": "ORDER#o1"},
    "SK": {"S": "META"},
    "GSI1PK": {"S": "STATUS#Paid#2"},
    "GSI1SK": {"S": "2024-01-31#o1"},
}


def read(item: Item, *names: str, at: Key = ORDER_HOME) -> dict[str, object]:
    parsed = ORDER.recognise(item, at)
    assert parsed is not None
    return ORDER.read(item, parsed, names or ORDER.attributes, home=HOME.names)


# Keys.


def test_a_key_knows_its_names_partition_first():
    assert USER_COPY.names == ("user_id", "placed_on", "id")
    assert key("A#{id}", "B#{id}").names == ("id",)
    assert str(USER_COPY) == "USER#{user_id} / ORDER#{placed_on}#{id}"
    assert (str(HOME), str(GSI1)) == ("table", "GSI1")


def test_a_sharded_key_has_a_partition_for_each_shard():
    partitions = BY_STATUS.partitions(VALUES)
    assert partitions == tuple(f"STATUS#Paid#{shard}" for shard in range(12))
    assert USER_COPY.partitions(VALUES) == ("USER#u1",)


@pytest.mark.parametrize(
    ("partition", "known"),
    [
        ("STATUS#Paid#0", True),
        ("STATUS#Paid#11", True),
        ("STATUS#Paid#12", False),
        ("STATUS#Paid#01", False),
        ("STATUS#Paid#-1", False),
        ("STATUS#Paid#٣", False),
        ("STATUS#Paid#", False),
        ("STATUS#Paid", False),
        ("STATUS#Lost#1", False),
        ("3", False),
    ],
)
def test_a_shard_is_a_number_below_their_count(partition: str, known: bool):
    values = BY_STATUS.parse(partition, "2024-01-31#o1")
    assert (values is not None) == known
    if values is not None:
        assert values == {
            "status": Status.PAID,
            "placed_on": datetime.date(2024, 1, 31),
            "id": "o1",
        }


def test_a_name_that_stands_in_both_parts_of_a_key_has_one_value():
    both = key("ORDER#{id}", "ORDER#{id}")
    assert both.parse("ORDER#o1", "ORDER#o1") == {"id": "o1"}
    assert both.parse("ORDER#o1", "ORDER#o2") is None


def test_the_shard_counts_into_the_length_of_a_partition_key():
    sharded = key("U#{user_id}", "{id}", GSI1, "index", shards=12)
    longest = PARTITION_KEY_MAX_BYTES - len("U##11")
    assert len(sharded.partitions({"user_id": "x" * longest})[-1]) == PARTITION_KEY_MAX_BYTES
    with pytest.raises(BadInput) as refused:
        sharded.partitions({"user_id": "x" * (longest + 1)})
    assert str(refused.value) == (
        "userId would make the key U#{user_id} longer than the 2,048 bytes that DynamoDB "
        "allows. Use a shorter value."
    )


# Recognising.


def test_an_item_is_recognised_by_its_key_and_type():
    assert ORDER.recognise(ITEM, ORDER_HOME) == {"id": "o1"}
    assert ORDER.recognise(ITEM, BY_STATUS) == {
        "status": Status.PAID,
        "placed_on": datetime.date(2024, 1, 31),
        "id": "o1",
    }


@pytest.mark.parametrize(
    "changed",
    [
        {"entityType": {"S": "Invoice"}},
        {"entityType": {"N": "1"}},
        {"entityType": {"NULL": True}},
        {"PK": {"S": "USER#o1"}},
        {"PK": {"S": "ORDER#"}},
        {"SK": {"S": "META#1"}},
        {"PK": {"N": "1"}},
    ],
)
def test_an_item_of_another_kind_is_not_recognised(changed: dict[str, Any]):
    assert ORDER.recognise({**ITEM, **changed}, ORDER_HOME) is None


def test_an_item_without_a_type_is_told_by_its_key():
    item = {name: held for name, held in ITEM.items() if name != "entityType"}
    assert ORDER.recognise(item, ORDER_HOME) == {"id": "o1"}


def test_a_table_may_have_no_type_attribute():
    untyped = Entity("Order", object, ATTRIBUTES, ORDER.keys, None, "Order")
    other = {**ITEM, "entityType": {"S": "Invoice"}}
    assert untyped.recognise(other, ORDER_HOME) == {"id": "o1"}
    assert "entityType" not in untyped.items(VALUES)[0]


@pytest.mark.parametrize("missing", ["PK", "SK"])
def test_an_item_without_its_key_is_not_recognised(missing: str):
    item = {name: held for name, held in ITEM.items() if name != missing}
    assert ORDER.recognise(item, ORDER_HOME) is None
    assert ORDER.recognise({}, ORDER_HOME) is None


# Reading.


def test_attributes_are_read_as_stored():
    assert read(ITEM) == {**VALUES, "tags": ["a", "b"]}
    assert read(ITEM, "total", "id") == {"total": Decimal("12.50"), "id": "o1"}
    assert read({**ITEM, "unknown": {"X": 1}}, "id") == {"id": "o1"}


def test_an_attribute_that_is_not_stored_is_read_from_the_item_s_keys():
    bare: Item = {name: ITEM[name] for name in ("PK", "SK", "GSI1PK", "GSI1SK")}
    assert read(bare, "id", "placed_on", "status") == {
        "id": "o1",
        "placed_on": datetime.date(2024, 1, 31),
        "status": Status.PAID,
    }
    copy: Item = {"PK": {"S": "USER#u1"}, "SK": {"S": "ORDER#2024-01-31#o1"}}
    assert read(copy, "id", "user_id", at=USER_COPY) == {"id": "o1", "user_id": "u1"}


def test_an_attribute_that_is_null_is_read_from_the_key():
    assert read({**ITEM, "id": {"NULL": True}}, "id") == {"id": "o1"}


def test_what_is_stored_comes_before_what_the_key_says():
    assert read({**ITEM, "id": {"S": "o2"}}, "id") == {"id": "o2"}


def test_an_index_key_that_is_another_s_tells_nothing():
    item: Item = {"PK": {"S": "ORDER#o1"}, "SK": {"S": "META"}, "GSI1PK": {"S": "X"}}
    assert read(item, "status") == {"status": Status.OPEN}
    assert read({**item, "GSI1SK": {"S": "Y"}}, "status") == {"status": Status.OPEN}


def test_what_is_absent_has_its_default():
    bare: Item = {"PK": {"S": "ORDER#o1"}, "SK": {"S": "META"}}
    assert read(bare, "status", "active", "note", "tags", "coupon") == {
        "status": Status.OPEN,
        "active": True,
        "note": None,
        "tags": [],
        "coupon": "NONE",
    }


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"total": {"S": "12"}}, "total holds S where N is expected."),
        ({"placedOn": {"S": "soon"}}, "placedOn holds 'soon' where a date such as 2024-01-31"),
        ({"status": {"S": "Lost"}}, "status holds 'Lost' where one of Paid, Open is expected."),
        ({"active": {"NULL": True}}, "active is null."),
        ({"tags": {"L": [{"N": "1"}]}}, "tags[0] holds N where S is expected."),
    ],
)
def test_an_item_that_does_not_fit_names_key_entity_and_attribute(
    changed: dict[str, Any], message: str
):
    with pytest.raises(ItemInvalid) as refused:
        read({**ITEM, **changed})
    told = str(refused.value)
    assert told.startswith(f"The item ORDER#o1 / META is no valid Order: {message}")


def test_a_missing_attribute_names_key_entity_and_attribute():
    with pytest.raises(ItemInvalid) as refused:
        read({"PK": {"S": "ORDER#o1"}, "SK": {"S": "META"}}, "total")
    assert str(refused.value) == ("The item ORDER#o1 / META is no valid Order: total is missing.")
    with pytest.raises(ItemInvalid) as refused:
        ORDER.read({}, {}, ["id"], home=HOME.names)
    assert str(refused.value) == "The item ? / ? is no valid Order: id is missing."


# What an index or a copy carries.


@pytest.mark.parametrize(
    ("at", "absent"),
    [
        (ORDER_HOME, set[str]()),
        (USER_COPY, set[str]()),
        (BY_STATUS, set[str]()),
        (NOTE_COPY, {"user_id", "placed_on", "status", "active", "tags", "coupon"}),
        (BY_NOTE, {"user_id", "status", "active", "tags", "coupon"}),
    ],
)
def test_a_key_tells_what_can_be_read_there(at: Key, absent: set[str]):
    carries = ORDER.carried(at)
    assert {name for name in ATTRIBUTES if not carries(name)} == absent


def test_an_attribute_may_be_found_in_index_keys():
    assert list(ORDER.stored("status")) == ["status", "GSI1PK", "GSI1SK"]
    assert list(ORDER.stored("id")) == ["id"]
    assert list(ORDER.stored("total")) == ["total"]


# Writing.


def test_an_order_becomes_its_home_item_and_a_copy():
    home, copy = ORDER.items(VALUES)
    assert home == ITEM
    assert copy == {**STORED, "PK": {"S": "USER#u1"}, "SK": {"S": "ORDER#2024-01-31#o1"}}


def test_a_copy_holds_what_it_carries_and_what_leads_home():
    *_, copy = ORDER.items({**VALUES, "note": "gift"})
    assert copy == {
        "PK": {"S": "NOTE#gift"},
        "SK": {"S": "ORDER#o1"},
        "id": {"S": "o1"},
        "total": {"N": "12.50"},
        "entityType": {"S": "Order"},
    }


def test_an_index_leaves_out_what_it_has_no_value_for():
    without, noted = ORDER.items(VALUES)[0], ORDER.items({**VALUES, "note": "gift"})[0]
    assert "GSI2PK" not in without
    assert noted["GSI2PK"] == {"S": "NOTE#gift"} and noted["GSI2SK"] == {"S": "2024-01-31"}


def test_an_index_leaves_out_items_whose_condition_is_not_true():
    assert "GSI1PK" not in ORDER.items({**VALUES, "active": False})[0]


def test_defaults_count_for_keys_and_conditions():
    given = {name: VALUES[name] for name in ("id", "user_id", "placed_on", "total", "tags")}
    home = ORDER.items(given)[0]
    assert home["active"] == {"BOOL": True} and home["status"] == {"S": "Open"}
    assert home["GSI1PK"]["S"].startswith("STATUS#Open#")
    assert home["coupon"] == {"S": "NONE"}


def test_null_is_kept_where_the_default_is_another():
    home = ORDER.items({**VALUES, "coupon": None, "tags": set[str]()})[0]
    assert home["coupon"] == {"NULL": True} and "tags" not in home and "note" not in home
    assert read(home, "coupon", "tags", "note") == {"coupon": None, "tags": [], "note": None}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"id": None}, "Order.id is missing; it stands in the key ORDER#{id} / META."),
        ({"total": None}, "Order.total is missing."),
        ({"active": None}, "Order.active is missing."),
        ({"id": 5}, "Order.id must be text, not 5."),
        ({"id": ""}, "Order.id is empty; it is part of a key and needs a value."),
        (
            {"user_id": "u#1"},
            "Order.user_id must not contain '#', which separates the parts of a key.",
        ),
        (
            {"user_id": "x" * 3000},
            "Order.user_id would make the key USER#{user_id} longer than the 2,048 bytes that "
            "DynamoDB allows. Use a shorter value.",
        ),
        (
            {"id": "x" * 1020},
            "Order.placed_on and id would make the key {placed_on}#{id} longer than the 1,024 "
            "bytes that DynamoDB allows. Use a shorter value.",
        ),
        (
            {"placed_on": "2024-01-31"},
            "Order.placed_on must be a date such as 2024-01-31, not '2024-01-31'.",
        ),
        ({"status": "Lost"}, "Order.status must be one of Paid, Open, not 'Lost'."),
        ({"total": "12"}, "Order.total must be a number, not '12'."),
        ({"active": "yes"}, "Order.active must be true or false, not 'yes'."),
        ({"tags": "abc"}, "Order.tags must be a set, not 'abc'."),
        (
            {"total": Decimal("NaN")},
            "Order.total cannot be stored: NaN is not a number that DynamoDB can hold.",
        ),
    ],
)
def test_a_value_in_the_way_names_entity_and_attribute(changed: dict[str, object], message: str):
    with pytest.raises(BadInput) as refused:
        ORDER.items({**VALUES, **changed})
    assert str(refused.value) == message


def test_what_is_not_given_and_has_no_default_is_missing():
    with pytest.raises(BadInput) as refused:
        ORDER.items({"id": "o1"})
    assert str(refused.value) == "Order.user_id is missing."
    with pytest.raises(BadInput, match=r"Order\.id is missing; it stands in the key"):
        ORDER.items({})


def test_symbols_make_a_key_that_a_plan_can_print():
    symbols = {name: Symbol(f"‹Order.{name}›") for name in ("id", "user_id", "placed_on")}
    assert ORDER.home_key(symbols) == ("ORDER#‹Order.id›", "META")
    assert USER_COPY.sort.format(symbols) == "ORDER#‹Order.placed_on›#‹Order.id›"


plain = st.text(min_size=1, max_size=20).filter(lambda text: "#" not in text)


@given(
    st.fixed_dictionaries(
        {
            "id": plain,
            "user_id": plain,
            "placed_on": st.dates(),
            "status": st.sampled_from(Status),
            "total": st.decimals(places=3, allow_nan=False, allow_infinity=False).filter(
                lambda number: number.adjusted() < 30
            ),
            "active": st.booleans(),
            "note": st.none() | plain,
            "tags": st.frozensets(st.text(max_size=5), max_size=3),
            "coupon": st.none() | st.text(max_size=5),
        }
    )
)
def test_what_is_written_is_read_back_from_every_place(values: dict[str, Any]):
    items = ORDER.items(values)
    places = [ORDER_HOME, USER_COPY, *([NOTE_COPY] if values["note"] else [])]
    assert len(items) == len(places)
    expected = {**values, "tags": sorted(values["tags"])}
    for item, at in zip(items, places, strict=True):
        carried = [name for name in ATTRIBUTES if ORDER.carried(at)(name)]
        assert read(item, *carried, at=at) == {name: expected[name] for name in carried}
    if values["active"]:
        assert ORDER.recognise(items[0], BY_STATUS) is not None
        bare = {name: held for name, held in items[0].items() if name[0].isupper()}
        wanted = {name: values[name] for name in ("id", "status", "placed_on")}
        assert read(bare, *wanted, at=BY_STATUS) == wanted


def test_shards_are_chosen_by_the_home_key_and_used_alike():
    counts = dict.fromkeys(range(12), 0)
    for number in range(1200):
        item = ORDER.items({**VALUES, "id": str(uuid.UUID(int=number))})[0]
        counts[int(item["GSI1PK"]["S"].rpartition("#")[2])] += 1
    assert min(counts.values()) > 50
    assert ORDER.items(VALUES) == ORDER.items(VALUES)
