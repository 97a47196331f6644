"""A GraphQL gateway over a DynamoDB single table."""

from .gql.connections import Connection
from .gql.fields import attribute, count, highest, lowest, many, one, total
from .gql.gateway import Gateway
from .gql.keys import copy, key, lookup, sharded
from .gql.model import Index, Table
from .resolvers.planning import Plan
from .store.errors import BadInput, CursorInvalid, ModelError, StoreError, TablefoldError

__version__ = "0.1.0"

__all__ = [
    "BadInput",
    "Connection",
    "CursorInvalid",
    "Gateway",
    "Index",
    "ModelError",
    "Plan",
    "StoreError",
    "Table",
    "TablefoldError",
    "attribute",
    "copy",
    "count",
    "highest",
    "key",
    "lookup",
    "lowest",
    "many",
    "one",
    "sharded",
    "total",
]
