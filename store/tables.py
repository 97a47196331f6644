"""The control plane: a table made from a model, or held against one.

The only place beside the wire that meets AWS errors; these calls go through boto3 and block.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    PartialCredentialsError,
    WaiterError,
)

from .credentials import LOCAL_CREDENTIALS, MISSING, is_local, local_session
from .entities import Index, Layout
from .errors import (
    BY_AWS_CODE,
    CredentialsMissing,
    RequestRefused,
    StoreError,
    TableMissing,
    Unavailable,
)
from .exchange import Endpoint
from .requests import KeyNames
from .settings import Settings
from .signing import SERVICE
from .values import JsonObject
from .wire import LOCAL_REGION, REGION_MISSING

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLE_EXISTS = "ResourceInUseException"
FIRST_SERVER_ERROR = 500
POLL_SECONDS = 1
ACTIVE_AFTER_POLLS = 300

# What a laptop's engine does not answer at once, it does not answer at all.
_PATIENCE = Config(connect_timeout=3, read_timeout=20, retries={"total_max_attempts": 2})


class RegionMissing(StoreError):
    """Neither the settings nor the AWS session say where."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One way in which the real table is not what the model says."""

    subject: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def client(settings: Settings, session: boto3.Session | None = None) -> DynamoDBClient:
    """Region, endpoint and credentials as the wire finds them, so that both mean one table."""
    given = settings.endpoint_url
    local = given is not None and is_local(given, _host(given))
    session = session or (local_session() if local else boto3.Session())
    region = settings.region or session.region_name or (LOCAL_REGION if local else None)
    if region is None:
        raise RegionMissing(REGION_MISSING)
    make: Any = cast("Any", session).client
    try:
        made = make(SERVICE, region_name=region, endpoint_url=given, config=_PATIENCE)
        url: str = made.meta.endpoint_url
        if session.get_credentials() is None and is_local(url, _host(url)):
            made = make(
                SERVICE,
                region_name=region,
                endpoint_url=url,
                config=_PATIENCE,
                aws_access_key_id=LOCAL_CREDENTIALS.access_key,
                aws_secret_access_key=LOCAL_CREDENTIALS.secret_key,
            )
    except (NoCredentialsError, PartialCredentialsError) as error:
        raise CredentialsMissing(MISSING) from error
    except (BotoCoreError, ValueError) as error:
        raise StoreError(f"The AWS session: {error}") from error
    return made


def _host(url: str) -> str:
    try:
        return Endpoint.parse(url).host
    except ValueError as error:
        raise StoreError(f"{url!r} is no endpoint: {error}.") from error


def definition(layout: Layout, table_name: str) -> JsonObject:
    """The CreateTable request; every secondary index of the model becomes a global one."""
    names = [layout.home.names, *(index.names for index in layout.indexes.values())]
    keys = dict.fromkeys(key for pair in names for key in (pair.partition, pair.sort))
    made: JsonObject = {
        "TableName": table_name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in keys],
        "KeySchema": _schema(layout.home.names),
    }
    if layout.indexes:
        made["GlobalSecondaryIndexes"] = [
            {
                "IndexName": index.name,
                "KeySchema": _schema(index.names),
                "Projection": _projection(layout, index),
            }
            for index in layout.indexes.values()
        ]
    return made


def create(dynamodb: DynamoDBClient, layout: Layout, table_name: str) -> bool:
    """Waits until the table can be used; False when it was already there."""
    made = True
    with _translated("CreateTable", table_name):
        try:
            answer = dynamodb.create_table(**definition(layout, table_name))
            if "TableDescription" not in answer:
                raise _foreign("CreateTable", "HTTP 200")
        except ClientError as error:
            if _code(error) != TABLE_EXISTS:
                raise
            made = False
        dynamodb.get_waiter("table_exists").wait(
            TableName=table_name,
            WaiterConfig={"Delay": POLL_SECONDS, "MaxAttempts": ACTIVE_AFTER_POLLS},
        )
    if made:
        _let_expire(dynamodb, layout, table_name)
    return made


def _let_expire(dynamodb: DynamoDBClient, layout: Layout, table_name: str) -> None:
    """Records of idempotency keys are to be deleted once they have expired."""
    with _translated("UpdateTimeToLive", table_name):
        dynamodb.update_time_to_live(
            TableName=table_name,
            TimeToLiveSpecification={"Enabled": True, "AttributeName": layout.expiry},
        )


def verify(dynamodb: DynamoDBClient, layout: Layout, table_name: str) -> list[Difference]:
    """Empty when the table is what the model says; TableMissing when there is none."""
    with _translated("DescribeTable", table_name):
        answer = dynamodb.describe_table(TableName=table_name)
    if "Table" not in answer:
        raise _foreign("DescribeTable", "HTTP 200")
    return list(compare(layout, cast("JsonObject", answer["Table"])))


