"""Folding changes what an operation costs, and nothing of what it answers.

Random operations over the examples run on a gateway that folds, on one that does not, and on a
naive oracle. What was sent is counted at the engine, not by the code under test.
"""

import functools
from collections.abc import AsyncGenerator, Generator

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from examples.fund import model as fund
from examples.shop import model as shop
from tablefold.store.engines import Engine
from tests.harness.proxy import Proxy
from tests.properties.drawn_worlds import funds, shops
from tests.properties.effort import effort
from tests.properties.fund_world import Fund
from tests.properties.operations import Operation, operations
from tests.properties.oracle import Oracle
from tests.properties.shop_world import Shop
from tests.properties.twins import Judged, Twins, filled, holding, pair, twins
from tests.properties.worlds import World

pytestmark = pytest.mark.engines("dynoxide")

MODELS = {"shop": shop, "fund": fund}


@functools.cache
def world_of(name: str) -> World:
    return Shop.sampled() if name == "shop" else Fund.sampled()


@functools.cache
def drawn(name: str) -> st.SearchStrategy[Operation]:
    return drawn_from(world_of(name))


def drawn_from(world: World) -> st.SearchStrategy[Operation]:
    return operations(world.gateway.graphql_schema, world.pools)


@pytest.fixture(scope="module", params=MODELS)
def example(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def table(example: str, engine: Engine) -> Generator[str, None, None]:
    world = world_of(example)
    with filled(engine, world.gateway.layout, world.items()) as name:
        yield name


@pytest.fixture
async def both(example: str, table: str, proxy: Proxy) -> AsyncGenerator[Twins, None]:
    folded, plain = pair(MODELS[example])
    async with twins(folded, plain, proxy=proxy, table=table) as made:
        yield made


@pytest.fixture
async def bare(example: str, engine: Engine, proxy: Proxy) -> AsyncGenerator[Twins, None]:
    """Over an empty table."""
    folded, plain = pair(MODELS[example])
    with filled(engine, folded.layout, ()) as table:
        async with twins(folded, plain, proxy=proxy, table=table) as made:
            yield made


@effort(60, 2_500)
@given(data=st.data())
async def test_folded_or_not_an_operation_has_one_answer_and_it_is_right(
    example: str, both: Twins, data: st.DataObject
):
    await agree(both, world_of(example).oracle, data.draw(drawn(example)))


@effort(20, 1_000)
@given(data=st.data())
async def test_they_agree_on_whatever_stands_in_the_table(
    example: str, bare: Twins, engine: Engine, data: st.DataObject
):
    world: World = data.draw(shops() if example == "shop" else funds())
    asked = data.draw(st.lists(drawn_from(world), min_size=1, max_size=3))
    with holding(engine, bare, world.items()):
        for operation in asked:
            await agree(bare, world.oracle, operation)


async def agree(both: Twins, oracle: Oracle, operation: Operation) -> None:
    """On the operation, and on what goes on from its answer."""
    judged = Judged(both, oracle)
    outcome = await judged.same(operation)
    again = operation.followed(outcome.data)
    if again is not None:
        note(f"followed by {again}")
        await judged.same(again)
