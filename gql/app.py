"""The ASGI app: GraphQL over HTTP, GraphiQL in a browser, and two health checks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, cast

import orjson
from graphql import GraphQLError
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from strawberry.http.ides import get_graphql_ide_html
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types.graphql import OperationType

from ..resolvers.explaining import explained_plan
from ..store.errors import BadInput, TablefoldError
from .errors import presentable

if TYPE_CHECKING:
    from .gateway import Gateway

BODY_MAX_BYTES = 1_000_000
CLIENT_GONE = 499  # in access logs; nobody is left to read it
_QUERIES = {OperationType.QUERY}
EXPLAIN_HEADER = "x-tablefold-explain"


def make_app(gateway: Gateway, *, path: str, graphiql: bool) -> Starlette:
    async def graphql(request: Request) -> Response:
        if (
            request.method == "GET"
            and graphiql
            and "text/html" in request.headers.get("accept", "")
        ):
            return HTMLResponse(get_graphql_ide_html(graphql_ide="graphiql"))
        try:
            asked = await _asked(request)
            async with _while_connected(request):
                return await _answer(gateway, request, asked)
        except BadInput as error:
            return _refused(str(error))
        except ClientDisconnect:
            return Response(status_code=CLIENT_GONE)

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("alive\n")

    async def readyz(_: Request) -> Response:
        try:
            await _probe(gateway)
        except TablefoldError as error:
            return PlainTextResponse(f"{type(error).__name__}\n", status_code=503)
        return PlainTextResponse("ready\n")

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None, None]:
        """Closes connections at the end; nothing depends on the beginning being seen."""
        yield
        await gateway.close()

    return Starlette(
        lifespan=lifespan,
        routes=[
            Route(path, graphql, methods=["GET", "POST"]),
            Route("/healthz", healthz),
            Route("/readyz", readyz),
        ],
    )


@contextlib.asynccontextmanager
async def _while_connected(request: Request) -> AsyncGenerator[None, None]:
    """Cancels what is inside when the client leaves, and raises ClientDisconnect.

    For a request whose body has been read: the next that a server tells of is the end.
    """
    inside = asyncio.current_task()
    if inside is None:
        raise RuntimeError("A request is answered in a task.")
    gone = False

    async def watch() -> None:
        nonlocal gone
        while (await request.receive())["type"] != "http.disconnect":
            pass  # a GET's empty body
        gone = True
        inside.cancel()

    watching = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:
        if gone and inside.cancelling() == 1:
            raise ClientDisconnect from None
        raise  # somebody else wants the end as well
    finally:
        watching.cancel()
        if gone:
            inside.uncancel()


async def _probe(gateway: Gateway) -> None:
    await gateway.loader().sender.send(gateway.probe(), wave=0, serves=())


async def _asked(request: Request) -> dict[str, Any]:
    if request.method == "GET":
        asked: dict[str, Any] = dict(request.query_params)
        for name in ("variables", "extensions"):
            if name in asked:
                asked[name] = _json(asked[name].encode(), name)
        return _checked(asked)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_MAX_BYTES:
            raise BadInput(f"The body is longer than {BODY_MAX_BYTES:,} bytes.")
    return _checked(_json(bytes(body), "The body"))


def _json(raw: bytes, what: str) -> Any:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadInput(f"{what} is not JSON: {error}.") from error


_KINDS = {"query": str, "operationName": str, "variables": dict, "extensions": dict}


def _checked(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise BadInput('The body must be a JSON object such as {"query": "{ … }"}.')
    asked = cast("dict[str, Any]", body)
    for name, kind in _KINDS.items():
        value = asked.get(name)
        if value is not None and not isinstance(value, kind):
            raise BadInput(f"{name} must be {'an object' if kind is dict else 'a string'}.")
    if not asked.get("query"):
        raise BadInput('"query" is missing.')
    return asked


def _explain(request: Request, asked: dict[str, Any]) -> object:
    extensions: dict[str, Any] = asked.get("extensions") or {}
    wanted = extensions.get("explain")
    if wanted:
        return wanted
    header = request.headers.get(EXPLAIN_HEADER)
    return "plan" if header == "plan" else header == "1"


async def _answer(gateway: Gateway, request: Request, asked: dict[str, Any]) -> Response:
    explain = _explain(request, asked)
    query, variables = asked["query"], asked.get("variables")
    if explain == "plan":
        try:
            plan = await gateway.plan(
                query,
                variables,
                operation_name=asked.get("operationName"),
                context={"request": request},
            )
        except BadInput as error:
            return _refused(str(error))
        except Exception as error:
            shown = presentable(GraphQLError(str(error), original_error=error))
            return _reply({"errors": [shown.formatted]}, status=500)
        return _reply({"data": None, "extensions": {"explain": explained_plan(plan)}})
    try:
        result = await gateway.schema.execute(
            query,
            variable_values=variables,
            operation_name=asked.get("operationName"),
            context_value={"request": request},
            operation_extensions={"explain": True} if explain else None,
            allowed_operation_types=None if request.method == "POST" else _QUERIES,
        )
    except InvalidOperationTypeError as error:
        return _refused(f"{error.as_http_error_reason(request.method).capitalize()}.")
    except CannotGetOperationTypeError:
        return _refused("Name one operation of the document in operationName.")
    answer: dict[str, Any] = {"data": result.data}
    if result.errors:
        answer["errors"] = [error.formatted for error in result.errors]
    if result.extensions:
        answer["extensions"] = result.extensions
    return _reply(answer, status=200 if result.data is not None or not result.errors else 400)


def _reply(answer: dict[str, Any], *, status: int = 200) -> Response:
    return Response(orjson.dumps(answer), status, media_type="application/json")


def _refused(message: str) -> Response:
    error = {"message": message, "extensions": {"code": BadInput.code}}
    return _reply({"errors": [error]}, status=400)
