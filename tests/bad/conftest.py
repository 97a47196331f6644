"""The bank, asked through the recording proxy."""

from collections.abc import AsyncGenerator, Generator

import pytest

from tablefold import Gateway, Limits
from tablefold.store.engines import Engine
from tests.bad.bank import ROWS, table
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET
from tests.resolvers.asked import Asked, asking, stored


@pytest.fixture(scope="module")
def bank(engine: Engine) -> Generator[Gateway, None, None]:
    made = Gateway(
        table, cursor_secret=SECRET, limits=Limits(tokens=None)
    )  # many ids are to reach it
    with stored(made, engine, ROWS) as gateway:
        yield gateway


@pytest.fixture
async def ask(bank: Gateway, proxy: Proxy) -> AsyncGenerator[Asked, None]:
    async with asking(bank, proxy) as asked:
        yield asked
