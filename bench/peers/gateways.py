"""The shop's gateway where a peer works."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bench.peers.work import Place
from bench.stage import REGION, SECRET
from examples.shop.model import table as shop
from tablefold import Gateway


@asynccontextmanager
async def opened_at(place: Place) -> AsyncGenerator[Gateway, None]:
    gateway = Gateway(
        shop,
        endpoint_url=place.endpoint,
        region=REGION,
        table_name=place.table,
        cursor_secret=SECRET,
    )
    yield gateway
    await gateway.close()
