from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefold.store.errors import BadInput, ItemInvalid
from tablefold.store.values import decode, decode_item, encode

scalars = (
    st.none()
    | st.booleans()
    | st.text()
    | st.binary()
    | st.integers(-(10**37), 10**37)
    | st.decimals(-(10**9), 10**9, places=6)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=1), inner, max_size=4)
    ),
    max_leaves=10,
)


@given(values)
def test_what_was_encoded_decodes_equal(value: object):
    assert decode(encode(value)) == value


@given(
    st.frozensets(st.text(), min_size=1)
    | st.frozensets(st.integers(-(10**37), 10**37), min_size=1)
    | st.frozensets(st.binary(), min_size=1)
)
def test_sets_decode_equal(value: frozenset[object]):
    assert decode(encode(value)) == value


@pytest.mark.parametrize(
    ("value", "attribute"),
    [
        ("text", {"S": "text"}),
        ("", {"S": ""}),
        (True, {"BOOL": True}),
        (None, {"NULL": True}),
        (7, {"N": "7"}),
        (Decimal("1.50"), {"N": "1.50"}),
        (Decimal("-0.00"), {"N": "0"}),
        (0.1, {"N": "0.1"}),
        (1e23, {"N": "1E+23"}),
        (b"\x00\xff", {"B": "AP8="}),
        ({"b", "a"}, {"SS": ["a", "b"]}),
        ({2, Decimal("1.5")}, {"NS": ["1.5", "2"]}),
        ({b"b", b"a"}, {"BS": ["YQ==", "Yg=="]}),
        ([1, "x"], {"L": [{"N": "1"}, {"S": "x"}]}),
        ({"a": {"b": None}}, {"M": {"a": {"M": {"b": {"NULL": True}}}}}),
    ],
)
def test_values_as_dynamodb_writes_them(value: object, attribute: dict[str, object]):
    assert encode(value) == attribute


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        Decimal("NaN"),
        Decimal("-Infinity"),
        Decimal("1." + "1" * 38),
        int("1" * 39),
        10**126,
        pytest.param(10**5000, id="more digits than int() prints"),
        Decimal("1E+126"),
        Decimal("1E-131"),
        set[str](),
        "\ud800",
        {"a\udfff"},
        {"": 1},
        {"\ud800": 1},
        {"a": ["\ud800"]},
    ],
)
def test_what_dynamodb_cannot_hold_is_bad_input(value: object):
    with pytest.raises(BadInput):
        encode(value)


@pytest.mark.parametrize("value", [int("1" * 38), -(10**40), Decimal("1E+125"), Decimal("1E-130")])
def test_the_ends_of_the_range_are_exact(value: int | Decimal):
    assert decode(encode(value)) == value


@pytest.mark.parametrize("value", [object(), {"a", 1}, {True}, {1: "x"}, {("a",)}, 1j])
def test_types_that_dynamodb_does_not_know(value: object):
    with pytest.raises(TypeError):
        encode(value)


@pytest.mark.parametrize(("text", "kind"), [("12", int), ("-3", int), ("1.5", Decimal)])
def test_numbers_are_int_or_decimal(text: str, kind: type):
    assert type(decode({"N": text})) is kind


@pytest.mark.parametrize(
    "attribute",
    [
        {},
        {"S": "a", "N": "1"},
        {"X": 1},
        {"S": 1},
        {"N": "one"},
        {"N": "NaN"},
        {"N": 1},
        {"BOOL": "true"},
        {"B": "*"},
        {"L": [{"S": None}]},
        {"M": []},
        {"SS": [1]},
    ],
)
def test_what_is_no_dynamodb_value_is_an_invalid_item(attribute: dict[str, object]):
    with pytest.raises(ItemInvalid):
        decode(attribute)


def test_an_item_decodes_by_name():
    assert decode_item({"id": {"S": "1"}, "n": {"N": "2"}}) == {"id": "1", "n": 2}
