"""DynamoDB ends a reply at a megabyte: pages and walks go on across such ends."""

import datetime
from collections.abc import Generator
from dataclasses import replace

import pytest
import strawberry

from tablefold.loaders import reading
from tablefold.store.engines import Engine
from tests.harness.proxy import Proxy, Recorded
from tests.properties.both import Halls, opened
from tests.properties.drawn_halls import SHARDS, STANDING
from tests.properties.halls import Talk, identity
from tests.properties.listed import EVERYTHING, Listed, Narrowed
from tests.properties.walks import Turn, Walk

pytestmark = pytest.mark.engines("dynoxide")  # the others cut elsewhere, or not at all

DAYS = [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)]
BALLAST = "x" * 150_000  # seven to a megabyte
TALKS = [
    Talk(
        hall_id=strawberry.ID("a"),
        held_on=DAYS[n // 12],
        n=n,
        topic="bees",
        state="on",
        size=n % 6,
        ballast=BALLAST,
    )
    for n in range(24)
]
LISTS = {
    "a partition": Listed("talks", (Talk,), ("HALL#a",), parent='hall(id: "a")'),
    "an index with ties": Listed(
        "topics", (Talk,), ("TOPIC#bees",), ("GSI1PK", "GSI1SK"), keys='topic: "bees"'
    ),
    "shards with ties": Listed(
        "states",
        (Talk,),
        tuple(f"STATE#on#{shard}" for shard in range(SHARDS)),
        ("GSI2PK", "GSI2SK"),
        keys='state: "on"',
        descending=True,
    ),
}
WHERES = {
    "all": EVERYTHING,
    "a sixth": Narrowed("size: {eq: 5}", lambda talk: talk.size == 5),
    "nothing": Narrowed("size: {gt: 5}", lambda talk: talk.size > 5),
}


@pytest.fixture(scope="module")
def halls(engine: Engine, pytestconfig: pytest.Config) -> Generator[Halls, None, None]:
    with opened(engine) as made:
        for talk in TALKS:
            made.put([made.entry(talk)])
        made.put(map(made.entry, STANDING))
        yield made


@pytest.mark.parametrize("most", [5, reading.PAGE_MAX_READ])
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("where", WHERES)
@pytest.mark.parametrize("name", LISTS)
async def test_a_walk_goes_on_where_replies_are_cut(
    halls: Halls, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, name: str, where: str,
    backward: bool, most: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(reading, "PAGE_MAX_READ", most)
    halls.sealed.overhear(monkeypatch)
    halls.folded.configure(endpoint_url=proxy.endpoint_url)
    listed = replace(LISTS[name], where=WHERES[where])
    walk = Walk(Turn(listed, size=10, backward=backward))
    while not walk.ended:
        [page] = await halls.ask([walk.turn], beside="name")
        walk.go_on(page)
    await halls.folded.close()

    whole = listed.ranked(halls.stored)
    assert walk.in_order() == [identity(thing) for _, thing in whole]
    assert any(map(_is_cut, proxy.sent)) or most < 8, "this test shows nothing"


def _is_cut(query: Recorded) -> bool:
    answer = query.response
    return "LastEvaluatedKey" in answer and answer["ScannedCount"] != query.limit
