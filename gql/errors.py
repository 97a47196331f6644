"""What a client is told when something fails: a stable code, and nothing of the inside."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Iterable

from graphql import GraphQLError, GraphQLSchema, GraphQLSyntaxError

from ..store.errors import (
    BadInput,
    Forbidden,
    ItemInvalid,
    StoreError,
    TablefoldError,
    Unauthenticated,
    WriteRefused,
)
from .coercion import members_told
from .tracing import current_trace

log = logging.getLogger("tablefold")

_SHOWN = (BadInput, Forbidden, ItemInvalid, Unauthenticated, WriteRefused)

# Other messages about variables are about the document: "Variable '$x' is never used."
_OF_VARIABLES = re.compile(r"Variable '\$\w+' has invalid |Variable values are nested")
_SUGGESTION = re.compile(r" Did you mean [^?]*\?")


def all_presentable(
    errors: Iterable[GraphQLError], schema: GraphQLSchema | None = None
) -> list[GraphQLError]:
    """One failure may stand in the place of many fields: it is logged once, under one id."""
    shown: dict[int, GraphQLError] = {}
    found: list[GraphQLError] = []
    for error in errors:
        cause = error.original_error
        known = shown.get(id(cause)) if cause is not None else None
        if known is None:
            known = shown[id(cause)] = presentable(error, schema)
            found.append(known)
        else:
            found.append(_coded(error, known.message, (known.extensions or {})["code"]))
    return found


def presentable(error: GraphQLError, schema: GraphQLSchema | None = None) -> GraphQLError:
    """The error with `extensions.code`; an unexpected one is logged and shown by its id alone.

    Without a `schema` nothing of it is suggested.
    """
    if error.path is None and _OF_VARIABLES.match(error.message):
        if schema is None:
            return _coded(error, _SUGGESTION.sub("", error.message), BadInput.code)
        more = members_told(schema, error.message)
        return _coded(error, error.message + more, BadInput.code)
    cause = error.original_error
    if isinstance(cause, GraphQLError):
        cause = cause.original_error
    if cause is None:
        if "code" in (error.extensions or {}):
            return error
        if error.path is not None:
            if error.message.startswith("Argument"):
                return _coded(error, error.message, BadInput.code)
            return _graphql_s(error, error.original_error)
        syntax = isinstance(error, GraphQLSyntaxError)
        code = "GRAPHQL_PARSE_FAILED" if syntax else "GRAPHQL_VALIDATION_FAILED"
        return _coded(error, error.message, code)
    if isinstance(cause, StoreError) and cause.code == StoreError.code:
        incident = _incident()
        log.error("%s: %s (%s)", type(cause).__name__, cause, incident)
        return _coded(error, f"The table could not answer. Quote {incident}.", cause.code)
    if isinstance(cause, TablefoldError):
        if not isinstance(cause, _SHOWN):
            log.warning("%s: %s", type(cause).__name__, cause)
        coded = _coded(error, _message(cause), cause.code)
        if isinstance(cause, WriteRefused):
            coded.extensions = {**cause.details, **(coded.extensions or {})}
        return coded
    if isinstance(cause, PermissionError) and cause.errno is None:  # not the file system's
        return _coded(error, str(cause) or "Not allowed.", "FORBIDDEN")
    return _incident_of(error, cause)


def _graphql_s(error: GraphQLError, cause: Exception | None) -> GraphQLError:
    """A GraphQLError without a code. What a resolver raises as one was written for the client."""
    match _module_of(cause):
        case "strawberry.permission":
            return _coded(error, error.message or "Not allowed.", Forbidden.code)
        case name if cause is not None and name.startswith("graphql."):
            return _incident_of(error, cause)  # the message has the value that cannot be shown
        case _:
            return _coded(error, error.message, "INTERNAL")


def _module_of(cause: Exception | None) -> str:
    """The module that raised it."""
    traceback = None if cause is None else cause.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return "" if traceback is None else str(traceback.tb_frame.f_globals.get("__name__"))


def _incident_of(error: GraphQLError, cause: Exception) -> GraphQLError:
    incident = _incident()
    log.error("Unexpected error %s", incident, exc_info=cause)
    return _coded(error, f"Something went wrong here. Quote {incident}.", "INTERNAL")


def code_and_message(cause: TablefoldError) -> tuple[str, str]:
    """What a client is told of an error that is part of an answer."""
    shown = presentable(GraphQLError(str(cause), original_error=cause))
    return str((shown.extensions or {})["code"]), shown.message


def _incident() -> str:
    """The id of the request, or one of its own where there is no HTTP."""
    trace = current_trace()
    return secrets.token_hex(4) if trace is None else trace.request_id


def _message(cause: TablefoldError) -> str:
    """Names of tables and endpoints stay inside; what a client can do about it does not."""
    if not isinstance(cause, StoreError):
        return str(cause)
    return _OUTSIDE.get(cause.code, "The table could not answer.")


_OUTSIDE = {
    "THROTTLED": "The table is busy. Try again in a moment.",
    "DEADLINE_EXCEEDED": "The table did not answer in time. Try again, or ask for less.",
    "UNAVAILABLE": "The table cannot be reached. Try again in a moment.",
    "LIMIT_EXCEEDED": "This list is longer than it was declared. Page through it instead.",
}


def _coded(error: GraphQLError, message: str, code: str) -> GraphQLError:
    return GraphQLError(
        message,
        nodes=error.nodes,
        source=error.source,
        positions=error.positions,
        path=error.path,
        original_error=error.original_error,
        extensions={**(error.extensions or {}), "code": code},
    )
