"""Keys sort as the UTF-8 bytes that DynamoDB compares, and that order is the order of values.

Templates of any shape are drawn here, and every span is held against all keys there are.
"""

import contextlib
import datetime
import itertools
import os
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from tablefold.store.engines import Engine
from tablefold.store.keys import SORT_KEY_MAX_BYTES, Template
from tablefold.store.requests import KeyNames, Query
from tablefold.store.spans import Span
from tablefold.store.texts import Day, Flag, KeyText, Moment, Padded, Plain, Unique
from tests.harness import tables

EXAMPLES = int(os.environ.get("TABLEFOLD_EXAMPLES", "100"))
ENGINE_EXAMPLES = int(os.environ.get("TABLEFOLD_EXAMPLES", "15"))

# Characters on both sides of the separator, of the surrogates and of plane 0: where the orders of
# UTF-8 and UTF-16 differ.
LETTERS = '\0\n !"$0Aaz~\x7f\x80éß\ud7ff\ue000\uffef\uffff\U00010000🙂\U0010ffff'
texts = st.text(st.sampled_from(LETTERS), min_size=1, max_size=4)
offsets = st.integers(-23 * 60, 23 * 60).map(
    lambda minutes: datetime.timezone(datetime.timedelta(minutes=minutes))
)


def moments(step: int) -> st.SearchStrategy[datetime.datetime]:
    """Close together as well as far apart, in any zone, before 1970 as after."""
    near = st.datetimes(datetime.datetime(1969, 12, 31, 23), datetime.datetime(1970, 1, 1, 1))
    far = st.datetimes(datetime.datetime(1, 1, 3), datetime.datetime(9999, 12, 29))
    return st.tuples(near | far, offsets).map(
        lambda drawn: drawn[0].replace(
            microsecond=drawn[0].microsecond // step * step, tzinfo=drawn[1]
        )
    )


KINDS: list[tuple[KeyText, st.SearchStrategy[Any]]] = [
    (Plain(), texts),
    (Plain(), st.text(" !a~", min_size=1, max_size=3)),  # many begin like others
    (Padded(3), st.integers(0, 999)),
    (Padded(38), st.integers(0, 10**38 - 1) | st.integers(0, 20)),
    (Day(), st.dates() | st.dates(datetime.date(1969, 12, 30), datetime.date(1970, 1, 2))),
    (Moment("s"), moments(1_000_000)),
    (Moment("ms"), moments(1_000)),
    (Moment("us"), moments(1)),
    (Unique(), st.uuids()),
    (Flag(), st.booleans()),
]


@dataclass(frozen=True)
class Drawn:
    """A template and rows of values for it, each in the order of its placeholders."""

    template: Template
    rows: tuple[tuple[Any, ...], ...]

    def key(self, row: tuple[Any, ...]) -> str:
        return self.template.format(dict(zip(self.template.names, row, strict=True)))

    def rank(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """By value; a text that something follows is compared with its separator."""
        last = len(row) if isinstance(self.template.parts[-1], str) else len(row) - 1
        return tuple(
            value + "#" if isinstance(value, str) and at != last else value
            for at, value in enumerate(row)
        )


@st.composite
def drawn_keys(draw: st.DrawFn, rows: int = 8) -> Drawn:
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=3))
    names = [f"p{at}" for at in range(len(kinds))]
    between = draw(st.sampled_from(["#", "#X#", "##"]))
    source = (
        draw(st.sampled_from(["", "ORDER#", "v"]))
        + between.join(f"{{{name}}}" for name in names)
        + draw(st.sampled_from(["", "#END", "#"]))
    )
    typed = {name: text for name, (text, _) in zip(names, kinds, strict=True)}
    template = Template.of(source).typed(typed, max_bytes=SORT_KEY_MAX_BYTES)
    values = st.tuples(*(values for _, values in kinds))
    # Few different heads, so that equal prefixes and ties come up.
    heads = draw(st.lists(values, min_size=1, max_size=rows))
    tails = draw(st.lists(values, min_size=1, max_size=rows))
    cut = draw(st.integers(0, len(kinds)))
    mixed = {head[:cut] + tail[cut:] for head, tail in itertools.product(heads, tails)}
    some = sorted(mixed, key=repr)[: rows * 2]
    return Drawn(template, tuple(some))


@settings(max_examples=EXAMPLES, deadline=None)
@given(drawn_keys())
def test_a_key_of_any_template_comes_back_as_its_values(drawn: Drawn):
    for row in drawn.rows:
        parsed = drawn.template.parse(drawn.key(row))
        assert parsed is not None and tuple(parsed.values()) == row


