import datetime
import enum
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefold.store.errors import BadInput, ModelError
from tablefold.store.keys import (
    PARTITION_KEY_MAX_BYTES,
    SORT_KEY_MAX_BYTES,
    Symbol,
    Template,
)
from tablefold.store.spans import Span
from tablefold.store.texts import Choice, Day, Flag, KeyText, Moment, Padded, Plain, Unique, Whole


class Size(enum.Enum):
    A = "A"
    AB = "AB"


class Grade(enum.Enum):
    ONE = "1"
    TWO = "2"


def template(source: str, separator: str = "#", /, **texts: KeyText) -> Template:
    bare = Template.of(source, separator=separator)
    named = {name: texts.get(name, Plain(separator)) for name in bare.names}
    return bare.typed(named, max_bytes=SORT_KEY_MAX_BYTES)


DAY = datetime.date(2024, 1, 31)
ORDER = template("ORDER#{placed_on}#{id}", placed_on=Day())


# Building.


def test_a_template_knows_its_placeholders():
    made = Template.of("A#{x}#{n:03d}#{x}#END")
    assert made.names == ("x", "n")
    assert [(one.name, one.spec) for one in made.placeholders] == [
        ("x", ""),
        ("n", "03d"),
        ("x", ""),
    ]
    assert str(made) == "A#{x}#{n:03d}#{x}#END"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "A template is empty; DynamoDB has no empty keys."),
        ("A#{id", "Template 'A#{id' has a brace without its partner."),
        ("A#id}", "Template 'A#id}' has a brace without its partner."),
        ("A#{{id}}", "Template 'A#{{id}}' has a brace without its partner."),
        (
            "A#{}",
            "Template 'A#{}': {} is no placeholder. Write an attribute's name in the braces, "
            "such as {id} or {n:08d}.",
        ),
        (
            "A#{the id}",
            "Template 'A#{the id}': {the id} is no placeholder. Write an attribute's name in "
            "the braces, such as {id} or {n:08d}.",
        ),
        (
            "{a}{b}",
            "Template '{a}{b}': {a} and {b} touch, so a key could not be taken apart again.\n"
            "  Write '#' between them.",
        ),
        (
            "{a}-{b}",
            "Template '{a}-{b}': '-' stands between two placeholders without the separator '#', "
            "so a value that contains '-' would be read wrongly.\n"
            "  Put '#' there; values may never contain it.",
        ),
        (
            "{n:03d}#{n:05d}",
            "Template '{n:03d}#{n:05d}': {n} is written in two formats.\n"
            "  Write it the same way in both places.",
        ),
    ],
)
def test_a_template_that_could_not_be_taken_apart(source: str, message: str):
    with pytest.raises(ModelError) as refused:
        Template.of(source)
    assert str(refused.value) == message


@pytest.mark.parametrize("separator", ["", "##", "a", "7", "{", "}", "é"])
def test_a_separator_that_would_not_separate(separator: str):
    with pytest.raises(ModelError) as refused:
        Template.of("A", separator=separator)
    assert str(refused.value) == (
        f"The separator {separator!r} cannot keep the parts of a key apart.\n"
        "  Use one character that is no letter, digit or brace, such as '#', '|' or ':'."
    )


def test_templates_with_the_same_types_are_equal():
    assert template("ORDER#{placed_on}#{id}", placed_on=Day()) == ORDER
    assert template("ORDER#{placed_on}#{id}") != ORDER
    assert hash(ORDER) == hash(template("ORDER#{placed_on}#{id}", placed_on=Day()))


# Values to text and back.


def test_values_become_a_key_and_come_back():
    values = {"placed_on": DAY, "id": "o1"}
    assert ORDER.format(values) == "ORDER#2024-01-31#o1"
    assert ORDER.parse("ORDER#2024-01-31#o1") == values


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ORDER#",
        "ORDER#2024-01-31",
        "ORDER#2024-01-31#",
        "ORDER#2024-01-31#o1#x",
        "xORDER#2024-01-31#o1",
        "ORDER#2024-02-30#o1",
        "ORDER#LATEST#o1",
        "order#2024-01-31#o1",
    ],
)
def test_another_s_key_is_not_taken(text: str):
    assert ORDER.parse(text) is None


