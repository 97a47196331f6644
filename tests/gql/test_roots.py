"""Root fields come from the keys, or from a Query class of the user's own."""

from typing import Any

import strawberry

from tablefold import Gateway, Table, copy, count_of, key, lookup, many, one, sharded
from tests.harness.refusals import refusal
from tests.harness.schemas import fields_of


def users(**options: Any) -> Table:
    table = Table("shop")
    body = {"__annotations__": {"id": strawberry.ID, "email": str, "city": str}}
    table.entity("USER#{id}", "PROFILE", **options)(type("User", (), body))
    return table


def root(gateway: Gateway) -> dict[str, str]:
    """The root fields with the types of their arguments, as the SDL would show them."""
    return {
        name: ", ".join(f"{arg}: {one.type}" for arg, one in field.args.items())
        for name, field in fields_of(gateway, "Query").items()
    }


def query_with(**fields: tuple[Any, Any]) -> type:
    """A Query class that names its entities as texts."""
    body: dict[str, Any] = {name: field for name, (_, field) in fields.items()}
    body["__annotations__"] = {name: annotation for name, (annotation, _) in fields.items()}
    return strawberry.type(type("Query", (), body))


PAGED = "first: Int, after: String, last: Int, before: String, direction: SortDirection"


def test_a_home_key_is_one_and_several() -> None:
    assert root(Gateway(users())) == {
        "user": "id: ID!",
        "users": "ids: [ID!]!",
        "node": "nodeId: ID!",
    }


def test_a_lookup_is_one_by_its_key() -> None:
    gateway = Gateway(users(gsi1=lookup("EMAIL#{email}", "{id}")))
    assert root(gateway)["userByEmail"] == "email: String!"


def test_a_key_is_a_collection_narrowed_by_its_sort_key() -> None:
    gateway = Gateway(users(gsi1=("CITY#{city}", "{email}#{id}")))
    assert root(gateway)["usersByCity"] == (
        f"city: String!, email: StringRange, id: IDRange, {PAGED}"
    )


def test_a_sharded_key_hides_its_shards() -> None:
    gateway = Gateway(users(gsi1=sharded("USERS", "{id}", shards=4, name="everybody")))
    assert root(gateway)["everybody"] == f"id: IDRange, {PAGED}"


def test_an_entity_of_which_there_is_one_needs_no_arguments() -> None:
    table = Table("shop")

    @table.entity("SETTINGS", "SETTINGS")
    class Settings:
        currency: str

    assert root(Gateway(table)) == {"settings": "", "node": "nodeId: ID!"}


def test_plurals_follow_english_as_far_as_it_has_rules() -> None:
    table = Table("shop")
    for name in ("Category", "Box", "Day", "OrderItem"):
        body = {"__annotations__": {"id": strawberry.ID}}
        table.entity(f"{name}#{{id}}", "INFO")(type(name, (), body))
    assert {"categories", "boxes", "days", "orderItems"} <= root(Gateway(table)).keys()


def test_two_keys_with_one_field_are_told_how_to_name_them() -> None:
    table = users(gsi1=("CITY#{city}", "{id}"), gsi2=sharded("HOME#{city}", "{id}", shards=4))
    assert refusal(table) == (
        "Query.usersByCity would come from two keys:\n"
        '  User at CITY#{city} / {id} (GSI1): rename it with key("CITY#{city}", "{id}", '
        'name="…")\n'
        '  User at HOME#{city} / {id} (GSI2): rename it with sharded("HOME#{city}", "{id}", '
        'shards=4, name="…")'
    )
    named = users(gsi1=("CITY#{city}", "{id}"), gsi2=key("HOME#{city}", "{id}", name="residents"))
    assert {"usersByCity", "residents"} <= root(Gateway(named)).keys()


def test_two_copies_with_one_field_are_told_how_to_name_them() -> None:
    table = users(copies=[("CITY#{city}", "U#{id}"), copy("TOWN#{city}", "U#{id}")])
    assert 'rename it with copy("TOWN#{city}", "U#{id}", name="…")' in refusal(table)


def test_two_types_with_one_plural_are_told_how_to_name_it() -> None:
    table = users()

    @table.entity("PERSON#{id}", "INFO", plural="users")
    class Person:
        id: strawberry.ID

    assert refusal(table) == (
        "Query.users would come from two keys:\n"
        '  User at USER#{id} / PROFILE: rename it with @table.entity(…, plural="…") on User\n'
        '  Person at PERSON#{id} / INFO: rename it with @table.entity(…, plural="…") on Person'
    )


def test_a_type_called_node_is_told_to_take_another_name() -> None:
    table = Table("shop")

    @table.entity("NODE#{id}", "INFO")
    class Node:
        id: strawberry.ID

    assert 'Node at NODE#{id} / INFO: rename it with @table.entity(…, name="…") on Node' in (
        refusal(table)
    )


def test_a_root_collection_that_would_need_a_scan_cannot_be_built() -> None:
    table = users()

    query = query_with(everybody=("Connection[User]", many()))
    assert refusal(table, query=query) == (
        "Query.everybody: no key of User holds a collection, so this would need a Scan.\n"
        "  Its keys are USER#{id} / PROFILE (table).\n"
        "  Give it an index whose sort key tells its items apart, such as "
        'gsi1=sharded("USER", "{id}", shards=8).'
    )


def test_a_root_collection_over_several_keys_chooses_one() -> None:
    table = users(gsi1=("CITY#{city}", "{id}"), gsi2=("MAIL#{email}", "{id}"))

    query = query_with(some=("Connection[User]", many()))
    assert refusal(table, query=query).endswith('Choose one, such as many(through="GSI1").')


def test_a_root_field_has_no_attributes_to_fill_a_key() -> None:
    table = users()

    query = query_with(me=("User", one(id="my_id")))
    assert refusal(table, query=query) == (
        'Query.me: a root field has no attributes that could fill a key, so id="my_id" says '
        "nothing here.\n  Leave it out: the key becomes the field's arguments."
    )


def test_a_root_field_computes_no_numbers() -> None:
    @strawberry.type
    class Query:
        user_count: int = count_of("users")

    assert refusal(users(), query=Query) == (
        "Query.user_count: a number is computed over a collection of an entity, not of the root.\n"
        "  Declare it on the entity that has the collection."
    )


def test_a_query_class_is_a_strawberry_type() -> None:
    class Query:
        pass

    assert refusal(users(), query=Query) == (
        "Query is no GraphQL type yet.\n  Decorate it with @strawberry.type."
    )
