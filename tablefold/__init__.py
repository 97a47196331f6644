"""A GraphQL gateway over a DynamoDB single table."""

from .gql.connections import Connection
from .gql.fields import attribute, count_of, many, max_of, min_of, one, sum_of
from .gql.gateway import Gateway
from .gql.keys import copy, key, lookup, sharded
from .gql.limits import Limits
from .gql.model import Index, Table
from .gql.stamps import CreatedAt, UpdatedAt, Version
from .gql.transactions import Transaction
from .gql.writes import Writes, kept_as
from .resolvers.planning import Plan
from .store.errors import (
    AlreadyThere,
    BadInput,
    Conflict,
    CursorInvalid,
    Forbidden,
    ModelError,
    NotFound,
    StoreError,
    TablefoldError,
    Unauthenticated,
    UnknownOutcome,
    WriteRefused,
)

__version__ = "0.1.0"

__all__ = [
    "AlreadyThere",
    "BadInput",
    "Conflict",
    "Connection",
    "CreatedAt",
    "CursorInvalid",
    "Forbidden",
    "Gateway",
    "Index",
    "Limits",
    "ModelError",
    "NotFound",
    "Plan",
    "StoreError",
    "Table",
    "TablefoldError",
    "Transaction",
    "Unauthenticated",
    "UnknownOutcome",
    "UpdatedAt",
    "Version",
    "WriteRefused",
    "Writes",
    "attribute",
    "copy",
    "count_of",
    "kept_as",
    "key",
    "lookup",
    "many",
    "max_of",
    "min_of",
    "one",
    "sharded",
    "sum_of",
]
