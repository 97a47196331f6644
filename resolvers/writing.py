"""Writing: changes become one request, and its answer becomes what was written or why not."""

from __future__ import annotations

import asyncio
import datetime
import logging
import random
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..loaders.asks import ALL_ATTRIBUTES, Attributes
from ..loaders.sending import Sender
from ..store.entities import Layout
from ..store.errors import (
    ConditionFailed,
    ItemInvalid,
    ItemTooLarge,
    RequestRefused,
    StoreError,
    TransactionCancelled,
    TransactionConflict,
    UnknownOutcome,
    WriteRefused,
    passing,
)
from ..store.requests import BATCH_GET_MAX_KEYS, BatchGet, Get, Key
from ..store.retries import RetryPolicy
from ..store.values import Item, settled
from ..store.wire import Reply, Request
from ..store.writes import Check, Delete, Put, TransactWrite, Update
from . import bounds
from .changes import Change, Publication, Replacement, Values, described, home_of
from .drafting import Drafter
from .drafts import Draft, Standing, Step
from .expectations import Absent, AtVersion, Expectation, Present, Unchanged
from .needs import needs, reads
from .records import Record
from .refusing import Failure, overtaken, refusal
from .settling import may_come_twice, was_applied

log = logging.getLogger("tablefold")

RACES = RetryPolicy(base=0.01, cap=0.5, attempts=12)
"""How often a write that was drafted from a reading begins anew when that turns out old."""

Shown = Callable[[Change, Item], Mapping[str, object]]
Clock = Callable[[], datetime.datetime]


def utc_now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


