"""Values that no key can hold, wherever they come in: refused before any request."""

from typing import Any

import orjson
import pytest

from tests.bad.bank import Account, entry
from tests.bad.refusing import refusal
from tests.resolvers.asked import Asked

pytestmark = pytest.mark.engines("dynoxide")

SEPARATED = "must not contain '#', which separates the parts of a key."
EMPTY = "is empty; it is part of a key and needs a value."
HALF = "holds half a surrogate pair, which is no Unicode text."


def too_long(key: str, limit: str = "2,048") -> str:
    return (
        f"would make the key {key} longer than the {limit} bytes that DynamoDB allows. "
        "Use a shorter value."
    )


BAD_TEXTS = {
    "with the separator": ("a#b", SEPARATED),
    "that reaches into another partition": ("b#", SEPARATED),
    "that is the separator": ("#", SEPARATED),
    "that is empty": ("", EMPTY),
    "with half a surrogate pair": ("\ud800", HALF),
    "of 3,000 bytes": ("x" * 3000, None),
    "of 3,000 bytes in few characters": ("🙂" * 750, None),
}
PLACES = {
    "a root field": ("bad: account(id: $v) { email }", "id", "ACCOUNT#{id}", "2,048"),
    "a lookup": ("bad: accountByEmail(email: $v) { email }", "email", "EMAIL#{email}", "2,048"),
    "a collection": (
        "bad: entriesByAccountId(accountId: $v) { nodes { n } }",
        "accountId",
        "ACCOUNT#{account_id}",
        "2,048",
    ),
    "an equality on the sort key": (
        'bad: byNote(accountId: "a", note: {eq: $v}) { nodes { n } }',
        "note",
        "{note}#{n:06d}",
        "1,024",
    ),
    "the start of a range": (
        'bad: byNote(accountId: "a", note: {from: $v}) { nodes { n } }',
        "note",
        "{note}#{n:06d}",
        "1,024",
    ),
    "the end of a range": (
        'bad: byNote(accountId: "a", note: {to: $v}) { nodes { n } }',
        "note",
        "{note}#{n:06d}",
        "1,024",
    ),
}


def declared(place: str) -> str:
    return f"($v: {'ID' if place == 'a root field' else 'String'}!)"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", BAD_TEXTS)
async def test_a_text_that_no_key_can_hold_is_refused(ask: Asked, place: str, text: str):
    field, name, key, limit = PLACES[place]
    value, what = BAD_TEXTS[text]
    names = "note and n" if name == "note" and what is None else name
    said = await refusal(ask, field, declared(place), v=value)
    assert said == f"{names} {what or too_long(key, limit)}"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", ["a#b", "", "x" * 3000])
async def test_a_literal_is_refused_like_a_variable(ask: Asked, place: str, text: str):
    field = PLACES[place][0]
    in_variable = await refusal(ask, field, declared(place), v=text)
    assert await refusal(ask, field.replace("$v", orjson.dumps(text).decode())) == in_variable


async def test_the_refusal_of_a_list_says_which_id_is_at_fault(ask: Asked):
    said = await refusal(
        ask, "bad: accounts(ids: $v) { email }", "($v: [ID!]!)", v=["a", "b", "a#b", ""]
    )
    assert said == f"ids[2]: id {SEPARATED}"


async def test_ten_thousand_ids_are_too_many(ask: Asked):
    ids = [f"x{n}" for n in range(10_000)]
    said = await refusal(ask, "bad: accounts(ids: $v) { email }", "($v: [ID!]!)", v=ids)
    assert said == "ids: 10,000 are too many; one field takes at most 1,000."
    literal = ", ".join(f'"{one}"' for one in ids)
    assert await refusal(ask, f"bad: accounts(ids: [{literal}]) {{ email }}") == said


async def test_an_id_that_comes_again_is_read_once_and_shown_each_time(ask: Asked):
    answer = await ask('{ accounts(ids: ["a", "z", "b", "a"]) { email } }')
    a, b = {"email": "a@bank"}, {"email": "b@bank"}
    assert answer["accounts"] == [a, None, b, a]
    [batch] = ask.sent
    [asked] = batch.body["RequestItems"].values()
    assert len(asked["Keys"]) == 3


async def test_no_ids_are_no_request(ask: Asked):
    assert await ask("{ accounts(ids: []) { email } }") == {"accounts": []}
    assert ask.sent == []


