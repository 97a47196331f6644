"""The fund's model: one partition per document, PascalCase attributes, two named indexes."""

import datetime
import enum
from decimal import Decimal
from pathlib import Path

import strawberry

from tablefold import Connection, Gateway, Index, Table, count_of, kept_as, many, one, sum_of

table = Table(
    "investment_fund",
    naming="PascalCase",
    type_attribute="EntityType",
    indexes={
        "entity": Index("GSI_Entity_Document", pk="GSI_PK", sk="GSI_SK"),
        "position": Index("GSI_Position_Document", pk="GSI2_PK", sk="GSI2_SK"),
    },
)


@strawberry.enum
class Status(enum.Enum):
    ACTIVE = "Active"
    PENDING = "Pending"
    COMPLETED = "Completed"
    HISTORICAL = "Historical"


@table.entity(
    "{document_id}",
    "DOCUMENT#LATEST",
    entity=("DOCUMENT#LATEST#{document_id}", "METADATA"),
    writes=("publish", "update", "delete"),
    moves=False,
    history=kept_as("DocumentVersion", status=Status.HISTORICAL, version="Historical"),
)
class Document:
    """The latest version of a document, and everything that belongs to it."""

    document_id: strawberry.ID
    status: Status
    version: str
    history: list["DocumentVersion"] = many(bounded=100, newest_first=True)
    activity: "CapitalActivity" = one()
    past_activities: list["CapitalActivityVersion"] = many(bounded=100, newest_first=True)
    capital: list["CapitalActivity | CapitalActivityVersion | CapitalCall"] = many(bounded=700)
    calls: list["CapitalCall"] = many(bounded=500)
    distributions: list["Distribution"] = many(bounded=500)
    unfunded_commitments: list["UnfundedCommitment"] = many(bounded=500)
    positions: list["Position"] = many(bounded=500)
    called: Decimal = sum_of("calls", "amount", description="Called over all positions.")


@table.entity("{document_id}", "DOCUMENT#{dated}", type="Document")
class DocumentVersion:
    """A version of a document that is no longer the latest."""

    document_id: strawberry.ID
    dated: datetime.date
    status: Status
    version: str


@table.entity(
    "{document_id}",
    "CAPITAL_ACTIVITY#LATEST",
    writes=("publish", "update", "delete"),
    moves=False,
    history=kept_as("CapitalActivityVersion", version="Historical"),
)
class CapitalActivity:
    """What the document's capital is doing now."""

    document_id: strawberry.ID
    amount: Decimal
    status: Status
    version: str


@table.entity("{document_id}", "CAPITAL_ACTIVITY#{dated}", type="CapitalActivity")
class CapitalActivityVersion:
    """What the document's capital did before."""

    document_id: strawberry.ID
    dated: datetime.date
    amount: Decimal
    status: Status
    version: str


@strawberry.interface
class PositionItem:
    """What a document holds for a position."""

    document_id: strawberry.ID
    position_id: strawberry.ID
    amount: Decimal
    status: Status
    version: str


@table.entity(
    "{document_id}",
    "CAPITAL_CALL#{position_id}",
    entity=("CAPITAL_CALL#{position_id}#{document_id}", "LATEST"),
    position=("{position_id}", "CAPITAL_CALL#{document_id}"),
    writes=True,
)
class CapitalCall(PositionItem):
    """A request for committed capital."""


@table.entity(
    "{document_id}",
    "DISTRIBUTION#{position_id}",
    entity=("DISTRIBUTION#{position_id}#{document_id}", "LATEST"),
    position=("{position_id}", "DISTRIBUTION#{document_id}"),
    writes=True,
)
class Distribution(PositionItem):
    """Profit paid out."""


@table.entity(
    "{document_id}",
    "UNFUNDED_COMMITMENT#{position_id}",
    entity=("UNFUNDED_COMMITMENT#{position_id}#{document_id}", "LATEST"),
    position=("{position_id}", "UNFUNDED_COMMITMENT#{document_id}"),
    writes=True,
)
class UnfundedCommitment(PositionItem):
    """Capital promised and not yet called."""


@table.group("{document_id}", by="{position_id}")
class Position:
    """A fund and an investor, as one document knows them; it has no item of its own."""

    document_id: strawberry.ID
    position_id: strawberry.ID
    calls: list[CapitalCall] = many(bounded=10)
    distributions: list[Distribution] = many(bounded=10)
    unfunded_commitments: list[UnfundedCommitment] = many(bounded=10)
    call_count: int = count_of("calls")
    called: Decimal = sum_of("calls", "amount")
    distribution_count: int = count_of("distributions")
    distributed: Decimal = sum_of("distributions", "amount")
    commitment_count: int = count_of("unfunded_commitments")
    unfunded: Decimal = sum_of("unfunded_commitments", "amount")


@strawberry.type
class Query:
    """What the keys alone do not name."""

    capital: list[CapitalActivity | CapitalActivityVersion | CapitalCall] = many(
        through="table",
        bounded=700,
        description="Everything whose sort key begins with CAPITAL_.",
    )
    position_items: Connection[CapitalCall | Distribution | UnfundedCommitment] = many(
        through="GSI_Position_Document", description="A position across all documents."
    )
    capital_call_in: CapitalCall = one(
        through="GSI_Entity_Document", description="One kind, position and document."
    )


# The sample is made of the entities above.
from .sample import sample  # noqa: E402

gateway = Gateway(
    table,
    query=Query,
    generated=True,
    sample=sample,
    operations=Path(__file__).parent / "operations",
)
