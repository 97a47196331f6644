"""A model with everything that a write has to keep in step: copies, indexes, guards, stamps."""

import datetime
import enum
from decimal import Decimal

import strawberry

from tablefold import (
    CreatedAt,
    Gateway,
    Table,
    UpdatedAt,
    Version,
    attribute,
    copy,
    kept_as,
    key,
    lookup,
    one,
    sharded,
)
from tests.harness.serving import SECRET, UNLIMITED

table = Table("proofs")


@strawberry.enum
class Status(enum.Enum):
    NEW = "new"
    OLD = "old"


@strawberry.type
class Money:
    amount: Decimal
    currency: str = "EUR"


@table.entity(
    "USER#{id}",
    "PROFILE",
    gsi1=lookup("EMAIL#{email}", "USER#{id}"),
    gsi2=key("RECENT", "{updated_at:us}#{id}", name="recent_users"),
    unique=["email", ("team", "nick")],
    writes=("create", "put", "update", "delete"),
)
class User:
    """Its place in an index tells when it was last written."""

    id: strawberry.ID
    name: str
    email: str
    team: str | None = None
    nick: str | None = None
    version: Version
    created_at: CreatedAt
    updated_at: UpdatedAt


@table.entity(
    "ORDER#{id}",
    "META",
    copies=[
        ("USER#{user_id}", "ORDER#{placed_on}#{id}"),
        copy("SHELF#{shelf}", "ORDER#{id}", carries=["stock", "memo"]),
    ],
    gsi1=sharded("STATUS#{status}", "{placed_on}#{id}", shards=3, name="orders_by_status"),
    gsi2=key("OPEN", "ORDER#{id}", when="open", name="open_orders"),
    gsi3=key("STOCKED", "ORDER#{id}", when="stock", name="stocked_orders"),
    writes=("create", "put", "update", "delete"),
)
class Order:
    """It has no version: what was read is compared attribute by attribute."""

    id: strawberry.ID
    user_id: strawberry.ID
    placed_on: datetime.date
    shelf: str | None = None
    status: Status
    open: bool = True
    total: Money | None = None
    price: Decimal = Decimal("1.50")
    stock: int = attribute(default=0, minimum=0)
    tags: set[str] = strawberry.field(default_factory=set[str])
    notes: list[str] = strawberry.field(default_factory=list[str])
    memo: str | None = None
    hint: str | None = "none"
    user: User = one()


@table.entity(
    "DOC#{id}",
    "LATEST",
    copies=[("SHELF#{shelf}", "DOC#{id}")],
    gsi2=key("DOCS#{shelf}", "V{version:05d}#{id}", name="docs_by_version"),
    unique=["title"],
    history=kept_as("DocPast", status=Status.OLD),
    writes=("create", "put", "update", "delete", "publish"),
)
class Doc:
    id: strawberry.ID
    shelf: str | None = None
    title: str
    body: str
    status: Status = Status.NEW
    version: Version
    created_at: CreatedAt
    updated_at: UpdatedAt


@table.entity("DOC#{id}", "PAST#{day}")
class DocPast:
    id: strawberry.ID
    day: datetime.date
    title: str
    body: str
    status: Status
    version: int


@table.entity(
    "USER#{a}",
    "FOLLOWS#{b}",
    copies=[("USER#{b}", "FOLLOWED_BY#{a}")],
    writes=("link", "unlink", "update"),
)
class Follow:
    a: strawberry.ID
    b: strawberry.ID
    since: datetime.date | None = None


@table.entity("COUNTER#{id}", "IT", writes=("create", "put", "update", "delete"))
class Counter:
    """A single item, which needs no transaction."""

    id: strawberry.ID
    n: int = attribute(default=0, minimum=0)
    amount: Decimal = Decimal(0)
    label: str | None = "none"
    memo: str | None = None
    marks: set[str] = strawberry.field(default_factory=set[str])
    log: list[str] = strawberry.field(default_factory=list[str])
    version: Version


@table.entity("NOTE#{id}", "IT", writes=("create", "put", "update", "delete"))
class Note:
    """Nothing about it has to be known before it is replaced."""

    id: strawberry.ID
    text: str


def gateway() -> Gateway:
    return Gateway(table, cursor_secret=SECRET, limits=UNLIMITED)
