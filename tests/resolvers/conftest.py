"""Asking a module's own `gateway` through the recording proxy."""

from collections.abc import AsyncGenerator

import pytest

from tablefold import Gateway
from tests.harness.proxy import Proxy
from tests.resolvers.asked import Asked, asking


@pytest.fixture
async def ask(gateway: Gateway, proxy: Proxy) -> AsyncGenerator[Asked, None]:
    async with asking(gateway, proxy) as asked:
        yield asked
