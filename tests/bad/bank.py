"""A bank's model: every type that a key or a filter can hold."""

import datetime
import enum
import uuid
from decimal import Decimal

import strawberry

from tablefold import Connection, Table, key, lookup, many, sharded

table = Table("bank")


@strawberry.enum
class Kind(enum.Enum):
    CREDIT = "credit"
    DEBIT = "debit"


@table.entity("ACCOUNT#{id}", "INFO", gsi1=lookup("EMAIL#{email}", "ACCOUNT#{id}"))
class Account:
    id: strawberry.ID
    email: str
    entries: Connection["Entry"] = many(
        filters=["amount", "kind", "note", "at", "ref", "flag", "due", "share", "raw", "count"]
    )


@table.entity(
    "ACCOUNT#{account_id}",
    "ENTRY#{day}#{n:06d}",
    gsi1=sharded("KIND#{kind}", "{at:ms}#{account_id}", shards=2),
    gsi2=key("REF#{account_id}", "{ref}", name="by_ref"),
    gsi3=key("NOTE#{account_id}", "{note}#{n:06d}", name="by_note"),
    gsi4=key("NUMBER#{n}", "{flag}#{kind}#{account_id}", name="by_number"),
)
class Entry:
    account_id: strawberry.Private[str]
    day: datetime.date
    n: int
    at: datetime.datetime
    kind: Kind
    ref: uuid.UUID
    amount: Decimal
    flag: bool = True
    count: int = 0
    note: str | None = None
    due: datetime.date | None = None
    share: float | None = None
    raw: bytes | None = None


def entry(n: int, account_id: str = "a") -> Entry:
    return Entry(
        account_id=account_id,
        day=datetime.date(2024, 1, n),
        n=n,
        at=datetime.datetime(2024, 1, n, 12, tzinfo=datetime.UTC),
        kind=Kind.CREDIT if n % 2 else Kind.DEBIT,
        ref=uuid.UUID(int=n),
        amount=Decimal(n) + Decimal("0.1"),
        note=f"note {n}",
    )


ROWS = [
    Account(id=strawberry.ID("a"), email="a@bank"),
    Account(id=strawberry.ID("b"), email="b@bank"),
    *(entry(n) for n in range(1, 7)),
    *(entry(n, "b") for n in range(1, 4)),
]
