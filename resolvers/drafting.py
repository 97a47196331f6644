"""Drafting: from a change to the actions on items that carry it out. Nothing is sent here."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import cast

from ..loaders.asks import ALL_ATTRIBUTES, Attributes
from ..store.conditions import Exists
from ..store.entities import Entity, Layout
from ..store.errors import BadInput
from ..store.expressions import Remove, SetTo
from ..store.requests import Key, KeyNames
from ..store.rules import FIRST_VERSION, Unique, guard_item
from ..store.texts import Misfit
from ..store.values import AttributeValue, Item, encode, settled
from ..store.writes import Check, Delete, Put, Update
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
from .drafts import Draft, Role, Standing, Step
from .expectations import (
    Absent,
    AtVersion,
    Expectation,
    Free,
    Holding,
    Present,
    Unchanged,
)
from .needs import needs, placing
from .refusing import Failure, missing, refusal


@dataclass(frozen=True, slots=True)
class Drafter:
    layout: Layout
    table: str
    now: datetime.datetime
    strange: frozenset[Key] = frozenset()
    """Guards that are those of other objects, though this one has the same values."""

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
        values = self._stamped(change.entity, change.values, FIRST_VERSION)
        return self._written(change, values, (Absent(),), Standing(None))

    def _replacement(self, change: Replacement, standing: Standing | None) -> Draft:
        entity = change.entity
        if standing is None:  # nothing depends on what stood there
            expects = tuple(self._versions(change))
            return self._written(change, entity.complete(change.values), expects, Standing(None))
        item = standing.item
        if item is None and change.expected is not None:
            raise missing(change)
        if item is None:
            values = self._stamped(entity, change.values, FIRST_VERSION)
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
            values = self._stamped(entity, change.values, FIRST_VERSION)
            return self._written(change, values, (Absent(),), Standing(None))
        held = self._held(entity, item, entity.attributes)
        values = self._stamped(entity, change.values, _version(entity, held) + 1)
        expects = (Present(), *self._versions(change), *self._same(entity, item))
        draft = self._written(change, values, expects, Standing(item))
        kept = {name: held[name] for name in past.attributes if name in held}
        with past.blamed():
            steps = self._puts(past, {**kept, **change.past_values}, "past", (Absent(),))
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
        steps = self._puts(entity, values, "home", expects)
        [first, *_] = steps
        key, home = first.key, cast("Put", first.action).item
        steps += self._gone(entity, standing.item, steps)
        shown = self._held(entity, settled(home), entity.attributes)
        return Draft(change, tuple(steps), key, home, ALL_ATTRIBUTES, shown)

    def _puts(
        self, entity: Entity, values: Values, role: Role, expects: tuple[Expectation, ...]
    ) -> list[Step]:
        """The home item of a whole object, then its copies and its guards."""
        entity.rules.check(entity.name, values)
        home, *others = entity.items(values)
        steps = [self._put(home, role, expects)]
        uniques = self._uniques(entity, values)
        for item in others:
            unique = uniques.get(self._key(item))
            if unique is None:
                steps.append(self._put(item, "copy"))
            else:
                steps.append(self._put(item, "guard", (Free(steps[0].key, unique.names),)))
        return steps

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
            *editing.limits(change),
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
        for limit in editing.limits(change):
            if not limit.met_by(item):
                raise refusal([Failure(change, limit, item, home_of(change))])
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
        steps += self._gone(entity, item, steps)
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
            steps += self._cleared(entity, old, home_of(change))
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
        self, entity: Entity, values: Values, version: int, created: object = None
    ) -> dict[str, object]:
        rules, stamped = entity.rules, entity.complete(values)
        if rules.version is not None:
            stamped[rules.version] = version
        if rules.created is not None:
            stamped[rules.created] = created or entity.moment(rules.created, self.now)
        if rules.updated is not None:
            stamped[rules.updated] = entity.moment(rules.updated, self.now)
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
            if before is not None and before not in self.strange:
                yield self._delete(before, "guard", (Free(owner, unique.names),))

    def _cleared(self, entity: Entity, values: Values, owner: Key) -> Iterator[Step]:
        """Deletes what else an object has: its copies, and its guards where they are its own."""
        for copy in entity.copies:
            if entity.belongs(copy, values):
                yield self._delete(self._key(entity.rendered(copy, values)), "copy")
        for guard, unique in self._uniques(entity, values).items():
            if guard not in self.strange:
                yield self._delete(guard, "guard", (Free(owner, unique.names),))

    def _gone(self, entity: Entity, item: Item | None, steps: Iterable[Step]) -> list[Step]:
        """Deletes what the standing object has elsewhere, and what `steps` do not write."""
        if item is None:
            return []
        kept = {step.key for step in steps}
        values = self._held(entity, item, placing(entity))
        cleared = self._cleared(entity, values, self._key(item))
        return [step for step in cleared if step.key not in kept]

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
            if name in change.changed:
                continue
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


def _version(entity: Entity, held: Values) -> int:
    version = held.get(entity.rules.version or "", FIRST_VERSION)
    return version if isinstance(version, int) else FIRST_VERSION


def _where(change: Revision | Removal | Insistence) -> Iterator[Expectation]:
    for name, value in change.where.items():
        attribute = change.entity.attributes[name]
        try:
            encoded = {"NULL": True} if value is None else attribute.codec.encode(value)
        except Misfit as misfit:
            raise misfit.under(name) from misfit
        yield Holding(name, attribute.stored, encoded, attribute.reads_absent_as(value))
