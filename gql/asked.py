"""What a client asks over HTTP: read no further than the limit, and checked before use."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import orjson
from starlette.requests import Request

from ..store.errors import BadInput

BODY_SECONDS = 10.0
"""How long a client may take to send its body."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One operation as it was sent; `query` is empty where a document is named instead."""

    query: str = ""
    variables: dict[str, Any] = field(default_factory=dict[str, Any])
    operation_name: str | None = None
    extensions: dict[str, Any] = field(default_factory=dict[str, Any])
    document_id: str | None = None


class Refused(Exception):
    """A request that is answered by its status alone."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


async def read_body(request: Request, most: int) -> bytes:
    """Refused with 413 over `most` bytes, with 408 where they do not come in time."""
    too_long = Refused(413, f"The body is longer than {most:,} bytes.")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and len(length) < 20 and int(length) > most:
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise too_long
    except TimeoutError:
        raise Refused(408, f"The body did not arrive within {BODY_SECONDS:g} seconds.") from None
    return bytes(body)


def asked_in_body(body: bytes, *, batch: int) -> Asked | list[Asked]:
    """One operation, or a list of them where `batch` allows more than one."""
    sent = _json(body, "The body")
    if not isinstance(sent, list):
        return _checked(sent)
    many = cast("list[Any]", sent)
    if batch <= 1:
        raise BadInput("Several operations in one body are not taken here. Send one at a time.")
    if not 1 <= len(many) <= batch:
        raise BadInput(f"A body holds 1 to {batch} operations; this one has {len(many)}.")
    return [_checked(one) for one in many]


def asked_in_url(parameters: Mapping[str, str]) -> Asked:
    sent: dict[str, Any] = dict(parameters)
    for name in ("variables", "extensions"):
        if name in sent:
            sent[name] = _json(sent[name].encode(errors="replace"), name)
    return _checked(sent)


def _json(raw: bytes, what: str) -> Any:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadInput(f"{what} is not JSON: {error}.") from error


_KINDS = {
    "query": str,
    "operationName": str,
    "documentId": str,
    "variables": dict,
    "extensions": dict,
}


def _checked(sent: Any) -> Asked:
    if not isinstance(sent, dict):
        raise BadInput('The body must be a JSON object such as {"query": "{ … }"}.')
    known = cast("dict[str, Any]", sent)
    for name, kind in _KINDS.items():
        value = known.get(name)
        if value is not None and not isinstance(value, kind):
            raise BadInput(f"{name} must be {'an object' if kind is dict else 'a string'}.")
    return Asked(
        known.get("query") or "",
        known.get("variables") or {},
        known.get("operationName"),
        known.get("extensions") or {},
        known.get("documentId"),
    )
