"""The shop served over HTTP, for clients that others wrote."""

from collections.abc import Generator

import pytest

from examples.shop.model import Order, OrderStatus
from examples.shop.sample import sample
from tablefold import Gateway
from tablefold.loaders import reading
from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.examples import CURSOR_SECRET, MODELS, Examples
from tests.harness.listening import listening


@pytest.fixture(scope="session")
def address(engine: Engine, examples: Examples) -> Generator[str, None, None]:
    with listening(_shop(engine, examples).asgi()) as at:
        yield f"{at}/graphql"


@pytest.fixture(scope="module")
def sparse(engine: Engine, examples: Examples) -> Generator[str, None, None]:
    """The shop again, where a filtered page ends once it has examined a handful of items."""
    with pytest.MonkeyPatch.context() as patch, listening(_shop(engine, examples).asgi()) as at:
        patch.setattr(reading, "PAGE_MAX_READ", 5)
        yield f"{at}/graphql"


def _shop(engine: Engine, examples: Examples) -> Gateway:
    return Gateway(
        MODELS["shop"].table,
        endpoint_url=engine.endpoint_url,
        region=tables.REGION,
        table_name=examples.table("shop"),
        cursor_secret=CURSOR_SECRET,
    )


@pytest.fixture(scope="session")
def orders() -> list[str]:
    """The ids of u_001's orders, the newest first: what a walk must see, each once."""
    return [one.id for one in _orders()]


@pytest.fixture(scope="session")
def cancelled() -> list[str]:
    return [one.id for one in _orders() if one.status is OrderStatus.CANCELLED]


def _orders() -> list[Order]:
    placed = [one for one in sample() if isinstance(one, Order) and one.user_id == "u_001"]
    return sorted(placed, key=lambda one: (one.placed_on, one.id), reverse=True)
