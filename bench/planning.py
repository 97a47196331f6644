"""Section: what planning a warm screen query costs, and what Tablefold adds to GraphQL in all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from graphql import OperationDefinitionNode, parse, validate
from graphql.execution.values import VariableValues

from examples.shop.model import table as shop
from tablefold import Gateway
from tablefold.loaders.asks import Answer, Ask
from tablefold.loaders.folding import fold
from tablefold.loaders.loader import Loader
from tablefold.loaders.reading import request_for
from tablefold.loaders.sending import Sender
from tablefold.resolvers.running import Runner
from tablefold.resolvers.selection import Selected, Selector
from tablefold.store.deadline import Deadline
from tablefold.store.wire import Reply, Request, Wire

from . import clock, readymade
from .effort import Effort
from .figures import table
from .screen import SCREEN, VARIABLES, shown
from .stage import REGION, SECRET, Stage


@dataclass(slots=True)
class Replay:
    """Brings each request to DynamoDB once; from then on the same reply is at hand."""

    wire: Wire
    replies: dict[Request, Reply] = field(default_factory=dict[Request, Reply])

    async def send(self, request: Request, *, deadline: Deadline) -> Reply:
        if (reply := self.replies.get(request)) is None:
            reply = self.replies[request] = await self.wire.send(request, deadline=deadline)
        return reply


class Replayed(Gateway):
    """A gateway without the way to the table: what is left is our own work, and GraphQL's."""

    replay: Replay | None = None

    def loader(self) -> Loader:
        if self.replay is None:
            self.replay = Replay(self.wire)
        sender = Sender(self.replay, Deadline.after(10), self.table_name, self.concurrency)
        return Loader(sender, home=self.layout.home)


class Planned(Exception):
    """Ends a run where its first requests would be sent."""


@dataclass(frozen=True, slots=True)
class Planner:
    """Asks and folds as an operation does, and stops there."""

    gateway: Gateway

    def known(self, ask: Ask) -> Answer | None:
        return None

    async def ask(self, asks: Sequence[Ask]) -> list[Answer]:
        home = self.gateway.layout.home
        for read in fold(dict.fromkeys(asks)):
            request_for(read, self.gateway.table_name, home)
        raise Planned

    def selector(self) -> tuple[Selector, OperationDefinitionNode]:
        document = parse(SCREEN)
        [operation] = [
            one for one in document.definitions if isinstance(one, OperationDefinitionNode)
        ]
        return Selector(self.gateway.graphql_schema, {}, VariableValues({}, VARIABLES)), operation

    def select(self, selector: Selector, operation: OperationDefinitionNode) -> list[Selected]:
        root = selector.schema.query_type
        if root is None:
            raise RuntimeError("the shop has a Query")
        return selector.select(root, [operation.selection_set], ())

    async def plan(self, selector: Selector, selected: list[Selected]) -> None:
        frame = self.gateway.frame({})
        frame.learn(selected)
        runner = Runner.over(self, frame, selector)
        try:
            await runner.run((one, None, lambda _: None) for one in selected)
        except Planned:
            return
        raise RuntimeError("the screen query was planned without a request")


def measure(stage: Stage, effort: Effort) -> str:
    stage.say("planning: the screen query, warm")
    return asyncio.run(_measure(stage, effort))


async def _measure(stage: Stage, effort: Effort) -> str:
    gateways = [
        made(shop, endpoint_url=stage.endpoint_url, region=REGION, cursor_secret=SECRET)
        for made in (Gateway, Replayed)
    ]
    whole, replayed = gateways
    ready = readymade.schema(readymade.user(shown(await replayed.execute(SCREEN, VARIABLES))))
    planner = Planner(replayed)
    selector, operation = planner.selector()
    selected = planner.select(selector, operation)

    async def cold() -> None:
        document = parse(SCREEN)
        if validate(replayed.graphql_schema, document):
            raise RuntimeError("the screen query is valid")
        planner.select(*planner.selector())

    figures = await clock.interleaved(
        {
            "ready": lambda: ready.execute(SCREEN, variable_values=VARIABLES),
            "replayed": lambda: replayed.execute(SCREEN, VARIABLES),
            "whole": lambda: whole.execute(SCREEN, VARIABLES),
            "planning": lambda: planner.plan(selector, selected),
            "cold": cold,
        },
        rounds=effort.rounds,
        times=effort.operations,
    )
    for gateway in gateways:
        await gateway.close()
    figures = {name: figure * 1_000 for name, figure in figures.items()}
    ready_ms, replayed_ms, whole_ms = (figures[one] for one in ("ready", "replayed", "whole"))
    return table(
        ("Screen query, one after the other", "CPU ms"),
        [
            ["planning, warm: asks, folds, requests", figures["planning"]],
            ["GraphQL alone, over ready-made objects", ready_ms],
            ["through the gateway, replies ready-made", replayed_ms],
            ["through the gateway, on the engine", whole_ms],
            ["what Tablefold adds to GraphQL, planning among it", replayed_ms - ready_ms],
            ["what its two requests add", whole_ms - replayed_ms],
            ["once for a document: parse, validate, select", figures["cold"]],
        ],
    )