@dataclass(frozen=True, slots=True)
class Written:
    """A change that was made: `item` is the home item afterwards, as far as `known` tells.

    Of a removal it is the item as it was.
    """

    change: Change
    key: Key
    item: Item | None = field(default=None, hash=False)
    known: Attributes | None = None
    values: Values = field(default_factory=dict[str, object], hash=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`replayed`: an earlier run with the same idempotency key made the changes."""

    written: tuple[Written, ...]
    replayed: bool = False


@dataclass(slots=True)
class Writer:
    """One per write. `shown` is how much of a standing item a client may see."""

    sender: Sender
    layout: Layout
    serves: tuple[str, ...] = ()
    shown: Shown | None = None
    clock: Clock = utc_now

    async def write(self, changes: Sequence[Change], *, record: Record | None = None) -> Outcome:
        """All of them or none. BadInput before anything is sent, WriteRefused where nothing was
        written, UnknownOutcome where nobody can tell.
        """
        attempt = 1
        strange: frozenset[Key] = frozenset()
        while True:
            standing = await self._standing(changes, anew=attempt > 1)
            try:
                drafts = self._drafts(changes, standing, strange)
            except WriteRefused:  # perhaps because an earlier run has moved or deleted it
                if record is not None and (done := await self._done_before(changes, record)):
                    return done
                raise
            steps = [step for draft in drafts for step in draft.steps]
            if record is not None:
                keys = [draft.key for draft in drafts]
                steps.append(record.step(self.layout, self.sender.table, self.clock(), keys))
            bounds.check(drafts, steps)
            try:
                return await self._sent(drafts, steps, record)
            except _Overtaken as error:
                strange |= error.strange
                pause = RACES.pause(
                    attempt, chance=random.random(), remaining=self.sender.deadline.remaining()
                )
                if pause is None:
                    raise overtaken(changes) from error
                attempt += 1
                await asyncio.sleep(pause)

    # What stands there.

    async def _standing(self, changes: Sequence[Change], *, anew: bool) -> dict[Key, Standing]:
        """Read where a change depends on it; `anew` also where the caller believed to know it."""
        wanted = [
            home_of(change)
            for change in changes
            if reads(change) or (anew and (needs(change).names or needs(change).whole))
        ]
        keys = tuple(dict.fromkeys(wanted))
        found: dict[Key, Standing] = {key: Standing(None) for key in keys}
        for start in range(0, len(keys), BATCH_GET_MAX_KEYS):
            for item in await self._items(keys[start : start + BATCH_GET_MAX_KEYS]):
                found[self.layout.home.names.key_of(item)] = Standing(item)
        return found

    async def _items(self, keys: tuple[Key, ...]) -> list[Item]:
        names, table = self.layout.home.names, self.sender.table
        if len(keys) == 1:
            reply = await self.send(Get(table, names, keys[0], consistent=True))
            return [reply.body["Item"]] if "Item" in reply.body else []
        reply = await self.send(BatchGet(table, names, keys, consistent=True))
        return reply.body.get("Responses", {}).get(table, [])

    def _drafts(
        self,
        changes: Sequence[Change],
        standing: Mapping[Key, Standing],
        strange: frozenset[Key],
    ) -> list[Draft]:
        drafter = Drafter(self.layout, self.sender.table, self.clock(), strange)
        return [drafter.draft(change, standing.get(home_of(change))) for change in changes]

    # Sending.

    async def _sent(
        self, drafts: Sequence[Draft], steps: Sequence[Step], record: Record | None
    ) -> Outcome:
        if len(steps) == 1 and not isinstance(steps[0].action, Check):
            return Outcome((await self._alone(drafts[0], steps[0]),))
        partition = self.layout.home.names.partition
        actions = tuple(step.conditional(partition) for step in steps)
        request = TransactWrite(actions, token=str(uuid.uuid4()))
        try:
            await self.send(request)
        except TransactionCancelled as error:
            return self._cancelled(error, drafts, steps, record)
        except StoreError as error:
            if error.may_have_applied:
                raise unknown(record) from error
            if isinstance(error, TransactionConflict):
                raise overtaken([draft.change for draft in drafts]) from error
            raise
        return Outcome(tuple(map(as_drafted, drafts)))

    def _cancelled(
        self,
        error: TransactionCancelled,
        drafts: Sequence[Draft],
        steps: Sequence[Step],
        record: Record | None,
    ) -> Outcome:
        if error.may_have_applied:
            raise unknown(record) from error
        if passing(error):
            raise overtaken([draft.change for draft in drafts]) from error
        owners = [draft.change for draft in drafts for _ in draft.steps]
        failed: list[tuple[Change, Step, Item | None]] = []
        for at, (step, reason) in enumerate(zip(steps, error.reasons, strict=False)):
            if reason.too_large:
                raise bounds.too_large(owners[at]) from error
            if not reason.failed:
                continue
            if step.role == "record" and record is not None and reason.item is not None:
                return _replay([draft.change for draft in drafts], record, reason.item)
            failed.append((owners[at], step, reason.item))
        if not failed:
            raise RequestRefused(str(error), operation=error.operation) from error
        raise self._refused(failed) from error

    async def _done_before(self, changes: Sequence[Change], record: Record) -> Outcome | None:
        for item in await self._items((record.key(self.layout),)):
            if not record.unused(self.layout, self.clock()).met_by(item):
                return _replay(changes, record, item)
        return None

    async def _alone(self, draft: Draft, step: Step) -> Written:
        """A single item needs no transaction, which would cost twice as much."""
        action = step.conditional(self.layout.home.names.partition)
        request = _telling(action)
        unsure: StoreError | None = None
        attempt = 1
        while True:
            try:
                reply = await self.send(request)
                return _told(draft, request, reply)
            except ConditionFailed as error:
                try:
                    item = await self._shown_or_read(error, step)
                except StoreError as unread:
                    raise (unread if unsure is None else unknown()) from error
                if unsure is not None:
                    applied = was_applied(draft, step, item)
                    if applied:
                        return as_drafted(draft)
                    if applied is None:
                        raise unknown() from error
                raise self._refused([(draft.change, step, item)]) from error
            except ItemTooLarge as error:
                raise bounds.too_large(draft.change) from error
            except StoreError as error:
                if unsure is None and not error.may_have_applied:
                    if isinstance(error, TransactionConflict):
                        raise overtaken([draft.change]) from error
                    raise
                unsure = unsure or error
                pause = RACES.pause(
                    attempt, chance=random.random(), remaining=self.sender.deadline.remaining()
                )
                if pause is None or not may_come_twice(draft, step):
                    raise unknown() from error
                attempt += 1
                await asyncio.sleep(pause)

    async def _shown_or_read(self, error: ConditionFailed, step: Step) -> Item | None:
        """The item that stands in the way; an older engine does not show it by itself."""
        if error.item is not None:
            return error.item
        if step.expects == (Present(),):
            return None
        items = await self._items((step.key,))
        return items[0] if items else None

    def _refused(self, failed: Sequence[tuple[Change, Step, Item | None]]) -> Exception:
        failures: list[Failure] = []
        lost: list[str] = []
        strange: list[Key] = []
        stale = False
        for change, step, item in failed:
            unmet = [one for one in step.expects if not one.met_by(item)]
            telling = [one for one in unmet if not _of_the_reading(one, change, step)]
            if step.role == "guard" and isinstance(step.action, Delete):
                strange.append(step.key)
            elif step.role == "copy" and item is None:
                log.error("The copy %s / %s is missing: %s", *step.key, described(change))
                lost.append(f"Cannot {described(change)}: one of its copies is missing.")
            elif telling:
                failures.append(Failure(change, telling[0], item, step.key))
            else:  # it was changed since it was read, or back again since the refusal
                stale = True
        if stale:  # the other failures may be those of keys that were told from it
            return _Overtaken()
        if strange and not failures:
            return _Overtaken(strange)
        if failures:
            return refusal(failures, self._current(failures))
        return ItemInvalid(f"{lost[0]} Nothing was written; put the whole object again.")

    def _current(self, failures: Sequence[Failure]) -> Mapping[str, object] | None:
        """The object as it is now, for a writer who has seen it as it was."""
        [first, *others] = failures
        if others or not isinstance(first.expectation, AtVersion) or first.item is None:
            return None
        return None if self.shown is None else self.shown(first.change, first.item)

    async def send(self, request: Request) -> Reply:
        wave = self.sender.waves + 1
        return await self.sender.send(request, wave=wave, serves=self.serves)


def _of_the_reading(one: Expectation, change: Change, step: Step) -> bool:
    """Insisted on because it was read so, and not because the caller wants it."""
    if isinstance(one, Unchanged):
        return True
    whole = isinstance(change, (Replacement, Publication)) and change.expected is None
    return whole and step.role == "home" and isinstance(one, (Present, Absent))


class _Overtaken(WriteRefused):
    """What was read is no longer so; the write begins anew."""

    def __init__(self, strange: Iterable[Key] = ()) -> None:
        """`strange` are guards that turned out to be those of other objects."""
        super().__init__("What was read has changed.")
        self.strange = frozenset(strange)


def _replay(changes: Sequence[Change], record: Record, item: Item) -> Outcome:
    """What the first run wrote has the keys of then, whatever this one drew."""
    keys = record.replayed(item)
    return Outcome(tuple(map(Written, changes, keys)), replayed=True)


def _telling(action: Put | Update | Delete | Check) -> Put | Update | Delete:
    """The request that also shows what became of the item."""
    match action:
        case Update():
            return replace(action, returns="ALL_NEW")
        case Delete():
            return replace(action, returns="ALL_OLD")
        case Put():
            return action
        case Check():
            raise TypeError("A check stands in a transaction only.")


def _told(draft: Draft, request: Put | Update | Delete, reply: Reply) -> Written:
    attributes = reply.body.get("Attributes")
    if isinstance(request, Put) or attributes is None:
        return as_drafted(draft)
    return Written(draft.change, draft.key, attributes, ALL_ATTRIBUTES, draft.values)


def as_drafted(draft: Draft) -> Written:
    after = None if draft.after is None else settled(draft.after)
    return Written(draft.change, draft.key, after, draft.known, draft.values)


def unknown(record: Record | None = None) -> UnknownOutcome:
    lost = "Nobody can tell whether this was written: the table's answer was lost."
    if record is not None:
        return UnknownOutcome(f"{lost} Send it again with the same idempotency key.")
    return UnknownOutcome(
        f"{lost} Look before you send it again, or send writes with an idempotency key, which "
        "may be repeated."
    )
