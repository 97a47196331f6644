"""A gateway on a fresh table of an engine, filled with a model's own objects."""

import base64
import contextlib
from collections.abc import Generator, Iterable, Mapping
from typing import Any

from strawberry.types import ExecutionResult

from tablefold import Gateway, Limits
from tablefold.store.entities import Layout
from tablefold.store.tables import definition
from tests.harness import tables

SECRET = "1:" + "s" * 32
UNLIMITED = Limits(
    tokens=None,
    depth=None,
    fields=None,
    aliases=None,
    root_fields=None,
    directives=None,
    capacity=None,
)


@contextlib.contextmanager
def served(
    gateway: Gateway, *, engine_url: str, gateway_url: str, rows: Iterable[object] = ()
) -> Generator[Gateway, None, None]:
    """Creates the gateway's table under a fresh name, stores `rows`, and points it there."""
    request = definition(gateway.layout, gateway.table.name)
    with tables.created(engine_url, request) as name:
        store(engine_url, name, gateway.layout, rows)
        gateway.configure(table_name=name, endpoint_url=gateway_url, region=tables.REGION)
        yield gateway


def store(engine_url: str, table: str, layout: Layout, rows: Iterable[object]) -> None:
    client = tables.client(engine_url)
    for row in rows:
        for item in layout.entities[type(row).__name__].items(vars(row)):
            client.put_item(TableName=table, Item=for_boto3(item))


def for_boto3(item: Mapping[str, Any]) -> dict[str, Any]:
    """boto3 takes bytes where DynamoDB JSON has base64 text."""
    return {
        name: {"B": base64.b64decode(value["B"])} if "B" in value else dict(value)
        for name, value in item.items()
    }


def data_of(result: ExecutionResult) -> dict[str, Any]:
    assert result.errors is None, result.errors
    assert result.data is not None
    return result.data


def codes_of(result: ExecutionResult) -> list[str]:
    return [(error.extensions or {})["code"] for error in result.errors or []]
