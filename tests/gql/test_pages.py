"""The pages as the gateway serves them, whoever built them."""

import contextlib
import logging
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest
import strawberry
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Mount

from tablefold import Gateway, Table, Unauthenticated
from tablefold.gql import pages
from tests.harness.serving import SECRET

table = Table("pages")
BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@table.entity("CITY#{id}", "CITY")
class City:
    id: strawberry.ID
    name: str


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A build in small; a secret lies beside it."""
    folder = tmp_path / "web"
    (folder / "_tablefold").mkdir(parents=True)
    (folder / "graphiql.html").write_text("<title>GraphiQL</title>")
    (folder / "table.html").write_text("<title>Table</title>")
    (folder / "_tablefold" / "graphiql-C0FFEE.js").write_text("let a = 1;")
    (tmp_path / "secret.txt").write_text("hunter2")
    monkeypatch.setattr(pages, "BUILT", folder)
    return folder


@contextlib.asynccontextmanager
async def client_of(app: Starlette) -> AsyncGenerator[httpx.AsyncClient, None]:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


def gateway(*, introspection: bool = True, operations: Path | None = None) -> Gateway:
    return Gateway(table, cursor_secret=SECRET, introspection=introspection, operations=operations)


@pytest.mark.usefixtures("built")
async def test_a_browser_gets_the_pages_and_nobody_elses_scripts():
    async with client_of(gateway().asgi()) as client:
        graphiql = await client.get("/graphql", headers=BROWSER)
        drawn = await client.get("/table")

    assert (graphiql.text, drawn.text) == ("<title>GraphiQL</title>", "<title>Table</title>")
    for page in (graphiql, drawn):
        policy = page.headers["content-security-policy"].split("; ")
        assert "default-src 'none'" in policy and "script-src 'self'" in policy
        assert "http" not in page.headers["content-security-policy"]
        assert page.headers["cache-control"] == "no-cache"
    assert "Accept" in graphiql.headers["vary"]


@pytest.mark.usefixtures("built")
async def test_what_a_page_loads_is_typed_and_kept_for_good():
    async with client_of(gateway().asgi()) as client:
        script = await client.get("/_tablefold/graphiql-C0FFEE.js")
        again = await client.get(
            "/_tablefold/graphiql-C0FFEE.js", headers={"if-none-match": script.headers["etag"]}
        )

    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert script.headers["x-content-type-options"] == "nosniff"
    assert "immutable" in script.headers["cache-control"]
    assert again.status_code == 304


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    "path", ["../secret.txt", "..%2Fsecret.txt", "%2e%2e/%2e%2e/secret.txt", "../graphiql.html", ""]
)
async def test_nothing_beside_the_build_can_be_had(path: str):
    async with client_of(gateway().asgi()) as client:
        answer = await client.get(f"/_tablefold/{path}")

    assert answer.status_code in (404, 405)
    assert "hunter2" not in answer.text


@pytest.mark.usefixtures("built")
async def test_the_pages_lie_beside_the_api_wherever_that_is():
    under = Starlette(routes=[Mount("/api", gateway().asgi(path="/v1/graphql"))])
    async with client_of(under) as client:
        pages = [
            await client.get(f"/api/v1/{name}", headers=BROWSER)
            for name in ("graphql", "table", "_tablefold/table.json", "_tablefold/page.json")
        ]
    async with client_of(gateway().asgi(path="/")) as client:
        at_root = await client.get("/_tablefold/table.json")

    assert [page.status_code for page in pages] == [200] * 4
    assert pages[2].json()["graphiql"] == "graphql"
    assert at_root.json()["graphiql"] == "./"


@pytest.mark.usefixtures("built")
async def test_graphiql_turned_off_turns_off_every_page():
    async with client_of(gateway().asgi(graphiql=False)) as client:
        found = [
            (await client.get(path, headers=BROWSER)).status_code
            for path in (
                "/table",
                "/_tablefold/table.json",
                "/_tablefold/page.json",
                "/_tablefold/graphiql-C0FFEE.js",
            )
        ]

    assert found == [404] * 4


@pytest.mark.usefixtures("built")
async def test_the_model_is_not_drawn_where_introspection_is_refused():
    async with client_of(gateway(introspection=False).asgi()) as client:
        facts = await client.get("/_tablefold/page.json")
        found = [
            (await client.get(path)).status_code for path in ("/table", "/_tablefold/table.json")
        ]

    assert facts.json() == {"table": "pages", "picture": False, "operations": []}
    assert found == [404, 404]


@pytest.mark.usefixtures("built")
async def test_sample_operations_come_with_their_variables_in_the_order_of_their_numbers(
    tmp_path: Path,
):
    for number in (10, 2):
        (tmp_path / f"S{number}.graphql").write_text(f"query Q{number} {{ __typename }}\n")
    (tmp_path / "S2.variables.json").write_text('{"a": 1}\n')
    async with client_of(gateway(operations=tmp_path).asgi()) as client:
        facts = (await client.get("/_tablefold/page.json")).json()

    assert facts["operations"] == [
        {"name": "S2", "query": "query Q2 { __typename }", "variables": '{"a": 1}'},
        {"name": "S10", "query": "query Q10 { __typename }", "variables": None},
    ]


async def test_without_a_build_strawberrys_page_is_served_and_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(pages, "BUILT", tmp_path / "not-built")
    with caplog.at_level(logging.WARNING, logger="tablefold"):
        async with client_of(gateway().asgi()) as client:
            first, second = [await client.get("/graphql", headers=BROWSER) for _ in range(2)]
            drawn = await client.get("/table")

    assert "graphiql" in first.text.lower()
    assert first.text == second.text
    assert drawn.status_code == 404
    [said] = [record.message for record in caplog.records]
    assert said.startswith("GraphiQL's page is not built")


@pytest.mark.usefixtures("built")
async def test_the_model_is_shown_to_whoever_may_ask_the_api():
    async def context(request: Request) -> dict[str, str]:
        if "authorization" not in request.headers:
            raise Unauthenticated("Sign in first.")
        return {}

    guarded = Gateway(table, cursor_secret=SECRET, context=context)
    async with client_of(guarded.asgi()) as client:
        stranger = await client.get("/_tablefold/table.json")
        known = await client.get("/_tablefold/table.json", headers={"authorization": "me"})

    assert (stranger.status_code, known.status_code) == (401, 200)
    assert "CITY" not in stranger.text
