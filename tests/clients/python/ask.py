"""Asks a running shop through `gql`, and prints as JSON what it saw.

Usage: python ask.py '{"address": ADDRESS}'
"""

import asyncio
import json
import sys
from typing import Any

from gql import Client, GraphQLRequest, gql
from gql.client import AsyncClientSession
from gql.transport.exceptions import TransportQueryError
from gql.transport.httpx import HTTPXAsyncTransport
from graphql import GraphQLInterfaceType, GraphQLObjectType

PROFILE = gql("""
    query Profile($id: ID!) {
      user(id: $id) { name joinedOn }
    }
""")
ORDERS = gql("""
    query Orders($id: ID!, $first: Int!, $after: String) {
      user(id: $id) {
        orders(first: $first, after: $after) {
          nodes { id }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
""")


async def main(address: str) -> dict[str, Any]:
    transport = HTTPXAsyncTransport(url=address)
    async with Client(transport=transport, fetch_schema_from_transport=True) as session:
        profile = GraphQLRequest(PROFILE, variable_values={"id": "u_001"})
        answer = await session.execute(profile)
        return {
            "profile": answer,
            "pages": await pages(session),
            "error": await error(session),
            "schema": schema(session.client),
        }


async def pages(session: AsyncClientSession) -> list[list[str]]:
    """The ids of the orders, page by page."""
    seen: list[list[str]] = []
    after = None
    while True:
        variables = {"id": "u_001", "first": 4, "after": after}
        answer = await session.execute(GraphQLRequest(ORDERS, variable_values=variables))
        page = answer["user"]["orders"]
        seen.append([order["id"] for order in page["nodes"]])
        if not page["pageInfo"]["hasNextPage"]:
            return seen
        after = page["pageInfo"]["endCursor"]


async def error(session: AsyncClientSession) -> dict[str, Any]:
    variables = {"id": "u_001", "first": 4, "after": "altered"}
    try:
        await session.execute(GraphQLRequest(ORDERS, variable_values=variables))
    except TransportQueryError as error:
        return {"errors": error.errors, "data": error.data}
    raise SystemExit("an altered cursor was taken")


def schema(client: Client) -> dict[str, Any]:
    """What `gql` found by introspection."""
    found = client.schema
    if found is None:
        raise SystemExit("no schema was fetched")
    node, user = found.get_type("Node"), found.get_type("User")
    if not isinstance(node, GraphQLInterfaceType) or not isinstance(user, GraphQLObjectType):
        raise SystemExit("Node and User are not what they should be")
    return {
        "nodes": sorted(one.name for one in found.get_possible_types(node)),
        "arguments": list(user.fields["orders"].args),
    }


print(json.dumps(asyncio.run(main(json.loads(sys.argv[1])["address"]))))
