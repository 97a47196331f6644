"""Bulk loading: rows in, BatchWriteItem out, one acknowledged stretch after the other.

A put is harmless when it is done twice, so a load that was interrupted may begin its last
stretch again. Within a stretch the last row of a key wins, as it would one by one.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import os
import random
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
    Unprocessed,
    passing,
)
from .requests import BATCH_WRITE_MAX_ITEMS, BatchWrite, Key, Request
from .retries import RetryPolicy
from .rows import items_of_line, items_of_object
from .values import Item
from .wire import Reply

STRETCH_ROWS = 1_000
CONCURRENT_BATCHES = 8
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
        refused = await self._write([item for item, _ in last.values()])
        rejections = {row.number: row.rejected for row in rows if row.rejected is not None}
        rejections |= {last[names.key_of(item)][1]: why for item, why in refused}
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

    async def _send(self, request: BatchWrite) -> None:
        attempt = 1
        while True:
            try:
                await self.carrier.send(request, deadline=Deadline.after(BATCH_SECONDS))
            except StoreError as error:
                rest = _rest(error)
                if rest is not None and len(rest.puts) < len(request.puts):
                    request, attempt = rest, 1
                if not passing(error) and not isinstance(error, DeadlineExceeded):
                    raise
                pause = self.policy.pause(attempt, chance=random.random(), remaining=math.inf)
                if pause is None:
                    raise
                await asyncio.sleep(pause)
                attempt += 1
            else:
                return


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
