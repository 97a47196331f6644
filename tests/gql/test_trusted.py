"""Trusted documents: named by id, from a file or sent before with their hash."""

import hashlib
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tablefold import Gateway, ModelError
from tablefold.gql import trusted
from tests.gql.test_app import client_of, table
from tests.harness.serving import SECRET

QUERY = "query Kind { __typename }"
HASH = hashlib.sha256(QUERY.encode()).hexdigest()
KIND = {"data": {"__typename": "Query"}}
NOT_FOUND = "PERSISTED_QUERY_NOT_FOUND"


def by_hash(name: str = HASH, **more: Any) -> dict[str, Any]:
    return {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": name}}, **more}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "persisted.json"
    path.write_text(json.dumps({"kind": QUERY, HASH: QUERY}))
    return path


@pytest.fixture
async def client() -> AsyncGenerator[httpx.AsyncClient, None]:
    async with client_of(Gateway(table, cursor_secret=SECRET).asgi()) as made:
        yield made


async def ask(client: httpx.AsyncClient, body: dict[str, Any]) -> Any:
    return (await client.post("/graphql", json=body)).json()


def code(answer: Any) -> str:
    return answer["errors"][0]["extensions"]["code"]


@pytest.mark.parametrize("only", [False, True])
async def test_a_registered_document_is_served_by_its_id(written: Path, only: bool):
    made = Gateway(table, cursor_secret=SECRET, documents=written, only_documents=only)
    async with client_of(made.asgi()) as client:
        assert await ask(client, {"documentId": "kind"}) == KIND
        assert await ask(client, {"documentId": f"sha256:{HASH}"}) == KIND
        assert await ask(client, by_hash()) == KIND
        assert (await client.get("/graphql", params={"documentId": "kind"})).json() == KIND
        assert code(await ask(client, {"documentId": "nobody"})) == NOT_FOUND


async def test_nothing_else_is_served_where_only_documents_are(written: Path):
    made = Gateway(table, cursor_secret=SECRET, documents=str(written), only_documents=True)
    other = "{ __typename }"
    async with client_of(made.asgi()) as client:
        assert await ask(client, {"query": QUERY}) == KIND
        refused = await ask(client, {"query": other})
        hashed = by_hash(hashlib.sha256(other.encode()).hexdigest(), query=other)
        assert "Only documents that are registered" in refused["errors"][0]["message"]
        assert code(await ask(client, hashed)) == "BAD_USER_INPUT"


async def test_a_document_sent_with_its_hash_is_known_afterwards(client: httpx.AsyncClient):
    unknown = await ask(client, by_hash())
    assert (unknown["errors"][0]["message"], code(unknown)) == ("PersistedQueryNotFound", NOT_FOUND)
    assert await ask(client, by_hash(query=QUERY)) == KIND
    assert await ask(client, by_hash()) == KIND


async def test_a_hash_must_be_that_of_its_document(client: httpx.AsyncClient):
    assert code(await ask(client, by_hash(query="{ __typename }"))) == "BAD_USER_INPUT"
    assert code(await ask(client, by_hash())) == NOT_FOUND


async def test_a_hash_that_is_known_does_not_let_another_document_pass(client: httpx.AsyncClient):
    assert await ask(client, by_hash(query=QUERY)) == KIND

    refused = await ask(client, by_hash(query="{ __typename }"))

    assert (list(refused), code(refused)) == (["errors"], "BAD_USER_INPUT")
    assert await ask(client, by_hash(query=QUERY)) == KIND


@pytest.mark.parametrize("only", [False, True])
async def test_an_id_that_is_registered_does_not_let_another_document_pass(
    written: Path, only: bool
):
    made = Gateway(table, cursor_secret=SECRET, documents=written, only_documents=only)
    other = {"query": "{ __typename }"}
    async with client_of(made.asgi()) as client:
        assert code(await ask(client, {"documentId": "kind", **other})) == "BAD_USER_INPUT"
        assert code(await ask(client, by_hash(**other))) == "BAD_USER_INPUT"
        assert await ask(client, {"documentId": "kind", "query": QUERY}) == KIND


@pytest.mark.parametrize("persisted", [1, {}, {"version": 2, "sha256Hash": HASH}, {"version": 1}])
async def test_a_hash_in_another_form_is_refused(client: httpx.AsyncClient, persisted: Any):
    asked = {"extensions": {"persistedQuery": persisted}}
    assert code(await ask(client, asked)) == "BAD_USER_INPUT"


async def test_only_the_documents_used_last_are_remembered(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(trusted, "SENT_KEPT", 2)
    texts = [f"query Q{n} {{ __typename }}" for n in range(3)]
    names = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    for text, name in zip(texts, names, strict=True):
        await ask(client, by_hash(name, query=text))
    assert [("errors" in await ask(client, by_hash(name))) for name in names] == [
        True,
        False,
        False,
    ]


async def test_trusted_documents_are_not_held_against_the_limits_of_documents(tmp_path: Path):
    path = tmp_path / "persisted.json"
    path.write_text(json.dumps({"long": "{ " + "__typename " * 2_000 + "}"}))
    async with client_of(Gateway(table, cursor_secret=SECRET, documents=path).asgi()) as client:
        assert await ask(client, {"documentId": "long"}) == KIND


def test_only_documents_without_documents_is_a_mistake():
    with pytest.raises(ValueError, match="serves nothing without documents"):
        Gateway(table, cursor_secret=SECRET, only_documents=True)


def test_apollo_s_manifest_is_read(tmp_path: Path):
    path = tmp_path / "manifest.json"
    operation = {"id": "k", "name": "Kind", "type": "query", "body": QUERY}
    path.write_text(json.dumps({"format": "apollo-persisted-query-manifest", "version": 1,
                                "operations": [operation]}))  # fmt: skip
    assert trusted.read_documents(path) == {"k": QUERY}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is not JSON"),
        ("[]", "holds no documents"),
        ('{"a": 1}', "holds no documents"),
        ('{"a": "{ nothing }"}', "document a is refused"),
        ('{"a": "{"}', "document a is refused"),
        (None, "cannot be read"),
    ],
)
def test_a_bad_file_is_said_when_the_gateway_is_made(
    tmp_path: Path, content: str | None, says: str
):
    path = tmp_path / "persisted.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ModelError, match=says):
        Gateway(table, cursor_secret=SECRET, documents=path)
