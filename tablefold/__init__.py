"""A GraphQL gateway over a DynamoDB single table."""

from .gql.connections import Connection
from .gql.fields import attribute, count_of, many, max_of, min_of, one, sum_of
from .gql.gateway import Gateway
from .gql.keys import copy, key, lookup, sharded
from .gql.limits import Limits
from .gql.model import Index, Table
from .resolvers.planning import Plan
from .store.errors import (
    BadInput,
    CursorInvalid,
    Forbidden,
    ModelError,
    StoreError,
    TablefoldError,
    Unauthenticated,
)

__version__ = "0.1.0"

__all__ = [
    "BadInput",
    "Connection",
    "CursorInvalid",
    "Forbidden",
    "Gateway",
    "Index",
    "Limits",
    "ModelError",
    "Plan",
    "StoreError",
    "Table",
    "TablefoldError",
    "Unauthenticated",
    "attribute",
    "copy",
    "count_of",
    "key",
    "lookup",
    "many",
    "max_of",
    "min_of",
    "one",
    "sharded",
    "sum_of",
]
