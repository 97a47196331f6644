"""The examples with their sample data in an engine, and the operations they come with."""

import contextlib
import json
import re
from collections.abc import AsyncGenerator, Generator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

from examples.fund import model as fund
from examples.shop import model as shop
from tablefold import Gateway
from tablefold.store.engines import Engine
from tablefold.store.rows import items_of_object
from tablefold.store.tables import definition

from . import tables
from .proxy import Proxy

MODELS: Mapping[str, ModuleType] = {"shop": shop, "fund": fund}
CURSOR_SECRET = "1:" + "x" * 32
BATCH_WRITE_MAX_ITEMS = 25


@dataclass(frozen=True)
class Operation:
    """A file in an example's `operations`, such as `S3_profile_and_newest_orders.graphql`."""

    example: str
    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def row(self) -> str:
        """Its row in the table of patterns, such as S3."""
        return self.name.partition("_")[0]

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def writes(self) -> bool:
        return re.search(r"^mutation\b", self.text, re.MULTILINE) is not None

    @property
    def variables(self) -> dict[str, Any]:
        path = self.path.with_suffix(".variables.json")
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _operations() -> list[Operation]:
    found = [
        Operation(name, path)
        for name, model in MODELS.items()
        for path in model.gateway.operations.glob("*.graphql")
    ]
    return sorted(found, key=lambda one: (one.example, int(one.row[1:]), one.name))


OPERATIONS = _operations()
READS = [one for one in OPERATIONS if not one.writes]
WRITES = [one for one in OPERATIONS if one.writes]


class Examples:
    """Each example's table in one engine, made and filled when first asked for.

    Nobody may write into these: whoever writes takes a `fresh` one.
    """

    def __init__(self, engine: Engine, stack: contextlib.ExitStack) -> None:
        self._engine = engine
        self._stack = stack
        self._tables: dict[str, str] = {}

    def table(self, name: str) -> str:
        if name not in self._tables:
            self._tables[name] = self._stack.enter_context(self.filled(name))
        return self._tables[name]

    @contextlib.asynccontextmanager
    async def gateway(self, name: str, proxy: Proxy) -> AsyncGenerator[Gateway, None]:
        """A gateway of its own over the example's model, behind the recording proxy."""
        gateway = self.built(name, proxy)
        try:
            yield gateway
        finally:
            await gateway.close()

    @contextlib.asynccontextmanager
    async def fresh(self, name: str, proxy: Proxy) -> AsyncGenerator[Gateway, None]:
        """The same over a table of its own, which is dropped afterwards."""
        with self.filled(name) as table:
            gateway = self._over(table, name, proxy)
            proxy.clear()
            try:
                yield gateway
            finally:
                await gateway.close()

    def built(self, name: str, proxy: Proxy) -> Gateway:
        """One that whoever asks for it must close."""
        return self._over(self.table(name), name, proxy)

    def _over(self, table: str, name: str, proxy: Proxy) -> Gateway:
        model = MODELS[name]
        return Gateway(
            model.table,
            query=getattr(model, "Query", None),
            mutation=getattr(model, "Mutation", None),
            generated=True,
            endpoint_url=proxy.endpoint_url,
            region=tables.REGION,
            table_name=table,
            cursor_secret=CURSOR_SECRET,
        )

    @contextlib.contextmanager
    def filled(self, name: str) -> Generator[str, None, None]:
        """The name of a table with the example's sample, dropped afterwards."""
        gateway: Gateway = MODELS[name].gateway
        layout, sample = gateway.layout, gateway.sample
        if sample is None:
            raise RuntimeError(f"examples.{name} has no sample")
        items = [item for thing in sample() for item in items_of_object(layout, thing)]
        if self._engine.name == "moto":
            items = [{name: _trimmed(value) for name, value in item.items()} for item in items]
        url = self._engine.endpoint_url
        with tables.created(url, definition(layout, layout.name)) as table:
            for start in range(0, len(items), BATCH_WRITE_MAX_ITEMS):
                puts: Any = [
                    {"PutRequest": {"Item": item}}
                    for item in items[start : start + BATCH_WRITE_MAX_ITEMS]
                ]
                answer = tables.client(url).batch_write_item(RequestItems={table: puts})
                if left := answer.get("UnprocessedItems"):
                    raise RuntimeError(f"{self._engine.name} did not write {left}")
            yield table


def _trimmed(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """DynamoDB drops the zeros of 31.00; moto keeps a number as it was written."""
    return {"N": f"{Decimal(value['N']).normalize():f}"} if "N" in value else value
