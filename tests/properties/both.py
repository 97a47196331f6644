"""One table twice: in an engine, and in plain Python."""

import contextlib
from collections.abc import Generator, Iterable, Sequence
from typing import Any

import pytest

from tablefold import Gateway
from tablefold.store.engines import Engine
from tablefold.store.writes import BATCH_WRITE_MAX_ITEMS
from tests.harness import tables
from tests.harness.serving import SECRET, UNLIMITED, data_of, served
from tests.properties.halls import Query, table
from tests.properties.listed import Entry, Key, Stored, entry
from tests.properties.walks import Judge, Sealed, Turn, items_read, operation, pages_in


class Halls:
    """Written to on both sides; what gateways show of the one is judged by the other."""

    def __init__(self, folded: Gateway, plain: Gateway, engine: Engine) -> None:
        self.folded, self.plain, self.engine = folded, plain, engine
        self.stored, self.sealed = Stored(), Sealed()
        self.judge = Judge(self.stored, self.sealed)

    def entry(self, thing: object) -> Entry:
        return entry(self.folded.layout, thing)

    def put(self, entries: Iterable[Entry]) -> None:
        new = {one.key: one for one in entries}
        self.stored.put(new.values())
        self._write([{"PutRequest": {"Item": one.item}} for one in new.values()])

    def delete(self, keys: Iterable[Key]) -> None:
        gone = [self.stored.entries.pop(key).key for key in keys]
        self._write(
            [{"DeleteRequest": {"Key": {"PK": {"S": pk}, "SK": {"S": sk}}}} for pk, sk in gone]
        )

    def _write(self, requests: list[Any]) -> None:
        client, name = tables.client(self.engine.endpoint_url), self.folded.table_name
        for start in range(0, len(requests), BATCH_WRITE_MAX_ITEMS):
            batch = requests[start : start + BATCH_WRITE_MAX_ITEMS]
            answer = client.batch_write_item(RequestItems={name: batch})
            assert not answer["UnprocessedItems"]

    @contextlib.contextmanager
    def holding(self, entries: Iterable[Entry]) -> Generator[pytest.MonkeyPatch, None, None]:
        """Filled for one example, and empty afterwards."""
        with pytest.MonkeyPatch.context() as patch:
            self.sealed.overhear(patch)
            try:
                self.put(entries)
                yield patch
            finally:
                self.delete(list(self.stored.entries))
                self.sealed.positions.clear()
                self.judge.bare.clear()

    async def ask(
        self, turns: Sequence[Turn], *, folding: bool = True, beside: str = ""
    ) -> list[Any]:
        """The pages of one operation, each of them judged."""
        gateway = self.folded if folding else self.plain
        result = await gateway.execute(operation(turns, beside=beside), explain=True)
        found = pages_in(data_of(result))
        pages = [found[f"a{at}"] for at in range(len(turns))]
        for at, (turn, page) in enumerate(zip(turns, pages, strict=True)):
            self.judge.judge(turn, page, items_read(result, f"a{at}"))
        return pages


@contextlib.contextmanager
def opened(engine: Engine, *, through: str | None = None) -> Generator[Halls, None, None]:
    """An empty table; gateways reach it at the engine's address, or at that of a proxy."""
    folded, plain = (
        Gateway(
            table,
            query=Query,
            generated=True,
            cursor_secret=SECRET,
            folding=on,
            limits=UNLIMITED,
        )
        for on in (True, False)
    )
    url = through or engine.endpoint_url
    with served(folded, engine_url=engine.endpoint_url, gateway_url=url):
        plain.configure(table_name=folded.table_name, endpoint_url=url, region=tables.REGION)
        yield Halls(folded, plain, engine)
