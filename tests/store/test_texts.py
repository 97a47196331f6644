import datetime
import enum
import re
import uuid
from decimal import Decimal
from typing import Any, NewType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefold.store.errors import BadInput, ModelError
from tablefold.store.texts import (
    Choice,
    Day,
    Flag,
    KeyText,
    Misfit,
    Moment,
    Padded,
    Plain,
    Unique,
    Whole,
    text_for,
)

UTC = datetime.UTC
NOON = datetime.datetime(2024, 1, 31, 12, tzinfo=UTC)


class Size(enum.Enum):
    A = "A"
    AB = "AB"
    B = "A B"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 10


class Colour(str, enum.Enum):  # noqa: UP042 (its str() is "Colour.RED")
    RED = "red"


def moments(precision: str) -> st.SearchStrategy[datetime.datetime]:
    step = {"s": 1_000_000, "ms": 1_000, "us": 1}[precision]
    return st.datetimes(timezones=st.just(UTC)).map(
        lambda moment: moment.replace(microsecond=moment.microsecond // step * step)
    )


plain = st.text(min_size=1).filter(lambda text: "#" not in text)
SORTED: list[tuple[KeyText, st.SearchStrategy[Any]]] = [
    (Plain(), plain),
    (Padded(4), st.integers(0, 9999)),
    (Day(), st.dates()),
    (Moment("s"), moments("s")),
    (Moment("ms"), moments("ms")),
    (Moment("us"), moments("us")),
    (Unique(), st.uuids()),
    (Flag(), st.booleans()),
]
ALL = [
    *SORTED,
    (Whole(), st.integers(-(10**20), 10**20)),
    (Choice(Size), st.sampled_from(Size)),
    (Choice(Level), st.sampled_from(Level)),
]


@pytest.mark.parametrize(("text", "values"), ALL, ids=lambda case: repr(case)[:20])
def test_what_is_written_is_read_back(text: KeyText, values: st.SearchStrategy[Any]):
    @given(values)
    def holds(value: object):
        written = text.write(value)
        assert text.read(written) == value
        assert re.fullmatch(text.pattern("#"), written)
        if text.greatest:
            assert text.least <= written <= text.greatest
        if text.choices():
            assert written in text.choices()

    holds()


@pytest.mark.parametrize(("text", "values"), SORTED, ids=lambda case: repr(case)[:20])
def test_the_order_of_texts_is_the_order_of_values(text: KeyText, values: st.SearchStrategy[Any]):
    @given(values, values)
    def holds(a: Any, b: Any):
        assert (text.write(a) < text.write(b)) == (a < b)
        if text.even:
            assert len(text.write(a)) == len(text.write(b)) or isinstance(text, Flag)

    holds()


@pytest.mark.parametrize(
    ("text", "value", "written"),
    [
        (Plain(), "Grüße, 東京\0", "Grüße, 東京\0"),
        (Plain(), Colour.RED, "red"),
        (Plain("|"), "a#b", "a#b"),
        (Whole(), 0, "0"),
        (Whole(), -7, "-7"),
        (Whole(), Level.HIGH, "10"),
        (Padded(3), 7, "007"),
        (Padded(3), 999, "999"),
        (Day(), datetime.date(999, 1, 2), "0999-01-02"),
        (Day(), datetime.date(1969, 12, 31), "1969-12-31"),
        (Moment(), datetime.datetime(33, 1, 2, 3, tzinfo=UTC), "0033-01-02T03:00:00Z"),
        (Moment(), datetime.datetime(1969, 7, 20, 20, 17), "1969-07-20T20:17:00Z"),
        (Moment("ms"), NOON, "2024-01-31T12:00:00.000Z"),
        (Moment("us"), NOON.replace(microsecond=5), "2024-01-31T12:00:00.000005Z"),
        (
            Moment(),
            datetime.datetime.fromisoformat("2024-01-01T00:30:00+02:00"),
            "2023-12-31T22:30:00Z",
        ),
        (Unique(), uuid.UUID(int=10), "00000000-0000-0000-0000-00000000000a"),
        (Choice(Size), Size.AB, "AB"),
        (Choice(Size), "A B", "A B"),
        (Choice(Level), Level.LOW, "1"),
        (Choice(Level), 10, "10"),
        (Flag(), False, "false"),
    ],
)
def test_values_as_they_stand_in_a_key(text: KeyText, value: object, written: str):
    assert text.write(value) == written
    assert type(text.write(value)) is str


@pytest.mark.parametrize(
    ("text", "value", "message"),
    [
        (Plain(), "", "is empty; it is part of a key and needs a value."),
        (Plain(), "1#ORDER", "must not contain '#', which separates the parts of a key."),
        (Plain("|"), "a|b", "must not contain '|', which separates the parts of a key."),
        (Plain(), "\ud800", "holds half a surrogate pair, which is no Unicode text."),
        (Plain(), None, "must be text."),
        (Plain(), 5, "must be text."),
        (Plain(), b"x", "must be text."),
        (Whole(), "5", "must be a whole number."),
        (Whole(), True, "must be a whole number."),
        (Whole(), 1.0, "must be a whole number."),
        (Whole(), 10**38, "is too large for its key, which has 38 digits."),
        (Padded(3), 1000, "must be from 0 to 999: its key has 3 digits."),
        pytest.param(
            Padded(3), 10**5000, "must be from 0 to 999: its key has 3 digits.", id="huge"
        ),
        (Padded(3), -1, "must be from 0 to 999: its key has 3 digits."),
        (Padded(3), None, "must be a whole number."),
        (Day(), NOON, "must be a date such as 2024-01-31."),
        (Day(), "2024-01-31", "must be a date such as 2024-01-31."),
        (
            Moment(),
            datetime.date(2024, 1, 31),
            "must be a date and time such as 2024-01-31T12:00:00Z.",
        ),
        (
            Moment(),
            NOON.replace(microsecond=1),
            "is finer than its key, which keeps seconds. Give whole seconds, or keep "
            "microseconds in the template: {…:us}.",
        ),
        (
            Moment("ms"),
            NOON.replace(microsecond=1),
            "is finer than its key, which keeps milliseconds. Give whole milliseconds, or keep "
            "microseconds in the template: {…:us}.",
        ),
        (
            Moment(),
            datetime.datetime.fromisoformat("0001-01-01T00:00:00+02:00"),
            "lies outside the years 1 to 9999 in UTC.",
        ),
        (Unique(), str(uuid.UUID(int=1)), "must be a UUID."),
        (Choice(Size), "C", "must be one of A, AB, A B."),
        (Choice(Size), None, "must be one of A, AB, A B."),
        (Choice(Size), [], "must be one of A, AB, A B."),
        (Choice(Level), "1", "must be one of 1, 10."),
        (Flag(), 1, "must be true or false."),
        (Flag(), "true", "must be true or false."),
    ],
)
def test_what_a_key_cannot_hold(text: KeyText, value: object, message: str):
    for write in (text.write, text.at_least, text.at_most):
        if isinstance(text, Moment) and "finer" in message and write != text.write:
            continue
        with pytest.raises(Misfit) as refused:
            write(value)
        assert str(refused.value) == refused.value.what == message


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        (Plain(), "a#b"),
        (Plain(), ""),
        (Whole(), "007"),
        (Whole(), "-0"),
        (Whole(), "٣"),
        (Whole(), "1\n"),
        (Padded(3), "7"),
        (Padded(3), "0007"),
        (Padded(3), "٠٠٧"),
        (Day(), "2024-1-1"),
        (Day(), "20240101"),
        (Moment(), "2024-01-31T12:00:00"),
        (Moment(), "2024-01-31T24:00:00Z"),
        (Moment(), "2024-01-31T12:00:00.000Z"),
        (Moment(), "2024-01-31T12:00:00+00:00"),
        (Moment("ms"), "2024-01-31T12:00:00Z"),
        (Unique(), "00000000-0000-0000-0000-00000000000A"),
        (Unique(), "0" * 32),
        (Choice(Size), "ABC"),
        (Flag(), "True"),
    ],
)
def test_a_text_that_would_not_be_written_so_is_not_taken(text: KeyText, foreign: str):
    assert re.fullmatch(text.pattern("#"), foreign) is None


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        (Day(), "2023-02-29"),
        (Day(), "0000-01-01"),
        (Moment(), "2023-02-29T00:00:00Z"),
        (Moment(), "2024-01-01T00:61:00Z"),
        (Choice(Size), "C"),
        (Flag(), "yes"),
    ],
)
def test_a_text_that_means_nothing_is_a_value_error(text: KeyText, foreign: str):
    with pytest.raises(ValueError, match=r"."):
        text.read(foreign)


