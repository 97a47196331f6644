"""Limits: what is over one is refused before anything is read, and told what to do."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from graphql import parse

from examples.shop.model import table
from tablefold import Gateway, Limits
from tablefold.gql.limits import Measure, measures, refuse_long
from tablefold.store.errors import LimitExceeded
from tests.harness.serving import SECRET, codes_of

NOWHERE = "http://127.0.0.1:9"  # whatever is asked there fails with another code


def limited(limits: Limits | None = None, **options: Any) -> Gateway:
    return Gateway(
        table,
        endpoint_url=NOWHERE,
        region="eu-central-1",
        cursor_secret=SECRET,
        limits=limits,
        deadline=0.5,
        **options,
    )


def measured(text: str) -> Measure:
    [measure] = measures(parse(text))
    return measure


def doubling(levels: int, body: str) -> str:
    """Each fragment spreads the next one twice."""
    parts = [
        f"fragment f{n} on User {{ {body.replace('NEXT', f'...f{n + 1}')} }}" for n in range(levels)
    ]
    return " ".join(
        ['{ user(id: "u1") { ...f0 } }', *parts, f"fragment f{levels} on User {{ name }}"]
    )  # fmt: skip


def one_user(selection: str) -> str:
    return f'{{ user(id: "u1") {{ {selection} }} }}'


ALIASED = "a: orders { nodes { user { NEXT } } } b: orders { nodes { user { NEXT } } }"


def test_a_fragment_counts_each_time_it_is_spread():
    text = "{ ...a ...a x: user(id: 1) { name } } fragment a on Query { y: user(id: 1) @skip(if: false) { name } }"  # noqa: E501
    assert measured(text) == Measure(depth=2, fields=6, aliases=3, directives=2, root_fields=3)


def test_introspection_is_not_deep():
    assert measured("{ __schema { types { fields { type { name } } } } }").depth == 1


def test_doubling_fragments_are_counted_without_being_spread_out():
    assert measured(doubling(60, ALIASED)).fields > 2**60


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("{a}", 3),
        ("{ a(b: 1, c: [-1.5e3]) }", 13),
        ('{ a(b: "x y \\" z") # a comment\n }', 9),
        ('{ a(b: """x "y" z""") }', 8),
        ("{ ...a @b(if: $c) }", 12),
    ],
)
def test_tokens_are_counted_as_graphql_counts_them(text: str, count: int):
    refuse_long(text, Limits(tokens=count))
    with pytest.raises(LimitExceeded, match=f"over {count - 1} tokens"):
        refuse_long(text, Limits(tokens=count - 1))


def test_no_tokens_are_counted_beyond_the_limit(monkeypatch: pytest.MonkeyPatch):
    taken: list[object] = []

    class Counting:
        def finditer(self, text: str) -> Iterator[object]:
            for token in text:
                taken.append(token)
                yield token

    monkeypatch.setattr("tablefold.gql.limits._TOKEN", Counting())
    with pytest.raises(LimitExceeded):
        refuse_long("{" * 900_000, Limits())
    assert len(taken) == 1_001


@pytest.mark.parametrize(
    "text",
    [doubling(20, "NEXT NEXT"), one_user("orders { nodes { id } } " * 400), "{" * 900_000],
    ids=["doubling fragments", "400 nested fields", "a megabyte of braces"],
)
async def test_what_is_made_to_be_slow_is_refused_within_20_milliseconds(text: str):
    gateway, spent = limited(), list[float]()
    for _ in range(5):  # the fastest, because other work of the machine is not the document's
        began = time.process_time()
        assert codes_of(await gateway.execute(text)) == ["LIMIT_EXCEEDED"]
        spent.append(time.process_time() - began)
    assert min(spent) < 0.02


@pytest.mark.parametrize(
    ("limits", "text", "says"),
    [
        (Limits(), doubling(20, ALIASED), "levels of fields; at most 15"),
        (Limits(depth=None), doubling(20, ALIASED), "fields; at most 1,000"),
        (Limits(), one_user(" ".join(f"a{n}: name" for n in range(51))), "51 aliases; at most 50"),
        (Limits(), one_user("orders { nodes { id } } " * 400), "over 1,000 tokens"),
        (Limits(tokens=None), one_user("name " * 1001), "1,002 fields; at most 1,000"),
        (Limits(root_fields=1), '{ a: user(id: "u1") { name } __typename }', "2 root fields"),
        (Limits(directives=1), '{ user(id: "u1") @skip(if: false) { name @skip(if: true) } }',
         "2 directives"),
    ],
)  # fmt: skip
async def test_what_is_over_a_limit_is_refused(limits: Limits, text: str, says: str):
    result = await limited(limits).execute(text)
    assert codes_of(result) == ["LIMIT_EXCEEDED"] and result.data is None
    assert result.errors is not None
    assert says in result.errors[0].message


async def test_an_operation_over_the_budget_names_its_dearest_field_and_a_page_that_fits():
    query = """query($n: Int) {
        users(ids: ["a", "b", "c"]) { orders(first: $n) { nodes { items { product { name } } } } }
    }"""
    gateway = limited(Limits(capacity=900))
    result = await gateway.execute(query, {"n": 100})
    assert codes_of(result) == ["LIMIT_EXCEEDED"] and result.errors is not None
    message = result.errors[0].message
    assert "Its dearest part is users.orders.nodes.items" in message
    fitting = int(message.partition("users.orders(first: ")[2].partition(")")[0])
    for first, code in ((fitting, "UNAVAILABLE"), (fitting * 2, "LIMIT_EXCEEDED")):
        again = await gateway.execute(query, {"n": first})
        assert code in codes_of(again)


async def test_the_dearest_field_is_that_of_all_its_requests():
    query = "query($ids: [ID!]!) { users(ids: $ids) { orders(first: 200) { nodes { id } } } }"
    result = await limited().execute(query, {"ids": [f"u{n}" for n in range(200)]})
    assert result.errors is not None
    assert "Its dearest part is users, with 2,000.0." in result.errors[0].message


@pytest.mark.parametrize("ask", ["execute", "plan"])
async def test_thousands_of_keys_are_refused_without_a_look_at_each(ask: str):
    """Two fields of a thousand keys each, with all that is under them."""
    fields = (f"f{n}: users(ids: $ids) {{ orders {{ nodes {{ items {{ n }} }} }} }}" for n in "ab")
    query = f"query($ids: [ID!]!) {{ {' '.join(fields)} }}"
    variables = {"ids": [f"u{n}" for n in range(1_000)]}
    says = "This operation names 2,000 keys, 1,000 of them in fa; at most 1,000 are planned at once"
    if ask == "plan":
        with pytest.raises(LimitExceeded, match=says):
            await limited().plan(query, variables)
    else:
        result = await limited().execute(query, variables)
        assert codes_of(result) == ["LIMIT_EXCEEDED"] and result.errors is not None
        assert says in result.errors[0].message


async def test_introspection_can_be_refused():
    gateway = limited(introspection=False)
    result = await gateway.execute("{ __schema { types { name } } }")
    assert set(codes_of(result)) == {"GRAPHQL_VALIDATION_FAILED"} and result.data is None


STATUS = "query ($of: OrderStatus!) { ordersByStatus(status: $of) { nodes { id } } }"
WHERE = "query ($of: UserOrdersFilter) { user(id: 1) { orders(where: $of) { nodes { id } } } }"


@pytest.mark.parametrize(
    ("query", "of"),
    [
        ('{ usr(id: "u1") { name } }', None),
        ("{ ordersByStatus(status: PENDIN) { nodes { id } } }", None),
        ("{ ordersByStatus(status: 5) { nodes { id } } }", None),
        (STATUS, "PENDIN"),
        (STATUS, 5),
        (WHERE, {"totl": 1}),
    ],
)
@pytest.mark.parametrize("suggestions", [True, False])
async def test_suggestions_can_be_withheld(query: str, of: object, suggestions: bool):
    gateway = limited(suggestions=suggestions)
    result = await gateway.execute(query, {} if of is None else {"of": of})
    assert result.errors is not None
    message = result.errors[0].message
    assert ("Did you mean" in message or "It has PENDING" in message) is suggestions


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ({"depth": 0}, "Limits(depth=0): write a number above 0, or None for no limit."),
        ({"depth": "x"}, "Limits(depth='x'): write a number above 0, or None for no limit."),
        ({"page_size": None}, "Limits(page_size=None): write a number above 0."),
        ({"batch": 0}, "Limits(batch=0): write a number above 0."),
    ],
)
def test_a_limit_that_is_none_is_said_when_it_is_made(limit: dict[str, Any], says: str):
    with pytest.raises(ValueError, match=re.escape(says)):
        Limits(**limit)


async def test_the_usual_page_is_no_longer_than_a_page_may_be():
    query = '{ user(id: "u1") { orders { nodes { id } } } }'
    plan = await limited(Limits(page_size=3)).plan(query)
    assert "limit 4" in str(plan)  # the profile, and three orders


async def test_a_filtered_page_is_priced_at_all_that_it_may_read():
    text = '{ user(id: "u1") { orders(first: 2, where: {total: {ge: "1"}}) { nodes { id } } } }'
    gateway = limited(Limits(capacity=40))
    plan = await gateway.plan(text)
    assert plan.capacity > 40
    assert "more where a filter drops much" in str(plan)
    assert codes_of(await gateway.execute(text)) == ["LIMIT_EXCEEDED"]
