"""Answers over HTTP: bodies, and the status that a media type gives them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from graphql import GraphQLFormattedError
from starlette.responses import Response
from strawberry.types import ExecutionResult

from ..store.errors import BadInput
from .negotiation import GRAPHQL

_STATUS = {
    "UNAUTHENTICATED": 401,
    "FORBIDDEN": 403,
    "INTERNAL": 500,
    "THROTTLED": 503,
    "UNAVAILABLE": 503,
}


def reply(answer: Any, *, media: str, status: int = 200) -> Response:
    return Response(
        orjson.dumps(answer), status, headers={"content-type": f"{media}; charset=utf-8"}
    )


def result_body(result: ExecutionResult) -> dict[str, Any]:
    """An operation that was not begun has no data, not even null."""
    body: dict[str, Any] = {}
    errors = result.errors or []
    if errors:
        body["errors"] = [error.formatted for error in errors]
    if result.data is not None or any(error.path for error in errors):
        body["data"] = result.data
    if result.extensions:
        body["extensions"] = result.extensions
    return body


def status_of(body: Mapping[str, Any], media: str) -> int:
    """Plain JSON is 200 for every well-formed request, as clients of it expect."""
    if media != GRAPHQL or "data" in body:
        return 200
    errors: Sequence[GraphQLFormattedError] = body.get("errors", ())
    codes = [error.get("extensions", {}).get("code", "") for error in errors]
    return next((_STATUS[code] for code in codes if code in _STATUS), 400)


def refusal(message: str, code: str = BadInput.code) -> dict[str, Any]:
    return {"errors": [{"message": message, "extensions": {"code": code}}]}


def tagged(response: Response, if_none_match: str | None) -> Response:
    """An answer that its client may ask again for, and be told that it has not changed."""
    tag = f'W/"{hashlib.sha256(response.body).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "private, no-cache", "vary": "Accept"}
    known = {one.strip() for one in (if_none_match or "").split(",")}
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    response.headers.update(headers)
    return response
