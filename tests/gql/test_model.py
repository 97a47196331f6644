"""Declaring tables, indexes and types; what is wrong is said where it is written."""

from typing import Any, cast

import pytest
import strawberry

from tablefold import Gateway, Index, ModelError, Table, key, sharded


def declared(table: Table, **indexes: Any) -> None:
    @table.entity("USER#{id}", "PROFILE", **indexes)
    class User:
        id: strawberry.ID
        email: str = ""


def test_an_index_outside_the_convention_is_declared_on_the_table() -> None:
    with pytest.raises(ModelError) as caught:
        declared(Table("shop"), email=("EMAIL#{email}", "{id}"))
    assert str(caught.value) == (
        "User: the table shop has no index 'email' (declared: none).\n"
        "  Write Table(…, indexes={'email': Index(\"email\", pk=…, sk=…)}), or use gsi1, gsi2, … "
        "which need no declaration."
    )


def test_conventional_indexes_need_no_declaration() -> None:
    table = Table("shop")
    declared(table, gsi3=("EMAIL#{email}", "{id}"))
    assert table.indexes == {"gsi3": Index("GSI3", "GSI3PK", "GSI3SK")}


def test_a_declared_index_has_the_names_it_was_given() -> None:
    table = Table("shop", indexes={"email": Index("ByEmail", "Mail", "Id", ["name"])})
    declared(table, email=("EMAIL#{email}", "{id}"))
    index = Gateway(table).layout.indexes["email"]
    assert index.name == "ByEmail"
    assert index.projected == {"Mail", "Id", "PK", "SK", "name"}


def test_a_keys_only_index_carries_the_keys_of_both() -> None:
    table = Table("shop", indexes={"email": Index("ByEmail", "Mail", "Id", "KEYS_ONLY")})
    declared(table, email=("EMAIL#{email}", "{id}"))
    assert Gateway(table).layout.indexes["email"].projected == {"Mail", "Id", "PK", "SK"}


@pytest.mark.parametrize("given", ["EMAIL#{email}", ("EMAIL#{email}",), ("a", "b", "c"), None])
def test_a_key_is_a_pair_of_templates(given: Any) -> None:
    with pytest.raises(ModelError) as caught:
        declared(Table("shop"), gsi1=given)
    assert str(caught.value) == (
        'User, gsi1: a key is a pair of templates such as ("STATUS#{status}", "{id}"), or '
        f"key(…), sharded(…), lookup(…); not {given!r}."
    )


@pytest.mark.parametrize("shards", [-1, 0, 1, 201])
def test_shards_are_few_and_several(shards: int) -> None:
    with pytest.raises(ModelError) as caught:
        sharded("ACTIVE", "{id}", shards=shards)
    assert str(caught.value) == (
        f"sharded('ACTIVE', …): shards must be from 2 to 200; it is {shards}."
    )


def test_a_type_is_declared_once() -> None:
    table = Table("shop")
    declared(table)
    with pytest.raises(ModelError) as caught:
        declared(table)
    assert str(caught.value) == (
        "The table shop already has a type User.\n"
        '  Give this one another name: @table.entity(…, name="…").'
    )


def test_a_naming_convention_is_one_of_four() -> None:
    with pytest.raises(ModelError) as caught:
        Table("shop", naming=cast("Any", "kebab-case"))
    assert str(caught.value) == (
        "naming='kebab-case' is no convention. "
        "Write one of 'as is', 'snake_case', 'camelCase', 'PascalCase'."
    )


def test_a_type_keeps_its_docstring_as_its_description() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE", gsi1=key("EMAIL#{email}", "{id}"))
    class User:
        """Somebody who can place orders.

        There are many.
        """

        id: strawberry.ID
        email: str

    sdl = Gateway(table).sdl()
    assert '"""\nSomebody who can place orders.\n\nThere are many.\n"""\ntype User' in sdl


def test_a_description_stands_before_the_docstring() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE", description="A customer.")
    class User:
        """Not shown."""

        id: strawberry.ID

    sdl = Gateway(table).sdl()
    assert '"""A customer."""\ntype User' in sdl
    assert "Not shown" not in sdl


def test_without_a_docstring_there_is_no_description() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE")
    class User:
        id: strawberry.ID

    assert '"""\ntype User' not in Gateway(table).sdl()


def test_a_type_can_have_another_name_than_its_class() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "PROFILE", name="Customer", type="user", plural="clientele")
    class User:
        id: strawberry.ID

    gateway = Gateway(table)
    assert "customer(id: ID!): Customer" in gateway.sdl()
    assert "clientele(ids: [ID!]!): [Customer]" in gateway.sdl()
    [item] = gateway.layout.entities["Customer"].items({"id": "u1"})
    assert item["entityType"] == {"S": "user"}


@pytest.mark.parametrize("separator", ["", "{", "}"])
def test_a_separator_can_part_values(separator: str) -> None:
    with pytest.raises(ModelError) as caught:
        Table("shop", separator=separator)
    assert str(caught.value) == (
        f"separator={separator!r} cannot part the values of a key. Write a text such as '#'."
    )


TWICE = (
    "Shelf is decorated with @strawberry.type as well.\n"
    "  Remove it: @table.entity and @table.group make a class a Strawberry type."
)


def test_an_entity_needs_no_other_decorator_below():
    table = Table("twice")

    with pytest.raises(ModelError) as refused:

        @table.entity("SHELF#{id}", "INFO")
        @strawberry.type
        class Shelf:  # pyright: ignore[reportUnusedClass]
            id: str

    assert str(refused.value) == TWICE


def test_an_entity_needs_no_other_decorator_above():
    table = Table("twice")

    @strawberry.type
    @table.entity("SHELF#{id}", "INFO")
    class Shelf:  # pyright: ignore[reportUnusedClass]
        id: str

    with pytest.raises(ModelError) as refused:
        Gateway(table)
    assert str(refused.value) == TWICE
