import datetime
import enum
import typing
import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, NewType, Optional

import pytest
import strawberry
from hypothesis import given
from hypothesis import strategies as st
from strawberry.scalars import JSON as StrawberryJSON
from strawberry.scalars import Base64

from tablefold.store import codecs
from tablefold.store.attributes import Attribute, codec_for, default_of, optional_of
from tablefold.store.codecs import Codec
from tablefold.store.errors import ModelError
from tablefold.store.naming import Naming
from tablefold.store.texts import Misfit

UTC = datetime.UTC
NOON = datetime.datetime(2024, 1, 31, 12, tzinfo=UTC)
SCALARS: dict[object, Codec] = {
    strawberry.ID: codecs.TEXT,
    StrawberryJSON: codecs.JSON,
}


class Status(enum.Enum):
    PAID = "Paid"
    OPEN = "Open"


class Level(enum.Enum):
    LOW = 1
    HALF = Decimal("1.5")


class Colour(str, enum.Enum):  # noqa: UP042 (its str() is "Colour.RED")
    RED = "red"


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"


class Odd(enum.Enum):
    THING = object()


@strawberry.type
class Street:
    house_number: int
    name: str | None = None


@strawberry.type
class Address:
    city: str
    street: Street | None
    floors: list[int | None] = field(default_factory=list[int | None])
    tags: set[str] = field(default_factory=set[str])
    secret: strawberry.Private[str] = "x"

    @strawberry.field
    def shouted(self) -> str:
        return self.city.upper()


@dataclass
class Tree:
    name: str
    children: list["Tree"]


@dataclass
class Positive:
    number: int

    def __post_init__(self) -> None:
        if self.number < 1:
            raise ValueError("number is too small")


def codec(annotation: object, naming: Naming = Naming.CAMEL_CASE) -> Codec:
    return codec_for(annotation, scalars=SCALARS, naming=naming, where="Order.x")


UserId = NewType("UserId", str)

EXAMPLES: list[tuple[Any, object, dict[str, Any]]] = [
    (str, "Grüße", {"S": "Grüße"}),
    (str, "", {"S": ""}),
    (str, Colour.RED, {"S": "red"}),
    (strawberry.ID, "o1", {"S": "o1"}),
    (UserId, "u1", {"S": "u1"}),
    (Annotated[str, "note"], "a", {"S": "a"}),
    (int, -7, {"N": "-7"}),
    (int, int("9" * 38), {"N": "9" * 38}),
    (float, 0.1, {"N": "0.1"}),
    (Decimal, Decimal("0." + "1" * 38), {"N": "0." + "1" * 38}),
    (Decimal, Decimal("12.50"), {"N": "12.50"}),
    (bool, False, {"BOOL": False}),
    (datetime.date, datetime.date(999, 1, 2), {"S": "0999-01-02"}),
    (datetime.datetime, NOON, {"S": "2024-01-31T12:00:00Z"}),
    (datetime.datetime, NOON.replace(microsecond=5), {"S": "2024-01-31T12:00:00.000005Z"}),
    (uuid.UUID, uuid.UUID(int=10), {"S": "00000000-0000-0000-0000-00000000000a"}),
    (Status, Status.PAID, {"S": "Paid"}),
    (Level, Level.LOW, {"N": "1"}),
    (Level, Level.HALF, {"N": "1.5"}),
    (Mixed, Mixed.TWO, {"S": "two"}),
    (bytes, b"\0\xff", {"B": "AP8="}),
    (Base64, b"a", {"B": "YQ=="}),
    (
        StrawberryJSON,
        {"a": [1, 1.5, None, True, {"b": "c"}]},
        {
            "M": {
                "a": {
                    "L": [
                        {"N": "1"},
                        {"N": "1.5"},
                        {"NULL": True},
                        {"BOOL": True},
                        {"M": {"b": {"S": "c"}}},
                    ]
                }
            }
        },
    ),
    (list[str], [], {"L": []}),
    (list[int | None], [1, None], {"L": [{"N": "1"}, {"NULL": True}]}),
    (list[list[str]], [["a"], []], {"L": [{"L": [{"S": "a"}]}, {"L": []}]}),
    (Street, Street(house_number=7), {"M": {"houseNumber": {"N": "7"}}}),
    (
        Address,
        Address(city="Rome", street=Street(house_number=7, name="Via"), secret="y"),
        {
            "M": {
                "city": {"S": "Rome"},
                "street": {"M": {"houseNumber": {"N": "7"}, "name": {"S": "Via"}}},
                "floors": {"L": []},
                "secret": {"S": "y"},
            }
        },
    ),
    (
        Tree,
        Tree("a", [Tree("b", [])]),
        {
            "M": {
                "name": {"S": "a"},
                "children": {"L": [{"M": {"name": {"S": "b"}, "children": {"L": []}}}]},
            }
        },
    ),
]


