"""The stage of all measurements: a dynoxide of its own, with the tables that they read."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass

from tablefold import Gateway
from tablefold.store import engines, tables
from tablefold.store.loading import Loading, rows_of_objects
from tablefold.store.settings import Settings

ENGINE = "dynoxide"
REGION = "us-east-1"
SECRET = "1:" + "b" * 32

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Stage:
    endpoint_url: str
    say: Say

    def fill(self, gateway: Gateway, objects: Iterable[object]) -> None:
        """Creates the gateway's table, stores `objects` in it, and points the gateway there."""
        gateway.configure(endpoint_url=self.endpoint_url, region=REGION, cursor_secret=SECRET)
        dynamodb = tables.client(gateway.settings, gateway.session)
        tables.create(dynamodb, gateway.layout, gateway.table_name)
        report = asyncio.run(_load(gateway, objects))
        if report.rejected:
            raise RuntimeError(f"{gateway.table_name}: {report.rejections[0].why}")
        self.say(f"{gateway.table_name}: {report.items:,} items")


@contextlib.contextmanager
def set_up(say: Say) -> Generator[Stage, None, None]:
    directory = engines.obtain(ENGINE, Settings.from_environment().engines, say=say)
    with engines.start(ENGINE, directory) as engine:
        yield Stage(engine.endpoint_url, say)


async def _load(gateway: Gateway, objects: Iterable[object]):
    loading = Loading(gateway.wire, gateway.layout, gateway.table_name)
    try:
        rows = rows_of_objects(objects, gateway.layout)
        return await loading.load(rows, after=None, acknowledged=lambda _: None)
    finally:
        await gateway.close()