def test_a_key_without_placeholders_is_itself():
    assert template("PROFILE").format({}) == "PROFILE"
    assert template("PROFILE").parse("PROFILE") == {}
    assert template("PROFILE").parse("PROFILE\n") is None


def test_a_placeholder_that_comes_twice_stands_for_one_value():
    made = template("{s}#X#{s}", s=Choice(Size))
    assert made.format({"s": Size.AB}) == "AB#X#AB"
    assert made.parse("AB#X#AB") == {"s": Size.AB}
    assert made.parse("A#X#AB") is None


def test_one_choice_may_begin_like_another():
    made = template("{s}B#{s2}", s=Choice(Size), s2=Choice(Size))
    assert made.parse("AB#AB") == {"s": Size.A, "s2": Size.AB}
    assert made.parse("ABB#A") == {"s": Size.AB, "s2": Size.A}


def test_a_literal_may_look_like_a_pattern():
    made = template("A.*(#{id}")
    assert made.parse("A.*(#x") == {"id": "x"}
    assert made.parse("Axx(#x") is None


def test_values_may_hold_anything_but_the_separator():
    value = "\n\0 ~\U0010ffff{x}"
    assert template("A#{id}#B").parse(template("A#{id}#B").format({"id": value})) == {"id": value}


plain = st.text(min_size=1).filter(lambda text: "#" not in text)
moments = st.datetimes(timezones=st.just(datetime.UTC))
VALUES: dict[str, tuple[KeyText, st.SearchStrategy[Any]]] = {
    "text": (Plain(), plain),
    "whole": (Whole(), st.integers(-(10**30), 10**30)),
    "padded": (Padded(6), st.integers(0, 999_999)),
    "day": (Day(), st.dates()),
    "moment": (Moment("us"), moments),
    "unique": (Unique(), st.uuids()),
    "size": (Choice(Size), st.sampled_from(Size)),
    "flag": (Flag(), st.booleans()),
}
TYPES = {name: text for name, (text, _) in VALUES.items()}
EVERYTHING = template("X{text}#{whole}#{padded}Y#{day}#{moment}#{unique}#{size}#{flag}", **TYPES)


@given(st.fixed_dictionaries({name: values for name, (_, values) in VALUES.items()}))
def test_every_type_comes_back_from_a_key(values: dict[str, object]):
    assert EVERYTHING.parse(EVERYTHING.format(values)) == values


@given(
    st.sampled_from(["{day}", "{moment}", "{unique}", "{whole}", "{padded}#{flag}"]).flatmap(
        lambda source: st.tuples(st.just(source), st.text("0129-TZ:.#aftrue", max_size=24))
    )
)
def test_a_key_that_is_taken_is_written_back_as_it_was(drawn: tuple[str, str]):
    made = template(drawn[0], **TYPES)
    values = made.parse(drawn[1])
    assert values is None or made.format(values) == drawn[1]


def test_the_name_in_a_refusal_is_the_one_that_graphql_shows():
    with pytest.raises(BadInput) as refused:
        ORDER.format({"placed_on": "today", "id": "o1"})
    assert str(refused.value) == "placedOn must be a date such as 2024-01-31."
    with pytest.raises(BadInput) as refused:
        template("USER#{user_id}").format({"user_id": "1#ORDER"})
    assert str(refused.value) == (
        "userId must not contain '#', which separates the parts of a key."
    )


def test_null_is_no_text():
    with pytest.raises(BadInput, match=r"^id must be text\.$"):
        template("PRODUCT#{id}").format({"id": None})


