"""Cursors that were altered or borrowed: refused before any request, all in the same words."""

import base64
import contextlib
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest
from strawberry.types import ExecutionResult

from tablefold import Gateway
from tablefold.store.cursors import CURSOR_MAX_LENGTH
from tests.bad.bank import table
from tests.bad.refusing import refusal
from tests.harness import tables
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET, data_of
from tests.resolvers.asked import Asked

pytestmark = pytest.mark.engines("dynoxide")

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
REFUSED = (
    "This cursor does not belong to this list. Start again without a cursor, "
    "or use one from a page with the same arguments."
)
SHOWN = "{ nodes { n } pageInfo { startCursor endCursor } }"
LISTS = {
    "a partition": 'entriesByAccountId(accountId: "a", {})',
    "an index": 'byNote(accountId: "a", {})',
    "shards": "entriesByKind(kind: CREDIT, {})",
}


def field(name: str, arguments: str) -> str:
    return f"list: {LISTS[name].format(arguments)} {SHOWN}"


async def cursor_of(ask: Asked, name: str) -> str:
    answer: Any = await ask(f"{{ {field(name, 'first: 2')} }}")
    return answer["list"]["pageInfo"]["endCursor"]


async def assert_refused(ask: Asked, name: str, cursor: str) -> None:
    result = await ask.result(
        f"query ($c: String) {{ {field(name, 'first: 2, after: $c')} }}", c=cursor
    )
    _assert_refused(result, ask.proxy, cursor)


def _assert_refused(result: ExecutionResult, proxy: Proxy, why: object) -> None:
    [error] = result.errors or [None]
    assert error is not None, f"{why!r} was taken"
    assert error.message == REFUSED
    assert error.extensions == {"code": "CURSOR_INVALID"}
    assert error.path == ["list"]
    assert proxy.sent == []


def flipped(cursor: str) -> Iterator[str]:
    for place, character in enumerate(cursor):
        for bit in range(6):
            other = ALPHABET[ALPHABET.index(character) ^ (1 << bit)]
            yield cursor[:place] + other + cursor[place + 1 :]


@pytest.mark.parametrize("name", LISTS)
async def test_every_flipped_bit_is_refused(ask: Asked, name: str):
    for spoilt in flipped(await cursor_of(ask, name)):
        await assert_refused(ask, name, spoilt)


async def test_every_cut_is_refused(ask: Asked):
    cursor = await cursor_of(ask, "a partition")
    for end in range(len(cursor)):
        await assert_refused(ask, "a partition", cursor[:end])
        await assert_refused(ask, "a partition", cursor[end + 1 :])


SPOILT = [
    "{}A", "A{}", "{}AAAA", "{}{}", "{}=", "{}==", "{}====", " {}", "{} ", "\n{}", "{}\n", "{}\0",
    "{}é", "é", "\ud800", "🙂", "%", "=", "-", "null", "{}.", "MQ==", "AQ", "[]",
]  # fmt: skip


@pytest.mark.parametrize("spoil", SPOILT)
async def test_every_other_spelling_is_refused(ask: Asked, spoil: str):
    for name in LISTS:
        await assert_refused(ask, name, spoil.format(*[await cursor_of(ask, name)] * 2))


@pytest.mark.parametrize("length", [0, 23, CURSOR_MAX_LENGTH, CURSOR_MAX_LENGTH + 1, 1_000_000])
async def test_a_cursor_of_any_length_is_refused(ask: Asked, length: int):
    await assert_refused(ask, "a partition", "A" * length)


async def test_whitespace_and_the_other_alphabet_are_refused(ask: Asked):
    cursor = await cursor_of(ask, "an index")
    middle = len(cursor) // 2
    for blank in " \t\n\r=":
        await assert_refused(ask, "an index", cursor[:middle] + blank + cursor[middle:])
    for other in (cursor.replace("-", "+"), cursor.replace("_", "/")):
        if other != cursor:
            await assert_refused(ask, "an index", other)


BORROWED = {
    "another field's": "entriesByKind(kind: CREDIT, first: 2, after: $c)",
    "another index's": 'byNote(accountId: "a", first: 2, after: $c)',
    "another partition's": 'entriesByAccountId(accountId: "b", first: 2, after: $c)',
    "another order's": (
        'entriesByAccountId(accountId: "a", first: 2, after: $c, direction: DESCENDING)'
    ),
    "another range's": (
        'entriesByAccountId(accountId: "a", day: {from: "2024-01-01"}, first: 2, after: $c)'
    ),
}


@pytest.mark.parametrize("name", BORROWED)
async def test_a_borrowed_cursor_is_refused(ask: Asked, name: str):
    cursor = await cursor_of(ask, "a partition")
    result = await ask.result(f"query ($c: String) {{ list: {BORROWED[name]} {SHOWN} }}", c=cursor)
    _assert_refused(result, ask.proxy, name)


ENTRIES = 'account(id: "a") {{ email bad: entries(first: 1, after: $c, where: {}) {} }}'


