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
        """True where the ask names one item of the table by its full key, and nothing else."""
        return self._one_key and self.filter is None and self.start is None

    @property
    def empty(self) -> bool:
        """True where nothing can be found: no key is in the span, or its only one lies behind."""
        return self.span.empty or (self._one_key and self.start is not None)

    @property
    def _one_key(self) -> bool:
        return self.index.name is None and self.span.single

    @property
    def whole(self) -> bool:
        return self.limit is None and self.filter is None

    @property
    def ahead(self) -> Span:
        """What is left of `span` beyond `start`. In an index, others may share the sort key of
        `start` and lie beyond it too; none of them is counted in.
        """
        if self.start is None:
            return self.span
        reached = dict(self.start.attributes)[self.index.names.sort]
        return self.span.below(reached) if self.descending else self.span.above(reached)

    @property
    def foreseeable(self) -> bool:
        """True where the items of `ahead` are all that the ask is about."""
        return self.filter is None and (self.start is None or self.index.name is None)

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
