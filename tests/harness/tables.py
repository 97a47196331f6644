"""Tables that last as long as a test needs them."""

import contextlib
import functools
import uuid
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

import boto3

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

REGION = "us-east-1"
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_SESSION_TOKEN": "testing",
    "AWS_DEFAULT_REGION": REGION,
    "AWS_REGION": REGION,
}


@functools.cache
def client(endpoint_url: str) -> "DynamoDBClient":
    return boto3.client(
        "dynamodb",
        endpoint_url=endpoint_url,
        region_name=REGION,
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
    )


@contextlib.contextmanager
def created(endpoint_url: str, definition: Mapping[str, Any]) -> Generator[str, None, None]:
    """The name of a fresh table; a CreateTable request's own TableName is only a prefix."""
    name = f"{definition.get('TableName', 'table')}-{uuid.uuid4().hex[:8]}"
    dynamodb = client(endpoint_url)
    request: dict[str, Any] = {**definition, "TableName": name}
    dynamodb.create_table(**request)
    try:
        yield name
    finally:
        dynamodb.delete_table(TableName=name)
