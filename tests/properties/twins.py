"""One table behind two gateways: one that folds, and one that reads every collection by itself."""

import contextlib
import functools
from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import boto3
from graphql import GraphQLError

from tablefold import Gateway
from tablefold.resolvers.explaining import explained_plan
from tablefold.store.engines import Engine
from tablefold.store.entities import Layout
from tablefold.store.tables import definition
from tablefold.store.values import Item
from tests.harness import tables
from tests.harness.proxy import Proxy, Recorded
from tests.harness.serving import SECRET, UNLIMITED, for_boto3
from tests.properties.operations import Operation
from tests.properties.oracle import Oracle, pairs, translated

BATCH_WRITE_MAX_ITEMS = 25
DEADLINE = 120.0
"""A busy machine must not look like a wrong answer."""
MEASURED = (
    *("serves", "capacity", "itemsRead", "itemsReturned", "startedAfter", "milliseconds"),
    *("retries", "times", "itemsExpected", "capacityExpected"),
)


@dataclass(frozen=True)
class Outcome:
    """An answer, what the gateway says that it sent, and what the engine was sent."""

    data: Any
    errors: list[tuple[list[Any], str, str]]
    explained: dict[str, Any]
    sent: list[Recorded]

    @property
    def answer(self) -> tuple[Any, list[tuple[list[Any], str, str]]]:
        return self.data, self.errors

    @property
    def paths(self) -> list[list[Any]]:
        return [path for path, _, _ in self.errors]

    @property
    def requests(self) -> int:
        return len(self.sent) - self.retries

    @property
    def retries(self) -> int:
        return sum(one["retries"] for wave in self.waves for one in wave)

    @property
    def waves(self) -> list[list[dict[str, Any]]]:
        return [wave["requests"] for wave in self.explained["waves"]]


@dataclass(frozen=True)
class Twins:
    folded: Gateway
    plain: Gateway
    proxy: Proxy
    tally: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]], repr=False)
    """Requests of each operation, folded and not."""

    def summary(self) -> str:
        """For `pytest -s`: what folding has saved."""
        sums = [sum(counts) for counts in zip(*self.tally, strict=True)]
        fewer = sum(1 for folded, plain in self.tally if folded < plain)
        most = max(plain - folded for folded, plain in self.tally)
        return (
            f"{len(self.tally)} operations: {sums[0]} requests folded, {sums[1]} unfolded; "
            f"fewer for {fewer}, by {most} at most"
        )

    async def ask(self, gateway: Gateway, operation: Operation) -> Outcome:
        self.proxy.clear()
        result = await gateway.execute(operation.text, operation.variables, explain=True)
        explained = (result.extensions or {})["explain"]
        errors = sorted(map(_told, result.errors or ()), key=str)
        return Outcome(result.data, errors, explained, self.proxy.sent)

    async def first_wave(self, operation: Operation) -> list[dict[str, Any]]:
        """What the plan sends first, without touching the table."""
        self.proxy.clear()
        plan = await self.folded.plan(operation.text, operation.variables)
        assert self.proxy.sent == []
        waves = explained_plan(plan)["waves"]
        return [asked(one) for one in waves[0]["requests"]] if waves else []


def asked(request: dict[str, Any]) -> dict[str, Any]:
    """A request of a plan or of an answer, without what only the one or the other can tell."""
    return {name: value for name, value in request.items() if name not in MEASURED}


def _told(error: GraphQLError) -> tuple[list[Any], str, str]:
    return list(error.path or ()), (error.extensions or {})["code"], error.message


@contextlib.asynccontextmanager
async def twins(
    folded: Gateway, plain: Gateway, *, proxy: Proxy, table: str
) -> AsyncGenerator[Twins, None]:
    for gateway in (folded, plain):
        gateway.configure(
            table_name=table,
            endpoint_url=proxy.endpoint_url,
            region=tables.REGION,
            cursor_secret=SECRET,
        )
    both = Twins(folded, plain, proxy)
    try:
        yield both
    finally:
        if both.tally:
            print(both.summary())
        for gateway in (folded, plain):
            await gateway.close()


@functools.cache
def session() -> boto3.Session:
    """One for all gateways: to make it takes longer than an operation."""
    return boto3.Session(region_name=tables.REGION)


def pair(model: Any) -> tuple[Gateway, Gateway]:
    """An example's gateway, folding and not."""
    query = getattr(model, "Query", None)
    made = (
        Gateway(
            model.table,
            query=query,
            generated=True,
            folding=folding,
            session=session(),
            deadline=DEADLINE,
            limits=UNLIMITED,
        )
        for folding in (True, False)
    )
    return next(made), next(made)


