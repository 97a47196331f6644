"""Any body whatsoever is answered in the form of GraphQL over HTTP, and never by a 500."""

import asyncio
import json
from collections.abc import Generator
from typing import Any

import httpx
import pytest
from graphql import StringValueNode
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_graphql import queries

from tablefold import Gateway
from tablefold.store.engines import Engine
from tests.gql.test_app import client_of
from tests.harness.examples import MODELS
from tests.harness.serving import SECRET, served

pytestmark = pytest.mark.engines("dynoxide")

FAULTS_OF_OURS = {"INTERNAL", "UNAVAILABLE", "THROTTLED", "DEADLINE_EXCEEDED"}
REFUSED = {400, 405, 413}
EFFORT = settings(
    max_examples=60,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

SDL = {name: model.gateway.sdl() for name, model in MODELS.items()}
CUSTOM = {
    "Date": st.dates().map(lambda day: StringValueNode(value=day.isoformat())),
    "DateTime": st.datetimes().map(lambda at: StringValueNode(value=f"{at.isoformat()}Z")),
    "Decimal": st.decimals(allow_nan=False).map(lambda n: StringValueNode(value=str(n))),
}


@pytest.fixture(scope="module")
def gateways(engine: Engine) -> Generator[dict[str, Gateway], None, None]:
    """Empty tables: what is asked here is hardly ever there."""
    url = engine.endpoint_url
    made = {
        name: Gateway(
            model.table,
            query=getattr(model, "Query", None),
            generated=True,
            cursor_secret=SECRET,
        )
        for name, model in MODELS.items()
    }
    with (
        served(made["shop"], engine_url=url, gateway_url=url),
        served(made["fund"], engine_url=url, gateway_url=url),
    ):
        yield made


def post(gateway: Gateway, body: bytes, media: str) -> httpx.Response:
    async def send() -> httpx.Response:
        headers = {"content-type": "application/json", "accept": media}
        async with client_of(gateway.asgi()) as client:
            answer = await client.post("/graphql", content=body, headers=headers)
        await gateway.close()
        return answer

    return asyncio.run(send())


def check(answer: httpx.Response) -> None:
    body: dict[str, Any] = answer.json()
    assert isinstance(body, dict)  # pyright: ignore[reportUnnecessaryIsInstance]
    assert "data" in body or body.get("errors")
    for error in body.get("errors", ()):
        assert isinstance(error["message"], str)
        assert error["extensions"]["code"] not in FAULTS_OF_OURS, error
    if answer.headers["content-type"].startswith("application/graphql-response+json"):
        assert answer.status_code == (200 if "data" in body else 400) or (
            answer.status_code in REFUSED
        )
    else:
        assert answer.status_code in {200, *REFUSED}


media_types = st.sampled_from(["application/json", "application/graphql-response+json"])
examples = st.sampled_from(sorted(MODELS))
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
trees = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
names = ["query", "variables", "operationName", "extensions", "documentId"]
explains: st.SearchStrategy[Any] = st.sampled_from(
    [None, {"explain": True}, {"explain": "plan"}, {"persistedQuery": {}}]
)


@st.composite
def odd_objects(draw: st.DrawFn) -> Any:
    """Objects with our names and anything under them."""
    drawn = draw(st.dictionaries(st.sampled_from(names), trees, max_size=5))
    if draw(st.booleans()):
        drawn["query"] = draw(st.sampled_from(["{ __typename }", "query ($a: Int) { __typename }"]))
    return drawn


@EFFORT
@given(name=examples, body=st.binary(max_size=200), media=media_types)
def test_random_bytes(gateways: dict[str, Gateway], name: str, body: bytes, media: str):
    check(post(gateways[name], body, media))


@EFFORT
@given(name=examples, body=trees | odd_objects(), media=media_types)
def test_random_json(gateways: dict[str, Gateway], name: str, body: Any, media: str):
    check(post(gateways[name], json.dumps(body).encode(), media))


@EFFORT
@given(data=st.data(), name=examples, extensions=explains, media=media_types)
def test_random_valid_queries(
    gateways: dict[str, Gateway], data: st.DataObject, name: str, extensions: Any, media: str
):
    query = data.draw(valid(name))
    body = {"query": query, "extensions": extensions}
    check(post(gateways[name], json.dumps(body).encode(), media))


@EFFORT
@given(data=st.data(), name=examples, media=media_types)
def test_random_queries_that_are_nearly_valid(
    gateways: dict[str, Gateway], data: st.DataObject, name: str, media: str
):
    """A valid query in which a stretch was cut out, repeated, or overwritten."""
    query = data.draw(valid(name))
    start = data.draw(st.integers(0, len(query)))
    end = data.draw(st.integers(start, min(start + 20, len(query))))
    middle = data.draw(st.sampled_from(["", query[start:end] * 2]) | st.text(max_size=5))
    body = {"query": query[:start] + middle + query[end:]}
    check(post(gateways[name], json.dumps(body).encode(), media))


def valid(name: str) -> st.SearchStrategy[str]:
    return queries(SDL[name], custom_scalars=CUSTOM)
