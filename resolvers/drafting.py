"""Drafting: from a change to the actions on items that carry it out. Nothing is sent here."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from ..loaders.asks import ALL_ATTRIBUTES, Attributes
from ..store.conditions import Exists
from ..store.entities import Entity, Layout
from ..store.errors import BadInput
from ..store.expressions import Remove, SetTo
from ..store.requests import Check, Delete, Key, KeyNames, Put, TransactAction, Update
from ..store.rules import FIRST_VERSION, Unique, guard_item
from ..store.values import AttributeValue, Item, encode, settled
from . import editing
from .changes import (
    Change,
    Creation,
    Insistence,
    Publication,
    Removal,
    Replacement,
    Revision,
    Values,
    home_of,
)
from .expectations import (
    Absent,
    AtVersion,
    Expectation,
    Free,
    Holding,
    Present,
    Unchanged,
    together,
)
from .refusing import Failure, missing, refusal

Role = Literal["home", "copy", "guard", "past", "record"]


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a write, and what it insists on."""

    action: TransactAction
    key: Key
    role: Role
    expects: tuple[Expectation, ...] = ()

    def conditional(self, partition: str) -> TransactAction:
        condition = together(self.expects, partition)
        if condition is None:
            return self.action
        return replace(self.action, condition=condition, show_conflict=True)


@dataclass(frozen=True, slots=True)
class Draft:
    """The steps of one change, home first, and what is known of the home item once they are done.

    `known` says which attributes `after` tells; `after` is None where nothing is left.
    """

    change: Change
    steps: tuple[Step, ...]
    key: Key
    after: Item | None = field(default=None, hash=False)
    known: Attributes | None = None
    values: Values = field(default_factory=dict[str, object], hash=False)
    """Of a new object all values, stamps among them; of another what its key says."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A home item as it was read; `item` None where there was none."""

    item: Item | None = field(hash=False)


