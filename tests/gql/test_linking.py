"""What an annotation says and what `one()` or `many()` says must be the same."""

from typing import Any

import strawberry

from tablefold import Connection, Gateway, Table, many, one
from tests.harness.refusals import refusal


def shop(name: str, annotation: Any, field: Any) -> Table:
    """A user with notes and tasks in the same partition, and one field to be tried."""
    table = Table("shop")

    @table.entity("USER#{user_id}", "NOTE#{id}", gsi1=("ALL", "NOTE#{id}"))
    class Note:
        user_id: str
        id: strawberry.ID

    @table.entity("TASK#{id}", "INFO", gsi1=("USER#{user_id}", "TASK#{id}"))
    class Task:
        user_id: str
        id: strawberry.ID

    @strawberry.type
    class Loose:
        id: strawberry.ID

    types: dict[str, Any] = {
        "Note": Note,
        "list[Note]": list[Note],
        "Connection[Note]": Connection[Note],
        "list[Note | Task]": list[Note | Task],
        "Note | Task": Note | Task,
        "list[Loose]": list[Loose],
        "bare": Connection,
    }
    annotations: dict[str, Any] = {"id": strawberry.ID, name: types.get(annotation, annotation)}
    table.entity("USER#{id}", "PROFILE")(
        type("User", (), {"__annotations__": annotations, name: field})
    )
    return table


def test_a_list_needs_a_bound() -> None:
    assert refusal(shop("notes", "list[Note]", many())) == (
        "User.notes is a list, and a list is always read whole.\n"
        "  Say how long it can get with many(bounded=N), or make it a Connection[Note], "
        "which is paged."
    )


def test_a_bound_is_at_least_one() -> None:
    assert refusal(shop("notes", "list[Note]", many(bounded=0))) == (
        "User.notes: bounded must be at least 1; it is 0."
    )


def test_many_is_not_a_single_type() -> None:
    assert refusal(shop("notes", "Note", many(bounded=3))) == (
        "User.notes is declared with many() but annotated as a single Note.\n"
        "  Annotate it as list[Note] with many(bounded=N), or as Connection[Note]; or declare it "
        "with one()."
    )


def test_one_is_not_a_list() -> None:
    assert refusal(shop("note", "list[Note]", one())) == (
        "User.note is declared with one() but annotated as several Note.\n"
        "  Annotate it as Note, or declare it with many()."
    )


def test_one_is_not_a_connection() -> None:
    assert "annotated as several Note" in refusal(shop("note", "Connection[Note]", one()))


def test_a_connection_says_of_what() -> None:
    assert refusal(shop("notes", "bare", many())) == (
        "User.notes: say what it is a Connection of, such as Connection[Order]."
    )


def test_a_union_lives_in_one_partition() -> None:
    assert refusal(shop("things", "list[Note | Task]", many(bounded=9))) == (
        "User.things: the types of this union do not live in one partition: "
        "USER#{user_id} / NOTE#{id} (table) and USER#{user_id} / TASK#{id} (GSI1).\n"
        "  One Query reads one partition. Choose an index that they share with "
        "many(through=…), or make it two fields."
    )


def test_one_is_not_a_union() -> None:
    assert refusal(shop("thing", "Note | Task", one())) == (
        "User.thing: one() reaches a single entity, not a union.\n"
        "  Use many(bounded=N) over the union, or one field for each type."
    )


def test_a_union_has_no_filters() -> None:
    table = Table("shop")

    @table.entity("USER#{user_id}", "NOTE#{id}")
    class Note:
        user_id: str
        id: strawberry.ID

    @table.entity("USER#{user_id}", "TASK#{id}")
    class Task:
        user_id: str
        id: strawberry.ID

    @table.entity("USER#{id}", "PROFILE")
    class User:
        id: strawberry.ID
        things: list[Note | Task] = many(bounded=3, filters=["text"])

    assert refusal(table) == (
        "User.things: a union cannot be filtered; its types differ.\n"
        "  Leave filters out, or make it one field for each type."
    )


def test_a_type_of_another_table_is_no_entity() -> None:
    assert refusal(shop("loose", "list[Loose]", many(bounded=3))) == (
        "User.loose: Loose is no entity of this table.\n"
        "  The table has Note, Task, User. Declare it with @table.entity, or give the field a "
        "resolver of its own with @strawberry.field."
    )


def test_a_forward_reference_must_exist() -> None:
    assert refusal(shop("notes", list["Noet"], many(bounded=3))) == (  # type: ignore[name-defined]  # noqa: F821
        "User: an annotation names 'Noet', which is known neither in tests.gql.test_linking nor "
        "as a type of the table.\n"
        "  The table has Note, Task, User. Correct the name, import it at the top of the module, "
        "or declare it with @table.entity."
    )


def test_what_is_fetched_may_be_null() -> None:
    sdl = Gateway(shop("notes", "Connection[Note]", many())).sdl()
    assert "): NoteConnection\n" in sdl
    assert "  nodes: [Note]!\n" in sdl
