"""The fund's sample data: two documents and the two positions that they speak of."""

import datetime
from collections.abc import Iterator
from decimal import Decimal

from strawberry import ID

from .model import (
    CapitalActivity,
    CapitalActivityVersion,
    CapitalCall,
    Distribution,
    Document,
    DocumentVersion,
    Status,
    UnfundedCommitment,
)

LATEST, HISTORICAL = "Latest", "Historical"


def sample() -> Iterator[object]:
    yield from first_document(ID("DOC001"))
    yield from second_document(ID("DOC002"))


def first_document(id: ID) -> Iterator[object]:
    yield Document(document_id=id, status=Status.ACTIVE, version=LATEST)
    yield DocumentVersion(
        document_id=id,
        dated=datetime.date(2025, 9, 1),
        status=Status.HISTORICAL,
        version=HISTORICAL,
    )
    yield CapitalActivity(
        document_id=id, amount=Decimal(500_000), status=Status.PENDING, version=LATEST
    )
    yield CapitalActivityVersion(
        document_id=id,
        dated=datetime.date(2025, 8, 15),
        amount=Decimal(450_000),
        status=Status.COMPLETED,
        version=HISTORICAL,
    )
    yield held(CapitalCall, id, 1, 500_000, Status.PENDING)
    yield held(Distribution, id, 1, 75_000, Status.COMPLETED)
    yield held(UnfundedCommitment, id, 1, 1_500_000, Status.ACTIVE)
    yield held(CapitalCall, id, 2, 300_000, Status.PENDING)
    yield held(Distribution, id, 2, 45_000, Status.COMPLETED)
    yield held(UnfundedCommitment, id, 2, 850_000, Status.ACTIVE)


def second_document(id: ID) -> Iterator[object]:
    yield Document(document_id=id, status=Status.ACTIVE, version=LATEST)
    yield held(CapitalCall, id, 1, 750_000, Status.COMPLETED)
    yield held(Distribution, id, 1, 120_000, Status.PENDING)
    yield held(CapitalCall, id, 2, 400_000, Status.PENDING)


def held(
    kind: type[CapitalCall | Distribution | UnfundedCommitment],
    document: ID,
    position: int,
    amount: int,
    status: Status,
) -> object:
    """What a document holds for a position, which is always of the latest version."""
    return kind(
        document_id=document,
        position_id=ID(f"POSITION_{position}"),
        amount=Decimal(amount),
        status=status,
        version=LATEST,
    )