@dataclass(frozen=True, slots=True)
class Drafter:
    layout: Layout
    table: str
    now: datetime.datetime

    def draft(self, change: Change, standing: Standing | None) -> Draft:
        """BadInput for a value that cannot be stored; `standing` is there where `reads` asks."""
        with change.entity.blamed():
            match change:
                case Creation():
                    return self._creation(change)
                case Replacement():
                    return self._replacement(change, standing)
                case Revision():
                    return self._revision(change, standing)
                case Removal():
                    return self._removal(change, standing)
                case Insistence():
                    return self._insistence(change)
                case Publication():
                    return self._publication(change, standing)

    # Whole objects.

    def _creation(self, change: Creation) -> Draft:
        values = self._stamped(change.entity, change.values, FIRST_VERSION, self.now)
        return self._written(change, values, (Absent(),), Standing(None))

    def _replacement(self, change: Replacement, standing: Standing | None) -> Draft:
        entity = change.entity
        if standing is None:  # nothing depends on what stood there
            return self._written(change, entity.complete(change.values), (), Standing(None))
        item = standing.item
        if item is None and change.expected is not None:
            raise missing(change)
        if item is None:
            values = self._stamped(entity, change.values, FIRST_VERSION, self.now)
            return self._written(change, values, (Absent(),), standing)
        held = self._held(entity, item, entity.rules.stamps)
        version = _version(entity, held) + 1
        values = self._stamped(entity, change.values, version, held.get(entity.rules.created or ""))
        expects = (Present(), *self._versions(change), *self._same(entity, item))
        return self._written(change, values, expects, standing)

    def _publication(self, change: Publication, standing: Standing | None) -> Draft:
        """Where nothing was published before, the new version is the first."""
        entity, past = change.entity, change.past
        item = standing.item if standing is not None else None
        if item is None and change.expected is not None:
            raise missing(change)
        if item is None:
            values = self._stamped(entity, change.values, FIRST_VERSION, self.now)
            return self._written(change, values, (Absent(),), Standing(None))
        held = self._held(entity, item, entity.attributes)
        values = self._stamped(entity, change.values, _version(entity, held) + 1, self.now)
        expects = (Present(), *self._versions(change), *self._same(entity, item))
        draft = self._written(change, values, expects, Standing(item))
        kept = {name: held[name] for name in past.attributes if name in held}
        kept |= change.past_values
        with past.blamed():
            first, *others = past.items(kept)
        steps = [self._put(first, "past", (Absent(),)), *(self._put(one, "copy") for one in others)]
        return replace(draft, steps=(*draft.steps, *steps))

    def _written(
        self,
        change: Creation | Replacement | Publication,
        values: Values,
        expects: tuple[Expectation, ...],
        standing: Standing,
    ) -> Draft:
        """An object as a whole, in the place of what stood there."""
        entity = change.entity
        editing.check_minimums(entity, values)
        home, *others = entity.items(values)
        key = self._key(home)
        steps = [self._put(home, "home", expects)]
        uniques = self._uniques(entity, values)
        for item in others:
            unique = uniques.get(self._key(item))
            if unique is None:
                steps.append(self._put(item, "copy"))
            else:
                steps.append(self._put(item, "guard", (Free(key, unique.names),)))
        kept = {step.key for step in steps}
        for old, role in self._around(entity, standing.item):
            if old not in kept:
                steps.append(self._delete(old, role))
        shown = self._held(entity, settled(home), entity.attributes)
        return Draft(change, tuple(steps), key, home, ALL_ATTRIBUTES, shown)

    # Parts of objects.

    def _revision(self, change: Revision, standing: Standing | None) -> Draft:
        entity = change.entity
        editing.check_revision(change)
        need = needs(change)
        item = standing.item if standing is not None else None
        if standing is not None and item is None:
            raise missing(change)
        if item is not None:
            old = {**self._held(entity, item, need.names), **change.key}
        else:
            old = {**change.known, **change.key}
        if need.whole:
            return self._rewritten(change, item or {}, old)
        return self._edited(change, item, old)

    def _edited(self, change: Revision, item: Item | None, old: Values) -> Draft:
        """In place: each item is updated where it stands."""
        entity, need = change.entity, needs(change)
        new = editing.applied(change, old, self.now)
        actions = dict(editing.actions(change, self.now))
        keys = tuple(self._index_actions(entity, change.changed, new))
        expects = (
            Present(),
            *self._versions(change),
            *_where(change),
            *editing.floors(change),
            *self._as_believed(entity, item, old, need.names - set(entity.home.names)),
        )
        steps = [self._update(home_of(change), "home", (*actions.values(), *keys), expects)]
        for copy in entity.copies:
            touched = [
                action for name, action in actions.items() if editing.carried(entity, copy, name)
            ]
            if touched and entity.belongs(copy, old):
                where = self._key(entity.rendered(copy, old))
                steps.append(self._update(where, "copy", tuple(touched), (Present(),)))
        steps += self._guards_moved(entity, change, old, new)
        certain = {name: old[name] for name in need.names}
        after, known = self._told(change, certain, (*actions.values(), *keys))
        return Draft(change, tuple(steps), home_of(change), after, known, dict(change.key))

    def _rewritten(self, change: Revision, item: Item, old: Values) -> Draft:
        """A key changes: items are deleted in one place and put in another."""
        entity = change.entity
        for floor in editing.floors(change):
            if not floor.met_by(item):
                raise refusal([Failure(change, floor, item)])
        with entity.blamed():
            new = editing.applied(change, old, self.now)
            encoded = editing.encoded(entity, item, new, change.changed)
        bare = {name: value for name, value in encoded.items() if name not in self._key_names}
        home = {**bare, **entity.rendered(entity.home, new)}
        for index in entity.indexes:
            if entity.belongs(index, new):
                home.update(entity.rendered(index, new))
        key, expects = self._key(home), (
            Present(),
            *self._versions(change),
            *_where(change),
            *self._same(entity, item),
        )  # fmt: skip
        if key == home_of(change):
            steps = [self._put(home, "home", expects)]
        else:
            steps = [
                self._put(home, "home", (Absent(),)),
                self._delete(home_of(change), "home", expects),
            ]
        for copy in entity.copies:
            if entity.belongs(copy, new):
                made = {**entity.copied(bare, copy), **entity.rendered(copy, new)}
                steps.append(self._put(made, "copy"))
        for guard, unique in self._uniques(entity, new).items():
            made = guard_item(guard, key, self._names, entity.type_attribute)
            free = Free(home_of(change), unique.names)
            steps.append(self._put(made, "guard", (free,)))
        kept = {step.key for step in steps}
        for gone, role in self._around(entity, item):
            if gone not in kept:
                steps.append(self._delete(gone, role))
        values = {name: new[name] for name in entity.home.names}
        return Draft(change, tuple(steps), key, home, ALL_ATTRIBUTES, values)

    def _removal(self, change: Removal, standing: Standing | None) -> Draft:
        entity, need = change.entity, needs(change)
        item = standing.item if standing is not None else None
        if standing is not None and item is None:
            raise missing(change)
        expects = (Present(), *self._versions(change), *_where(change))
        old = dict(change.known)
        if item is not None:
            old = self._held(entity, item, need.names)
        old |= change.key
        if change.shown and item is not None:
            expects = (*expects, *self._same(entity, item))
        else:
            beyond = need.names - set(entity.home.names)
            expects = (*expects, *self._as_believed(entity, item, old, beyond))
        steps = [self._delete(home_of(change), "home", expects)]
        if need.names:
            steps += [self._delete(key, role) for key, role in self._places(entity, old)]
        known = None if item is None else ALL_ATTRIBUTES
        return Draft(change, tuple(steps), home_of(change), item, known, dict(change.key))

    def _insistence(self, change: Insistence) -> Draft:
        key, expects = home_of(change), (Present(), *self._versions(change), *_where(change))
        # `conditional` puts the whole condition in the place of this one.
        check = Check(self.table, self._names, key, Exists(self._names.partition))
        return Draft(change, (Step(check, key, "home", expects),), key, values=dict(change.key))

    # Pieces.

    @property
    def _names(self) -> KeyNames:
        return self.layout.home.names

    @property
    def _key_names(self) -> frozenset[str]:
        """Of the table and of every index."""
        every = [self.layout.home, *self.layout.indexes.values()]
        return frozenset(
            name for index in every for name in (index.names.partition, index.names.sort)
        )

    def _key(self, item: Item) -> Key:
        return self._names.key_of(item)

    def _put(self, item: Item, role: Role, expects: tuple[Expectation, ...] = ()) -> Step:
        return Step(Put(self.table, item, names=self._names), self._key(item), role, expects)

    def _delete(self, key: Key, role: Role, expects: tuple[Expectation, ...] = ()) -> Step:
        return Step(Delete(self.table, self._names, key), key, role, expects)

    def _update(
        self,
        key: Key,
        role: Role,
        actions: tuple[editing.Action, ...],
        expects: tuple[Expectation, ...],
    ) -> Step:
        return Step(Update(self.table, self._names, key, actions), key, role, expects)

    def _held(self, entity: Entity, item: Item, names: Iterable[str]) -> dict[str, object]:
        if not item:
            return {}
        parsed = entity.home.parse(*self._key(item)) or {}
        return entity.read(item, parsed, names, home=self._names)

    def _stamped(
        self, entity: Entity, values: Values, version: int, created: object
    ) -> dict[str, object]:
        rules, stamped = entity.rules, entity.complete(values)
        if rules.version is not None:
            stamped[rules.version] = version
        if rules.created is not None:
            stamped[rules.created] = created or self.now
        if rules.updated is not None:
            stamped[rules.updated] = self.now
        return stamped

    def _versions(self, change: Change) -> Iterator[Expectation]:
        expected = getattr(change, "expected", None)
        if expected is None:
            return
        if (version := change.entity.rules.version) is None:
            raise BadInput(f"{change.entity.name} has no Version that could be expected.")
        yield AtVersion(change.entity.attributes[version].stored, expected, FIRST_VERSION)

    def _same(self, entity: Entity, item: Item) -> Iterator[Expectation]:
        """The item is as it was read: its stamps tell, or else every attribute.

        A version alone does not: what is deleted and made again begins at the first one.
        """
        version = entity.attributes.get(entity.rules.version or "")
        created = entity.attributes.get(entity.rules.created or "")
        if version is not None and created is not None and created.stored in item:
            yield Unchanged(version.stored, item.get(version.stored))
            yield Unchanged(created.stored, item[created.stored])
            return
        for name, value in sorted(item.items()):
            if name not in (self._names.partition, self._names.sort):
                yield Unchanged(name, value)
        for attribute in entity.attributes.values():
            if attribute.stored not in item:
                yield Unchanged(attribute.stored, None)

    def _as_believed(
        self, entity: Entity, item: Item | None, old: Values, names: Iterable[str]
    ) -> Iterator[Expectation]:
        """The values from which keys were told, as they were read or as the caller has them."""
        for name in sorted(names):
            attribute = entity.attributes[name]
            held = attribute.encode(old[name]) if item is None else item.get(attribute.stored)
            yield Unchanged(attribute.stored, held)

    def _index_actions(
        self, entity: Entity, changed: frozenset[str], new: Values
    ) -> Iterator[editing.Action]:
        for index in entity.indexes:
            if not changed & {*index.names, index.when}:
                continue
            if entity.belongs(index, new):
                for name, value in entity.rendered(index, new).items():
                    yield SetTo(name, value)
            else:
                yield Remove(index.index.names.partition)
                yield Remove(index.index.names.sort)

    def _uniques(self, entity: Entity, values: Values) -> dict[Key, Unique]:
        found = ((unique.guard(values), unique) for unique in entity.rules.uniques)
        return {key: unique for key, unique in found if key is not None}

    def _guards_moved(
        self, entity: Entity, change: Revision, old: Values, new: Values
    ) -> Iterator[Step]:
        owner = home_of(change)
        for unique in entity.rules.uniques:
            if not change.changed.intersection(unique.names):
                continue
            before, after = unique.guard(old), unique.guard(new)
            if before == after:
                continue
            if after is not None:
                item = guard_item(after, owner, self._names, entity.type_attribute)
                yield self._put(item, "guard", (Free(owner, unique.names),))
            if before is not None:
                yield self._delete(before, "guard", (Free(owner, unique.names),))

    def _places(self, entity: Entity, values: Values) -> Iterator[tuple[Key, Role]]:
        """Where else an object stands: its copies and its guards."""
        for copy in entity.copies:
            if entity.belongs(copy, values):
                yield self._key(entity.rendered(copy, values)), "copy"
        for guard in self._uniques(entity, values):
            yield guard, "guard"

    def _around(self, entity: Entity, item: Item | None) -> Iterator[tuple[Key, Role]]:
        if item is None:
            return
        names = placing(entity)
        yield from self._places(entity, self._held(entity, item, names))

    def _told(
        self,
        change: Revision,
        certain: Values,
        actions: Iterable[editing.Action],
    ) -> tuple[Item, Attributes]:
        """What is sure of the item afterwards: its key, what was insisted on, and what was set."""
        entity = change.entity
        after: dict[str, AttributeValue] = dict(entity.rendered(entity.home, change.key))
        known = set(after)
        if entity.type_attribute is not None:
            after[entity.type_attribute] = {"S": entity.type_value}
            known.add(entity.type_attribute)
        for name in entity.home.names:
            attribute = entity.attributes[name]
            after[attribute.stored] = attribute.encode(change.key[name]) or {"NULL": True}
            known.add(attribute.stored)
        for name, value in certain.items():
            attribute = entity.attributes[name]
            if (held := attribute.encode(value)) is not None:
                after[attribute.stored] = held
            known.add(attribute.stored)
        for action in actions:
            if isinstance(action, SetTo):
                after[action.attribute] = action.value
                known.add(action.attribute)
            elif isinstance(action, Remove):
                after.pop(action.attribute, None)
                known.add(action.attribute)
        version = entity.attributes.get(entity.rules.version or "")
        if version is not None and change.expected is not None:
            after[version.stored] = encode(change.expected + 1)
            known.add(version.stored)
        return after, frozenset(known)


