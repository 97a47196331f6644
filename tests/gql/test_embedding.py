"""Each way of embedding, as the documentation shows it, with a table behind it."""

import contextlib
import types
from collections.abc import Generator
from typing import Any

import fastapi
import httpx
import pytest
import strawberry
from starlette.applications import Starlette
from strawberry.fastapi import GraphQLRouter

from tablefold import Gateway
from tablefold.store.engines import Engine
from tests.gql.test_app import client_of
from tests.harness.serving import served
from tests.test_docs import module, run

__all__ = ["module"]  # a fixture

pytestmark = pytest.mark.engines("dynoxide")

QUERY = '{ note(id: "n1") { text } }'
NOTE = {"data": {"note": {"text": "hello"}}}


@pytest.fixture
def shown(module: types.ModuleType, engine: Engine) -> Generator[dict[str, Any], None, None]:
    """What the code of the page leaves behind, its gateways on a table with one note."""
    names = run(module, "docs/embedding.md")
    url, gateway = engine.endpoint_url, names["gateway"]
    with served(gateway, engine_url=url, gateway_url=url, rows=[note(names, "hello")]):
        for other in (names["guarded"], names["archive"]):
            other.configure(table_name=gateway.table_name, endpoint_url=url, region="us-east-1")
        yield names


def note(names: dict[str, Any], text: str) -> object:
    return names["Note"](id=strawberry.ID("n1"), text=text)


@pytest.mark.parametrize(
    ("app", "path"),
    [
        ("starlette_app", "/api/graphql"),
        ("fastapi_app", "/notes/"),
        ("both", "/now/graphql"),
        ("hosted", "/api/graphql"),
        ("routed", "/graphql"),
    ],
)
async def test_it_answers_under_another_app(shown: dict[str, Any], app: str, path: str):
    async with client_of(shown[app]) as client:
        answer = await client.post(path, json={"query": QUERY})
    await shown["gateway"].close()

    assert answer.json()["data"] == NOTE["data"]


async def test_two_gateways_in_one_process_have_tables_of_their_own(
    shown: dict[str, Any], engine: Engine
):
    archive: Gateway = shown["archive"]
    url = engine.endpoint_url
    with served(archive, engine_url=url, gateway_url=url, rows=[note(shown, "old")]):
        async with client_of(shown["both"]) as client:
            texts = [
                (await client.post(path, json={"query": QUERY})).json()["data"]["note"]["text"]
                for path in ("/now/graphql", "/then/graphql", "/now/graphql")
            ]
    await shown["gateway"].close()
    await archive.close()

    assert texts == ["hello", "old", "hello"]


async def test_a_host_s_lifespan_closes_the_connections_and_the_next_request_opens_them(
    shown: dict[str, Any],
):
    hosted: Starlette = shown["hosted"]
    pools: list[object] = []
    for _ in range(2):
        async with hosted.router.lifespan_context(hosted), client_of(hosted) as client:
            answer = await client.post("/api/graphql", json={"query": QUERY})
            pools.append(shown["gateway"].wire)
        assert answer.json() == NOTE
    assert pools[0] is not pools[1]


async def test_its_own_lifespan_closes_the_connections_as_well(shown: dict[str, Any]):
    gateway: Gateway = shown["gateway"]
    app = gateway.asgi()
    async with app.router.lifespan_context(app), client_of(app) as client:
        assert (await client.post("/graphql", json={"query": QUERY})).json() == NOTE
        pool = gateway.wire
    assert gateway.wire is not pool


@pytest.mark.parametrize("prefix", ["/prefix", "/api/v1"])
async def test_it_answers_behind_a_prefix_that_the_server_is_told(
    shown: dict[str, Any], prefix: str
):
    """As uvicorn does with --root-path: the path has the prefix again that a proxy took off."""
    transport = httpx.ASGITransport(shown["gateway"].asgi(), root_path=prefix)
    async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as client:
        answer = await client.post(f"{prefix}/graphql", json={"query": QUERY})
        health = await client.get(f"{prefix}/healthz")
    await shown["gateway"].close()

    assert (answer.json(), health.status_code) == (NOTE, 200)


async def test_it_answers_without_http(shown: dict[str, Any]):
    assert await shown["first_note"]() == "hello"
    await shown["gateway"].close()


async def test_it_answers_without_http_for_whoever_is_named(shown: dict[str, Any]):
    assert await shown["note_for"]("ann") == "hello"
    await shown["guarded"].close()


@pytest.mark.parametrize("claimed", ["ann", {"viewer": "ann"}, ["ann"]])
async def test_no_client_names_itself_under_strawberry_s_router(
    shown: dict[str, Any], claimed: object
):
    """That router hands the extensions of a request on as they are."""
    seen: list[Any] = []

    def viewer(context: Any) -> str:
        seen.append(context)
        return "bob"

    table = shown["gateway"].settings
    made = Gateway(shown["table"], viewer=viewer, explain=False)
    made.configure(table_name=table.table, endpoint_url=table.endpoint_url, region=table.region)
    app = fastapi.FastAPI()
    app.include_router(GraphQLRouter(made.schema), prefix="/graphql")
    asked = {"query": QUERY, "extensions": {"viewer": claimed, "explain": True}}
    async with client_of(app) as client:
        answer = await client.post("/graphql", json=asked)
    await made.close()

    assert len(seen) == 1
    assert answer.json() == NOTE, "nor is anything explained that must not be"


@contextlib.asynccontextmanager
async def guarded_client(shown: dict[str, Any]):
    async with client_of(shown["guarded"].asgi()) as client:
        yield client
    await shown["guarded"].close()


async def test_the_context_hook_reaches_resolvers(shown: dict[str, Any]):
    async with guarded_client(shown) as client:
        token = {"authorization": "Bearer abc"}
        answer = await client.post("/graphql", json={"query": "{ me }"}, headers=token)
        assert answer.json() == {"data": {"me": "ann"}}


async def test_the_context_hook_reaches_permission_classes(shown: dict[str, Any]):
    async with guarded_client(shown) as client:
        ann, bob = [
            (await client.post("/graphql", json={"query": "{ secret }"}, headers=token)).json()
            for token in ({"authorization": "Bearer abc"}, {"authorization": "Bearer def"})
        ]
    assert ann == {"data": {"secret": "in the drawer"}}
    assert bob["data"] == {"secret": None}
    assert bob["errors"][0]["message"] == "Only Ann may see this."
    assert bob["errors"][0]["extensions"] == {"code": "FORBIDDEN"}


async def test_the_context_hook_can_refuse(shown: dict[str, Any]):
    async with guarded_client(shown) as client:
        answer = await client.post("/graphql", json={"query": "{ me }"})
        assert answer.status_code == 401
        assert answer.json()["errors"][0] == {
            "message": "Send a token.",
            "extensions": {"code": "UNAUTHENTICATED"},
        }
