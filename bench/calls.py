"""The three requests that clients are compared with, as values; peers get what they render."""

from __future__ import annotations

from collections.abc import Mapping

from tablefold.store.requests import BatchGet, Get, KeyNames, Query
from tablefold.store.spans import Span

NAMES = KeyNames("PK", "SK")
QUERIED_ITEMS = 24
BATCH_KEYS = 50


def calls(table: str) -> Mapping[str, Get | Query | BatchGet]:
    """Over the shop's sample: a profile, a user's orders, products."""
    products = tuple((f"PRODUCT#p_{n:03d}", "INFO") for n in range(1, BATCH_KEYS + 1))
    return {
        "GetItem": Get(table, NAMES, ("USER#u_001", "PROFILE")),
        f"Query of {QUERIED_ITEMS} items": Query(
            table, None, NAMES, "USER#u_001", Span.beginning("ORDER#"), limit=QUERIED_ITEMS
        ),
        f"BatchGetItem of {BATCH_KEYS} keys": BatchGet(table, NAMES, products),
    }
