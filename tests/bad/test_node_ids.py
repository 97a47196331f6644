"""Node ids that nobody was given: refused with one message, before any request."""

import base64
from typing import Any

import orjson
import pytest

from tests.bad.refusing import refusal
from tests.harness.serving import data_of
from tests.resolvers.asked import Asked

pytestmark = pytest.mark.engines("dynoxide")

REFUSED = "nodeId is no id of this API. Take one from a nodeId field."


def spelt(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def forged(*parts: Any) -> str:
    return spelt(orjson.dumps(parts))


GOOD = forged("Account", "a")
BAD = {
    "empty": "",
    "no base64": "not base64!",
    "no JSON": spelt(b"Account"),
    "an object": spelt(b"{}"),
    "nothing": forged(),
    "another type": forged("Nobody", "a"),
    "a type that is no text": forged(["Account"], "a"),
    "a key too few": forged("Entry", "a", "2024-01-01"),
    "a key too many": forged("Account", "a", "b"),
    "a number in its key": forged("Account", 5),
    "null in its key": forged("Account", None),
    "the separator in its key": forged("Account", "a#b"),
    "an empty key": forged("Account", ""),
    "a key of 3,000 bytes": forged("Account", "x" * 3000),
    "a day that is none": forged("Entry", "a", "2024-02-30", "000001"),
    "a day in another form": forged("Entry", "a", "20240101", "000001"),
    "a number without its zeros": forged("Entry", "a", "2024-01-01", "1"),
    "a number in other digits": forged("Entry", "a", "2024-01-01", "٠٠٠٠٠١"),
    "a number with blanks": forged("Entry", "a", "2024-01-01", " 00001"),
    "a number of 5,000 digits": forged("Entry", "a", "2024-01-01", "1" * 5000),
    "half a surrogate pair": spelt(b'["Account","\\ud800"]'),
    "no UTF-8": spelt(b'["Account","\xed\xa0\x80"]'),
    "deep nesting": spelt(b"[" * 100_000),
    "padding": GOOD + "=",
    "much padding": GOOD + "==",
    "a blank before": " " + GOOD,
    "a newline after": GOOD + "\n",
    "blanks in its JSON": spelt(b'["Account", "a"]'),
    "escapes in its JSON": spelt(b'["Account","\\u0061"]'),
    "spare bits": forged("Account", "aa")[:-1] + "R",
    "the other alphabet": forged("Account", "~~~").replace("-", "+").replace("_", "/"),
    "a megabyte": "x" * 1_000_000,
}


@pytest.mark.parametrize("name", BAD)
async def test_a_node_id_that_nobody_was_given_is_refused(ask: Asked, name: str):
    said = await refusal(ask, "bad: node(nodeId: $v) { nodeId }", "($v: ID!)", v=BAD[name])
    assert said == REFUSED


async def test_these_ids_are_bad_only_in_their_spelling(ask: Asked):
    """Otherwise the cases above would show nothing."""
    for id in (GOOD, forged("Account", "aa"), forged("Account", "~~~")):
        data_of(await ask.result("query ($v: ID!) { node(nodeId: $v) { nodeId } }", v=id))
        assert ask.operations == ["GetItem"]
    assert forged("Account", "aa")[-1] == "Q" and "-" in forged("Account", "~~~")
