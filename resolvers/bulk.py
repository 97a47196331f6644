"""Many new objects at once: each is written whole or not at all, and each has its own result."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ..store.entities import Entity
from ..store.errors import (
    BadInput,
    StoreError,
    TablefoldError,
    Unprocessed,
    WriteRefused,
    passing,
)
from ..store.requests import TRANSACT_MAX_ACTIONS, Key
from ..store.values import Item
from ..store.weights import TRANSACTION_MAX_BYTES
from ..store.writes import BATCH_WRITE_MAX_ITEMS, BatchWrite, Put
from . import bounds
from .changes import Creation
from .drafting import Drafter
from .drafts import Draft, Step
from .needs import placing
from .refusing import Failure, refusal
from .writing import RACES, Writer, Written, as_drafted, unknown

CONCURRENT_CHUNKS = 8

Result: TypeAlias = Written | TablefoldError


def may_overwrite(entity: Entity) -> bool:
    """Whether an object can be put without a look at what stood there: nothing of it, neither a
    copy elsewhere nor a guard nor a version, would be left behind.
    """
    rules = entity.rules
    told = placing(entity) <= set(entity.home.names)
    return told and not rules.uniques and rules.version is None and rules.created is None


@dataclass(slots=True)
class _Chunk:
    """Objects that fit into one transaction: no two of them have an item in common."""

    drafts: list[tuple[int, Draft]] = field(default_factory=list["tuple[int, Draft]"])
    keys: set[Key] = field(default_factory=set[Key])
    weight: int = 0

    def takes(self, draft: Draft) -> bool:
        return (
            len(self.keys) + len(draft.steps) <= TRANSACT_MAX_ACTIONS
            and self.weight + bounds.weight(draft) <= TRANSACTION_MAX_BYTES
        )

    def add(self, at: int, draft: Draft) -> None:
        self.drafts.append((at, draft))
        self.keys |= _keys(draft)
        self.weight += bounds.weight(draft)


def _keys(draft: Draft) -> set[Key]:
    return {step.key for step in draft.steps}


@dataclass(slots=True)
class Bulk:
    writer: Writer
    results: dict[int, Result] = field(default_factory=dict[int, Result])

    async def create(self, changes: Sequence[Creation], *, overwrite: bool) -> list[Result]:
        """A result for each, in order: what was written, or why it was not."""
        drafts = list(self._drafted(changes))
        if overwrite:
            await self._put(drafts)
        else:
            while drafts:
                drafts = await self._round(drafts)
        return [self.results[at] for at in range(len(changes))]

    def _drafted(self, changes: Sequence[Creation]) -> Iterable[tuple[int, Draft]]:
        writer = self.writer
        drafter = Drafter(writer.layout, writer.sender.table, writer.clock())
        for at, change in enumerate(changes):
            try:
                draft = drafter.draft(change, None)
                bounds.check([draft], draft.steps)
            except BadInput as error:
                self.results[at] = error
            else:
                yield at, draft

    # With conditions: transactions.

    async def _round(self, drafts: Sequence[tuple[int, Draft]]) -> list[tuple[int, Draft]]:
        """What has an item in common with an earlier one waits for the next round."""
        chunks, waiting = _packed(drafts)
        places = asyncio.Semaphore(CONCURRENT_CHUNKS)

        async def write(chunk: _Chunk) -> None:
            async with places:
                await self._write(chunk.drafts)

        await asyncio.gather(*map(write, chunks))
        return waiting

    async def _write(self, drafts: list[tuple[int, Draft]]) -> None:
        """One that is refused takes the whole transaction along: the others are sent again."""
        while drafts:
            try:
                outcome = await self.writer.write([draft.change for _, draft in drafts])
            except WriteRefused as error:
                refused = self._refuse(drafts, error)
                drafts = [(at, draft) for at, draft in drafts if at not in refused]
            except TablefoldError as error:
                self.results |= {at: error for at, _ in drafts}
                return
            else:
                pairs = zip(drafts, outcome.written, strict=True)
                self.results |= {at: written for (at, _), written in pairs}
                return

    def _refuse(self, drafts: Sequence[tuple[int, Draft]], error: WriteRefused) -> set[int]:
        failures = [one for one in error.causes if isinstance(one, Failure)]
        refused: set[int] = set()
        for at, draft in drafts:
            own = [one for one in failures if one.change is draft.change]
            if own or not failures:
                self.results[at] = refusal(own) if own else error
                refused.add(at)
        return refused

    # Without conditions: batches.

    async def _put(self, drafts: Sequence[tuple[int, Draft]]) -> None:
        names = self.writer.layout.home.names
        items: dict[Key, tuple[int, Item]] = {}
        for at, draft in drafts:
            made = [(step.key, item) for step, item in _puts(draft)]
            if any(key in items for key, _ in made):
                self.results[at] = BadInput("An input before this one has the same key.")
                continue
            items |= {key: (at, item) for key, item in made}
            self.results[at] = as_drafted(draft)
        pending = list(items.values())
        places = asyncio.Semaphore(CONCURRENT_CHUNKS)

        async def write(batch: list[tuple[int, Item]]) -> None:
            async with places:
                puts = tuple(item for _, item in batch)
                left = await self._batch(BatchWrite(self.writer.sender.table, names, puts))
            for at, item in batch:
                if (error := left.get(names.key_of(item))) is not None:
                    self.results[at] = error

        starts = range(0, len(pending), BATCH_WRITE_MAX_ITEMS)
        await asyncio.gather(*(write(pending[at : at + BATCH_WRITE_MAX_ITEMS]) for at in starts))

    async def _batch(self, request: BatchWrite) -> dict[Key, TablefoldError]:
        """The keys that were not written, or of which nobody can tell.

        A put that comes twice does what it does once.
        """
        attempt, unsure = 1, False
        while True:
            try:
                await self.writer.send(request)
            except StoreError as error:
                unsure = unsure or error.may_have_applied
                if isinstance(error, Unprocessed) and isinstance(
                    error.reply.unprocessed, BatchWrite
                ):
                    request = error.reply.unprocessed
                remaining = self.writer.sender.deadline.remaining()
                pause = RACES.pause(attempt, chance=random.random(), remaining=remaining)
                if pause is None or not passing(error):
                    told = unknown() if unsure else error
                    return {request.names.key_of(item): told for item in request.puts}
                attempt += 1
                await asyncio.sleep(pause)
            else:
                return {}


def _packed(
    drafts: Sequence[tuple[int, Draft]],
) -> tuple[list[_Chunk], list[tuple[int, Draft]]]:
    chunks: list[_Chunk] = []
    waiting: list[tuple[int, Draft]] = []
    taken: set[Key] = set()
    for at, draft in drafts:
        if taken & _keys(draft):
            waiting.append((at, draft))
            continue
        taken |= _keys(draft)
        if not chunks or not chunks[-1].takes(draft):
            chunks.append(_Chunk())
        chunks[-1].add(at, draft)
    return chunks, waiting


def _puts(draft: Draft) -> Iterable[tuple[Step, Item]]:
    for step in draft.steps:
        if isinstance(step.action, Put):
            yield step, step.action.item
