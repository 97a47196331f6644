from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefold.store.spans import Span, following, successor

# Spans end at texts of up to two letters, or at their successors; one text more lies around each.
TEXTS = ["".join(letters) for size in range(4) for letters in product("\0\1abcd", repeat=size)]

short = st.text("\0ab", max_size=2)
spans = st.builds(
    Span.between, short, st.none() | short, open=st.booleans()
) | short.map(Span.beginning) | short.map(Span.exactly)  # fmt: skip


def inside(span: Span) -> set[str]:
    return {text for text in TEXTS if text in span}


@pytest.mark.parametrize(
    ("prefix", "after"),
    [
        ("ORDER#", "ORDER$"),
        ("a", "b"),
        ("", None),
        ("\ud7ff", "\ue000"),
        ("a\ud7ff", "a\ue000"),
        ("\uffff", "\U00010000"),
        ("a\U0010ffff", "b"),
        ("a\U0010ffff\U0010ffff", "b"),
        ("\U0010ffff", None),
    ],
)
def test_the_successor_is_the_first_text_after_all_that_begin_so(prefix: str, after: str | None):
    assert successor(prefix) == after


@given(st.text(min_size=1), st.text())
def test_nothing_that_begins_with_a_prefix_reaches_its_successor(prefix: str, rest: str):
    after = successor(prefix)
    assert after is None or (prefix + rest < after and not after.startswith(prefix))
    assert prefix + rest in Span.beginning(prefix)


KEYS_OF_THREE_BYTES = [
    text
    for size in range(4)
    for letters in product("\0a\x7f\x80\u0800", repeat=size)
    if len((text := "".join(letters)).encode()) <= 3
]


@pytest.mark.parametrize("text", KEYS_OF_THREE_BYTES)
def test_no_key_lies_between_a_text_and_what_follows_it(text: str):
    after = following(text, max_bytes=3)

    assert after is None or len(after.encode()) <= 3
    for other in KEYS_OF_THREE_BYTES:
        assert (other > text) == (after is not None and other >= after)


def test_nothing_follows_the_last_key():
    assert following("\U0010ffff", max_bytes=4) is None


@given(spans, short)
def test_a_span_is_cut_at_a_text(span: Span, text: str):
    assert inside(span.above(text)) == {one for one in inside(span) if one > text}
    assert inside(span.below(text)) == {one for one in inside(span) if one < text}


@given(st.text(), st.text())
def test_code_points_sort_as_the_utf_8_that_dynamodb_sorts_by(a: str, b: str):
    assert (a < b) == (a.encode() < b.encode())


def test_a_span_knows_its_ends():
    assert "a" in Span.exactly("a") and "a\0" not in Span.exactly("a")
    assert "b" in Span.between("a", "b") and "b" not in Span.between("a", "b", open=True)
    assert "z" in Span.between("a", None) and "" not in Span.between("a", None)
    assert "z" in Span() and "" in Span()


def test_the_prefix_of_nothing_is_everything():
    assert Span.beginning("") == Span()


def test_a_prefix_that_nothing_follows_has_no_end():
    assert Span.beginning("\U0010ffff") == Span("\U0010ffff", None, begins=True)


def test_one_text_is_single():
    assert Span.exactly("a").single
    assert not Span("a", "a", open=True).single
    assert not Span.beginning("a").single
    assert not Span().single


@pytest.mark.parametrize(
    "span", [Span("b", "a"), Span("a", "a", open=True), Span("b", "a", open=True)]
)
def test_a_span_that_is_upside_down_is_empty(span: Span):
    assert span.empty and not inside(span)


@given(spans)
def test_a_span_is_empty_where_nothing_is_in_it(span: Span):
    assert span.empty == (not inside(span))


@given(spans, spans)
def test_a_span_covers_another_where_it_holds_all_of_it(a: Span, b: Span):
    assert a.covers(b) == (inside(b) <= inside(a))


@given(spans, spans)
def test_a_clip_is_what_lies_in_both(a: Span, b: Span):
    assert inside(a.clip(b)) == inside(a) & inside(b)
    assert a.meets(b) == bool(inside(a) & inside(b))


@given(spans, spans)
def test_a_hull_reaches_from_the_first_to_the_last_of_both(a: Span, b: Span):
    both = inside(a) | inside(b)
    between = {text for text in TEXTS if both and min(both) <= text <= max(both)}
    assert inside(a.hull(b)) == between


@given(spans, spans)
def test_a_gap_is_what_the_hull_adds(a: Span, b: Span):
    gap = a.gap(b)
    assert (inside(gap) if gap else set[str]()) == inside(a.hull(b)) - inside(a) - inside(b)
    assert gap == b.gap(a)
    assert gap is None or not gap.empty


def test_neighbours_have_no_gap_between_them():
    assert Span.beginning("ORDER#").gap(Span("ORDER$", "PROFILE")) is None
    assert Span.beginning("ORDER#").gap(Span.exactly("PROFILE")) == Span(
        "ORDER$", "PROFILE", open=True
    )
    assert Span.exactly("a").gap(Span.exactly("b")) == Span("a\0", "b", open=True)


def test_an_empty_span_adds_nothing():
    empty, span = Span("z", "a"), Span("b", "c")
    assert span.hull(empty) == empty.hull(span) == span
    assert span.covers(empty) and not empty.covers(span)
    assert span.gap(empty) is None and empty.gap(span) is None
    assert not span.meets(empty) and not empty.meets(span)


def test_a_hull_that_is_one_of_the_two_keeps_its_prefix():
    prefix = Span.beginning("DEPT#")
    assert prefix.hull(Span.exactly("DEPT#eng")) is prefix
    assert Span.exactly("DEPT#eng").clip(prefix) == Span.exactly("DEPT#eng")
