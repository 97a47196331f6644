"""Who may live next to whom in a partition."""

import datetime
from typing import Any

import pytest
import strawberry

from tablefold import Gateway, Index, Table, copy, key, many, sharded
from tablefold.gql.keys import KeySpec
from tests.harness.refusals import refusal


def neighbours(first: str, second: str, *, day: type = str, **options: Any) -> Table:
    """Two entities in one partition, with these sort keys."""
    table = Table("shop", **options)

    @table.entity("USER#{id}", first)
    class Note:
        id: strawberry.ID
        a: str
        b: str

    annotations = {"user_id": str, "a": str, "b": str, "day": day}
    table.entity("USER#{user_id}", second)(type("Task", (), {"__annotations__": annotations}))
    return table


def test_two_entities_cannot_have_the_same_key() -> None:
    assert refusal(neighbours("ITEM#{a}", "ITEM#{b}", type_attribute=None)) == (
        "Note and Task could have the same key: USER#{id} / ITEM#{a} and "
        "USER#{user_id} / ITEM#{b}.\n"
        "  One would overwrite the other. Give one of them another prefix, or the table a type "
        'attribute, such as Table(…, type_attribute="entityType").'
    )


def test_prefixes_cannot_overlap_without_a_type_attribute() -> None:
    assert refusal(neighbours("ITEM#{a}", "ITEM#{a}#{b}", type_attribute=None)) == (
        "Note (USER#{id} / ITEM#{a}) and Task (USER#{user_id} / ITEM#{a}#{b}) overlap in one "
        "partition of table, and no type attribute tells their items apart.\n"
        "  Give one of them another prefix, or the table a type attribute, such as "
        'Table(…, type_attribute="entityType").'
    )


def test_a_type_attribute_tells_overlapping_prefixes_apart() -> None:
    assert Gateway(neighbours("ITEM#{a}", "ITEM#{a}#{b}"))


def test_one_type_for_both_tells_nothing() -> None:
    table = Table("shop")

    @table.entity("USER#{id}", "ITEM#{a}", type="Item")
    class Note:
        id: strawberry.ID
        a: str

    @table.entity("USER#{id}", "ITEM#{a}", type="Item")
    class Task:
        id: strawberry.ID
        a: str

    assert refusal(table) == (
        "Note and Task could have the same key: USER#{id} / ITEM#{a} and USER#{id} / ITEM#{a}.\n"
        "  One would overwrite the other. Give one of them another prefix, or another type: "
        '@table.entity(…, type="…").'
    )


def test_different_prefixes_need_no_type_attribute() -> None:
    assert Gateway(neighbours("NOTE#{a}", "TASK#{b}", type_attribute=None))


def test_different_partitions_need_no_type_attribute() -> None:
    table = Table("shop", type_attribute=None)

    @table.entity("USER#{id}", "INFO")
    class User:
        id: strawberry.ID

    @table.entity("PRODUCT#{id}", "INFO")
    class Product:
        id: strawberry.ID

    assert Gateway(table)


def test_texts_that_cannot_meet_need_no_type_attribute() -> None:
    assert Gateway(neighbours("DOC#LATEST", "DOC#{day}", day=datetime.date, type_attribute=None))


def test_a_text_could_be_the_literal_next_to_it() -> None:
    assert refusal(neighbours("DOC#LATEST", "DOC#{day}", type_attribute=None)).startswith(
        "Note and Task could have the same key: USER#{id} / DOC#LATEST and "
        "USER#{user_id} / DOC#{day}."
    )


def test_overlaps_in_an_index_are_found_too() -> None:
    table = Table("shop", type_attribute=None)

    @table.entity("NOTE#{id}", "INFO", gsi1=("USER#{user_id}", "{id}"))
    class Note:
        id: strawberry.ID
        user_id: str

    @table.entity("TASK#{id}", "INFO", gsi1=("USER#{user_id}", "{id}"))
    class Task:
        id: strawberry.ID
        user_id: str

    assert "overlap in one partition of GSI1" in refusal(table)


def test_a_collection_is_bounded_through_its_bounded_parent() -> None:
    table = Table("shop")

    @table.entity("ORDER#{id}", "META")
    class Order:
        id: strawberry.ID
        items: list["Item"] = many(bounded=10)

    @table.entity("ORDER#{order_id}", "ITEM#{n:03d}")
    class Item:
        order_id: str
        n: int
        parcels: list["Parcel"] = many(bounded=3)

    @table.entity("ORDER#{order_id}", "ITEM#{n:03d}#PARCEL#{p:02d}")
    class Parcel:
        order_id: str
        n: int
        p: int

    links = {one.name: one for one in Gateway(table).model.links}
    bounds = {one.entity: one.bound for one in links["Order.items"].residents}
    assert bounds == {"Order": 1, "Item": 10, "Parcel": 30}


