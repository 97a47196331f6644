import pytest
from hypothesis import given
from hypothesis import strategies as st
from strawberry.utils.str_converters import to_camel_case

from tablefold.store.naming import Naming, camel


@pytest.mark.parametrize(
    ("naming", "stored"),
    [
        ("as is", "placed_on"),
        ("snake_case", "placed_on"),
        ("camelCase", "placedOn"),
        ("PascalCase", "PlacedOn"),
    ],
)
def test_a_convention_writes_a_name(naming: str, stored: str):
    assert Naming(naming).apply("placed_on") == stored


@pytest.mark.parametrize(
    ("name", "snake", "camel_case", "pascal"),
    [
        ("id", "id", "id", "Id"),
        ("line_2", "line_2", "line2", "Line2"),
        ("placedOn", "placed_on", "placedOn", "PlacedOn"),
        ("_hidden", "_hidden", "hidden", "Hidden"),
        ("class_", "class_", "class", "Class"),
        ("two__words", "two__words", "twoWords", "TwoWords"),
        ("_", "_", "_", "_"),
    ],
)
def test_names_of_all_shapes(name: str, snake: str, camel_case: str, pascal: str):
    assert Naming.AS_IS.apply(name) == name
    assert Naming.SNAKE_CASE.apply(name) == snake
    assert Naming.CAMEL_CASE.apply(name) == camel_case
    assert Naming.PASCAL_CASE.apply(name) == pascal


@given(st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]*", fullmatch=True))
def test_graphql_names_are_those_that_strawberry_gives(name: str):
    assert camel(name) == to_camel_case(name)


@given(st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]*", fullmatch=True), st.sampled_from(Naming))
def test_every_name_can_be_written(name: str, naming: Naming):
    assert naming.apply(name)