NUMBERS = "must be from 0 to 999999: its key has 6 digits."
UTC = "lies outside the years 1 to 9999 in UTC."
RANGES: dict[str, tuple[str, str]] = {
    "n: {eq: 1}": (
        "entriesByAccountId",
        "n: the sort key is ENTRY#{day}#{n:06d}, so n can only be narrowed once day has a value: "
        "day: {eq: …}.",
    ),
    'day: {from: "2024-01-05", to: "2024-01-01"}': (
        "entriesByAccountId",
        "day: from (2024-01-05) lies after to (2024-01-01). Swap them.",
    ),
    'day: {eq: "2024-01-05", from: "2024-01-01"}': (
        "entriesByAccountId",
        "day: give either eq or from and to, not both.",
    ),
    'day: {eq: "2024-01-01"}, n: {eq: -1}': ("entriesByAccountId", f"n {NUMBERS}"),
    'day: {eq: "2024-01-01"}, n: {from: -1}': ("entriesByAccountId", f"n {NUMBERS}"),
    'day: {eq: "2024-01-01"}, n: {to: 1000000}': ("entriesByAccountId", f"n {NUMBERS}"),
    'day: {eq: "2024-01-01"}, n: {from: 5, to: 1}': (
        "entriesByAccountId",
        "n: from (5) lies after to (1). Swap them.",
    ),
    'at: {from: "2024-01-01T00:00:00", to: "2023-12-31T23:59:59Z"}': (
        "entriesByKind",
        "at: from (2024-01-01 00:00:00) lies after to (2023-12-31 23:59:59+00:00). Swap them.",
    ),
    'at: {from: "2024-01-01T00:00:00Z", to: "2024-01-01T00:00:00+01:00"}': (
        "entriesByKind",
        "at: from (2024-01-01 00:00:00+00:00) lies after to (2024-01-01 00:00:00+01:00). "
        "Swap them.",
    ),
    'at: {from: "0001-01-01T00:00:00+23:59"}': ("entriesByKind", f"at {UTC}"),
    'at: {to: "9999-12-31T23:59:59-23:59"}': ("entriesByKind", f"at {UTC}"),
    'at: {eq: "2024-01-01T00:00:00.0001Z"}': (
        "entriesByKind",
        "at is finer than its key, which keeps milliseconds. Give whole milliseconds, or keep "
        "microseconds in the template: {…:us}.",
    ),
    f'ref: {{from: "{entry(3).ref}", to: "{entry(1).ref}"}}': (
        "byRef",
        f"ref: from ({entry(3).ref}) lies after to ({entry(1).ref}). Swap them.",
    ),
    'note: {from: "b", to: "a"}': (
        "byNote",
        "note: from (b) lies after to (a) in the order of {note}#{n:06d}. Swap them.",
    ),
    'note: {from: "Ann", to: "Ann Lee"}': (
        "byNote",
        "note: from (Ann) lies after to (Ann Lee) in the order of {note}#{n:06d}. Swap them.",
    ),
    "kind: {eq: CREDIT}": (
        "byNumber",
        "kind: the sort key is {flag}#{kind}#{account_id}, so kind can only be narrowed once "
        "flag has a value: flag: {eq: …}.",
    ),
}
KEYS = {"entriesByKind": "kind: CREDIT", "byNumber": "n: 1"}


@pytest.mark.parametrize("arguments", RANGES)
async def test_a_range_that_cannot_be_read_says_what_to_change(ask: Asked, arguments: str):
    field, says = RANGES[arguments]
    key = KEYS.get(field, 'accountId: "a"')
    assert await refusal(ask, f"bad: {field}({key}, {arguments}) {{ nodes {{ n }} }}") == says


async def test_a_range_of_texts_goes_by_the_order_of_its_keys(ask: Asked):
    query = '{ byNote(accountId: "a", note: {from: "note 2 more", to: "note 2"}) { nodes { n } } }'
    assert (await ask(query))["byNote"]["nodes"] == [{"n": 2}]


PAGES = {
    "first: 0": "first must be from 1 to 200; it is 0.",
    "first: -1": "first must be from 1 to 200; it is -1.",
    "first: 201": "first must be from 1 to 200; it is 201.",
    "first: 2147483647": "first must be from 1 to 200; it is 2147483647.",
    "last: 0": "last must be from 1 to 200; it is 0.",
    "last: -1": "last must be from 1 to 200; it is -1.",
    "last: 201": "last must be from 1 to 200; it is 201.",
    "first: 1, last: 1": "Give either first (forward) or last (backward), not both.",
    'first: 1, before: "x"': "first goes with after, last goes with before.",
    'last: 1, after: "x"': "first goes with after, last goes with before.",
    'after: "x", before: "x"': "Give either after (with first) or before (with last), not both.",
}


@pytest.mark.parametrize("arguments", PAGES)
async def test_a_page_that_is_none_is_refused(ask: Asked, arguments: str):
    field = f'bad: entriesByAccountId(accountId: "a", {arguments}) {{ nodes {{ n }} }}'
    assert await refusal(ask, field) == PAGES[arguments]
    nested = f'account(id: "a") {{ email bad: entries({arguments}) {{ nodes {{ n }} }} }}'
    assert await refusal(ask, nested) == PAGES[arguments]


async def test_a_plan_says_what_the_answer_would_say(ask: Asked):
    plan = await ask.gateway.plan('{ account(id: "a#b") { email } }')
    assert plan.errors == (f"id {SEPARATED}",)


@pytest.mark.parametrize("bad", ["a#b", "", "x" * 3000, "\ud800", 5, None, True])
async def test_plain_python_is_refused_alike(ask: Asked, bad: Any):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        await ask.gateway.get(Account, id=bad)
    assert type(caught.value).__name__ == "Misfit"
    assert ask.sent == []
