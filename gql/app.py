"""The ASGI app: GraphQL over HTTP, its pages in a browser, and two health checks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from graphql import GraphQLError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types.graphql import OperationType

from ..resolvers.explaining import explained_plan
from ..store.errors import BadInput, Forbidden, TablefoldError, Unauthenticated
from .answers import refusal, reply, result_body, status_of, tagged
from .asked import Asked, Refused, asked_in_body, asked_in_url, read_body
from .errors import all_presentable, presentable
from .extension import IDEMPOTENCY_KEY
from .negotiation import GRAPHQL, JSON, answer_type, is_json, prefers_page
from .pages import Pages
from .planner import DocumentInvalid
from .presence import while_connected
from .tracing import Tracing

if TYPE_CHECKING:
    from .gateway import Gateway

CLIENT_GONE = 499  # in access logs; nobody is left to read it
COMPRESSED_FROM_BYTES = 1_000
EXPLAIN_HEADER = "x-tablefold-explain"
_QUERIES = {OperationType.QUERY}


def make_app(
    gateway: Gateway, *, path: str, graphiql: bool, cors: Sequence[str], compression: bool
) -> Starlette:
    pages = Pages.of(gateway, path) if graphiql else None

    async def graphql(request: Request) -> Response:
        accept = request.headers.get("accept")
        if request.method != "POST" and pages is not None and prefers_page(accept):
            return pages.graphiql()
        if (media := answer_type(accept)) is None:
            return reply(refusal(f"Accept {GRAPHQL} or {JSON}."), media=JSON, status=406)
        try:
            return await _answered(gateway, request, media)
        except BadInput as error:
            return reply(refusal(str(error), error.code), media=media, status=400)
        except (Unauthenticated, Forbidden) as error:  # a context hook's
            body = refusal(str(error), error.code)
            return reply(body, media=media, status=status_of(body, GRAPHQL))
        except Refused as refused:
            return _refused(refused, media)
        except ClientDisconnect:
            return Response(status_code=CLIENT_GONE)
        except Exception as error:  # a context hook's, most likely
            shown = presentable(GraphQLError(str(error), original_error=error))
            return reply({"errors": [shown.formatted]}, media=media, status=500)

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("alive\n")

    async def readyz(_: Request) -> Response:
        try:
            await gateway.loader().sender.send(gateway.probe(), wave=0, serves=())
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
        middleware=list(_middleware(cors, compression=compression)),
        routes=[
            Route(path, graphql, methods=["GET", "POST"]),
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            *(() if pages is None else pages.routes()),
        ],
    )


def _middleware(cors: Sequence[str], *, compression: bool) -> Iterator[Middleware]:
    yield Middleware(Tracing)
    if cors:
        yield Middleware(
            CORSMiddleware,
            allow_origins=list(cors),
            allow_methods=["GET", "POST"],
            allow_headers=["*"],
            expose_headers=["x-request-id", "server-timing"],
            max_age=86_400,
        )
    if compression:
        yield Middleware(GZipMiddleware, minimum_size=COMPRESSED_FROM_BYTES, compresslevel=5)


async def _answered(gateway: Gateway, request: Request, media: str) -> Response:
    if request.method == "POST":
        if not is_json(request.headers.get("content-type")):
            raise Refused(415, f"Send the body as {JSON}, in UTF-8.")
        body = await read_body(request, gateway.limits.body_bytes)
        asked = asked_in_body(body, batch=gateway.limits.batch)
    else:
        asked = asked_in_url(request.query_params)
    async with while_connected(request):
        if isinstance(asked, list):
            if "idempotency-key" in request.headers:
                raise BadInput("Give each mutation of a batch an idempotencyKey of its own.")
            answers = await asyncio.gather(*(_run_of_many(gateway, request, one) for one in asked))
            return reply(answers, media=media)
        answer = await _run(gateway, request, asked)
    response = reply(answer, media=media, status=status_of(answer, media))
    if request.method != "POST" and response.status_code == 200:
        return tagged(response, request.headers.get("if-none-match"))
    return response


async def _run_of_many(gateway: Gateway, request: Request, asked: Asked) -> dict[str, Any]:
    """One that cannot begin keeps its place in the list, and the others run."""
    try:
        return await _run(gateway, request, asked)
    except BadInput as error:
        return refusal(str(error), error.code)


async def _run(gateway: Gateway, request: Request, asked: Asked) -> dict[str, Any]:
    """The body of the answer to one operation; BadInput for one that cannot begin."""
    query = gateway.trusted.document(asked)
    explain = _explain(gateway, request, asked)
    context = await gateway.context_of(request)
    if explain == "plan":
        return await _planned(gateway, asked, query, context)
    try:
        result = await gateway.schema.execute(
            query,
            variable_values=asked.variables,
            operation_name=asked.operation_name,
            context_value=context,
            operation_extensions={
                "explain": bool(explain),
                IDEMPOTENCY_KEY: request.headers.get("idempotency-key"),
            },
            allowed_operation_types=None if request.method == "POST" else _QUERIES,
        )
    except InvalidOperationTypeError as error:
        raise Refused(405, "GET runs queries only. Send this operation by POST.") from error
    except CannotGetOperationTypeError as error:
        raise BadInput("Name one operation of the document in operationName.") from error
    return result_body(result)


async def _planned(gateway: Gateway, asked: Asked, query: str, context: Any) -> dict[str, Any]:
    try:
        plan = await gateway.plan(
            query, asked.variables, operation_name=asked.operation_name, context=context
        )
    except DocumentInvalid as invalid:
        told = gateway.graphql_schema if gateway.documents.suggestions else None
        shown = all_presentable(invalid.errors, told)
        return {"errors": [error.formatted for error in shown]}
    except Exception as error:
        shown = presentable(GraphQLError(str(error), original_error=error))
        return {"errors": [shown.formatted]}
    return {"data": None, "extensions": {"explain": explained_plan(plan)}}


def _explain(gateway: Gateway, request: Request, asked: Asked) -> object:
    if not gateway.explain:
        return False
    wanted = asked.extensions.get("explain")
    if wanted:
        return wanted
    header = request.headers.get(EXPLAIN_HEADER)
    return "plan" if header == "plan" else header == "1"


def _refused(refused: Refused, media: str) -> Response:
    response = reply(refusal(str(refused)), media=media, status=refused.status)
    if refused.status == 405:
        response.headers["allow"] = "POST"
    else:
        # What is left of the request is not read, so the connection cannot serve another.
        response.headers["connection"] = "close"
    return response