@pytest.mark.parametrize(("annotation", "value", "held"), EXAMPLES)
def test_each_type_as_an_item_holds_it(annotation: object, value: object, held: object):
    made = codec(annotation)
    assert made.encode(value) == held
    assert made.decode(made.encode(value)) == value


@pytest.mark.parametrize(("annotation", "value", "held"), EXAMPLES)
def test_each_type_may_be_null_in_a_list(annotation: Any, value: object, held: object):
    made = codec(list[Optional[annotation]])  # noqa: UP045
    assert made.encode([value, None]) == {"L": [held, {"NULL": True}]}
    assert made.decode({"L": [held, {"NULL": True}]}) == [value, None]


@pytest.mark.parametrize(
    ("annotation", "value", "held", "read"),
    [
        (set[str], {"b", "a"}, {"SS": ["a", "b"]}, ["a", "b"]),
        (frozenset[str], ["b", "a", "b"], {"SS": ["a", "b"]}, ["a", "b"]),
        (set[int], {10, 9, -1}, {"NS": ["-1", "9", "10"]}, [-1, 9, 10]),
        (set[Decimal], [Decimal("1.0"), 1], {"NS": ["1"]}, [1]),
        (set[bytes], {b"b", b"a"}, {"BS": ["YQ==", "Yg=="]}, [b"a", b"b"]),
        (set[strawberry.ID], {"a"}, {"SS": ["a"]}, ["a"]),
        (set[Status], set(Status), {"SS": ["Open", "Paid"]}, [Status.OPEN, Status.PAID]),
        (set[Level], set(Level), {"NS": ["1", "1.5"]}, [Level.LOW, Level.HALF]),
        (
            set[datetime.date],
            {datetime.date(2024, 1, 2)},
            {"SS": ["2024-01-02"]},
            [datetime.date(2024, 1, 2)],
        ),
        (set[str], set[str](), {"L": []}, []),
    ],
)
def test_a_set_is_read_as_a_sorted_list(
    annotation: object, value: object, held: dict[str, Any], read: list[object]
):
    made = codec(annotation)
    assert made.encode(value) == held
    assert made.decode(held) == read
    assert made.decode({tag: members[::-1] for tag, members in held.items()}) == read


def test_a_set_may_have_been_stored_as_a_list():
    assert codec(set[str]).decode({"L": [{"S": "b"}, {"S": "a"}]}) == ["b", "a"]


def test_a_tuple_of_one_type_is_a_list():
    assert codec(tuple[int, ...]).encode((1, 2)) == {"L": [{"N": "1"}, {"N": "2"}]}


@pytest.mark.parametrize(
    ("stored", "moment"),
    [
        ("2024-01-31T12:00:00", NOON),
        ("2024-01-31T14:00:00+02:00", NOON),
        ("2024-01-31", NOON.replace(hour=0)),
    ],
)
def test_a_stored_datetime_is_read_in_utc(stored: str, moment: datetime.datetime):
    read = codec(datetime.datetime).decode({"S": stored})
    assert read == moment and read.tzinfo is UTC


def test_a_datetime_is_stored_in_utc():
    encode = codec(datetime.datetime).encode
    naive = datetime.datetime(2024, 1, 31, 12)
    eastern = datetime.datetime.fromisoformat("2024-01-31T14:00:00+02:00")
    assert encode(naive) == encode(eastern) == encode(NOON) == {"S": "2024-01-31T12:00:00Z"}