@pytest.mark.parametrize(
    "other", ['{amount: {gt: "1.5"}}', '{amount: {ge: "1"}}', "{kind: {eq: CREDIT}}", "null"]
)
async def test_another_filter_s_cursor_is_refused(ask: Asked, other: str):
    where = '{amount: {gt: "1"}}'
    query = f'{{ account(id: "a") {{ entries(first: 1, where: {where}) {SHOWN} }} }}'
    answer: Any = await ask(query)
    cursor = answer["account"]["entries"]["pageInfo"]["endCursor"]
    said = await refusal(
        ask, ENTRIES.format(other, SHOWN), "($c: String)", code="CURSOR_INVALID", c=cursor
    )
    assert said == REFUSED
    again = await ask.result(
        f"query ($c: String) {{ {ENTRIES.format(where, SHOWN).replace('bad: ', '')} }}", c=cursor
    )
    assert data_of(again)["account"]["entries"]["nodes"] == [{"n": 2}]


# Gateways over the same table, with other secrets, viewers or tables.

PAGE = (
    'query ($c: String) { list: entriesByAccountId(accountId: "a", first: 2, after: $c) '
    f"{SHOWN} }}"
)


@contextlib.asynccontextmanager
async def another(ask: Asked, **options: Any) -> AsyncGenerator[Gateway, None]:
    given: dict[str, Any] = {
        "cursor_secret": SECRET,
        "table_name": ask.gateway.table_name,
        **options,
    }
    made = Gateway(table, endpoint_url=ask.proxy.endpoint_url, region=tables.REGION, **given)
    try:
        yield made
    finally:
        await made.close()


OLD, NEW = "1:" + "o" * 32, "2:" + "n" * 32


async def page(gateway: Gateway, proxy: Proxy, cursor: str | None, **options: Any) -> Any:
    proxy.clear()
    return await gateway.execute(PAGE, {"c": cursor}, **options)


def end(result: ExecutionResult) -> str:
    return data_of(result)["list"]["pageInfo"]["endCursor"]


async def test_a_secret_can_be_replaced_in_peace(ask: Asked):
    async with another(ask, cursor_secret=OLD) as before:
        old = end(await page(before, ask.proxy, None))
    async with another(ask, cursor_secret=f"{NEW},{OLD}") as during:
        result = await page(during, ask.proxy, old)
        assert data_of(result)["list"]["nodes"] == [{"n": 3}, {"n": 4}]
        new = end(await page(during, ask.proxy, None))
        assert new != old
    async with another(ask, cursor_secret=NEW) as after:
        assert data_of(await page(after, ask.proxy, new))["list"]["nodes"]
        _assert_refused(await page(after, ask.proxy, old), ask.proxy, "a retired secret's")


@pytest.mark.parametrize("secret", ["1:" + "t" * 32, "3:" + "s" * 32, OLD])
async def test_another_secret_s_cursor_is_refused(ask: Asked, secret: str):
    cursor = await cursor_of(ask, "a partition")
    async with another(ask, cursor_secret=secret) as gateway:
        _assert_refused(await page(gateway, ask.proxy, cursor), ask.proxy, secret)


async def test_another_viewer_s_cursor_is_refused(ask: Asked):
    def viewer(context: dict[str, str]) -> str:
        return context["viewer"]

    async with another(ask, viewer=viewer) as gateway:
        cursor = end(await page(gateway, ask.proxy, None, context={"viewer": "ann"}))
        own = await page(gateway, ask.proxy, cursor, context={"viewer": "ann"})
        assert data_of(own)["list"]["nodes"] == [{"n": 3}, {"n": 4}]
        for name in ("bob", "", "ann ", "ANN"):
            other = await page(gateway, ask.proxy, cursor, context={"viewer": name})
            _assert_refused(other, ask.proxy, name)


async def test_another_table_s_cursor_is_refused(ask: Asked):
    cursor = await cursor_of(ask, "a partition")
    async with another(ask, table_name="another-bank") as gateway:
        _assert_refused(await page(gateway, ask.proxy, cursor), ask.proxy, "another table's")


# What is allowed.


async def test_a_cursor_goes_both_ways_within_its_list(ask: Asked):
    cursor = await cursor_of(ask, "a partition")
    query = f"query ($c: String) {{ {field('a partition', 'last: 5, before: $c')} }}"
    assert (await ask(query, c=cursor))["list"]["nodes"] == [{"n": 1}]


async def test_a_cursor_may_be_used_with_another_page_size(ask: Asked):
    cursor = await cursor_of(ask, "shards")
    query = f"query ($c: String) {{ {field('shards', 'first: 1, after: $c')} }}"
    answer = await ask(query, c=cursor)
    assert len(answer["list"]["nodes"]) == 1


async def test_equal_positions_have_equal_cursors(ask: Asked):
    assert await cursor_of(ask, "shards") == await cursor_of(ask, "shards")


async def test_a_cursor_tells_nothing_of_the_key(ask: Asked):
    cursor = await cursor_of(ask, "an index")
    raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    assert b"note" not in raw and b"2024" not in raw
