"""Section: sealing and opening a cursor."""

from __future__ import annotations

import asyncio

from tablefold.resolvers.paging import Cursors, Position
from tablefold.resolvers.paths import Path
from tablefold.store.cursors import Sealer
from tablefold.store.entities import Index
from tablefold.store.requests import KeyNames
from tablefold.store.spans import Span

from . import clock
from .effort import Effort
from .figures import table
from .stage import SECRET, Stage

TIMES = 100  # of each in one call that is timed


def measure(stage: Stage, effort: Effort) -> str:
    stage.say("cursors: sealed and opened")
    return asyncio.run(_measure(effort))


async def _measure(effort: Effort) -> str:
    home, gsi1 = Index(None, KeyNames("PK", "SK")), Index("GSI1", KeyNames("GSI1PK", "GSI1SK"))
    own = _cursors(home, home, ("USER#u_001",))
    sharded = _cursors(gsi1, home, tuple(f"STATUS#PENDING#{shard}" for shard in range(8)))
    order = "ORDER#2026-06-30#o_0285"
    here = Position(order)
    there = Position("2026-06-30#o_0285", "ORDER#o_0285", "META", 5)
    sealed, sealed_there = own.seal(here), sharded.seal(there)

    async def seal() -> None:
        for _ in range(TIMES):
            own.seal(here)

    async def open() -> None:
        for _ in range(TIMES):
            own.open(sealed)

    async def seal_there() -> None:
        for _ in range(TIMES):
            sharded.seal(there)

    async def open_there() -> None:
        for _ in range(TIMES):
            sharded.open(sealed_there)

    contenders = {
        "seal": seal,
        "open": open,
        "seal, sharded index": seal_there,
        "open, sharded index": open_there,
    }
    figures = await clock.interleaved(
        contenders, rounds=effort.rounds, times=max(1, effort.operations // 10)
    )
    lengths = [len(sealed), len(sealed), len(sealed_there), len(sealed_there)]
    return table(
        ("Cursor", "CPU µs", "characters"),
        [
            [name, figure * (1_000_000 / TIMES), length]
            for (name, figure), length in zip(figures.items(), lengths, strict=True)
        ],
    )


def _cursors(index: Index, home: Index, partitions: tuple[str, ...]) -> Cursors:
    return Cursors.of(
        Sealer.parse(SECRET),
        table="shop",
        field="User.orders",
        index=index,
        home=home,
        path=Path(partitions, Span.beginning("ORDER#"), descending=True),
        filter=None,
        viewer="u_001",
    )