@pytest.mark.parametrize(
    ("stored", "number"), [("7", 7), ("7.0", 7), ("7E+2", 700), ("1E+30", 10**30)]
)
def test_a_whole_number_may_be_stored_with_a_point(stored: str, number: int):
    read = codec(int).decode({"N": stored})
    assert read == number and type(read) is int


@given(st.decimals(allow_nan=False, allow_infinity=False, places=12, max_value=10**25))
def test_decimals_are_exact(number: Decimal):
    made = codec(Decimal)
    assert made.decode(made.encode(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=1e-100, max_value=1e100))
def test_floats_come_back_as_they_were(number: float):
    made = codec(float)
    assert made.decode(made.encode(number)) == number


@pytest.mark.parametrize(
    ("held", "value"),
    [
        ({"N": "1.50"}, 1.5),
        ({"N": "1E+2"}, 100),
        ({"N": str(2**64 - 1)}, 2**64 - 1),
        ({"N": "9" * 38}, 1e38),
        ({"NS": ["2", "1.5"]}, [1.5, 2]),
        ({"SS": ["b", "a"]}, ["a", "b"]),
        ({"BS": ["YQ=="]}, ["YQ=="]),
        ({"B": "YQ=="}, "YQ=="),
        ({"NULL": True}, None),
    ],
)
def test_what_json_has_no_word_for(held: dict[str, object], value: object):
    read = codec(StrawberryJSON).decode(held)
    assert read == value and type(read) is type(value)


DATE_TEXT = "a date such as 2024-01-31"
MOMENT_TEXT = "a date and time such as 2024-01-31T12:00:00Z"


