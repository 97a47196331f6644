"""Walks through lists of random data, while it changes, see all there is and nothing twice."""

from collections.abc import Generator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefold.loaders import reading
from tablefold.store.engines import Engine
from tests.harness.messages import Message
from tests.harness.proxy import Proxy, Upstream, running
from tests.properties.both import Halls, opened
from tests.properties.drawn_halls import STANDING, lists, strangers, things
from tests.properties.effort import effort
from tests.properties.halls import identity
from tests.properties.listed import Entry, Key
from tests.properties.walks import Turn, Walk, under_way

pytestmark = pytest.mark.engines("dynoxide")

MOST_STEPS = 400
BESIDE = ["", "name", "name seats { row }", "seats { row }"]


class Meddling(Proxy):
    """Lets a walk be disturbed between the requests of one page."""

    halls: Halls

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.walks: Sequence[Walk] = ()
        self.planned: list[Entry | Key] = []

    async def answer(self, request: Message, engine: Upstream) -> Message:
        if self.planned:
            self._change(self.planned.pop())
        return await super().answer(request, engine)

    def _change(self, planned: Entry | Key) -> None:
        """Only where no list that is walked shows what comes, nor what goes."""
        coming = planned if isinstance(planned, Entry) else None
        key = planned.key if isinstance(planned, Entry) else planned
        going = self.halls.stored.entries.get(key)
        touched = [one for one in (coming, going) if one is not None]
        if any(walk.turn.listed.shows(one) for walk in self.walks for one in touched):
            return
        if coming is not None:
            self.halls.put([coming])
        elif going is not None:
            self.halls.delete([key])


@pytest.fixture(scope="module")
def halls(engine: Engine) -> Generator[Halls, None, None]:
    with opened(engine) as made:
        yield made


@pytest.fixture(scope="module")
def meddling(engine: Engine) -> Generator[Meddling, None, None]:
    with running(Meddling(engine.endpoint_url)) as proxy:
        assert isinstance(proxy, Meddling)
        with opened(engine, through=proxy.endpoint_url) as proxy.halls:
            yield proxy


def entries(halls: Halls) -> st.SearchStrategy[Entry]:
    return st.one_of(things().map(halls.entry), strangers())


def filled(halls: Halls) -> st.SearchStrategy[list[Entry]]:
    standing = [halls.entry(one) for one in STANDING]
    return st.lists(entries(halls), max_size=40).map(lambda drawn: [*standing, *drawn])


@st.composite
def some_walks(draw: st.DrawFn, among: Sequence[str] = ()) -> list[Walk]:
    turns = st.builds(
        Turn,
        lists(among),
        size=st.one_of(st.integers(1, 3), st.integers(1, 12)),
        backward=st.booleans(),
        probing=st.sampled_from([True, True, False]),
    )
    return [Walk(turn) for turn in draw(st.lists(turns, min_size=1, max_size=3))]


def bound(patch: pytest.MonkeyPatch, data: st.DataObject) -> None:
    """Bounds so small that pages meet them often, or as they are."""
    for name, values in {
        "PAGE_MAX_READ": [1, 2, 3, 5, 9, reading.PAGE_MAX_READ],
        "FILTER_CHUNK": [1, 2, reading.FILTER_CHUNK],
        "FILTER_CHUNK_MIN": [1, 3, reading.FILTER_CHUNK_MIN],
    }.items():
        patch.setattr(reading, name, data.draw(st.sampled_from(values), label=name))


def change(halls: Halls, data: st.DataObject) -> None:
    """Puts some items anywhere, and deletes some: ahead of the walks, behind them, elsewhere."""
    halls.put(data.draw(st.lists(entries(halls), max_size=3), label="put"))
    standing = {halls.entry(one).key for one in STANDING}
    there = sorted(halls.stored.entries.keys() - standing)
    if there:
        gone = st.lists(st.sampled_from(there), max_size=3, unique=True)
        halls.delete(data.draw(gone, label="deleted"))


async def step(halls: Halls, walks: Sequence[Walk], data: st.DataObject, *, folding: bool) -> None:
    """One page more of every list that has not ended."""
    going = list(under_way(walks))
    beside = data.draw(st.sampled_from(BESIDE), label="beside")
    pages = await halls.ask([walk.turn for walk in going], folding=folding, beside=beside)
    for walk, page in zip(going, pages, strict=True):
        walk.go_on(page)


def hold_complete(halls: Halls, walks: Sequence[Walk]) -> None:
    for walk in walks:
        whole = walk.turn.listed.ranked(halls.stored)
        assert walk.in_order() == [identity(thing) for _, thing in whole]


@pytest.mark.parametrize("among", [[], ["states"], ["topics"]], ids=["any", "shards", "index"])
@effort(few=30, many=2_000)
@given(data=st.data())
async def test_walks_see_every_item_once_while_the_table_changes(
    halls: Halls, among: list[str], data: st.DataObject
) -> None:
    with halls.holding(data.draw(filled(halls))) as patch:
        bound(patch, data)
        folding = data.draw(st.booleans(), label="folding")
        changing = data.draw(st.booleans(), label="changing")
        walks = data.draw(some_walks(among))
        for _ in range(MOST_STEPS):
            if not any(under_way(walks)):
                break
            await step(halls, walks, data, folding=folding)
            if changing:
                change(halls, data)
        else:
            pytest.fail("the walks do not end")
        if not changing:
            hold_complete(halls, walks)

        cursors = [(walk.turn, cursor) for walk in walks for cursor in walk.cursors]
        for _ in range(min(len(cursors), 4)):
            turn, cursor = data.draw(st.sampled_from(cursors))
            size, backward = data.draw(st.integers(1, 12)), data.draw(st.booleans())
            turn = replace(turn, cursor=cursor, size=size, backward=backward, probing=True)
            await halls.ask([turn], folding=folding, beside="name")


@effort(few=30, many=2_000)
@given(data=st.data())
async def test_what_changes_elsewhere_between_two_requests_of_a_page_changes_no_page(
    meddling: Meddling, data: st.DataObject
) -> None:
    halls = meddling.halls
    first = data.draw(filled(halls))
    with halls.holding(first) as patch:
        bound(patch, data)
        meddling.walks = walks = data.draw(some_walks())
        there = sorted({one.key for one in first} - {halls.entry(one).key for one in STANDING})
        keys = [st.sampled_from(there)] if there else []
        meddling.planned = data.draw(st.lists(st.one_of(entries(halls), *keys), max_size=30))
        for _ in range(MOST_STEPS):
            if not any(under_way(walks)):
                break
            await step(halls, walks, data, folding=True)
        else:
            pytest.fail("the walks do not end")
        hold_complete(halls, walks)
        meddling.planned = []