@settings(max_examples=EXAMPLES, deadline=None)
@given(drawn_keys())
def test_keys_sort_as_bytes_in_the_order_of_their_values(drawn: Drawn):
    by_bytes = sorted(drawn.rows, key=lambda row: drawn.key(row).encode())
    assert by_bytes == sorted(drawn.rows, key=drawn.rank)


@st.composite
def drawn_ranges(draw: st.DrawFn, rows: int = 8) -> tuple[Drawn, int, Any, Any]:
    """Keys, how many leading placeholders are given, and the ends of a range on the next one."""
    drawn = draw(drawn_keys(rows))
    assume(drawn.rows)
    chosen, other = (draw(st.sampled_from(drawn.rows)) for _ in range(2))
    given = draw(st.integers(0, len(chosen)))
    if given == len(chosen):
        return Drawn(drawn.template, (chosen, *drawn.rows)), given, None, None
    ends = [st.none() | st.just(end) for end in (chosen[given], other[given])]
    low, high = draw(ends[0]), draw(ends[1])
    return Drawn(drawn.template, (chosen, *drawn.rows)), given, low, high


def spanned(drawn: Drawn, given: int, low: Any, high: Any, *, tight: bool) -> Span:
    names = drawn.template.names[:given]
    equal = dict(zip(names, drawn.rows[0][:given], strict=True))
    return drawn.template.span(equal, low=low, high=high, tight=tight)


def wanted(drawn: Drawn, given: int, low: Any, high: Any) -> list[tuple[Any, ...]]:
    """Every row in range, one by one, in the order of values."""

    def ranked(value: Any) -> Any:
        row = [*drawn.rows[0]]
        row[given] = value
        return drawn.rank(tuple(row))[given]

    inside = [
        row
        for row in set(drawn.rows)
        if row[:given] == drawn.rows[0][:given]
        and (low is None or ranked(low) <= drawn.rank(row)[given])
        and (high is None or drawn.rank(row)[given] <= ranked(high))
    ]
    return sorted(inside, key=drawn.rank)


@settings(max_examples=EXAMPLES * 2, deadline=None)
@given(drawn_ranges(), st.booleans())
def test_a_span_holds_exactly_the_keys_in_range(ranged: tuple[Drawn, int, Any, Any], tight: bool):
    drawn, given, low, high = ranged
    span = spanned(drawn, given, low, high, tight=tight)
    inside = {drawn.key(row) for row in drawn.rows if drawn.key(row) in span}
    assert inside == {drawn.key(row) for row in wanted(drawn, given, low, high)}


# The same on engines.

NAMES = KeyNames("PK", "SK")
DEFINITION = {
    "TableName": "order",
    "KeySchema": [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "PK", "AttributeType": "S"},
        {"AttributeName": "SK", "AttributeType": "S"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
partitions = itertools.count()


@pytest.fixture(scope="module")
def table(engine: Engine) -> Generator[str, None, None]:
    with contextlib.ExitStack() as stack:
        yield stack.enter_context(tables.created(engine.endpoint_url, DEFINITION))


@pytest.mark.engines("dynoxide", "dynamodb-local")
@settings(
    max_examples=ENGINE_EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    print_blob=True,
)
@given(drawn_ranges(6), st.booleans())
@example(
    (
        Drawn(
            Template.of("{p0}").typed({"p0": Plain()}, max_bytes=SORT_KEY_MAX_BYTES),
            (("\uffff",), ("\U00010000",), ("\ue000",), ("\0",), ("a",), ("a\0",), ("é",)),
        ),
        0,
        None,
        None,
    ),
    True,
)
def test_an_engine_answers_a_span_in_the_order_of_values(
    engine: Engine, table: str, ranged: tuple[Drawn, int, Any, Any], descending: bool
):
    drawn, given, low, high = ranged
    span = spanned(drawn, given, low, high, tight=False)
    client = tables.client(engine.endpoint_url)
    partition = f"P#{next(partitions)}"
    keys = {drawn.key(row) for row in drawn.rows}
    for at in range(0, len(keys), 25):
        puts: Any = [
            {"PutRequest": {"Item": NAMES.render((partition, key))}}
            for key in sorted(keys)[at : at + 25]
        ]
        client.batch_write_item(RequestItems={table: puts})
    expected = [drawn.key(row) for row in wanted(drawn, given, low, high)]
    if span.empty:
        assert not expected
        return
    request: Any = Query(table, None, NAMES, partition, span, descending).render()
    answer: Any = client.query(**request)
    found = [item["SK"]["S"] for item in answer["Items"]]
    # BETWEEN takes in the end of an open span, which a reader drops.
    found = [key for key in found if key in span]
    assert found == (expected[::-1] if descending else expected)
