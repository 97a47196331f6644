"""Ids that look odd and are legal: they work from end to end, on every engine."""

import dataclasses
from collections.abc import AsyncGenerator, Generator
from typing import Any

import pytest
import strawberry

from tablefold import Gateway
from tablefold.store.engines import Engine
from tests.bad.bank import Account, entry, table
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET
from tests.resolvers.asked import Asked, asking, stored

IDS = {
    "an emoji": "🙂",
    "a family of emoji": "👩‍👩‍👧",
    "a newline": "a\nb",
    "NUL": "a\0b",
    "only NUL": "\0",
    "a blank": " ",
    "quotes": "\"'`\\",
    "a placeholder": "{id}",
    "an alias": ":v0 :pk",
    "composed": "é",
    "decomposed": "e\u0301",
    "right to left": "\u202eabc",
    "the last of plane 0": "\uffff",
    "the last character": "\U0010ffff",
    "nearly a thousand bytes": "🙂" * 245,
}


def rows() -> list[object]:
    accounts = [
        Account(id=strawberry.ID(id), email=f"{at}@{id[:20]}") for at, id in enumerate(IDS.values())
    ]
    entries = [
        dataclasses.replace(entry(n, id), note=f"{n}{id[:100]}")
        for id in IDS.values()
        for n in (1, 2, 3)
    ]
    return [*accounts, *entries]


@pytest.fixture(scope="module")
def bank(engine: Engine) -> Generator[Gateway, None, None]:
    with stored(Gateway(table, cursor_secret=SECRET), engine, rows()) as gateway:
        yield gateway


@pytest.fixture
async def ask(bank: Gateway, proxy: Proxy) -> AsyncGenerator[Asked, None]:
    async with asking(bank, proxy) as asked:
        yield asked


@pytest.mark.parametrize("name", IDS)
async def test_an_odd_id_is_found_by_every_way(ask: Asked, name: str):
    id, at = IDS[name], list(IDS).index(name)
    email = f"{at}@{id[:20]}"
    query = """query ($id: ID!, $text: String!, $ids: [ID!]!, $email: String!, $note: String!) {
        account(id: $id) { id nodeId email entries(first: 2) { nodes { n } } }
        accounts(ids: $ids) { id }
        accountByEmail(email: $email) { id }
        entriesByAccountId(accountId: $text) { nodes { n } }
        byNote(accountId: $text, note: {eq: $note}) { nodes { note } }
    }"""
    note = f"2{id[:100]}"
    answer = await ask(query, id=id, text=id, ids=[id, "nobody"], email=email, note=note)
    assert answer["account"]["id"] == id
    assert answer["account"]["entries"]["nodes"] == [{"n": 1}, {"n": 2}]
    assert answer["accounts"] == [{"id": id}, None]
    assert answer["accountByEmail"] == {"id": id}
    assert answer["entriesByAccountId"]["nodes"] == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert answer["byNote"]["nodes"] == [{"note": note}]
    node: Any = await ask(
        "query ($id: ID!) { node(nodeId: $id) { ... on Account { email } } }",
        id=answer["account"]["nodeId"],
    )
    assert node["node"] == {"email": email}


@pytest.mark.parametrize("name", IDS)
async def test_the_pages_of_an_odd_id_go_on_from_their_cursors(ask: Asked, name: str):
    query = """query ($text: String!, $c: String) {
        page: byNote(accountId: $text, first: 2, after: $c) { nodes { n } pageInfo { endCursor } }
    }"""
    first = (await ask(query, text=IDS[name]))["page"]
    rest = (await ask(query, text=IDS[name], c=first["pageInfo"]["endCursor"]))["page"]
    assert first["nodes"] + rest["nodes"] == [{"n": 1}, {"n": 2}, {"n": 3}]
