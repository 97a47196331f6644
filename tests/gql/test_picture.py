"""The model as JSON, for the Table page."""

from typing import Any

import strawberry

from examples.fund import gateway as fund
from examples.shop import gateway as shop
from tablefold import Gateway, Index, Table, many, one
from tablefold.gql.picture import picture
from tests.harness.serving import SECRET


def pattern(drawn: dict[str, Any], name: str) -> dict[str, Any]:
    owner, _, field = name.partition(".")
    [found] = [one for one in drawn["patterns"] if (one["owner"], one["name"]) == (owner, field)]
    return found


def test_who_shares_a_partition_is_a_collection_in_the_order_of_sort_keys():
    table = picture(shop)["indexes"][0]

    assert (table["name"], table["partition"], table["sort"]) == (None, "PK", "SK")
    assert [
        (one["partition"], [(place["sort"], place["entity"]) for place in one["places"]])
        for one in table["collections"]
    ] == [
        (
            "USER#{id}",
            [("ADDR#{kind}", "Address"), ("ORDER#{placed_on}#{id}", "Order"), ("PROFILE", "User")],
        ),
        (
            "ORDER#{id}",
            [("ITEM#{n:03d}", "OrderItem"), ("META", "Order"), ("SHIPPING#{n:03d}", "Shipment")],
        ),
        ("PRODUCT#{id}", [("INFO", "Product")]),
    ]


def test_a_place_says_how_many_there_can_be_and_why_it_is_there():
    drawn = picture(shop)
    address, order, user = drawn["indexes"][0]["collections"][0]["places"]
    [active] = drawn["indexes"][2]["collections"]

    assert (address["bound"], order["bound"], user["bound"]) == (20, None, 1)
    assert (address["role"], order["role"]) == ("home", "copy")
    assert (active["shards"], active["places"][0]["when"]) == (4, "active")


def test_the_least_bound_that_fields_declare_counts():
    places = picture(fund)["indexes"][0]["collections"][0]["places"]

    assert {place["entity"]: place["bound"] for place in places} == {
        "CapitalActivityVersion": 100,
        "CapitalActivity": 1,
        "CapitalCall": 500,
        "Distribution": 500,
        "DocumentVersion": 100,
        "Document": 1,
        "UnfundedCommitment": 500,
    }


def test_a_group_is_named_where_its_items_lie():
    drawn = picture(fund)
    groups = [one["groups"] for index in drawn["indexes"] for one in index["collections"]]

    assert [group for group in groups if group] == [[{"name": "Position", "by": ["position_id"]}]]
    assert pattern(drawn, "Query.position")["request"] is None
    assert pattern(drawn, "Document.positions")["places"] == [
        "CapitalCall-0",
        "Distribution-0",
        "UnfundedCommitment-0",
    ]


def test_each_field_that_reaches_items_has_its_request():
    drawn = picture(shop)
    orders = pattern(drawn, "User.orders")
    by_status = pattern(drawn, "Query.ordersByStatus")["request"]

    assert orders["places"] == ["Order-1"]
    assert orders["request"] == {
        "operation": "Query",
        "index": None,
        "condition": "PK = 'USER#{id}' AND begins_with(SK, 'ORDER#')",
        "descending": True,
        "limit": None,
        "paged": True,
        "narrowing": ["placed_on", "id"],
        "filters": ["status", "total"],
        "shards": 0,
    }
    assert by_status["condition"] == "GSI1PK = 'STATUS#{status}#{0…7}'"
    assert pattern(drawn, "Query.users")["request"]["operation"] == "BatchGetItem"
    assert pattern(drawn, "Order.user")["request"]["operation"] == "GetItem"
    assert pattern(drawn, "Query.userByEmail")["request"]["limit"] == 1
    assert pattern(drawn, "Order.quantity")["number"]


def test_attributes_are_named_as_they_are_stored_and_as_graphql_shows_them():
    [address] = [one for one in picture(shop)["entities"] if one["name"] == "Address"]

    assert address["attributes"][:2] == [
        {"name": "user_id", "stored": "userId", "kind": "text", "type": None},
        {"name": "kind", "stored": "kind", "kind": "text", "type": "String!"},
    ]
    assert address["keys"][0]["names"] == ["user_id", "kind"]


narrow = Table("narrow", indexes={"by_owner": Index("ByOwner", "OPK", "OSK", "KEYS_ONLY")})


@narrow.entity("NOTE#{id}", "NOTE", by_owner=("OWNER#{owner}", "{id}"))
class Note:
    id: strawberry.ID
    owner: str
    text: str
    siblings: list["Note"] = many(bounded=9, owner="owner", name="fromTheSameHand")
    first: "Note" = one(owner="owner", newest_first=False)


def test_fields_have_the_names_that_graphql_shows_and_indexes_what_they_project():
    drawn = picture(Gateway(narrow, cursor_secret=SECRET))

    assert drawn["indexes"][1]["projected"] == ["OPK", "OSK", "PK", "SK"]
    assert pattern(drawn, "Note.fromTheSameHand")["request"]["index"] == "ByOwner"
    assert pattern(drawn, "Note.first")["request"]["limit"] == 1