@pytest.mark.parametrize("limit", [SORT_KEY_MAX_BYTES, PARTITION_KEY_MAX_BYTES])
@pytest.mark.parametrize("character", ["a", "é", "東", "\U0001f600"])
def test_a_key_is_as_long_as_dynamodb_allows_and_no_longer(limit: int, character: str):
    made = Template.of("K#{a_b}#{c}").typed({"a_b": Plain(), "c": Plain()}, max_bytes=limit)
    fits = (limit - len("K##x")) // len(character.encode())
    made.format({"a_b": character * fits, "c": "x"})
    with pytest.raises(BadInput) as refused:
        made.format({"a_b": character * (fits + 1), "c": "x"})
    assert str(refused.value) == (
        f"aB and c would make the key K#{{a_b}}#{{c}} longer than the {limit:,} bytes that "
        "DynamoDB allows. Use a shorter value."
    )


def test_a_symbol_stands_for_a_value_of_any_type():
    values = {"placed_on": Symbol("‹Order.placed_on›"), "id": Symbol("‹Order.id›")}
    assert ORDER.format(values) == "ORDER#‹Order.placed_on›#‹Order.id›"
    assert ORDER.span({}, low=values["placed_on"], high=values["placed_on"]) == Span.between(
        "ORDER#‹Order.placed_on›", "ORDER#‹Order.placed_on›$", open=True
    )


# Spans.


@pytest.mark.parametrize(
    ("equal", "options", "span"),
    [
        ({}, {}, Span.beginning("ORDER#")),
        ({"placed_on": DAY}, {}, Span.beginning("ORDER#2024-01-31#")),
        ({"placed_on": DAY, "id": "o1"}, {}, Span.exactly("ORDER#2024-01-31#o1")),
        ({"id": "o1"}, {}, Span.beginning("ORDER#")),
        ({}, {"low": DAY}, Span("ORDER#2024-01-31", "ORDER$", open=True)),
        ({}, {"high": DAY}, Span("ORDER#0001-01-01", "ORDER#2024-01-31$", open=True)),
        ({}, {"low": DAY, "high": DAY}, Span("ORDER#2024-01-31", "ORDER#2024-01-31$", open=True)),
        ({}, {"tight": True}, Span("ORDER#0001-01-01", "ORDER#9999-12-31$", open=True)),
        (
            {},
            {"low": DAY, "tight": True},
            Span("ORDER#2024-01-31", "ORDER#9999-12-31$", open=True),
        ),
        (
            {"placed_on": DAY},
            {"low": "a", "high": "b"},
            Span("ORDER#2024-01-31#a", "ORDER#2024-01-31#b"),
        ),
        (
            {"placed_on": DAY},
            {"low": "a"},
            Span("ORDER#2024-01-31#a", "ORDER#2024-01-31$", open=True),
        ),
        ({"placed_on": DAY}, {"tight": True}, Span.beginning("ORDER#2024-01-31#")),
    ],
)
def test_partial_values_become_a_span(
    equal: dict[str, object], options: dict[str, Any], span: Span
):
    assert ORDER.span(equal, **options) == span


def test_a_span_without_a_prefix_may_have_no_end():
    bare = template("{placed_on}#{id}", placed_on=Day())
    assert bare.span({}) == Span()
    assert bare.span({}, low=DAY) == Span("2024-01-31", None)
    assert template("PROFILE").span({}) == Span.exactly("PROFILE")


def test_eng_is_not_engineering():
    people = template("DEPT#{dept}#USER#{id}")
    span = people.span({"dept": "eng"})
    assert people.format({"dept": "eng", "id": "1"}) in span
    assert people.format({"dept": "engineering", "id": "1"}) not in span
    exact = template("DEPT#{dept}").span({"dept": "eng"})
    assert "DEPT#eng" in exact and "DEPT#engineering" not in exact


def test_a_tight_span_leaves_out_what_is_not_of_its_type():
    versions = template("DOCUMENT#{dated}", dated=Day())
    assert "DOCUMENT#LATEST" in versions.span({})
    assert "DOCUMENT#LATEST" not in versions.span({}, tight=True)
    assert "ITEM#META" not in template("ITEM#{n}", n=Padded(3)).span({}, tight=True)
    assert "ITEM#meta" not in template("ITEM#{n}", n=Unique()).span({}, tight=True)


