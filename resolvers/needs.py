"""Needs: what a change depends on, and whether that has to be read before it can be drafted."""

from __future__ import annotations

from dataclasses import dataclass

from ..store.entities import Entity
from ..store.errors import BadInput
from . import editing
from .changes import Change, Publication, Removal, Replacement, Revision, Values


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
        return not need.names <= {*change.key, *believable(change.entity, change.known)}
    return False


def believable(entity: Entity, known: Values) -> Values:
    """Of the values that somebody believes an object to have, those that it could have."""
    return {name: value for name, value in known.items() if _possible(entity, name, value)}


def _possible(entity: Entity, name: str, value: object) -> bool:
    try:
        entity.attributes[name].encode(value)
        if value is not None:
            entity.check_in_keys(name, value)
    except BadInput:
        return False
    return True


def placing(entity: Entity) -> frozenset[str]:
    """The attributes that tell where an object's copies and guards stand."""
    names = [name for copy in entity.copies for name in copy.names]
    names += [name for unique in entity.rules.uniques for name in unique.names]
    return frozenset(names)


def telling(entity: Entity) -> frozenset[str]:
    """The attributes beside the home key that tell where else an object stands."""
    names = {*placing(entity), *(name for key in entity.indexes for name in key.names)}
    names |= {key.when for key in entity.indexes if key.when is not None}
    return frozenset(names - set(entity.home.names))


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
