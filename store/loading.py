"""Bulk loading: rows in, BatchWriteItem out, one acknowledged stretch after the other.

A put is harmless when it is done twice, so a load that was interrupted may begin its last
stretch again. Within a stretch the last row of a key wins, as it would one by one. What has to
be unique is put by a transaction with its guards, which refuses values that another object has.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import os
import random
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

from .deadline import Deadline
from .entities import Layout
from .errors import (
    BadInput,
    DeadlineExceeded,
    RequestRefused,
    StoreError,
    TransactionCancelled,
    Unprocessed,
    passing,
)
from .requests import TRANSACT_MAX_ACTIONS, Key
from .retries import RetryPolicy
from .rows import items_of_line, items_of_object
from .rules import GUARD, OWNER, free
from .values import Item
from .wire import Reply, Request
from .writes import BATCH_WRITE_MAX_ITEMS, BatchWrite, Put, TransactWrite

STRETCH_ROWS = 1_000
CONCURRENT_BATCHES = 8
TAKEN = "Another object has the same values, and they have to be unique."
BATCH_SECONDS = 30.0
REJECTIONS_KEPT = 100
PROGRESS_SUFFIX = ".tablefold-progress"

# A load has time: it waits for a table that is scaling up, where a query would give up.
PATIENT = RetryPolicy(base=0.5, cap=10.0, attempts=8)


class Carrier(Protocol):
    """What brings a request to DynamoDB: the wire, or a test's stand-in for it."""

    async def send(self, request: Request, *, deadline: Deadline) -> Reply: ...


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a file or an object of a sample; `end` is the offset after it."""

    number: int
    end: int
    items: tuple[Item, ...] = ()
    rejected: str | None = None


@dataclass(frozen=True, slots=True)
class Rejection:
    number: int
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """What is acknowledged so far; of the rejections the first hundred are kept.

    `replaced` counts the items for which a later row of the same stretch had the same keys.
    """

    number: int = 0
    offset: int = 0
    rows: int = 0
    items: int = 0
    replaced: int = 0
    rejected: int = 0
    rejections: tuple[Rejection, ...] = ()

    def rejecting(self, more: Iterable[Rejection]) -> Report:
        found = sorted(more, key=lambda one: one.number)
        kept = (*self.rejections, *found)[:REJECTIONS_KEPT]
        return replace(self, rejected=self.rejected + len(found), rejections=kept)


def rows_of_file(path: Path, layout: Layout, *, after: Report | None = None) -> Iterator[Row]:
    """Each line that is not blank, from where `after` ends."""
    number, end = (after.number, after.offset) if after else (0, 0)
    with path.open("rb") as file:
        file.seek(end)
        for line in file:
            number, end = number + 1, end + len(line)
            if line.strip():
                yield _row(number, end, lambda line=line: items_of_line(layout, line))


def rows_of_objects(objects: Iterable[object], layout: Layout) -> Iterator[Row]:
    for number, thing in enumerate(objects, 1):
        yield _row(number, number, lambda thing=thing: items_of_object(layout, thing))


def _row(number: int, end: int, items: Callable[[], tuple[Item, ...]]) -> Row:
    try:
        return Row(number, end, items())
    except BadInput as error:
        return Row(number, end, rejected=str(error))


@dataclass(frozen=True, slots=True)
class Loading:
    """Where the rows go, and how fast."""

    carrier: Carrier
    layout: Layout
    table: str
    concurrency: int = CONCURRENT_BATCHES
    stretch: int = STRETCH_ROWS
    policy: RetryPolicy = PATIENT

    async def load(
        self,
        rows: Iterable[Row],
        *,
        after: Report | None = None,
        acknowledged: Callable[[Report], None] = lambda _: None,
    ) -> Report:
        """`acknowledged` hears of every stretch once the table has all of it."""
        report, rows = after or Report(), iter(rows)
        while stretch := list(itertools.islice(rows, self.stretch)):
            report = await self._stretch(stretch, report)
            acknowledged(report)
        return report

    async def _stretch(self, rows: list[Row], report: Report) -> Report:
        names = self.layout.home.names
        last: dict[Key, tuple[Item, int]] = {}
        for row in rows:
            for item in row.items:
                # BatchWriteItem refuses two writes to one key.
                last[names.key_of(item)] = item, row.number
        guarded = {row.number: row for row in rows if self._has_guards(row)}
        for number, row in tuple(guarded.items()):
            if last[names.key_of(row.items[0])][1] != number:  # a later row of the same object
                del guarded[number]
                last = {key: held for key, held in last.items() if held[1] != number}
        plain = [item for item, number in last.values() if number not in guarded]
        refused = await self._write(plain)
        rejections = {row.number: row.rejected for row in rows if row.rejected is not None}
        rejections |= {last[names.key_of(item)][1]: why for item, why in refused}
        for number, why in await self._guard(guarded.values()):
            rejections[number] = why
            refused += [(item, why) for item, owner in last.values() if owner == number]
        done = replace(
            report,
            number=rows[-1].number,
            offset=rows[-1].end,
            rows=report.rows + len(rows) - len(rejections),
            items=report.items + len(last) - len(refused),
            replaced=report.replaced + sum(len(row.items) for row in rows) - len(last),
        )
        return done.rejecting(Rejection(number, why) for number, why in rejections.items())

    async def _write(self, items: list[Item]) -> list[tuple[Item, str]]:
        """The items that the table refused, with its reasons."""
        places = asyncio.Semaphore(self.concurrency)
        refused: list[tuple[Item, str]] = []

        async def write(batch: tuple[Item, ...]) -> None:
            async with places:
                refused.extend(await self._batch(batch))

        starts = range(0, len(items), BATCH_WRITE_MAX_ITEMS)
        batches = [tuple(items[at : at + BATCH_WRITE_MAX_ITEMS]) for at in starts]
        tasks = [asyncio.create_task(write(batch)) for batch in batches]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return refused

    def _has_guards(self, row: Row) -> bool:
        sort = self.layout.home.names.sort
        return any(item[sort] == {"S": GUARD} for item in row.items)

    async def _guard(self, rows: Iterable[Row]) -> list[tuple[int, str]]:
        """Puts each row by a transaction of its own; the numbers that were refused, and why."""
        refused: list[tuple[int, str]] = []
        places = asyncio.Semaphore(self.concurrency)

        async def put(row: Row) -> None:
            if len(row.items) > TRANSACT_MAX_ACTIONS:
                refused.append((row.number, f"It takes more than {TRANSACT_MAX_ACTIONS} items."))
                return
            async with places:
                try:
                    await self._send(self._guarded(row))
                except TransactionCancelled as error:
                    if passing(error):
                        raise
                    taken = any(reason.failed for reason in error.reasons)
                    refused.append((row.number, TAKEN if taken else str(error)))
                except RequestRefused as error:
                    refused.append((row.number, str(error)))

        # One after the other where rows of a stretch want the same: the first one has it.
        for together in _apart(rows, self.layout):
            await asyncio.gather(*map(put, together))
        return refused

    def _guarded(self, row: Row) -> TransactWrite:
        names = self.layout.home.names
        actions = [
            Put(self.table, item, free(item[OWNER]) if item[names.sort] == {"S": GUARD} else None)
            for item in row.items
        ]
        return TransactWrite(tuple(actions), token=str(uuid.uuid4()))

    async def _batch(self, items: tuple[Item, ...]) -> list[tuple[Item, str]]:
        """One bad item has a whole batch refused: halves are tried until it stands alone."""
        try:
            await self._send(BatchWrite(self.table, self.layout.home.names, items))
        except RequestRefused as error:
            if len(items) == 1:
                return [(items[0], str(error))]
            middle = len(items) // 2
            return [*await self._batch(items[:middle]), *await self._batch(items[middle:])]
        return []

    async def _send(self, request: BatchWrite | TransactWrite) -> None:
        attempt = 1
        while True:
            try:
                await self.carrier.send(request, deadline=Deadline.after(BATCH_SECONDS))
            except StoreError as error:
                rest = _rest(error)
                if rest is not None and (fewer := _fewer(rest, request)):
                    request, attempt = fewer, 1
                if not passing(error) and not isinstance(error, DeadlineExceeded):
                    raise
                pause = self.policy.pause(attempt, chance=random.random(), remaining=math.inf)
                if pause is None:
                    raise
                await asyncio.sleep(pause)
                attempt += 1
            else:
                return


def _apart(rows: Iterable[Row], layout: Layout) -> Iterator[list[Row]]:
    """Rows in their order, those with an item in common in different groups."""
    waiting = list(rows)
    while waiting:
        taken: set[Key] = set()
        together: list[Row] = []
        later: list[Row] = []
        for row in waiting:
            keys = {layout.home.names.key_of(item) for item in row.items}
            if keys & taken:
                later.append(row)
            else:
                together.append(row)
            taken |= keys
        yield together
        waiting = later


def _fewer(rest: BatchWrite, request: BatchWrite | TransactWrite) -> BatchWrite | None:
    """The rest, where something of the request was done."""
    return rest if isinstance(request, BatchWrite) and len(rest) < len(request) else None


def _rest(error: StoreError) -> BatchWrite | None:
    left = error.reply.unprocessed if isinstance(error, Unprocessed) else None
    return left if isinstance(left, BatchWrite) else None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a file was loaded, written next to it; it counts for this file and target only."""

    data: Path
    target: str

    @property
    def path(self) -> Path:
        return self.data.with_name(self.data.name + PROGRESS_SUFFIX)

    def read(self) -> Report | None:
        """None where there is none, or where it is of another table or an older file."""
        try:
            held = json.loads(self.path.read_text())
            if held["of"] != self._identity():
                return None
            done = held["done"]
            rejections = tuple(Rejection(**one) for one in done.pop("rejections"))
            return Report(**done, rejections=rejections)
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, AttributeError):
            return None

    def write(self, report: Report) -> None:
        """Whole or not at all, however the process ends."""
        beside = self.path.with_name(self.path.name + ".new")
        with beside.open("w") as file:
            json.dump({"of": self._identity(), "done": asdict(report)}, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.path)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)

    def _identity(self) -> list[object]:
        stat = self.data.stat()
        return [self.target, stat.st_size, stat.st_mtime_ns]
