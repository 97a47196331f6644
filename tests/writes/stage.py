"""A gateway on an engine, next to what its table should hold."""

import asyncio
import contextlib
import datetime
from collections.abc import Awaitable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from tablefold import Gateway
from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.messages import Message
from tests.harness.proxy import Proxy, Upstream, running
from tests.harness.serving import served
from tests.writes import model
from tests.writes.sending import Answer, Op, same, send, shown
from tests.writes.world import KINDS, NOW, Effect, Item, Key, Recorded, Thing, World, record_key

INDEXES = ("GSI1", "GSI2", "GSI3")
READS = ("GetItem", "BatchGetItem", "Query")

T = TypeVar("T")

TEN_ACTIONS = "Member must have length less than or equal to 10"
"""What DynamoDB Local of 2020 says of a transaction that DynamoDB would take."""


class Meddling(Proxy):
    """Lets somebody else write between what a write has read and what it sends."""

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.between: Awaitable[None] | None = None
        self.loop: asyncio.AbstractEventLoop | None = None

    async def answer(self, request: Message, engine: Upstream) -> Message:
        operation = request.headers.get("x-amz-target", "").rpartition(".")[2]
        if self.between is not None and operation not in READS and self.loop is not None:
            between, self.between = self.between, None
            await asyncio.wrap_future(
                asyncio.run_coroutine_threadsafe(_awaited(between), self.loop)
            )
        return await super().answer(request, engine)


async def _awaited(work: Awaitable[T]) -> T:
    return await work


