"""Walks through lists of random data, while it changes, see all there is and nothing twice."""

import contextlib
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefold import Gateway
from tablefold.loaders import reading
from tablefold.store.engines import Engine
from tablefold.store.requests import BATCH_WRITE_MAX_ITEMS
from tests.harness import tables
from tests.harness.serving import SECRET, data_of, served
from tests.properties.drawn_halls import STANDING, lists, strangers, things
from tests.properties.effort import effort
from tests.properties.halls import Query, identity, table
from tests.properties.listed import Entry, Key, Stored, entry
from tests.properties.walks import (
    Judge,
    Sealed,
    Turn,
    Walk,
    items_read,
    operation,
    pages_in,
    under_way,
)

pytestmark = pytest.mark.engines("dynoxide")

MOST_STEPS = 400
BESIDE = ["", "name", "name seats { row }", "seats { row }"]


class Halls:
    """One table twice: in the engine, and in plain Python."""

    def __init__(self, gateways: Sequence[Gateway], engine: Engine) -> None:
        self.folded, self.plain = gateways
        self.engine = engine
        self.stored, self.sealed = Stored(), Sealed()
        self.judge = Judge(self.stored, self.sealed)
        self.entries = st.one_of(things().map(self.entry), strangers())

    def entry(self, thing: object) -> Entry:
        return entry(self.folded.layout, thing)

    def put(self, entries: Iterable[Entry]) -> None:
        new = {one.key: one for one in entries}
        self.stored.put(new.values())
        self._write([{"PutRequest": {"Item": one.item}} for one in new.values()])

    def delete(self, keys: Iterable[Key]) -> None:
        gone = [self.stored.entries.pop(key).key for key in keys]
        self._write(
            [{"DeleteRequest": {"Key": {"PK": {"S": pk}, "SK": {"S": sk}}}} for pk, sk in gone]
        )

    def _write(self, requests: list[Any]) -> None:
        client, name = tables.client(self.engine.endpoint_url), self.folded.table_name
        for start in range(0, len(requests), BATCH_WRITE_MAX_ITEMS):
            batch = requests[start : start + BATCH_WRITE_MAX_ITEMS]
            client.batch_write_item(RequestItems={name: batch})

    @contextlib.contextmanager
    def open(self, entries: Iterable[Entry]) -> Generator[pytest.MonkeyPatch, None, None]:
        """Filled for one example, and empty afterwards."""
        with pytest.MonkeyPatch.context() as patch:
            self.sealed.overhear(patch)
            try:
                self.put([*map(self.entry, STANDING), *entries])
                yield patch
            finally:
                self.delete(list(self.stored.entries))
                self.sealed.positions.clear()
                self.judge.bare.clear()

    async def ask(self, turns: Sequence[Turn], *, folding: bool, beside: str) -> list[Any]:
        """The pages of one operation, each of them judged."""
        gateway = self.folded if folding else self.plain
        result = await gateway.execute(operation(turns, beside=beside), explain=True)
        found = pages_in(data_of(result))
        pages = [found[f"a{at}"] for at in range(len(turns))]
        for at, (turn, page) in enumerate(zip(turns, pages, strict=True)):
            self.judge.judge(turn, page, items_read(result, f"a{at}"))
        return pages


@pytest.fixture(scope="module")
def halls(engine: Engine) -> Generator[Halls, None, None]:
    folded, plain = (
        Gateway(table, query=Query, generated=True, cursor_secret=SECRET, folding=on)
        for on in (True, False)
    )
    url = engine.endpoint_url
    with served(folded, engine_url=url, gateway_url=url):
        plain.configure(table_name=folded.table_name, endpoint_url=url, region=tables.REGION)
        yield Halls((folded, plain), engine)


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    return Turn(
        draw(lists()),
        size=draw(st.integers(1, 12)),
        backward=draw(st.booleans()),
        probing=draw(st.sampled_from([True, True, False])),
    )


def change(halls: Halls, data: st.DataObject) -> None:
    """Puts some items anywhere, and deletes some: ahead of the walks, behind them, elsewhere."""
    halls.put(data.draw(st.lists(halls.entries, max_size=3), label="put"))
    standing = {halls.entry(one).key for one in STANDING}
    there = sorted(halls.stored.entries.keys() - standing)
    if there:
        gone = st.lists(st.sampled_from(there), max_size=3, unique=True)
        halls.delete(data.draw(gone, label="deleted"))


def bound(patch: pytest.MonkeyPatch, data: st.DataObject) -> None:
    """Bounds so small that pages meet them often, or as they are."""
    for name, values in {
        "PAGE_MAX_READ": [1, 2, 3, 5, 9, reading.PAGE_MAX_READ],
        "FILTER_CHUNK": [1, 2, reading.FILTER_CHUNK],
        "FILTER_CHUNK_MIN": [1, 3, reading.FILTER_CHUNK_MIN],
    }.items():
        patch.setattr(reading, name, data.draw(st.sampled_from(values), label=name))


@effort(few=60, many=3_000)
@given(data=st.data())
async def test_walks_see_every_item_once_while_the_table_changes(
    halls: Halls, data: st.DataObject
) -> None:
    with halls.open(data.draw(st.lists(halls.entries, max_size=40))) as patch:
        bound(patch, data)
        folding = data.draw(st.booleans(), label="folding")
        changing = data.draw(st.booleans(), label="changing")
        walks = [Walk(turn) for turn in data.draw(st.lists(turns(), min_size=1, max_size=3))]
        for _ in range(MOST_STEPS):
            going = list(under_way(walks))
            if not going:
                break
            beside = data.draw(st.sampled_from(BESIDE), label="beside")
            pages = await halls.ask([walk.turn for walk in going], folding=folding, beside=beside)
            for walk, page in zip(going, pages, strict=True):
                walk.go_on(page)
            if changing:
                change(halls, data)
        else:
            pytest.fail("the walks do not end")
        if not changing:
            for walk in walks:
                all_of_it = walk.turn.listed.ranked(halls.stored)
                assert walk.in_order() == [identity(thing) for _, thing in all_of_it]

        cursors = [(walk.turn, cursor) for walk in walks for cursor in walk.cursors]
        for _ in range(min(len(cursors), 4)):
            turn, cursor = data.draw(st.sampled_from(cursors))
            size, backward = data.draw(st.integers(1, 12)), data.draw(st.booleans())
            turn = replace(turn, cursor=cursor, size=size, backward=backward, probing=True)
            await halls.ask([turn], folding=folding, beside="name")
