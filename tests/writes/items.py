"""What a table holds, as plain values."""

from typing import Any

from boto3.dynamodb.types import TypeDeserializer

from tablefold import Gateway
from tablefold.store.engines import Engine
from tests.harness import tables

Found = dict[tuple[str, str], dict[str, Any]]


def found(engine: Engine, gateway: Gateway) -> Found:
    pages = tables.client(engine.endpoint_url).get_paginator("scan")
    made: Found = {}
    for page in pages.paginate(TableName=gateway.table_name):
        for item in page["Items"]:
            one = {name: TypeDeserializer().deserialize(value) for name, value in item.items()}
            made[one["PK"], one["SK"]] = one
    return made
