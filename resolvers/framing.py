"""What holds for a whole operation: who asks, how long pages are, which attributes are needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..loaders.asks import ALL_ATTRIBUTES, Attributes, Member, union
from ..store.cursors import Sealer
from ..store.entities import Entity, Layout
from .paging import PageSizes
from .selection import EVERYTHING, Selected


@dataclass(slots=True)
class Frame:
    """`needs` holds attributes by entity over all of the operation: an item is read once."""

    layout: Layout
    sealer: Sealer
    viewer: str = ""
    sizes: PageSizes = field(default_factory=PageSizes)
    table: str = ""
    needs: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])
    _projections: dict[Member, Attributes] = field(default_factory=dict[Member, Attributes])

    def learn(self, selected: Iterable[Selected]) -> None:
        """Takes in what a selection needs, before anything of it is read."""
        self._learn(selected)
        self._projections.clear()

    def _learn(self, selected: Iterable[Selected]) -> None:
        for one in selected:
            for name, needs in one.needs.items():
                self.needs.setdefault(name, set()).update(needs)
            for children in one.children.values():
                self._learn(children.values())

    def names(self, entity: Entity, needs: Iterable[str]) -> list[str]:
        """The attributes among `needs`; a resolver of the user's own needs them all."""
        wanted = set(needs)
        if EVERYTHING in wanted:
            return list(entity.attributes)
        return [name for name in entity.attributes if name in wanted]

    def projection(self, members: Iterable[Member]) -> Attributes:
        """The stored names to ask for where `members` are read."""
        return union(self._projected(member) for member in members)

    def _projected(self, member: Member) -> Attributes:
        if (known := self._projections.get(member)) is None:
            known = self._projections[member] = self._project(member)
        return known

    def _project(self, member: Member) -> Attributes:
        entity, key = member.entity, member.key
        projected = key.index.projected
        needs = self.needs.get(entity.name, set())
        if EVERYTHING in needs and projected is None:
            return ALL_ATTRIBUTES
        carries = entity.carried(key)
        names = self.names(entity, needs)
        if not all(carries(name) for name in names):
            names += entity.home.names  # they lead to the home item, which has the rest
        stored = {stored for name in names if carries(name) for stored in entity.stored(name)}
        if entity.type_attribute is not None:
            stored.add(entity.type_attribute)
        if projected is not None:
            stored &= projected
        return frozenset((*stored, self.layout.home.names.partition))
