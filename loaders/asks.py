"""What a field asks of one partition, and what it is answered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..store.conditions import Condition
from ..store.entities import Entity, Index, Key
from ..store.requests import StartKey
from ..store.spans import Span
from ..store.values import Item


@dataclass(frozen=True, slots=True)
class Member:
    """An entity at one of its keys: what an access path may reach."""

    entity: Entity
    key: Key

    def __str__(self) -> str:
        return self.entity.name


@dataclass(frozen=True, slots=True)
class Resident:
    """An entity's place among the sort keys of a partition; `bound` None means without limit."""

    span: Span
    bound: int | None
    entity: str


Attributes = frozenset[str]
"""Stored names that are asked for; empty means all of them."""

ALL_ATTRIBUTES: Attributes = frozenset()


def union(parts: Iterable[Attributes]) -> Attributes:
    """What serves them all; everything where one of them wants everything."""
    wanted = frozenset[str]()
    for part in parts:
        if not part:
            return ALL_ATTRIBUTES
        wanted |= part
    return wanted


def suffices(held: Attributes, wanted: Attributes) -> bool:
    return not held or (bool(wanted) and wanted <= held)


@dataclass(frozen=True, slots=True)
class Ask:
    """An access path with its page: `limit` items of `span`, or all of it where that is None.

    `bound` says how many items the whole span may hold. A `tentative` ask is a guess at what
    a later wave will need: it is served only where another ask's request can carry it. `times`
    is how often a plan expects it.
    """

    index: Index
    partition: str
    span: Span
    members: tuple[Member, ...]
    attributes: Attributes = ALL_ATTRIBUTES
    descending: bool = False
    limit: int | None = None
    start: StartKey | None = None
    filter: Condition | None = None
    bound: int | None = None
    tentative: bool = False
    residents: tuple[Resident, ...] = field(default=(), compare=False)
    serves: tuple[str, ...] = field(default=(), compare=False)
    times: int = field(default=1, compare=False)

    def __hash__(self) -> int:
        # A wave looks its asks up again and again; few that differ agree in all of these.
        return hash((self.partition, self.span.low, self.limit))

    @property
    def single(self) -> bool:
        """True where the ask names one item of the table by its full key."""
        return self.span.single and self.index.name is None

    @property
    def whole(self) -> bool:
        return self.limit is None and self.filter is None

    def found(self, item: Item) -> Found | None:
        """The item as one of the members, or None for an item that nobody modelled here."""
        for member in self.members:
            parsed = member.entity.recognise(item, member.key)
            if parsed is not None:
                return Found(item, member, parsed)
        return None


@dataclass(frozen=True, slots=True)
class Found:
    """An item, the member it is, and the values that stand in its key."""

    item: Item
    member: Member
    parsed: dict[str, object]


@dataclass(frozen=True, slots=True)
class Answer:
    """Items in the ask's order. `stopped` is where reading ended before the page was full."""

    items: tuple[Found, ...] = ()
    exhausted: bool = True
    stopped: StartKey | None = None
    error: Exception | None = None
