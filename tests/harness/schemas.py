"""A gateway's schema as graphql-core has it."""

from typing import Any

from graphql import GraphQLSchema

from tablefold import Gateway


def schema_of(gateway: Gateway) -> GraphQLSchema:
    schema: Any = gateway.schema
    return schema._schema


def fields_of(gateway: Gateway, name: str) -> dict[str, Any]:
    """The fields of an object, an interface or an input."""
    found: Any = schema_of(gateway).get_type(name)
    return found.fields


def types_of(gateway: Gateway, name: str) -> dict[str, str]:
    return {field: str(one.type) for field, one in fields_of(gateway, name).items()}