@pytest.mark.parametrize(
    ("annotation", "value", "message"),
    [
        (str, 5, "must be text, not 5."),
        (str, None, "must be text, not None."),
        (str, "\ud800", "cannot be stored: it holds half a surrogate pair"),
        (bool, "false", "must be true or false, not 'false'."),
        (bool, 1, "must be true or false, not 1."),
        (int, True, "must be a whole number, not True."),
        (int, 1.5, "must be a whole number, not 1.5."),
        (int, "7", "must be a whole number, not '7'."),
        (float, "7", "must be a number, not '7'."),
        (
            float,
            float("nan"),
            "cannot be stored: NaN is not a number that DynamoDB can hold.",
        ),
        (Decimal, False, "must be a number, not False."),
        (
            Decimal,
            Decimal("1." + "1" * 38),
            f"cannot be stored: 1.{'1' * 38} has 39 digits; DynamoDB keeps 38. Round it, or "
            "write it as text.",
        ),
        (datetime.date, NOON, f"must be {DATE_TEXT}, not datetime.date"),
        (datetime.date, "2024-01-31", f"must be {DATE_TEXT}, not '2024-01-31'."),
        (datetime.datetime, datetime.date.max, f"must be {MOMENT_TEXT}, not datetime.date(9999"),
        (
            datetime.datetime,
            datetime.datetime.fromisoformat("0001-01-01T00:00:00+02:00"),
            "cannot be stored: date value out of range.",
        ),
        (uuid.UUID, "a", "must be a UUID, not 'a'."),
        (bytes, "YQ==", "must be a bytes value, not 'YQ=='."),
        (Status, "Lost", "must be one of Paid, Open, not 'Lost'."),
        (Status, [], "must be one of Paid, Open, not []."),
        (StrawberryJSON, object, "cannot be stored: DynamoDB has no type for type"),
        (StrawberryJSON, {"a": float("inf")}, "cannot be stored: Infinity is not a number"),
        (list[str], "abc", "must be a list, not 'abc'."),
        (list[str], ["a", 5], "[1] must be text, not 5."),
        (list[str], ["a", None], "[1] must be text, not None."),
        (list[list[int]], [[1], [2, "x"]], "[1][1] must be a whole number, not 'x'."),
        (set[str], "abc", "must be a set, not 'abc'."),
        (set[str], {5}, "must be text, not 5."),
        (Address, {"city": "Rome"}, "must be of type Address, not {'city': 'Rome'}."),
        (
            Address,
            Address(city="Rome", street=Street(house_number=typing.cast("int", "7"))),
            ".street.houseNumber must be a whole number, not '7'.",
        ),
        (
            Address,
            Address(city=typing.cast("str", None), street=None),
            ".city is missing.",
        ),
    ],
)
def test_a_value_of_another_type_is_not_stored(annotation: object, value: object, message: str):
    with pytest.raises(Misfit) as refused:
        codec(annotation).encode(value)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("annotation", "held", "message"),
    [
        (str, {"N": "1"}, "holds N where S is expected."),
        (bool, {"S": "true"}, "holds S where BOOL is expected."),
        (int, {"N": "1.5"}, "holds '1.5' where a whole number is expected."),
        (int, {"S": "1"}, "holds S where N is expected."),
        (float, {"BOOL": True}, "holds BOOL where N is expected."),
        (Decimal, {"N": "x"}, "holds 'x' where a number is expected."),
        (datetime.date, {"S": "yesterday"}, f"holds 'yesterday' where {DATE_TEXT} is expected."),
        (datetime.datetime, {"S": "noon"}, f"holds 'noon' where {MOMENT_TEXT} is expected."),
        (
            datetime.datetime,
            {"S": "0001-01-01T00:00:00+02:00"},
            f"holds '0001-01-01T00:00:00+02:00' where {MOMENT_TEXT} is expected.",
        ),
        (uuid.UUID, {"S": "x"}, "holds 'x' where a UUID is expected."),
        (Status, {"S": "Lost"}, "holds 'Lost' where one of Paid, Open is expected."),
        (Status, {"N": "1"}, "holds '1' where one of Paid, Open is expected."),
        (Status, {}, "holds None where one of Paid, Open is expected."),
        (bytes, {"B": "*"}, "holds '*' where a bytes value is expected."),
        (bytes, {"S": "YQ=="}, "holds S where B is expected."),
        (StrawberryJSON, {"X": 1}, "holds what is no DynamoDB value."),
        (list[str], {"SS": ["a"]}, "holds SS where L is expected."),
        (list[str], {"L": [{"S": "a"}, {"NULL": True}]}, "[1] holds NULL where S is expected."),
        (set[str], {"NS": ["1"]}, "holds NS where L is expected."),
        (set[int], {"NS": ["1.5"]}, "[0] holds '1.5' where a whole number is expected."),
        (Address, {"S": "Rome"}, "holds S where M is expected."),
        (Address, {"M": {}}, ".city is missing."),
        (Address, {"M": {"city": {"NULL": True}}}, ".city is null."),
        (
            Address,
            {"M": {"city": {"S": "Rome"}, "street": {"M": {"houseNumber": {"S": "7"}}}}},
            ".street.houseNumber holds S where N is expected.",
        ),
        (Positive, {"M": {"number": {"N": "0"}}}, "is no valid Positive: number is too small."),
    ],
)
def test_what_is_stored_differently_is_not_read(annotation: object, held: object, message: str):
    with pytest.raises(Misfit) as refused:
        codec(annotation).decode(typing.cast("dict[str, Any]", held))
    assert str(refused.value) == message


def test_a_nested_type_is_named_by_the_table_s_convention():
    made = codec(Street, Naming.PASCAL_CASE)
    assert made.encode(Street(house_number=7)) == {"M": {"HouseNumber": {"N": "7"}}}
    assert made.decode({"M": {"HouseNumber": {"N": "7"}, "Other": {"S": "?"}}}) == Street(
        house_number=7
    )


def test_what_a_nested_map_lacks_has_its_default():
    read = codec(Address).decode({"M": {"city": {"S": "Rome"}, "street": {"NULL": True}}})
    assert read == Address(city="Rome", street=None)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (str, "text"),
        (strawberry.ID, "text"),
        (int, "int"),
        (float, "float"),
        (Decimal, "decimal"),
        (bool, "bool"),
        (datetime.date, "date"),
        (datetime.datetime, "datetime"),
        (uuid.UUID, "uuid"),
        (bytes, "bytes"),
        (Status, "enum"),
        (StrawberryJSON, "json"),
        (list[str], "list"),
        (set[str], "set"),
        (Address, "map"),
        (int | None, "int"),
    ],
)
def test_a_codec_says_its_kind(annotation: object, kind: str):
    assert codec(annotation).kind == kind


