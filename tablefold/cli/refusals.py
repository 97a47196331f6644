"""Refusals: why the table cannot be reached or used, in one wording for every command."""

from __future__ import annotations

import shlex
import socket
import ssl
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import botocore.exceptions as boto

from ..gql.gateway import Gateway
from ..store import tables
from ..store.errors import (
    DeadlineExceeded,
    RequestRefused,
    StoreError,
    TableMissing,
    Unavailable,
)
from ..store.tables import RegionMissing
from .speech import Refused

LOCAL_ENGINE = "http://localhost:8001"

# The first that fits is told; OSError stands behind its own kinds.
REASONS: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str], ...] = (
    ((ssl.SSLError, boto.SSLError), "TLS failed"),
    (socket.gaierror, "the host is not known"),
    (ConnectionRefusedError, "connection refused"),
    ((ConnectionError, boto.ConnectionClosedError), "the connection was closed"),
    ((TimeoutError, boto.ConnectTimeoutError, boto.ReadTimeoutError), "no answer in time"),
    ((OSError, boto.HTTPClientError), "no connection"),
)


@contextmanager
def explained(gateway: Gateway, target: str) -> Generator[None, None, None]:
    """Whatever DynamoDB, or the way to it, refuses in here is told with its address."""
    try:
        yield
    except StoreError as error:
        raise Refused(sentence(error, gateway, target)) from error


def sentence(error: StoreError, gateway: Gateway, target: str) -> str:
    if isinstance(error, RegionMissing):
        return (
            "No AWS region is set. Write --region, such as --region eu-central-1, or "
            f"--endpoint-url {LOCAL_ENGINE} for a local engine."
        )
    if isinstance(error, TableMissing):
        return (
            f"There is no table {gateway.table_name} at {address(gateway)}. Make it with "
            f"`{_creating(gateway, target)}`, or name another with --table-name."
        )
    if isinstance(error, RequestRefused) and not error.aws_code:
        return (
            f"What answers at {address(gateway)} is not DynamoDB: check --endpoint-url, and "
            "whether another server has that port."
        )
    if isinstance(error, (Unavailable, DeadlineExceeded)) and not error.aws_code:
        return _unreached(error, address(gateway))
    return str(error)


def address(gateway: Gateway) -> str:
    """The endpoint, as the wire finds it too; RegionMissing where there is no region."""
    return tables.client(gateway.settings, gateway.session).meta.endpoint_url


def _unreached(error: StoreError, url: str) -> str:
    if (reason := _reason(error)) is None:
        return (
            f"{url} failed to answer as DynamoDB does ({str(error).rstrip('.')}). Try again, and "
            "check --endpoint-url."
        )
    told = f"No connection to DynamoDB at {url} ({reason})."
    if url.endswith(".amazonaws.com"):
        return f"{told} Check the network and --region."
    if url.startswith("https://"):
        told += f" If the engine there speaks plain HTTP, try http://{url.removeprefix('https://')}"
        return f"{told} in --endpoint-url."
    return (
        f"{told} Is the engine running? `tablefold engine` starts one at {LOCAL_ENGINE}. "
        "Check --endpoint-url."
    )


def _reason(error: BaseException) -> str | None:
    """Why there was no answer; None when there was one."""
    causes = list(_causes(error))
    for kinds, reason in REASONS:
        if any(isinstance(cause, kinds) for cause in causes):
            return reason
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The errors of other libraries behind one of ours."""
    found = error.__cause__ or error.__context__
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__


def _creating(gateway: Gateway, target: str) -> str:
    """The command that makes this very table."""
    settings = gateway.settings
    words = ["tablefold", "table", "create", target]
    if settings.endpoint_url:
        words += ["--endpoint-url", settings.endpoint_url]
    elif settings.region:
        words += ["--region", settings.region]
    if gateway.table_name != gateway.table.name:
        words += ["--table-name", gateway.table_name]
    return shlex.join(words)