@pytest.mark.parametrize(
    ("precision", "least", "most"),
    [
        ("s", "2024-01-31T12:00:01Z", "2024-01-31T12:00:00Z"),
        ("ms", "2024-01-31T12:00:00.124Z", "2024-01-31T12:00:00.123Z"),
        ("us", "2024-01-31T12:00:00.123456Z", "2024-01-31T12:00:00.123456Z"),
    ],
)
def test_the_ends_of_a_range_are_rounded_inwards(precision: str, least: str, most: str):
    fine = NOON.replace(microsecond=123456)
    assert Moment(precision).at_least(fine) == least
    assert Moment(precision).at_most(fine) == most
    assert Moment(precision).at_least(NOON) == Moment(precision).at_most(NOON)


def test_nothing_is_as_late_as_what_no_key_can_hold():
    last = datetime.datetime.max
    assert Moment("s").at_least(last) == Moment.greatest > Moment("s").at_most(last)
    assert Moment("us").at_least(last) == "9999-12-31T23:59:59.999999Z"


def test_a_misfit_reads_on_after_the_name_as_graphql_shows_it():
    misfit = Misfit("is empty.").under("[3]").under("home_towns")
    assert isinstance(misfit, BadInput)
    assert str(misfit) == "homeTowns[3] is empty."
    assert (misfit.name, misfit.what) == ("home_towns[3]", "is empty.")