@pytest.mark.parametrize(
    ("annotation", "inner", "optional"),
    [
        (str, str, False),
        (str | None, str, True),
        (Optional[str], str, True),  # noqa: UP045
        (str | int, str | int, False),
        (str | int | None, str | int, True),
        (list[str | None], list[str | None], False),
    ],
)
def test_none_is_taken_out_of_a_type(annotation: object, inner: object, optional: bool):
    assert optional_of(annotation) == (inner, optional)


@dataclass
class Bad:
    phase: complex


@dataclass
class Lost:
    where: "Nowhere"  # type: ignore[name-defined]  # noqa: F821


SETS = "Order.x: a DynamoDB set holds texts, numbers or bytes."


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (
            complex,
            "Order.x: an item cannot hold <class 'complex'>. Use str, int, float, Decimal, bool, "
            "ID, date, datetime, UUID, an Enum, bytes, JSON, a list or set of these, or a "
            "Strawberry type.",
        ),
        (dict[str, int], "Order.x: an item cannot hold dict[str, int]. Use str,"),
        (str | int, "Order.x: an item cannot hold str | int. Use str,"),
        (list, "Order.x: an item cannot hold <class 'list'>. Use str,"),
        (tuple[str, int], "Order.x: an item cannot hold tuple[str, int]. Use str,"),
        (list[complex], "Order.x: an item cannot hold <class 'complex'>. Use str,"),
        (Bad, "Order.x.phase: an item cannot hold <class 'complex'>. Use str,"),
        (
            Lost,
            "Order.x: Lost has an annotation that names 'Nowhere', which is not known where Lost "
            "is declared.\n  Import it in that module.",
        ),
        (
            Odd,
            "Order.x: a value of Odd is nothing that DynamoDB can hold: DynamoDB has no type for "
            "object",
        ),
        (set[bool], SETS),
        (set[str | None], SETS),
        (set[Address], SETS),
        (set[Mixed], SETS),
    ],
)
def test_a_type_that_no_item_can_hold(annotation: object, message: str):
    with pytest.raises(ModelError) as refused:
        codec(annotation)
    assert str(refused.value).startswith(message)


# Attributes: what is absent, and what is null.


def attribute(annotation: Any, **default: Any) -> Attribute:
    inner, optional = optional_of(annotation)
    made = field(**default)
    return Attribute("x", "x", inner, codec(inner), optional, default_of(made))


@pytest.mark.parametrize(
    ("one", "value"),
    [
        (attribute(str, default="a"), "a"),
        (attribute(str | None), None),
        (attribute(str | None, default="a"), "a"),
        (attribute(set[str]), []),
        (attribute(set[str] | None), None),
        (attribute(set[str], default_factory=lambda: {"a"}), {"a"}),
    ],
)
def test_what_is_absent_has_its_default(one: Attribute, value: object):
    assert one.absent() == value


def test_what_has_no_default_must_be_there():
    with pytest.raises(Misfit, match=r"^is missing\.$"):
        attribute(str).absent()
    with pytest.raises(Misfit, match=r"^is missing\.$"):
        attribute(str, default="a").encode(None)
    with pytest.raises(Misfit, match=r"^is null\.$"):
        attribute(str).decode({"NULL": True})
    assert attribute(str | None).decode({"NULL": True}) is None


@pytest.mark.parametrize(
    ("one", "value", "held"),
    [
        (attribute(str | None), None, None),
        (attribute(str | None, default=None), None, None),
        (attribute(str | None, default="a"), None, {"NULL": True}),
        (attribute(str, default="a"), "a", {"S": "a"}),
        (attribute(set[str]), set[str](), None),
        (attribute(set[str], default_factory=set[str]), set[str](), None),
        (attribute(set[str], default_factory=lambda: {"a"}), set[str](), {"L": []}),
        (attribute(set[str] | None), set[str](), {"L": []}),
        (attribute(list[str]), [], {"L": []}),
    ],
)
def test_nothing_is_stored_where_its_absence_says_the_same(
    one: Attribute, value: object, held: object
):
    assert one.encode(value) == held
    read = one.absent() if held is None else one.decode(typing.cast("dict[str, Any]", held))
    assert read == value or (not read and value == set())
