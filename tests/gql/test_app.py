"""GraphQL over HTTP: what a client sends, what it gets, and what reaches the table."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncGenerator, Generator
from enum import Enum
from typing import Any

import fastapi
import httpx
import pytest
import strawberry
from graphql import GraphQLError
from starlette.applications import Starlette
from starlette.routing import Mount

from tablefold import Gateway, Limits, Table, many
from tablefold.gql import asked
from tablefold.store.engines import Engine
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET, served

pytestmark = pytest.mark.engines("dynoxide")

table = Table("app")


@table.entity("CITY#{id}", "CITY")
class City:
    id: strawberry.ID
    name: str
    streets: list["Street"] = many(bounded=9)

    @strawberry.field
    def broken(self) -> str:
        raise RuntimeError("the password is hunter2")


@table.entity("CITY#{city_id}", "STREET#{name}")
class Street:
    city_id: strawberry.ID
    name: str


ROWS = [
    City(id=strawberry.ID("rome"), name="Rome"),
    Street(city_id=strawberry.ID("rome"), name="A"),
]
QUERY = '{ city(id: "rome") { name } }'
ROME = {"data": {"city": {"name": "Rome"}}}


@pytest.fixture(scope="module")
def gateway(engine: Engine) -> Generator[Gateway, None, None]:
    url = engine.endpoint_url
    made = Gateway(table, cursor_secret=SECRET)
    with served(made, engine_url=url, gateway_url=url, rows=ROWS):
        yield made


@contextlib.asynccontextmanager
async def client_of(app: Any) -> AsyncGenerator[httpx.AsyncClient, None]:
    """httpx sends no lifespan events, as an app that mounts another does not."""
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as client:
        yield client


@pytest.fixture
async def client(gateway: Gateway, proxy: Proxy) -> AsyncGenerator[httpx.AsyncClient, None]:
    gateway.configure(endpoint_url=proxy.endpoint_url)
    async with client_of(gateway.asgi()) as made:
        yield made
    await gateway.close()


# Good questions.


async def test_a_post_is_answered(client: httpx.AsyncClient, proxy: Proxy):
    answer = await client.post("/graphql", json={"query": QUERY})

    assert (answer.status_code, answer.json()) == (200, ROME)
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert proxy.operations == ["GetItem"]


async def test_a_get_is_answered(client: httpx.AsyncClient):
    parameters = {
        "query": "query A($id: ID!) { city(id: $id) { name } } query B { __typename }",
        "operationName": "A",
        "variables": '{"id": "rome"}',
    }

    answer = await client.get("/graphql", params=parameters)

    assert (answer.status_code, answer.json()) == (200, ROME)


async def test_what_is_null_is_left_out(client: httpx.AsyncClient):
    body = {"query": QUERY, "variables": None, "operationName": None, "extensions": None}

    assert (await client.post("/graphql", json=body)).json() == ROME


async def test_an_answer_in_part_has_data_and_errors(client: httpx.AsyncClient):
    query = '{ bad: city(id: "a#b") { name } good: city(id: "rome") { name } }'

    answer = await client.post("/graphql", json={"query": query})

    assert answer.status_code == 200
    assert answer.json()["data"] == {"bad": None, "good": {"name": "Rome"}}
    [error] = answer.json()["errors"]
    assert (error["path"], error["extensions"]["code"]) == (["bad"], "BAD_USER_INPUT")


# Bad ones.

DEEP = b'{"query": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
BODIES = {
    "a string": b'"x"',
    "null": b"null",
    "a list": b"[1]",
    "a number": b"1",
    "nothing": b"",
    "no JSON": b"{",
    "broken UTF-8": b'{"query": "\xff\xfe"}',
    "a lone surrogate": b'{"query": "\\ud800"}',
    "deep JSON": DEEP,
    "deep variables": b'{"query": "{ __typename }", "variables": {"a": ' + b"[" * 5000 + b"}}",
    "no query": b"{}",
    "an empty query": b'{"query": ""}',
    "a null query": b'{"query": null}',
    "a query that is a number": b'{"query": 1}',
    "a query that is a list": b'{"query": ["{ __typename }"]}',
    "variables that are a list": b'{"query": "{ __typename }", "variables": [1]}',
    "variables that are a string": b'{"query": "{ __typename }", "variables": "{}"}',
    "extensions that are a string": b'{"query": "{ __typename }", "extensions": "explain"}',
    "a name that is a number": b'{"query": "{ __typename }", "operationName": 7}',
    "a name that nobody has": b'{"query": "query A { __typename }", "operationName": "B"}',
    "no operation": b'{"query": "fragment F on City { name }"}',
    "bad syntax": b'{"query": "{ city("}',
    "an unknown field": b'{"query": "{ nothing }"}',
    "a missing variable": b'{"query": "query ($id: ID!) { city(id: $id) { name } }"}',
    "a mutation where there is none": b'{"query": "mutation { x }"}',
    "a subscription where there is none": b'{"query": "subscription { x }"}',
    "a comment": b'{"query": "# nothing"}',
    "a NUL": b'{"query": "{ city(id: \\u0000) { name } }"}',
}


@pytest.mark.parametrize("explain", ["", "1", "plan"])
@pytest.mark.parametrize("name", BODIES)
async def test_a_bad_body_is_refused_in_the_words_of_graphql(
    client: httpx.AsyncClient, proxy: Proxy, name: str, explain: str
):
    headers = {
        "content-type": "application/json",
        "accept": "application/graphql-response+json",
        "x-tablefold-explain": explain,
    }

    answer = await client.post("/graphql", content=BODIES[name], headers=headers)

    assert 400 <= answer.status_code < 500
    for error in answer.json()["errors"]:
        assert isinstance(error["message"], str)
        assert error["extensions"]["code"] in (
            "BAD_USER_INPUT",
            "GRAPHQL_PARSE_FAILED",
            "GRAPHQL_VALIDATION_FAILED",
        )
    assert answer.json()["errors"] and "data" not in answer.json()
    assert proxy.sent == []


async def test_of_a_key_that_stands_twice_the_last_one_counts(client: httpx.AsyncClient):
    body = '{"query": "{ nothing }", "variables": 1, "query": "{ __typename }", "variables": {}}'
    headers = {"content-type": "application/json"}

    answer = await client.post("/graphql", content=body, headers=headers)

    assert answer.json() == {"data": {"__typename": "Query"}}


async def test_plain_json_is_200_for_whatever_is_well_formed(client: httpx.AsyncClient):
    answer = await client.post("/graphql", json={"query": "{ nothing }"})

    assert answer.status_code == 200
    assert answer.json()["errors"][0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


async def test_one_operation_of_several_must_be_named(client: httpx.AsyncClient):
    answer = await client.post(
        "/graphql",
        json={"query": "query A { __typename } query B { __typename }"},
        headers={"accept": "application/graphql-response+json"},
    )

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["message"] == "Say which operation to run; it can be A, B."


LONG = json.dumps({"query": QUERY + " " * 100}).encode()


async def in_chunks() -> AsyncGenerator[bytes, None]:
    """Without a length that could be known beforehand."""
    for at in range(0, len(LONG), 10):
        taken.append(at)
        yield LONG[at : at + 10]


taken: list[int] = []


@pytest.mark.parametrize("body", [LONG, in_chunks], ids=["with its length", "in chunks"])
async def test_a_body_too_long_is_read_no_further_than_the_limit(body: Any):
    taken.clear()
    small = Gateway(table, cursor_secret=SECRET, limits=Limits(body_bytes=100))
    content = body if isinstance(body, bytes) else body()
    async with client_of(small.asgi()) as client:
        headers = {"content-type": "application/json"}
        answer = await client.post("/graphql", content=content, headers=headers)

    assert (answer.status_code, answer.headers["connection"]) == (413, "close")
    assert answer.json()["errors"][0]["message"] == "The body is longer than 100 bytes."
    assert all(at <= 100 for at in taken)


async def test_a_client_that_stalls_is_not_waited_for(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(asked, "BODY_SECONDS", 0.05)

    async def stalling() -> AsyncGenerator[bytes, None]:
        yield b"{"
        await asyncio.sleep(30)

    headers = {"content-type": "application/json"}
    answer = await client.post("/graphql", content=stalling(), headers=headers)

    assert answer.status_code == 408


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=latin-1",
        "application/graphql",
    ],
)
async def test_only_json_is_read(client: httpx.AsyncClient, proxy: Proxy, content_type: str | None):
    """A browser sends the others across sites without asking first."""
    headers = {} if content_type is None else {"content-type": content_type}
    answer = await client.post("/graphql", content=json.dumps({"query": QUERY}), headers=headers)

    assert answer.status_code == 415
    assert proxy.sent == []


async def test_who_takes_no_json_is_told_so(client: httpx.AsyncClient):
    answer = await client.post("/graphql", json={"query": QUERY}, headers={"accept": "image/png"})

    assert answer.status_code == 406
    assert "application/json" in answer.json()["errors"][0]["message"]


# Several operations in one body.


async def test_a_list_of_operations_is_refused_unless_it_is_allowed(client: httpx.AsyncClient):
    answer = await client.post("/graphql", json=[{"query": QUERY}])

    assert answer.status_code == 400
    assert "one at a time" in answer.json()["errors"][0]["message"]


@pytest.mark.parametrize(("count", "status"), [(0, 400), (1, 200), (3, 200), (4, 400)])
async def test_a_list_of_operations_is_answered_by_a_list(
    engine: Engine, gateway: Gateway, count: int, status: int
):
    many = Gateway(
        table,
        cursor_secret=SECRET,
        limits=Limits(batch=3),
        table_name=gateway.table_name,
        endpoint_url=engine.endpoint_url,
    )
    async with client_of(many.asgi()) as client:
        answer = await client.post("/graphql", json=[{"query": QUERY}] * count)
    await many.close()

    assert answer.status_code == status
    assert status == 400 or answer.json() == [ROME] * count


async def test_an_operation_of_a_list_that_cannot_begin_leaves_the_others_alone():
    many = Gateway(table, cursor_secret=SECRET, limits=Limits(batch=3))
    kind, unknown = {"query": "{ __typename }"}, {"documentId": "nobody"}
    async with client_of(many.asgi()) as client:
        answer = await client.post("/graphql", json=[kind, unknown, kind])

    first, second, third = answer.json()
    assert (answer.status_code, first, third) == (200, *[{"data": {"__typename": "Query"}}] * 2)
    assert second["errors"][0]["extensions"]["code"] == "PERSISTED_QUERY_NOT_FOUND"


# Headers.


async def test_an_answer_to_a_get_can_be_kept_and_checked(client: httpx.AsyncClient):
    first = await client.get("/graphql", params={"query": QUERY})
    known = {"if-none-match": first.headers["etag"]}
    again = await client.get("/graphql", params={"query": QUERY}, headers=known)
    other = await client.get("/graphql", params={"query": "{ __typename }"}, headers=known)

    assert first.headers["cache-control"] == "private, no-cache"
    assert (again.status_code, again.content) == (304, b"")
    assert other.status_code == 200


@pytest.mark.parametrize("accept", ["application/json", "text/html"])
async def test_a_head_has_the_headers_of_a_get(client: httpx.AsyncClient, accept: str):
    asked: dict[str, Any] = {"params": {"query": QUERY}, "headers": {"accept": accept}}
    changing = {"x-request-id", "server-timing"}
    head, get = [await client.request(one, "/graphql", **asked) for one in ("HEAD", "GET")]

    assert head.status_code == 200
    assert {name: head.headers[name] for name in head.headers if name not in changing} == {
        name: get.headers[name] for name in get.headers if name not in changing
    }


async def test_a_request_has_an_id_and_says_how_long_it_took(client: httpx.AsyncClient):
    asked = {"query": QUERY}
    own = await client.post("/graphql", json=asked, headers={"x-request-id": "abc-1"})
    odd = await client.post("/graphql", json=asked, headers={"x-request-id": "a b"})

    assert own.headers["x-request-id"] == "abc-1"
    assert len(odd.headers["x-request-id"]) == 16
    assert 'table;desc="1 request"' in own.headers["server-timing"]


async def test_pages_of_the_origins_that_are_named_may_ask(gateway: Gateway):
    async with client_of(gateway.asgi(cors=["https://shop.example"])) as client:
        asked = {"origin": "https://shop.example", "access-control-request-method": "POST"}
        allowed = await client.options("/graphql", headers=asked)
        refused = await client.options(
            "/graphql", headers={**asked, "origin": "https://evil.example"}
        )

    assert allowed.headers["access-control-allow-origin"] == "https://shop.example"
    assert "access-control-allow-origin" not in refused.headers


async def test_long_answers_are_compressed(gateway: Gateway):
    query = "{ " + " ".join(f"a{n}: __typename" for n in range(80)) + " }"
    large = Limits(aliases=None, root_fields=None)
    for compression, encoding in ((True, "gzip"), (False, None)):
        made = Gateway(table, cursor_secret=SECRET, limits=large)
        async with client_of(made.asgi(compression=compression)) as client:
            answer = await client.post("/graphql", json={"query": query})
        assert answer.headers.get("content-encoding") == encoding


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"query": ""},
        {"query": QUERY, "variables": "{"},
        {"query": QUERY, "variables": "[1]"},
        {"query": QUERY, "extensions": '"x"'},
        {"query": "mutation { x }"},
    ],
)
async def test_a_bad_get_is_refused(client: httpx.AsyncClient, parameters: dict[str, str]):
    answer = await client.get("/graphql", params=parameters)

    assert 400 <= answer.status_code < 500
    assert answer.json()["errors"]


async def test_other_methods_are_not_allowed(client: httpx.AsyncClient):
    assert (await client.put("/graphql", json={"query": QUERY})).status_code == 405


# Explain.

EXPLAINED = [
    {"json": {"query": QUERY, "extensions": {"explain": True}}},
    {"json": {"query": QUERY}, "headers": {"X-Tablefold-Explain": "1"}},
]


@pytest.mark.parametrize("asked", EXPLAINED, ids=["by extensions", "by header"])
async def test_an_answer_can_explain_itself(
    client: httpx.AsyncClient, proxy: Proxy, asked: dict[str, Any]
):
    answer = (await client.post("/graphql", **asked)).json()

    assert answer["data"] == ROME["data"]
    [wave] = answer["extensions"]["explain"]["waves"]
    [request] = wave["requests"]
    assert request["operation"] == "GetItem"
    assert request["key"] == ["CITY#rome", "CITY"]
    assert request["serves"] == ["city"]
    assert request["itemsReturned"] == 1
    assert len(proxy.sent) == 1


@pytest.mark.parametrize("explain", ["1", "plan"])
async def test_explaining_can_be_turned_off(engine: Engine, gateway: Gateway, explain: str):
    silent = Gateway(
        table,
        cursor_secret=SECRET,
        explain=False,
        table_name=gateway.table_name,
        endpoint_url=engine.endpoint_url,
    )
    async with client_of(silent.asgi()) as client:
        headers = {"x-tablefold-explain": explain}
        answer = await client.post("/graphql", json={"query": QUERY}, headers=headers)
    await silent.close()

    assert answer.json() == ROME


async def test_a_context_hook_that_fails_is_an_incident(caplog: pytest.LogCaptureFixture):
    def context(request: Any) -> Any:
        raise KeyError("hunter2")

    async with client_of(Gateway(table, cursor_secret=SECRET, context=context).asgi()) as client:
        answer = await client.post("/graphql", json={"query": QUERY})

    [error] = answer.json()["errors"]
    assert (answer.status_code, error["extensions"]["code"]) == (500, "INTERNAL")
    assert answer.headers["x-request-id"] in error["message"]
    assert "hunter2" not in answer.text and "hunter2" in caplog.text


@pytest.mark.parametrize(
    "asked",
    [
        {"json": {"query": QUERY}},
        {"json": {"query": QUERY}, "headers": {"X-Tablefold-Explain": "0"}},
    ],
)
async def test_nothing_is_explained_unasked(client: httpx.AsyncClient, asked: dict[str, Any]):
    assert "extensions" not in (await client.post("/graphql", **asked)).json()


PLANNED = [
    {"json": {"query": QUERY, "extensions": {"explain": "plan"}}},
    {"json": {"query": QUERY}, "headers": {"X-Tablefold-Explain": "plan"}},
]


@pytest.mark.parametrize("asked", PLANNED, ids=["by extensions", "by header"])
async def test_a_plan_touches_no_table(
    client: httpx.AsyncClient, proxy: Proxy, asked: dict[str, Any]
):
    answer = await client.post("/graphql", **asked)

    assert answer.status_code == 200
    assert answer.json()["data"] is None
    plan = answer.json()["extensions"]["explain"]
    assert plan["requests"] == 1
    assert plan["waves"][0]["requests"][0]["operation"] == "GetItem"
    assert proxy.sent == []


@pytest.mark.parametrize(
    ("query", "variables"),
    [
        ("{ city(", {}),
        ("{ nothing }", {}),
        ("query ($id: ID!) { city(id: $id) { name } }", {}),
        ("query ($id: ID!) { city(id: $id) { name } }", {"id": [1]}),
        ("query A { __typename } query B { __typename }", {}),
        ("{ " + "name " * 2_000 + "}", {}),
    ],
)
@pytest.mark.parametrize("accept", ["application/json", "application/graphql-response+json"])
async def test_what_cannot_run_cannot_be_planned_for_the_same_reasons(
    client: httpx.AsyncClient, query: str, variables: dict[str, Any], accept: str
):
    run, planned = [
        await client.post(
            "/graphql",
            json={"query": query, "variables": variables, "extensions": {"explain": explain}},
            headers={"accept": accept},
        )
        for explain in (False, "plan")
    ]

    assert (planned.status_code, planned.json()) == (run.status_code, run.json())
    assert planned.json()["errors"]


# Errors.


async def test_an_unexpected_error_shows_an_incident_and_nothing_of_the_inside(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
):
    with caplog.at_level(logging.ERROR, "tablefold"):
        answer = await client.post("/graphql", json={"query": '{ city(id: "rome") { broken } }'})

    [error] = answer.json()["errors"]
    assert error["extensions"] == {"code": "INTERNAL"}
    incident = error["message"].removeprefix("Something went wrong here. Quote ").removesuffix(".")
    assert incident == answer.headers["x-request-id"]
    assert "hunter2" not in answer.text
    assert "Traceback" not in answer.text
    [record] = [one for one in caplog.records if incident in one.getMessage()]
    assert record.exc_info is not None
    assert "hunter2" in str(record.exc_info[1])


@pytest.mark.parametrize("field", ["number", "kind", "texts", "city { name }"])
async def test_a_value_that_cannot_be_shown_is_an_incident_too(
    field: str, caplog: pytest.LogCaptureFixture
):
    @strawberry.enum
    class Kind(Enum):
        SMALL = "small"

    @strawberry.type
    class Query:
        number: int = strawberry.field(resolver=lambda: "hunter2")  # pyright: ignore
        kind: Kind = strawberry.field(resolver=lambda: "hunter2")  # pyright: ignore
        texts: list[str] = strawberry.field(resolver=lambda: 7)  # pyright: ignore
        city: City = strawberry.field(resolver=lambda: {"hunter2": 1})  # pyright: ignore

    async with client_of(Gateway(table, query=Query, cursor_secret=SECRET).asgi()) as client:
        answer = await client.post("/graphql", json={"query": f"{{ {field} }}"})

    [error] = answer.json()["errors"]
    incident = answer.headers["x-request-id"]
    assert error["message"] == f"Something went wrong here. Quote {incident}."
    assert error["extensions"] == {"code": "INTERNAL"}
    assert incident in caplog.text


async def test_what_a_resolver_says_in_graphql_s_words_is_shown():
    @strawberry.type
    class Query:
        @strawberry.field
        def left(self) -> int:
            raise GraphQLError("Sold out.")

    async with client_of(Gateway(table, query=Query, cursor_secret=SECRET).asgi()) as client:
        answer = await client.post("/graphql", json={"query": "{ left }"})

    assert answer.json()["errors"][0]["message"] == "Sold out."


async def test_a_viewer_that_cannot_be_told_is_an_incident_too():
    """It fails before any field does."""

    def viewer(context: Any) -> str:
        raise KeyError("hunter2")

    unsure = Gateway(table, cursor_secret=SECRET, viewer=viewer)
    async with client_of(unsure.asgi()) as client:
        answer = await client.post("/graphql", json={"query": QUERY})

    [error] = answer.json()["errors"]
    assert error["extensions"] == {"code": "INTERNAL"}
    assert "hunter2" not in answer.text


async def test_an_error_that_leaves_no_data_is_a_bad_request_or_a_null(client: httpx.AsyncClient):
    answer = await client.post("/graphql", json={"query": '{ city(id: "a#b") { name } }'})

    assert answer.json()["data"] == {"city": None}


async def test_a_table_out_of_reach_is_said_without_its_address():
    away = Gateway(table, cursor_secret=SECRET, endpoint_url="http://127.0.0.1:9", deadline=0.3)
    async with client_of(away.asgi()) as client:
        answer = await client.post("/graphql", json={"query": QUERY})
        ready = await client.get("/readyz")
    await away.close()

    [error] = answer.json()["errors"]
    assert error["extensions"]["code"] in ("UNAVAILABLE", "DEADLINE_EXCEEDED")
    assert "127.0.0.1" not in answer.text
    assert ready.status_code == 503
    assert "127.0.0.1" not in ready.text


# In a browser, and for a load balancer.


async def test_a_browser_gets_graphiql(client: httpx.AsyncClient):
    page = await client.get("/graphql", headers={"accept": "text/html,application/xhtml+xml"})

    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "graphiql" in page.text.lower()


async def test_graphiql_can_be_turned_off(gateway: Gateway):
    async with client_of(gateway.asgi(graphiql=False)) as client:
        page = await client.get("/graphql", headers={"accept": "text/html"})

    assert page.status_code == 406


async def test_healthz_answers_without_the_table(client: httpx.AsyncClient, proxy: Proxy):
    answer = await client.get("/healthz")

    assert (answer.status_code, answer.text) == (200, "alive\n")
    assert proxy.sent == []


async def test_readyz_asks_the_table(client: httpx.AsyncClient, proxy: Proxy):
    answer = await client.get("/readyz")

    assert (answer.status_code, answer.text) == (200, "ready\n")
    assert proxy.operations == ["GetItem"]


async def test_readyz_says_what_is_missing(engine: Engine):
    lost = Gateway(
        table, cursor_secret=SECRET, endpoint_url=engine.endpoint_url, table_name="no-such-table"
    )
    async with client_of(lost.asgi()) as client:
        answer = await client.get("/readyz")
    await lost.close()

    assert (answer.status_code, answer.text) == (503, "TableMissing\n")


# Under another roof.


async def test_it_works_mounted_under_starlette(gateway: Gateway):
    outer = Starlette(routes=[Mount("/api", gateway.asgi())])
    async with client_of(outer) as client:
        answer = await client.post("/api/graphql", json={"query": QUERY})
        health = await client.get("/api/healthz")
    await gateway.close()

    assert (answer.json(), health.status_code) == (ROME, 200)


async def test_it_works_mounted_under_fastapi(gateway: Gateway):
    outer = fastapi.FastAPI()
    outer.mount("/api", gateway.asgi(path="/"))
    async with client_of(outer) as client:
        answer = await client.post("/api/", json={"query": QUERY})
    await gateway.close()

    assert answer.json() == ROME


async def test_a_get_changes_nothing():
    done: list[str] = []

    @strawberry.type
    class Mutation:
        @strawberry.mutation
        def paint(self) -> str:
            done.append("painted")
            return "red"

    async with client_of(Gateway(table, mutation=Mutation).asgi()) as client:
        refused = await client.get("/graphql", params={"query": "mutation { paint }"})
        assert (refused.status_code, refused.headers["allow"], done) == (405, "POST", [])
        allowed = await client.post("/graphql", json={"query": "mutation { paint }"})
        assert (allowed.json()["data"], done) == ({"paint": "red"}, ["painted"])


async def test_a_plan_is_made_for_the_viewer_who_asks():
    made = Gateway(table, viewer=lambda context: context["request"].headers["x-user"])
    asked = {"query": QUERY, "extensions": {"explain": "plan"}}
    async with client_of(made.asgi()) as client:
        known = await client.post("/graphql", json=asked, headers={"x-user": "ann"})
        unknown = await client.post("/graphql", json=asked)
    assert known.json()["extensions"]["explain"]["requests"] == 1
    assert unknown.json()["errors"][0]["extensions"]["code"] == "INTERNAL"