@pytest.mark.parametrize(
    ("annotation", "spec", "sorts", "text"),
    [
        (str, "", True, Plain("#")),
        (NewType("UserId", str), "", True, Plain("#")),
        (int, "", False, Whole()),
        (int, "08d", True, Padded(8)),
        (int, "012d", False, Padded(12)),
        (datetime.date, "", True, Day()),
        (datetime.datetime, "", True, Moment("s")),
        (datetime.datetime, "ms", True, Moment("ms")),
        (uuid.UUID, "", True, Unique()),
        (bool, "", True, Flag()),
        (Size, "", True, Choice(Size)),
    ],
)
def test_each_type_has_its_text(annotation: object, spec: str, sorts: bool, text: KeyText):
    assert text_for(annotation, spec, separator="#", sorts=sorts, where="") == text


def test_texts_of_different_types_differ():
    assert Choice(Size) != Choice(Level)
    assert Padded(3) != Padded(4)
    assert Moment("s") != Moment("ms")


class Clash(enum.Enum):
    TEXT = "1"
    NUMBER = 1


class Empty(enum.Enum):
    pass


class Nothing(enum.Enum):
    NONE = ""


class Split(enum.Enum):
    PAIR = "a#b"


def refusal(annotation: object, spec: str = "", *, sorts: bool = True) -> str:
    with pytest.raises(ModelError) as refused:
        text_for(annotation, spec, separator="#", sorts=sorts, where="Order.n in 'N#{n}'")
    return str(refused.value)


@pytest.mark.parametrize(
    ("annotation", "spec", "message"),
    [
        (
            int,
            "",
            "Order.n in 'N#{n}': a whole number in a sort key needs a width, because '9' sorts "
            "after '10'.\n  Write {name:08d} with as many digits as the largest value has.",
        ),
        (int, "8d", "Order.n in 'N#{n}': '8d' is no width. Write it as 08d."),
        (int, "00d", "Order.n in 'N#{n}': '00d' is no width. Write it as 08d."),
        (
            datetime.datetime,
            "ns",
            "Order.n in 'N#{n}': 'ns' is no precision. Write s, ms or us.",
        ),
        (
            str,
            "08d",
            "Order.n in 'N#{n}': the format '08d' is for whole numbers ({n:08d}) and datetimes "
            "({at:ms}); other types have one form.",
        ),
        (
            Decimal,
            "",
            "Order.n in 'N#{n}': a decimal number has no text form that sorts by its value. "
            "Keep a whole number in the key, such as cents with a width: {cents:012d}.",
        ),
        (
            list[str],
            "",
            "Order.n in 'N#{n}': this type cannot stand in a key. Keys hold text, ids, whole "
            "numbers, dates, datetimes, UUIDs, enums and booleans.",
        ),
        (
            Split,
            "",
            "Order.n in 'N#{n}': Split.PAIR is stored as 'a#b', which is empty or contains the "
            "separator '#'.",
        ),
        (
            Nothing,
            "",
            "Order.n in 'N#{n}': Nothing.NONE is stored as '', which is empty or contains the "
            "separator '#'.",
        ),
        (
            Clash,
            "",
            "Order.n in 'N#{n}': Clash.TEXT and Clash.NUMBER would both be written as '1' in a "
            "key.\n  Give one of them another value.",
        ),
        (Empty, "", "Order.n in 'N#{n}': Empty has no members to stand in a key."),
    ],
)
def test_a_type_that_cannot_stand_in_a_key(annotation: object, spec: str, message: str):
    assert refusal(annotation, spec) == message
