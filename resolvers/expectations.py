"""What a write insists on: as a condition for DynamoDB, and as a check of the item it shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from ..store.conditions import All, Compare, Condition, Either, Exists, Missing
from ..store.errors import ItemInvalid
from ..store.requests import Key
from ..store.rules import OWNER, Number, free, owner_value
from ..store.values import AttributeValue, Item, decode, encode, minus, plus


class Expectation(Protocol):
    def condition(self, partition: str) -> Condition:
        """`partition` is the name of the attribute that every item has."""
        ...

    def met_by(self, item: Item | None) -> bool: ...


@dataclass(frozen=True, slots=True)
class Present:
    def condition(self, partition: str) -> Condition:
        return Exists(partition)

    def met_by(self, item: Item | None) -> bool:
        return item is not None


@dataclass(frozen=True, slots=True)
class Absent:
    def condition(self, partition: str) -> Condition:
        return Missing(partition)

    def met_by(self, item: Item | None) -> bool:
        return item is None


@dataclass(frozen=True, slots=True)
class Free:
    """A guard that nobody else holds."""

    owner: Key
    names: tuple[str, ...]

    def condition(self, partition: str) -> Condition:
        return free(owner_value(self.owner))

    def met_by(self, item: Item | None) -> bool:
        return item is None or _same(item.get(OWNER), owner_value(self.owner))


@dataclass(frozen=True, slots=True)
class Unchanged:
    """An attribute as it was read; None where the item had none."""

    stored: str
    value: AttributeValue | None = field(hash=False)

    def condition(self, partition: str) -> Condition:
        if self.value is None:
            return Missing(self.stored)
        return Compare(self.stored, "=", self.value)

    def met_by(self, item: Item | None) -> bool:
        return item is not None and _same(item.get(self.stored), self.value)


@dataclass(frozen=True, slots=True)
class Holding:
    """A value that the caller insists on; `absent` where a missing attribute reads as it."""

    name: str
    stored: str
    value: AttributeValue = field(hash=False)
    absent: bool

    def condition(self, partition: str) -> Condition:
        exactly = Compare(self.stored, "=", self.value)
        return Either((exactly, Missing(self.stored))) if self.absent else exactly

    def met_by(self, item: Item | None) -> bool:
        held = None if item is None else item.get(self.stored)
        return self.absent if held is None else _same(held, self.value)


@dataclass(frozen=True, slots=True)
class AtVersion:
    """`absent` is the version of an item that has none written down."""

    stored: str
    version: int
    absent: int

    def condition(self, partition: str) -> Condition:
        exactly = Compare(self.stored, "=", encode(self.version))
        if self.version != self.absent:
            return exactly
        return Either((exactly, Missing(self.stored)))

    def met_by(self, item: Item | None) -> bool:
        return item is not None and self.held(item) == self.version

    def held(self, item: Item) -> Number:
        return _number(item, self.stored, self.absent)


@dataclass(frozen=True, slots=True)
class Within:
    """What is added to a number must not take it past `bound`, the way that it goes."""

    name: str
    stored: str
    bound: Number
    added: Number
    start: Number

    @property
    def falling(self) -> bool:
        return self.added < 0

    def condition(self, partition: str) -> Condition:
        furthest = encode(minus(self.bound, self.added))
        room = Compare(self.stored, ">=" if self.falling else "<=", furthest)
        return Either((room, Missing(self.stored))) if self._holds(self.start) else room

    def met_by(self, item: Item | None) -> bool:
        return item is not None and self._holds(self.held(item))

    def held(self, item: Item) -> Number:
        return _number(item, self.stored, self.start)

    def _holds(self, held: Number) -> bool:
        after = plus(held, self.added)
        return after >= self.bound if self.falling else after <= self.bound


def together(expectations: Iterable[Expectation], partition: str) -> Condition | None:
    conditions = tuple(one.condition(partition) for one in expectations)
    if len(conditions) <= 1:
        return conditions[0] if conditions else None
    return All(conditions)


def _same(held: AttributeValue | None, other: AttributeValue | None) -> bool:
    """1.50 and 1.5 are one number."""
    if held is None or other is None:
        return held is other
    return held == other or decode(held) == decode(other)


def _number(item: Item, stored: str, absent: Number) -> Number:
    held = decode(item[stored]) if stored in item else absent
    if isinstance(held, bool) or not isinstance(held, (int, Decimal)):
        raise ItemInvalid(f"Nothing was written: {stored} holds no number.")
    return held
