"""The shop served over HTTP, for clients that others wrote."""

from collections.abc import Generator

import pytest

from examples.shop.model import Order
from examples.shop.sample import sample
from tablefold import Gateway
from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.examples import CURSOR_SECRET, MODELS, Examples
from tests.harness.listening import listening


@pytest.fixture(scope="session")
def address(engine: Engine, examples: Examples) -> Generator[str, None, None]:
    gateway = Gateway(
        MODELS["shop"].table,
        endpoint_url=engine.endpoint_url,
        region=tables.REGION,
        table_name=examples.table("shop"),
        cursor_secret=CURSOR_SECRET,
    )
    with listening(gateway.asgi()) as at:
        yield f"{at}/graphql"


@pytest.fixture(scope="session")
def orders() -> list[str]:
    """The ids of u_001's orders, the newest first: what a walk must see, each once."""
    placed = [one for one in sample() if isinstance(one, Order) and one.user_id == "u_001"]
    return [one.id for one in sorted(placed, key=lambda one: (one.placed_on, one.id))[::-1]]