@dataclass
class Stage:
    """Runs writes from outside of any event loop, and compares table and world after each."""

    gateway: Gateway
    engine_url: str
    proxy: Meddling
    runner: asyncio.Runner
    world: World
    steps: int = 0

    def empty(self) -> None:
        self.world = World()
        client, name = tables.client(self.engine_url), self.gateway.table_name
        for key in self.found():
            client.delete_item(TableName=name, Key={"PK": {"S": key[0]}, "SK": {"S": key[1]}})

    def run(self, work: Awaitable[T]) -> T:
        return self.runner.run(_awaited(work))

    # Writes.

    def write(self, op: Op, *, between: Sequence[Op] = ()) -> Answer:
        """Sends it and compares; those `between` are sent when `op` has read what it needs."""
        before, began = self.world.twin(), datetime.datetime.now(datetime.UTC)
        met: list[Answer] = []
        if between:
            self.proxy.loop = self.runner.get_loop()
            self.proxy.between = self._meet(between, met)
        try:
            answer = self.run(send(self.gateway, op))
        finally:
            unused, self.proxy.between = self.proxy.between, None
            if unused is not None:
                unused.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        for one, its in [*zip(between, met, strict=False), (op, answer)]:
            self._expect(one, its)
        self._settle(began)
        self.compare()
        if answer.code is None and op.channel == "graphql" and not met:
            self._compare_shown(op, answer, before)
        self.steps += 1
        return answer

    async def _meet(self, ops: Sequence[Op], met: list[Answer]) -> None:
        for op in ops:
            met.append(await send(self.gateway, op))

    def _expect(self, op: Op, answer: Answer) -> None:
        """Makes the world what it should be now, or says that the answer is wrong."""
        if TEN_ACTIONS in (answer.told or ""):
            return
        effects = [self.world.effect(change) for change in op.changes]
        codes = {code for effect in effects for code in effect.codes}
        known = self.world.records.get(op.idempotency_key or "")
        if known is not None:
            replay = known.made_for == made_for(op)
            assert answer.code == (None if replay else "CONFLICT"), (op, answer)
            assert answer.changed is (False if replay else None)
            return
        if codes:
            assert answer.code in codes, (op, answer, codes)
            return
        assert answer.code is None, (op, answer)
        assert answer.changed is all(effect.changed for effect in effects)
        self.world.apply(effects)
        if op.idempotency_key is not None and answer.changed:
            homes = tuple(map(home_after, op.changes, effects))
            self.world.records[op.idempotency_key] = Recorded(made_for(op), homes)

    def _settle(self, began: datetime.datetime) -> None:
        """Learns the stamps that the clock gave; they lie within the time of the write."""
        ended = datetime.datetime.now(datetime.UTC)
        found: dict[Key, Item] = {}
        for home, thing in self.world.things.items():
            new = {name for name, value in thing.values.items() if value == NOW}
            if not new:
                continue
            found = found or self.found()
            item = found.get(home, {})
            stamps = {name: item.get(_STORED[name], "") for name in new}
            for stamp in stamps.values():
                assert began <= datetime.datetime.fromisoformat(stamp) <= ended
            self.world.things[home] = replace(thing, values={**thing.values, **stamps})

    # What is there.

    def found(self) -> dict[Key, Item]:
        return {(item["PK"], item["SK"]): item for item in self._scanned()}

    def _scanned(self, **options: Any) -> list[Item]:
        client, name = tables.client(self.engine_url), self.gateway.table_name
        answer = client.scan(TableName=name, **options)
        assert "LastEvaluatedKey" not in answer
        return [plain(item) for item in answer["Items"]]

    def compare(self) -> None:
        right, found = self.world.items(), self.found()
        for key in self.world.records:
            record = found.get(record_key(key), {})
            assert len(record.pop("madeFor", "")) == 64
            assert record.pop("expiresAt", 0) > 86_000
        assert found == right
        for index in INDEXES:
            homes = [item for item in right.values() if f"{index}PK" in item]
            assert self.view(index, {item[f"{index}PK"] for item in homes}) == {
                (item["PK"], item["SK"]): item for item in homes
            }

    def view(self, index: str, partitions: set[str]) -> dict[Key, Item]:
        """What an index shows: partition by partition, and all of it together."""
        client, name = tables.client(self.engine_url), self.gateway.table_name
        queried: dict[Key, Item] = {}
        for partition in partitions:
            answer = client.query(
                TableName=name,
                IndexName=index,
                KeyConditionExpression=f"{index}PK = :p",
                ExpressionAttributeValues={":p": {"S": partition}},
            )
            items = [plain(item) for item in answer["Items"]]
            sorts = [item[f"{index}SK"] for item in items]
            assert sorts == sorted(sorts)
            for item in items:
                queried[item["PK"], item["SK"]] = item
        scanned = {(one["PK"], one["SK"]): one for one in self._scanned(IndexName=index)}
        assert queried == scanned
        return queried

    def _compare_shown(self, op: Op, answer: Answer, before: World) -> None:
        [change] = op.changes
        verb = type(change).__name__
        thing = None
        if verb not in ("Delete", "Unlink"):
            record = self.world.records.get(op.idempotency_key or "")
            home = record.homes[0] if record else _home(change)
            thing = self.world.things.get(home)
        elif answer.changed:
            thing = before.things.get(_home(change))
        right = shown(self.world, thing, op.fields)
        assert same(answer.shown, right), (op, answer.shown, right)

    # Other programs.

    def tamper(self, thing: Thing, *, extra: Item, absent: frozenset[str]) -> None:
        """Leaves an object as a program would that knows other attributes, and not all of ours."""
        tampered = replace(thing, extra={**thing.extra, **extra}, absent=thing.absent | absent)
        self.world.things[thing.home] = tampered
        client = tables.client(self.engine_url)
        for _, item in tampered.items():
            made: Any = {name: _serialised(value) for name, value in item.items()}
            client.put_item(TableName=self.gateway.table_name, Item=made)


_STORED = {"created_at": "createdAt", "updated_at": "updatedAt"}


def plain(item: Any) -> Item:
    return {name: TypeDeserializer().deserialize(value) for name, value in item.items()}


def _serialised(value: Any) -> Any:
    return TypeSerializer().serialize(value)


def made_for(op: Op) -> object:
    """What tells one input from another: `known` is only a help."""
    return op.channel, [
        repr({name: value for name, value in vars(change).items() if name != "known"})
        for change in op.changes
    ]


def _home(change: Any) -> Key:
    values = change.key if hasattr(change, "key") else change.values
    return KINDS[change.kind].home({**values, **getattr(change, "set", {})})


def home_after(change: Any, effect: Effect) -> Key:
    return effect.made[0].home if effect.made else _home(change)


@contextlib.contextmanager
def opened(engine: Engine) -> Generator[Stage, None, None]:
    with contextlib.ExitStack() as stack:
        proxy = stack.enter_context(running(Meddling(engine.endpoint_url)))
        runner = stack.enter_context(asyncio.Runner())
        gateway = model.gateway()
        stack.enter_context(
            served(gateway, engine_url=engine.endpoint_url, gateway_url=proxy.endpoint_url)
        )
        stack.callback(lambda: runner.run(gateway.close()))
        yield Stage(gateway, engine.endpoint_url, proxy, runner, World())
