"""Filters that DynamoDB could not apply: refused before any request, in the caller's words."""

from collections.abc import Iterable
from typing import Any

import pytest

from tests.bad.refusing import refusal
from tests.resolvers.asked import Asked

pytestmark = pytest.mark.engines("dynoxide")

RANGE = "DynamoDB holds magnitudes from 1E-130 to 9.9E+125."
HALF = "it holds half a surrogate pair, which is no Unicode text."
UTC = "lies outside the years 1 to 9999 in UTC."


def listed(values: Iterable[object]) -> str:
    return f"[{', '.join(str(value) for value in values)}]"


def moments(count: int) -> str:
    return listed(f'"2024-01-01T00:{n // 60:02d}:{n % 60:02d}Z"' for n in range(count))


REFUSED = {
    '{amount: {eq: "1e400000"}}': f"where.amount.eq: 1E+400000 is out of range: {RANGE}",
    "{amount: {eq: 1e126}}": f"where.amount.eq: 1E+126 is out of range: {RANGE}",
    '{amount: {ne: "1e-131"}}': f"where.amount.ne: 1E-131 is out of range: {RANGE}",
    f'{{amount: {{lt: "{"9" * 39}"}}}}': (
        f"where.amount.lt: {'9' * 39} has 39 digits; DynamoDB keeps 38. Round it, or write it as "
        "text."
    ),
    f"{{amount: {{ge: {'1' * 5000}}}}}": (
        f"where.amount.ge: {'1' * 60}… has 5,000 digits; DynamoDB keeps 38. Round it, or write it "
        "as text."
    ),
    '{amount: {in: ["1", "1e126"]}}': f"where.amount.in: 1E+126 is out of range: {RANGE}",
    "{share: {eq: 1e300}}": f"where.share.eq: 1E+300 is out of range: {RANGE}",
    "{share: {gt: 1e400}}": "where.share.gt: Infinity is not a number that DynamoDB can hold.",
    "{amount: {in: []}}": "where.amount.in: give from 1 to 100 values; there are 0.",
    "{kind: {in: []}}": "where.kind.in: give from 1 to 100 values; there are 0.",
    "{at: {in: []}}": "where.at.in: give from 1 to 50 values; there are 0.",
    f"{{amount: {{in: {listed(range(101))}}}}}": (
        "where.amount.in: give from 1 to 100 values; there are 101."
    ),
    f"{{at: {{in: {moments(51)}}}}}": "where.at.in: give from 1 to 50 values; there are 51.",
    '{at: {eq: "0001-01-01T00:00:00+01:00"}}': (f"where.at.eq: 0001-01-01 00:00:00+01:00 {UTC}"),
    '{at: {in: ["9999-12-31T23:59:59-01:00"]}}': (f"where.at.in: 9999-12-31 23:59:59-01:00 {UTC}"),
}


def entries(where: str) -> str:
    return f'account(id: "a") {{ email bad: entries(where: {where}) {{ nodes {{ n }} }} }}'


@pytest.mark.parametrize("where", REFUSED, ids=lambda where: str(where)[:40])
async def test_a_value_that_cannot_be_compared_with_is_refused(ask: Asked, where: str):
    assert await refusal(ask, entries(where)) == REFUSED[where]


@pytest.mark.parametrize("operator", ["eq", "ne", "beginsWith", "contains"])
async def test_half_a_surrogate_pair_is_refused(ask: Asked, operator: str):
    said = await refusal(ask, entries(f"{{note: {{{operator}: $v}}}}"), "($v: String)", v="\ud800")
    assert said == f"where.note.{operator}: {HALF}"


async def test_more_values_than_an_expression_takes_are_refused(ask: Asked):
    """DynamoDB takes expressions of 4,096 bytes."""
    hundred = listed(range(100))
    texts = listed(f'"{n}"' for n in range(100))
    where = f"{{amount: {{in: {hundred}}}, share: {{in: {hundred}}}, count: {{in: {hundred}}}, "
    said = await refusal(
        ask, entries(f"{where} note: {{in: {texts}}}, at: {{in: {moments(50)}}}}}")
    )
    assert said == (
        "where: this compares with more values than DynamoDB takes in one filter. Shorten the "
        "lists under `in`, or ask several times."
    )


ACCEPTED: list[tuple[str, list[int]]] = [
    (f"{{amount: {{in: {listed(n + 0.1 for n in range(2, 102))}}}}}", [2, 3, 4, 5, 6]),
    (f"{{amount: {{in: {listed(['1.1'] * 500)}}}}}", [1]),
    ('{at: {in: ["2024-01-02T12:00:00Z", "2024-01-02T13:00:00+01:00"]}}', [2]),
    ("{kind: {eq: CREDIT, ne: CREDIT}}", []),
    ('{amount: {gt: "5", lt: "1"}}', []),
    ('{amount: {eq: "1.1", ne: "1.1"}}', []),
    ('{note: {eq: "a#b"}}', []),
    (f'{{amount: {{lt: "{"9" * 38}"}}}}', [1, 2, 3, 4, 5, 6]),
    ('{amount: {gt: "-9.9E+125", lt: "9.9E+125"}}', [1, 2, 3, 4, 5, 6]),
    ('{at: {ge: "0001-01-01T00:00:00Z", le: "9999-12-31T23:59:59.999999Z"}}', [1, 2, 3, 4, 5, 6]),
    ("{amount: {in: null, eq: null}, note: null}", [1, 2, 3, 4, 5, 6]),
]


@pytest.mark.engines("dynoxide", "dynamodb-local", "moto")
@pytest.mark.parametrize(("where", "found"), ACCEPTED, ids=lambda case: str(case)[:40])
async def test_a_filter_that_is_odd_but_right_is_answered(ask: Asked, where: str, found: list[int]):
    query = f'{{ account(id: "a") {{ entries(where: {where}) {{ nodes {{ n }} }} }} }}'
    answer: Any = await ask(query)
    assert [node["n"] for node in answer["account"]["entries"]["nodes"]] == found


@pytest.mark.engines("dynoxide", "moto")  # this DynamoDB Local is older than empty texts
@pytest.mark.parametrize(("operator", "found"), [("eq", 0), ("beginsWith", 6), ("contains", 6)])
async def test_an_empty_text_can_be_compared_with(ask: Asked, operator: str, found: int):
    where = f'{{note: {{{operator}: ""}}}}'
    query = f'{{ account(id: "a") {{ entries(where: {where}) {{ nodes {{ n }} }} }} }}'
    answer: Any = await ask(query)
    assert len(answer["account"]["entries"]["nodes"]) == found


@pytest.mark.engines("dynoxide", "dynamodb-local", "moto")
async def test_fifty_moments_are_compared_with_all_their_spellings(ask: Asked):
    where = f'{{at: {{in: [{moments(49)[1:-1]}, "2024-01-03T12:00:00Z"]}}}}'
    query = f'{{ account(id: "a") {{ entries(where: {where}) {{ nodes {{ n }} }} }} }}'
    answer: Any = await ask(query)
    assert answer["account"]["entries"]["nodes"] == [{"n": 3}]
    [request] = [one for one in ask.sent if "FilterExpression" in one.body]
    assert len(request.body["FilterExpression"]) < 4096