@contextlib.contextmanager
def filled(engine: Engine, layout: Layout, items: Iterable[Item]) -> Generator[str, None, None]:
    """The name of a fresh table that holds `items`, of which no two have one key."""
    with tables.created(engine.endpoint_url, definition(layout, layout.name)) as table:
        _write(engine, table, [{"PutRequest": {"Item": for_boto3(item)}} for item in items])
        yield table


@contextlib.contextmanager
def holding(engine: Engine, both: Twins, items: Sequence[Item]) -> Generator[None, None, None]:
    """The twins' table holds `items` for a while, and none of them afterwards."""
    names, table = both.folded.layout.home.names, both.folded.table_name
    keys = [{name: item[name] for name in (names.partition, names.sort)} for item in items]
    _write(engine, table, [{"PutRequest": {"Item": for_boto3(item)}} for item in items])
    try:
        yield
    finally:
        _write(engine, table, [{"DeleteRequest": {"Key": key}} for key in keys])


def _write(engine: Engine, table: str, requests: Sequence[Any]) -> None:
    dynamodb = tables.client(engine.endpoint_url)
    for start in range(0, len(requests), BATCH_WRITE_MAX_ITEMS):
        batch: Any = requests[start : start + BATCH_WRITE_MAX_ITEMS]
        dynamodb.batch_write_item(RequestItems={table: batch})


@dataclass
class Judged:
    """Twins and an oracle that must agree on every operation; cursors are matched as they come."""

    both: Twins
    oracle: Oracle | None = None
    bounded: bool = True
    """Whether no collection holds more than is declared, so that costs can be foreseen."""
    cursors: dict[str, str] = field(default_factory=dict[str, str])

    async def same(self, operation: Operation) -> Outcome:
        planned = await self.both.first_wave(operation)
        folded = await self.both.ask(self.both.folded, operation)
        plain = await self.both.ask(self.both.plain, operation)
        self.both.tally.append((folded.requests, plain.requests))
        for outcome in (folded, plain):
            _as_explained(outcome)
            assert "INTERNAL" not in [code for _, code, _ in outcome.errors]
        assert folded.answer == plain.answer, f"{folded.answer}\nunfolded is\n{plain.answer}"
        _as_planned(planned, folded)
        if self.bounded:
            assert folded.requests <= plain.requests, f"{folded.waves}\nbut\n{plain.waves}"
        if self.oracle is not None:
            self._right(operation, folded, self.oracle)
        return folded

    def _right(self, operation: Operation, outcome: Outcome, oracle: Oracle) -> None:
        if any(slot.foreign for slot in operation.slots):
            return  # the oracle does not know which lists are one list
        expected = oracle.answer(operation.text, translated(operation.variables, self.cursors))
        self.cursors |= pairs(outcome.data, expected.data)
        given = translated(outcome.data, self.cursors)
        assert given == expected.data, f"{given}\nshould be\n{expected.data}\n{expected.errors}"
        refused = sorted((list(error.path or ()) for error in expected.errors or ()), key=str)
        assert sorted(outcome.paths, key=str) == refused


def _as_explained(outcome: Outcome) -> None:
    """What the gateway says that it sent is what the engine was sent."""
    said = [one for wave in outcome.waves for one in wave]
    assert outcome.explained["requests"] == len(said)
    assert len(said) + outcome.retries == len(outcome.sent), f"{said}\nbut sent\n{outcome.sent}"
    if outcome.retries == 0:  # a busy machine may let a request time out
        operations = sorted(one["operation"] for one in said)
        assert operations == sorted(one.operation for one in outcome.sent)
        assert outcome.explained["capacity"] == sum(capacity(one) for one in outcome.sent)


def capacity(one: Recorded) -> float:
    consumed: Any = one.response["ConsumedCapacity"]
    parts = cast("list[Any]", consumed if isinstance(consumed, list) else [consumed])
    return sum(part["CapacityUnits"] for part in parts)


def _as_planned(planned: list[dict[str, Any]], outcome: Outcome) -> None:
    """The first wave needs no answer, so the plan knows it; what goes on from a page follows."""
    sent = [asked(one) for one in outcome.waves[0]] if outcome.waves else []
    for one in planned:
        assert one in sent
        sent.remove(one)
    for one in sent:
        alike = [other for other in planned if _page(other) == _page(one)]
        assert alike, one


def _page(request: dict[str, Any]) -> list[Any]:
    return [request.get(name) for name in ("operation", "keyCondition", "descending", "filter")]