def test_a_range_that_is_upside_down_is_an_empty_span():
    assert ORDER.span({}, low=DAY, high=datetime.date(2023, 1, 1)).empty
    assert template("{id}").span({}, low="b", high="a").empty


def test_a_range_within_one_second_is_empty_where_the_key_keeps_seconds():
    at = datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.UTC)
    events = template("E#{at}", at=Moment("s"))
    low, high = at.replace(microsecond=200), at.replace(microsecond=800)
    assert events.span({}, low=low, high=high).empty
    assert events.span({}, low=at, high=high) == Span.exactly("E#2024-01-01T12:00:00Z")


def test_a_span_is_checked_like_a_key():
    ends: list[dict[str, Any]] = [{"low": "x" * 2000}, {"high": "x" * 2000}]
    for options in ends:
        with pytest.raises(BadInput, match=r"id would make the key E#{id} longer than the 1,024"):
            template("E#{id}").span({}, **options)
    with pytest.raises(BadInput, match="would make the key"):
        template("E#{id}#{n}").span({"id": "x" * 2000})
    with pytest.raises(BadInput, match="placedOn must be a date"):
        ORDER.span({}, low="today")
    with pytest.raises(BadInput, match="id must not contain"):
        template("E#{id}").span({}, high="a#b")


RANGED: dict[str, tuple[KeyText, st.SearchStrategy[Any]]] = {
    "{x}": (Plain(), st.text(" !#$ab".replace("#", ""), min_size=1, max_size=3)),
    "P#{x}": (Padded(2), st.integers(0, 99)),
    "P#{x}#{y}": (Padded(2), st.integers(0, 99)),
    "D#{x}#END": (Day(), st.dates()),
    "M#{x}#{y}": (Moment("us"), moments),
    "U#{x}#{y}": (Unique(), st.uuids()),
}


@pytest.mark.parametrize("source", RANGED)
def test_a_span_holds_the_keys_whose_values_are_in_range(source: str):
    text, values = RANGED[source]
    made = template(source, x=text)

    @given(values, st.none() | values, st.none() | values, st.booleans())
    def holds(x: Any, low: Any, high: Any, tight: bool):
        wanted = (low is None or low <= x) and (high is None or x <= high)
        key = made.format({"x": x, "y": "zz~"})
        assert (key in made.span({}, low=low, high=high, tight=tight)) == wanted

    holds()


words = st.text(" !ab", min_size=1, max_size=3)


@given(words, words, words)
def test_a_range_of_texts_goes_by_the_order_of_the_keys(x: str, low: str, high: str):
    made = template("N#{x}#{y}")
    wanted = low + "#" <= x + "#" <= high + "#"
    key = made.format({"x": x, "y": "1"})
    assert (key in made.span({}, low=low, high=high)) == wanted


# Templates next to each other.


def test_templates_unify_up_to_names():
    user, order = template("USER#{id}"), template("USER#{user_id}")
    assert order.unify(user) == {"user_id": "id"}
    assert template("A#{x}#{y}").unify(template("A#{z}#{z}")) == {"x": "z", "y": "z"}
    assert template("A#{z}#{z}").unify(template("A#{x}#{y}")) is None
    assert template("A").unify(template("A")) == {}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (template("USER#{id}"), template("ORDER#{id}")),
        (template("USER#{id}"), template("USER#{id}#X")),
        (template("USER#{id}"), template("USER#id")),
        (template("N#{n}", n=Padded(3)), template("N#{n}")),
        (template("N#{n}", n=Padded(3)), template("N#{n}", n=Padded(5))),
        (template("N#{n}", n=Moment("s")), template("N#{n}", n=Moment("ms"))),
        (template("N#{n}", n=Choice(Size)), template("N#{n}", n=Choice(Grade))),
    ],
)
def test_what_is_not_one_template_does_not_unify(a: Template, b: Template):
    assert a.unify(b) is None and b.unify(a) is None


