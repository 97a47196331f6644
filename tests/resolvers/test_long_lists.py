"""However long a partition is, an operation reads what it must of it, and no more."""

import datetime
from collections.abc import Generator
from typing import Any

import pytest
import strawberry

from tablefold.store.engines import Engine
from tests.harness.proxy import Proxy, Recorded
from tests.properties.both import opened
from tests.properties.effort import LONG
from tests.properties.halls import Guest, Hall, Seat, Talk
from tests.resolvers.asked import Asked, asking

pytestmark = pytest.mark.engines("dynoxide")

SIZE = 50_000 if LONG else 5_000
"""Items in one partition: half of them talks, half of them guests."""
HALL = strawberry.ID("a")
DAY = datetime.date(2024, 1, 1)
NOON = datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.UTC)
PER_DAY = 100


def things() -> Generator[object, None, None]:
    yield Hall(id=HALL, name="Great")
    for row in range(5):
        yield Seat(hall_id=HALL, row=row)
    for n in range(SIZE // 2):
        day = DAY + datetime.timedelta(days=n // PER_DAY)
        yield Talk(
            hall_id=HALL, held_on=day, n=n % 10_000, topic="bees", state="on", size=n % 10
        )  # fmt: skip
        came = NOON + datetime.timedelta(minutes=n)
        yield Guest(hall_id=HALL, came=came, id=strawberry.ID(str(n)), size=n % 10)


@pytest.fixture(scope="module")
def halls(engine: Engine) -> Generator[Any, None, None]:
    with opened(engine) as made:
        made.put(map(made.entry, things()))
        yield made


@pytest.fixture
async def ask(halls: Any, proxy: Proxy) -> Any:
    async with asking(halls.folded, proxy) as asked:
        yield asked


def items_read(request: Recorded) -> int:
    """As DynamoDB counts them, before any filter."""
    if request.operation == "Query":
        return request.response["ScannedCount"]
    if request.operation == "GetItem":
        return int("Item" in request.response)
    return sum(len(items) for items in request.response["Responses"].values())


def cost(ask: Asked) -> dict[str, int]:
    return {"requests": len(ask.sent), "items": sum(map(items_read, ask.sent))}


PAGE = "nodes { size } pageInfo { hasNextPage hasPreviousPage }"
SHORT = "nodes { size } pageInfo { endCursor }"


def talks(arguments: str, selected: str = PAGE) -> str:
    return f'talksByHallId(hallId: "a", {arguments}) {{ {selected} }}'


def filtered(where: str) -> str:
    return f'hall(id: "a") {{ name talks(first: 10, where: {where}) {{ {PAGE} }} }}'


COSTS = {
    # Ten, and one more to know whether there are more.
    "the first ten": (talks("first: 10"), 1, 11),
    "ten, whatever follows": (talks("first: 10", SHORT), 1, 10),
    "the last ten": (talks("last: 10"), 1, 11),
    "newest first": (talks("first: 10, direction: DESCENDING"), 1, 11),
    "after a cursor in the middle": (talks("first: 10, after: $c"), 1, 11),
    "before a cursor in the middle": (talks("last: 10, before: $c"), 1, 11),
    "a range": (talks('heldOn: {from: "2024-01-10"}, first: 10'), 1, 11),
    "the end of a range": (talks('heldOn: {to: "2024-01-10"}, last: 10'), 1, 11),
    "a range that holds three": (
        talks('heldOn: {eq: "2024-01-10"}, n: {from: 997}, first: 10'),
        1,
        3,
    ),
    "an index": (f'topics(topic: "bees", first: 10) {{ {PAGE} }}', 1, 11),
    "three shards": (f'states(state: "on", first: 10) {{ {PAGE} }}', 3, 33),
    # The page and the hall in one request, unless papers without number lie between them.
    "folded, newest first": (f'hall(id: "a") {{ name guests(first: 10) {{ {PAGE} }} }}', 1, 12),
    "folded, oldest first": (f'hall(id: "a") {{ name talks(first: 10) {{ {PAGE} }} }}', 2, 12),
    "both ends of the hall": (
        f'hall(id: "a") {{ name guests(first: 10) {{ {PAGE} }} talks(first: 10) {{ {PAGE} }} }}',
        2,
        23,
    ),
    # A filtered page examines four times its length, and then as much as what passed suggests;
    # it is read apart from the hall.
    "a filter that lets all pass": (filtered("{size: {ge: 0}}"), 2, 1 + 44),
    "a filter that lets a tenth pass": (filtered("{size: {eq: 3}}"), 4, 1 + 44 + 44 + 25),
    "a filter that lets nothing pass": (filtered("{size: {gt: 10}}"), 7, 1 + 1_000),
}


@pytest.mark.parametrize("name", COSTS)
async def test_ten_of_a_long_list_cost_about_ten(ask: Asked, name: str) -> None:
    query, requests, items = COSTS[name]
    if "$c" in query:
        await ask(f"query ($c: String) {{ {query} }}", c=await _cursor(ask))
    else:
        await ask(f"{{ {query} }}")

    assert cost(ask) == {"requests": requests, "items": items}


async def _cursor(ask: Asked) -> str:
    """Of a talk that many others precede."""
    cursor, page = None, dict[str, Any]()
    for _ in range(4):
        onward = f', after: "{cursor}"' if cursor else ""
        page = (
            await ask(
                f'{{ talksByHallId(hallId: "a", first: 200{onward})'
                " { edges { cursor } pageInfo { endCursor } } }"
            )
        )["talksByHallId"]
        cursor = page["pageInfo"]["endCursor"]
    return page["edges"][100]["cursor"]
