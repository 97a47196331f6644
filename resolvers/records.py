"""Records of idempotency keys: written with a mutation, so that it applies once for good.

DynamoDB itself forgets a transaction's token after ten minutes; a record is there until it expires.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from ..store.conditions import Compare, Condition, Either, Missing
from ..store.entities import Layout
from ..store.errors import BadInput, Conflict
from ..store.requests import Key
from ..store.values import AttributeValue, Item, decode, encode
from ..store.writes import Put
from .drafts import Step

RECORD = "IDEMPOTENCY"
"""Begins the partition of a record, and is its sort key."""

KEY_MAX_CHARACTERS = 255
_MADE_FOR = "madeFor"
_KEYS = "keys"


@dataclass(frozen=True, slots=True)
class Unused:
    """No record stands there, or only one that has expired."""

    expiry: str
    now: int

    def condition(self, partition: str) -> Condition:
        return Either((Missing(partition), Compare(self.expiry, "<", encode(self.now))))

    def met_by(self, item: Item | None) -> bool:
        if item is None:
            return True
        held = decode(item[self.expiry]) if self.expiry in item else None
        return isinstance(held, int) and held < self.now


@dataclass(frozen=True, slots=True)
class Record:
    """`made_for` tells one input from another, so that a key is not used for two."""

    partition: str
    made_for: str
    lifetime: datetime.timedelta

    @classmethod
    def of(cls, key: str, owner: str, made_for: str, lifetime: datetime.timedelta) -> Record:
        """A key counts for its owner alone. BadInput for one that nobody should use."""
        if not 1 <= len(key) <= KEY_MAX_CHARACTERS:
            raise BadInput(f"An idempotency key has 1 to {KEY_MAX_CHARACTERS} characters.")
        return cls(_digest(f"{len(owner)}:{owner}:{key}")[:40], _digest(made_for), lifetime)

    def key(self, layout: Layout) -> Key:
        return f"{RECORD}{layout.separator}{self.partition}", RECORD

    def step(self, layout: Layout, table: str, now: datetime.datetime, keys: Sequence[Key]) -> Step:
        """`keys` are those of what is written, in the order of the changes."""
        key = self.key(layout)
        item: dict[str, AttributeValue] = {
            **layout.home.names.render(key),
            _MADE_FOR: {"S": self.made_for},
            _KEYS: encode([list(one) for one in keys]),
            layout.expiry: encode(int((now + self.lifetime).timestamp())),
        }
        if layout.type_attribute is not None:
            item[layout.type_attribute] = {"S": RECORD}
        put = Put(table, item, names=layout.home.names)
        return Step(put, key, "record", (self.unused(layout, now),))

    def unused(self, layout: Layout, now: datetime.datetime) -> Unused:
        return Unused(layout.expiry, int(now.timestamp()))

    def replayed(self, item: Item) -> list[Key]:
        """The keys that the first run wrote at; Conflict where that run had another input."""
        if item.get(_MADE_FOR) != {"S": self.made_for}:
            raise Conflict(
                "Nothing was written. This idempotency key was used before, with another input. "
                "Use a new key for a new write.",
                details={"failures": [{"reason": "IDEMPOTENCY_KEY_REUSED"}]},
            )
        held = item.get(_KEYS, {}).get("L", [])
        return [(pair["L"][0]["S"], pair["L"][1]["S"]) for pair in held]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