def compare(layout: Layout, described: Mapping[str, Any]) -> Iterator[Difference]:
    """The differences between a model and what DescribeTable said."""
    types = {
        one["AttributeName"]: one["AttributeType"]
        for one in described.get("AttributeDefinitions", ())
    }
    name = str(described.get("TableName", layout.name))
    yield from _key_differences(name, f"The table {name}", layout.home.names, described, types)
    real = {
        one["IndexName"]: one
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        for one in described.get(kind) or ()
    }
    for index in layout.indexes.values():
        shown = str(index)
        if (found := real.pop(shown, None)) is None:
            yield Difference(shown, _missing(layout, index, name))
            continue
        yield from _key_differences(shown, f"The index {shown}", index.names, found, types)
        yield from _projection_differences(layout, index, found)
        status = found.get("IndexStatus", "ACTIVE")
        if status != "ACTIVE":
            yield Difference(shown, f"The index {shown} cannot be read yet: it is {status}.")
    for shown, found in real.items():
        yield Difference(
            shown,
            f"The table {name} has an index {shown} ({_spelled(found)}) that no entity uses: it "
            "is paid for with every write. Delete it, or declare it in Table(indexes=…).",
        )


def _schema(names: KeyNames) -> list[JsonObject]:
    return [
        {"AttributeName": names.partition, "KeyType": "HASH"},
        {"AttributeName": names.sort, "KeyType": "RANGE"},
    ]


def _included(layout: Layout, index: Index) -> list[str]:
    """What an index carries beyond the keys, which every index carries."""
    keys = {index.names.partition, index.names.sort}
    keys |= {layout.home.names.partition, layout.home.names.sort}
    return sorted((index.projected or frozenset[str]()) - keys)


def _projection(layout: Layout, index: Index) -> JsonObject:
    if index.projected is None:
        return {"ProjectionType": "ALL"}
    if included := _included(layout, index):
        return {"ProjectionType": "INCLUDE", "NonKeyAttributes": included}
    return {"ProjectionType": "KEYS_ONLY"}


def _missing(layout: Layout, index: Index, table: str) -> str:
    users = [
        entity.name
        for entity in layout.entities.values()
        if any(key.index == index for key in entity.keys)
    ]
    who = f"which {_listed(users)} need" if users else "which the model declares"
    if len(users) == 1:
        who += "s"
    keys = f"{index.names.partition} / {index.names.sort}"
    return f"The table {table} has no index {index} ({keys}), {who}."


def _key_differences(
    subject: str,
    what: str,
    names: KeyNames,
    described: Mapping[str, Any],
    types: Mapping[str, str],
) -> Iterator[Difference]:
    held = {one["KeyType"]: one["AttributeName"] for one in described.get("KeySchema", ())}
    for role, kind, wanted in (
        ("partition key", "HASH", names.partition),
        ("sort key", "RANGE", names.sort),
    ):
        found = held.get(kind)
        if found is None:
            sentence = f"{what} has no {role}; the model says {wanted}."
        elif found != wanted:
            sentence = f"{what} has the {role} {found}; the model says {wanted}."
        elif types.get(found, "S") != "S":
            sentence = f"{what}: the {role} {found} is of type {types[found]}; it must be S."
        else:
            continue
        yield Difference(subject, sentence)


def _projection_differences(
    layout: Layout, index: Index, found: Mapping[str, Any]
) -> Iterator[Difference]:
    wanted = _projection(layout, index)
    real: JsonObject = found.get("Projection") or {}
    if _carried(real) != _carried(wanted):
        yield Difference(
            str(index),
            f"The index {index} projects {_carried(real)}; the model says {_carried(wanted)}.",
        )


def _carried(projection: Mapping[str, Any]) -> str:
    kind = projection.get("ProjectionType", "ALL")
    if kind != "INCLUDE":
        return "all attributes" if kind == "ALL" else "the keys only"
    return f"the keys and {_listed(sorted(projection.get('NonKeyAttributes') or ()))}"


def _spelled(described: Mapping[str, Any]) -> str:
    return " / ".join(one["AttributeName"] for one in described.get("KeySchema", ()))


def _listed(names: list[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


@contextlib.contextmanager
def _translated(operation: str, table: str = "") -> Generator[None, None, None]:
    try:
        yield
    except ClientError as error:
        raise _refusal(operation, table, error) from error
    except (NoCredentialsError, PartialCredentialsError) as error:
        raise CredentialsMissing(MISSING, operation=operation) from error
    except WaiterError as error:
        raise Unavailable(f"The table {table} did not become ACTIVE: {error}") from error
    except (BotoCoreError, ValueError) as error:
        raise Unavailable(f"{operation}: {error}", operation=operation) from error


def _refusal(operation: str, table: str, error: ClientError) -> StoreError:
    code = _code(error)
    # botocore puts the HTTP status where a body names no error of DynamoDB's.
    if not code or code.isdigit():
        if code and int(code) >= FIRST_SERVER_ERROR:
            return Unavailable(
                f"{operation}: DynamoDB answered with HTTP {code}.", operation=operation
            )
        return _foreign(operation, f"HTTP {code}".rstrip())
    kind = BY_AWS_CODE.get(code, RequestRefused)
    if kind is TableMissing:
        return TableMissing(
            f"There is no table {table} here. Check the table's name, the region and the account, "
            "or make it with `tablefold table create`.",
            operation=operation,
            aws_code=code,
        )
    said = error.response.get("Error", {}).get("Message", str(error))
    return kind(f"{operation}: {code}: {said}", operation=operation, aws_code=code)


def _foreign(operation: str, answered: str) -> RequestRefused:
    """As the wire says it of an answer that is not DynamoDB's: without an AWS code."""
    return RequestRefused(
        f"{operation}: the endpoint answered {answered}, and not in DynamoDB's words. "
        "Is it a DynamoDB endpoint?",
        operation=operation,
    )


def _code(error: ClientError) -> str:
    return error.response.get("Error", {}).get("Code", "")