def crowd(first: KeySpec, second: KeySpec, *, index: Index | None = None, typed: bool) -> Table:
    table = Table(
        "crowd",
        type_attribute="entityType" if typed else None,
        indexes={"shared": index or Index("Shared", pk="P", sk="S")},
    )

    @table.entity("A#{id}", "A", shared=first)
    class A:  # pyright: ignore[reportUnusedClass]
        id: strawberry.ID
        kind: str

    @table.entity("B#{id}", "B", shared=second)
    class B:  # pyright: ignore[reportUnusedClass]
        id: strawberry.ID
        kind: str
        n: int

    return table


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (sharded("ALL", "{id}", shards=2), sharded("ALL", "{id}", shards=4)),
        (sharded("ALL#{kind}", "{id}", shards=2), key("ALL#{kind}#{n}", "{id}")),
    ],
)
def test_shards_may_be_the_partitions_of_another_key(first: KeySpec, second: KeySpec) -> None:
    assert "overlap in one partition of Shared" in refusal(crowd(first, second, typed=False))
    Gateway(crowd(first, second, typed=True))


def test_a_type_that_the_index_does_not_project_tells_nothing_apart() -> None:
    bare = Index("Shared", pk="P", sk="S", projection="KEYS_ONLY")
    both = key("KIND#{kind}", "{id}")
    assert refusal(crowd(both, both, index=bare, typed=True)).endswith(
        "\n  Give one of them another prefix, or project entityType into Shared."
    )
    told = Index("Shared", pk="P", sk="S", projection=["entityType"])
    Gateway(crowd(both, both, index=told, typed=True))


def copied(partition: str, sort: str) -> Table:
    """An entity with a copy beside its home, or in its place."""
    table = Table("shop")

    @table.entity("LIST#{list}", "TASK#{id}", copies=[copy(partition, sort, name="elsewhere")])
    class Task:  # pyright: ignore[reportUnusedClass]
        list: strawberry.ID
        id: strawberry.ID
        owner: str

    return table


@pytest.mark.parametrize(
    ("partition", "sort"),
    [
        ("LIST#{list}", "TASK#{id}"),  # the very same key
        ("LIST#{list}", "TASK#{owner}"),  # the same, if an owner is called as a task is
        ("LIST#{owner}", "TASK#{id}"),  # the same, if an owner is called as a list is
        ("LIST#{id}", "TASK#{list}"),  # a mirror: each of the two reads as the other
    ],
)
def test_a_copy_cannot_have_the_key_of_its_home(partition: str, sort: str) -> None:
    assert refusal(copied(partition, sort)) == (
        f"Task: its home LIST#{{list}} / TASK#{{id}} and its copy {partition} / {sort} could be "
        "the same key.\n"
        "  One item would overwrite the other, or be read in its place. Give the copy a "
        "partition of its own, or a sort key with another prefix, such as TASK_COPY#…."
    )


def test_two_copies_cannot_have_one_key() -> None:
    table = Table("shop")

    @table.entity(
        "TASK#{id}", "INFO", copies=[("USER#{owner}", "T#{n}"), ("USER#{author}", "T#{n}")]
    )
    class Task:  # pyright: ignore[reportUnusedClass]
        id: strawberry.ID
        n: str
        owner: str
        author: str

    assert refusal(table).startswith(
        "Task: its copy USER#{owner} / T#{n} and its copy USER#{author} / T#{n} could be the "
        "same key.\n"
    )


def test_two_copies_of_one_object_may_meet() -> None:
    table = Table("shop")

    @table.entity(
        "TASK#{id}",
        "INFO",
        copies=[
            ("USER#{owner}", "T#{id}"),
            copy("USER#{author}", "T#{id}", name="authored"),
        ],
    )
    class Task:  # pyright: ignore[reportUnusedClass]
        id: strawberry.ID
        owner: str
        author: str

    assert Gateway(table)


@pytest.mark.parametrize(
    ("partition", "sort"),
    [
        ("LIST#{list}", "OWNED#{owner}#{id}"),
        ("LIST#{list}", "TASK#{id}#{owner}"),  # between the others, and known by its length
        ("OWNER#{owner}", "TASK#{id}"),
    ],
)
def test_a_copy_may_stand_where_its_key_tells_it(partition: str, sort: str) -> None:
    assert Gateway(copied(partition, sort))
