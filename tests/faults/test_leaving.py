"""A client that leaves ends its operation and all its requests; the others stay."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

import httpx
import pytest
import strawberry
import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount

from tablefold import Gateway, Table
from tablefold.store.engines import Engine
from tests.faults.asking import ORDER, PROFILE, until
from tests.harness.faults import FaultyProxy, Script, silent, slow
from tests.harness.serving import SECRET, served

pytestmark = pytest.mark.engines("dynoxide")

ADA = {"data": {"user": {"name": "Ada Moreau"}}}


@contextlib.asynccontextmanager
async def listening(app: Any) -> AsyncGenerator[str, None]:
    """The app under uvicorn, in this loop."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off"))
    serving = asyncio.create_task(server.serve())
    await until(lambda: server.started)
    port: int = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await serving


def plain(gateway: Gateway) -> Any:
    return gateway.asgi()


def mounted(gateway: Gateway) -> Any:
    app = FastAPI()
    app.mount("/", gateway.asgi())
    return app


async def _passed(request: Request, call_next: RequestResponseEndpoint) -> Response:
    return await call_next(request)


def wrapped(gateway: Gateway) -> Any:
    """A middleware that stands between app and server, and reads what the server sends."""
    middleware = [Middleware(BaseHTTPMiddleware, dispatch=_passed)]
    return Starlette(routes=[Mount("/", gateway.asgi())], middleware=middleware)


async def asked(http: httpx.AsyncClient, method: str, query: str) -> httpx.Response:
    if method == "GET":
        return await http.get("/graphql", params={"query": query})
    return await http.post("/graphql", json={"query": query})


@pytest.mark.parametrize("around", [plain, mounted, wrapped])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_client_that_leaves_ends_its_requests_and_no_others(
    shop: Gateway, faulty: FaultyProxy, around: Callable[[Gateway], Any], method: str
):
    faulty.course = Script([silent()], only="Query")
    async with listening(around(shop)) as url, httpx.AsyncClient(base_url=url) as http:
        before = asyncio.all_tasks()
        leaving = asyncio.create_task(asked(http, method, ORDER))
        await until(lambda: faulty.operations == ["Query"])
        faulty.course = Script([slow(0.3)])
        staying = asyncio.create_task(http.post("/graphql", json={"query": PROFILE}))
        await until(lambda: len(faulty.sent) == 2)
        assert faulty.open == 2

        leaving.cancel()

        await until(lambda: faulty.open == 1)
        assert (await staying).json() == ADA
        await until(lambda: not asyncio.all_tasks() - before - {leaving, staying})
    assert [record.status for record in faulty.sent] == [0, 200]


async def test_answers_leave_no_task_behind(shop: Gateway, faulty: FaultyProxy):
    async with listening(shop.asgi()) as url, httpx.AsyncClient(base_url=url) as http:
        assert (await http.post("/graphql", json={"query": PROFILE})).json() == ADA
        before = asyncio.all_tasks()
        for _ in range(20):
            assert (await http.post("/graphql", json={"query": PROFILE})).json() == ADA
            assert (await http.get("/graphql", params={"query": PROFILE})).json() == ADA
        await until(lambda: not asyncio.all_tasks() - before)


class Client:
    """An ASGI server's side of one request: `leave` is the end of its connection."""

    def __init__(self, body: bytes) -> None:
        self.messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.messages.put_nowait({"type": "http.request", "body": body, "more_body": False})
        self.sent: list[Any] = []
        self.waiting = 0

    def leave(self) -> None:
        self.messages.put_nowait({"type": "http.disconnect"})

    async def receive(self) -> dict[str, Any]:
        self.waiting += 1
        try:
            return await self.messages.get()
        finally:
            self.waiting -= 1

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    async def ask(self, app: Any) -> None:
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/graphql",
            "headers": [(b"content-type", b"application/json")],
            "query_string": b"",
        }
        await app(scope, self.receive, self.send)

    @property
    def status(self) -> int:
        return self.sent[0]["status"]


def body_of(query: str) -> bytes:
    return json.dumps({"query": query}).encode()


async def test_nobody_listens_for_a_client_whose_answer_is_there(
    shop: Gateway, faulty: FaultyProxy
):
    client = Client(body_of(PROFILE))

    await client.ask(shop.asgi())
    await asyncio.sleep(0)

    assert json.loads(client.sent[1]["body"]) == ADA
    assert client.waiting == 0


async def test_a_client_that_left_before_its_body_was_whole_is_no_error(
    shop: Gateway, faulty: FaultyProxy
):
    client = Client(b"")
    client.messages.get_nowait()
    client.messages.put_nowait({"type": "http.request", "body": b"{", "more_body": True})
    client.leave()

    await client.ask(shop.asgi())

    assert client.status == 499
    assert faulty.sent == []


async def test_a_client_that_left_is_told_nothing(shop: Gateway, faulty: FaultyProxy):
    faulty.course = Script([silent()])
    client = Client(body_of(PROFILE))
    answering = asyncio.create_task(client.ask(shop.asgi()))
    await until(lambda: len(faulty.sent) == 1)

    client.leave()
    await answering

    assert client.status == 499
    assert answering.cancelling() == 0, "the server's task goes on as if nothing had been"


async def test_a_server_that_stops_is_heard_beside_a_client_that_leaves(
    shop: Gateway, faulty: FaultyProxy
):
    faulty.course = Script([silent()])
    client = Client(body_of(PROFILE))
    answering = asyncio.create_task(client.ask(shop.asgi()))
    await until(lambda: len(faulty.sent) == 1)

    client.leave()
    answering.cancel()

    with pytest.raises(asyncio.CancelledError):
        await answering
    await until(lambda: faulty.open == 0)


async def test_a_mutation_goes_on_when_its_client_leaves(engine: Engine, faulty: FaultyProxy):
    table = Table("leaving")

    @table.entity("BOX#{id}", "INFO", writes=True)
    class Box:
        id: strawberry.ID

    gateway = Gateway(table, cursor_secret=SECRET)
    first, second = (
        f'{name}: createBox(input: {{id: "{name}"}}) {{ changed }}' for name in ("one", "two")
    )
    urls = {"engine_url": engine.endpoint_url, "gateway_url": faulty.endpoint_url}
    with served(gateway, **urls):
        faulty.clear()
        faulty.course = Script([slow(0.2)], only="PutItem")
        async with (
            listening(gateway.asgi()) as url,
            httpx.AsyncClient(base_url=url) as http,
        ):
            leaving = asyncio.create_task(asked(http, "POST", f"mutation {{ {first} {second} }}"))
            await until(lambda: faulty.operations == ["PutItem"])
            leaving.cancel()
            await until(lambda: [one.status for one in faulty.sent] == [200, 200])
        await gateway.close()