@dataclass(frozen=True, slots=True)
class Need:
    """Which values of the standing object a change depends on; `whole` is all of its item."""

    names: frozenset[str] = frozenset()
    whole: bool = False


def needs(change: Change) -> Need:
    entity = change.entity
    match change:
        case Revision():
            return _needs_of_revision(change)
        case Removal():
            return Need(placing(entity), whole=change.shown)
        case Replacement():
            stamped = bool(entity.rules.stamps)
            return Need(placing(entity), whole=bool(placing(entity)) or stamped)
        case Publication():
            return Need(frozenset(entity.attributes), whole=True)
        case _:
            return Need()


def reads(change: Change) -> bool:
    """Whether the standing item has to be read before the change can be drafted."""
    need = needs(change)
    if need.whole:
        return True
    if isinstance(change, (Revision, Removal)):
        return not need.names <= {*change.key, *change.known}
    return False


def placing(entity: Entity) -> frozenset[str]:
    """The attributes that tell where an object's copies and guards stand."""
    names = [name for copy in entity.copies for name in copy.names]
    names += [name for unique in entity.rules.uniques for name in unique.names]
    return frozenset(names)


def _needs_of_revision(change: Revision) -> Need:
    entity, changed = change.entity, change.changed
    names: set[str] = set()
    whole = bool(changed.intersection(entity.home.names))
    for copy in entity.copies:
        whole = whole or bool(changed.intersection(copy.names))
        if any(editing.carried(entity, copy, name) for name in changed):
            names.update(copy.names)
    for index in entity.indexes:
        if changed & {*index.names, index.when}:
            names.update(name for name in index.names if name not in change.set)
            if index.when is not None and index.when not in change.set:
                names.add(index.when)
    for unique in entity.rules.uniques:
        if changed.intersection(unique.names):
            names.update(unique.names)
    if whole:
        names |= placing(entity) | {*change.add, *change.append, *change.remove}
        for index in entity.indexes:
            names.update(index.names)
            names.update([index.when] if index.when else [])
        names.update([entity.rules.version] if entity.rules.version else [])
    return Need(frozenset(names), whole)


def _version(entity: Entity, held: Values) -> int:
    version = held.get(entity.rules.version or "", FIRST_VERSION)
    return version if isinstance(version, int) else FIRST_VERSION


def _where(change: Revision | Removal | Insistence) -> Iterator[Expectation]:
    for name, value in change.where.items():
        attribute = change.entity.attributes[name]
        encoded = {"NULL": True} if value is None else attribute.codec.encode(value)
        yield Holding(name, attribute.stored, encoded, attribute.reads_absent_as(value))