def test_a_longer_key_goes_on_after_a_shorter_one():
    dept, people = template("DEPT#{dept}"), template("DEPT#{of}#USER#{id}")
    assert dept.unify_prefix(people) == {"of": "dept"}
    assert people.unify_prefix(dept) is None
    assert dept.unify_prefix(dept) is None
    assert template("DEPT#{dept}#INFO").unify_prefix(people) is None
    assert template("META").unify_prefix(template("META#{id}")) is None
    assert dept.unify_prefix(template("TEAM#{of}#USER#{id}")) is None
    assert dept.unify_prefix(template("DEPT#{of}X#{id}")) is None


@pytest.mark.parametrize(
    ("a", "b", "collide"),
    [
        (template("META"), template("META"), True),
        (template("META"), template("INFO"), False),
        (template("A#{x}"), template("A#{y}"), True),
        (template("A#{x}"), template("B#{y}"), False),
        (template("A#{x}"), template("A#{x}#{y}"), False),
        (template("A#{x}"), template("A#LATEST"), True),
        (template("A#{d}", d=Day()), template("A#LATEST"), False),
        (template("A#{d}", d=Day()), template("A#2024-01-01"), True),
        (template("A#{d}", d=Day()), template("A#{n}", n=Padded(3)), False),
        (template("A#{d}", d=Day()), template("A#{x}"), True),
        (template("A#{s}", s=Choice(Size)), template("A#{n}", n=Whole()), False),
        (template("A#{s}", s=Choice(Grade)), template("A#{n}", n=Whole()), True),
        (template("A#{s}", s=Choice(Grade)), template("A#{t}", t=Choice(Size)), False),
        (template("A#{s}", s=Choice(Size)), template("A#AB"), True),
        (template("A#{s}", s=Flag()), template("A#{x}"), True),
        (template("v{n}", n=Padded(3)), template("LATEST"), False),
        (template("v{n}", n=Padded(3)), template("v001"), True),
        (template("v{x}"), template("w{x}"), False),
        (template("v{x}"), template("{x}"), True),
        (template("{x}#A"), template("{x}#B"), False),
        (template("A##B"), template("A#{x}#B"), False),
    ],
)
def test_templates_collide_where_a_text_could_be_a_key_of_both(
    a: Template, b: Template, collide: bool
):
    assert a.collides(b) == b.collides(a) == collide


@pytest.mark.parametrize(
    ("a", "b", "collide"),
    [
        ("D-{d}", "D-{x}-{y}-{z}", True),
        ("D-{d}", "E-{x}-{y}-{z}", False),
        ("D-{d}", "D-LATEST", False),
        ("D-{d}", "D-2024-01-01", True),
    ],
)
def test_a_date_may_hold_the_separator_itself(a: str, b: str, collide: bool):
    first, second = template(a, "-", d=Day()), template(b, "-")
    assert first.collides(second) == second.collides(first) == collide
    assert first.parse("D-2024-01-31") == {"d": DAY}


COLLIDING = st.sampled_from(
    ["A#{x}", "A#{n}", "A#{d}", "A#{s}", "A#AB", "A#1", "{x}#{s}", "{s}#AB", "A{s}#{x}", "AAB#1"]
)
TEXTS: dict[str, KeyText] = {"n": Whole(), "d": Day(), "s": Choice(Size)}


@given(
    COLLIDING, COLLIDING, st.sampled_from(["A#AB", "A#1", "A#A", "AB#AB", "AAB#1", "A#2024-01-01"])
)
def test_no_text_is_a_key_of_two_templates_that_do_not_collide(a: str, b: str, text: str):
    first, second = template(a, **TEXTS), template(b, **TEXTS)
    if first.parse(text) is not None and second.parse(text) is not None:
        assert first.collides(second)


def test_a_uuid_stands_in_a_key_in_one_way():
    made = template("U#{id}", id=Unique())
    value = uuid.UUID("12345678-1234-5678-1234-ABCDEFABCDEF")
    assert made.format({"id": value}) == "U#12345678-1234-5678-1234-abcdefabcdef"
    assert made.parse("U#12345678-1234-5678-1234-ABCDEFABCDEF") is None
