"""Editing: what a revision does to attributes, in DynamoDB's expressions and on values in hand."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeAlias, cast

from ..store.attributes import Attribute
from ..store.entities import Entity, Key
from ..store.errors import BadInput
from ..store.expressions import AddTo, Append, DeleteFrom, Increase, Remove, SetTo, UpdateAction
from ..store.naming import camel
from ..store.rules import FIRST_VERSION, Number
from ..store.texts import Misfit
from ..store.values import AttributeValue, Item, encode, plus
from .changes import Revision, Values
from .expectations import Within

Action: TypeAlias = UpdateAction

NUMBERS = ("int", "float", "decimal")


def adds(attribute: Attribute) -> bool:
    """Whether `add` makes sense: a number, and one that is never written down as null."""
    return attribute.codec.kind in NUMBERS and not _null_is_written(attribute)


def appends(attribute: Attribute) -> bool:
    if attribute.codec.kind == "set":
        return removes(attribute)
    return attribute.codec.kind == "list" and not _null_is_written(attribute)


def removes(attribute: Attribute) -> bool:
    """A set that is empty where it is absent, and never null: neither could be added to.

    Lists can only be shortened by position.
    """
    return attribute.codec.kind == "set" and not attribute.optional and not _absent(attribute)


def _null_is_written(attribute: Attribute) -> bool:
    return attribute.optional and attribute.default is not None and attribute.default() is not None


def _absent(attribute: Attribute) -> object:
    return None if attribute.default is None else attribute.default()


def carried(entity: Entity, copy: Key, name: str) -> bool:
    return copy.carries is None or name in copy.carries or name in entity.home.names


# In DynamoDB's expressions.


def actions(change: Revision, now: datetime.datetime) -> Iterator[tuple[str, Action]]:
    """By attribute; Misfit for a value that cannot be stored."""
    entity = change.entity
    for name, value in change.set.items():
        attribute = entity.attributes[name]
        held = _encoded(attribute, value)
        yield name, Remove(attribute.stored) if held is None else SetTo(attribute.stored, held)
    for name, delta in change.add.items():
        attribute = entity.attributes[name]
        start = encode(cast("Number", _absent(attribute) or 0))
        yield name, Increase(attribute.stored, _member(attribute, delta), start)
    for name, members in change.append.items():
        attribute = entity.attributes[name]
        if attribute.codec.kind == "set":
            yield name, AddTo(attribute.stored, _member(attribute, members))
        else:
            start = attribute.codec.encode(_absent(attribute) or [])
            yield name, Append(attribute.stored, _member(attribute, members), start)
    for name, members in change.remove.items():
        attribute = entity.attributes[name]
        yield name, DeleteFrom(attribute.stored, _member(attribute, members))
    rules = entity.rules
    if rules.version is not None:
        stored = entity.attributes[rules.version].stored
        yield rules.version, Increase(stored, encode(1), encode(FIRST_VERSION))
    if rules.updated is not None:
        attribute = entity.attributes[rules.updated]
        moment = entity.moment(rules.updated, now)
        yield rules.updated, SetTo(attribute.stored, attribute.codec.encode(moment))


def _encoded(attribute: Attribute, value: object) -> AttributeValue | None:
    if value is None and not attribute.optional:
        raise Misfit("cannot be null.", f".{attribute.name}")
    try:
        return attribute.encode(value)
    except Misfit as misfit:
        raise misfit.under(f".{attribute.name}") from misfit


def _member(attribute: Attribute, value: object) -> AttributeValue:
    """A number to add, or members for a list or a set."""
    try:
        if attribute.codec.kind == "set":
            value = set(cast("Any", value))
            if not value:
                raise Misfit("names no members; leave it out, or name one.")
        return attribute.codec.encode(value)
    except Misfit as misfit:
        raise misfit.under(f".{attribute.name}") from misfit


def limits(change: Revision) -> Iterator[Within]:
    """What a number that is added to must not fall below, or rise above."""
    rules = change.entity.rules
    minimums = {**rules.minimums, **change.minimum}
    for name, added in change.add.items():
        bounds = minimums if added < 0 else rules.maximums
        if added and name in bounds:
            attribute = change.entity.attributes[name]
            start = cast("Number", _absent(attribute) or 0)
            yield Within(name, attribute.stored, bounds[name], added, start)


# On values in hand.


def applied(change: Revision, old: Values, now: datetime.datetime) -> dict[str, object]:
    """The values after the revision, as far as `old` tells those before it."""
    entity, rules = change.entity, change.entity.rules
    new = {**old, **change.set}
    for name in old.keys() & {*change.add, *change.append, *change.remove}:
        new[name] = _edited(change, name, old[name], entity.attributes[name].codec.kind == "set")
    if rules.version is not None and rules.version in old:
        new[rules.version] = cast("int", old[rules.version]) + 1
    if rules.updated is not None:
        new[rules.updated] = entity.moment(rules.updated, now)
    return new


def _edited(change: Revision, name: str, held: Any, is_set: bool) -> object:
    if name in change.add:
        return plus(held or 0, change.add[name])
    if name in change.remove:
        return set(held or ()) - set(cast("Any", change.remove[name]))
    members = cast("Any", change.append[name])
    return {*(held or ()), *members} if is_set else [*(held or ()), *members]


def encoded(
    entity: Entity, item: Item, values: Values, changed: frozenset[str]
) -> dict[str, AttributeValue]:
    """The item with its changed attributes as they are now, and all others as they stood."""
    made = dict(item)
    for name in changed:
        attribute = entity.attributes[name]
        held = _encoded(attribute, values[name])
        if held is None:
            made.pop(attribute.stored, None)
        else:
            made[attribute.stored] = held
    return made


# Checks before anything is sent.


def check_revision(change: Revision) -> None:
    entity = change.entity
    entity.rules.check(entity.name, change.set)
    replace(entity.rules, minimums=change.minimum).check(entity.name, change.set)
    sections = (change.set, change.add, change.append, change.remove)
    names = [name for section in sections for name in section]
    for name in change.minimum:
        if name not in {*change.set, *change.add}:
            raise BadInput(
                f"{entity.name}: minimum names {name!r}, which is neither set nor added to."
            )
    for name in names:
        if name not in entity.attributes:
            listed = ", ".join(entity.attributes)
            raise BadInput(f"{entity.name} has no attribute {name!r}. It has {listed}.")
        if names.count(name) > 1:
            raise BadInput(f"{entity.name}.{camel(name)} is changed twice in one update.")
        if name in entity.rules.stamps:
            raise BadInput(f"{entity.name}.{camel(name)} is kept by Tablefold, and cannot be set.")
    keyed = in_keys(entity)
    for how, section, allowed in (
        ("add to", change.add, adds),
        ("append to", change.append, appends),
        ("remove from", change.remove, removes),
    ):
        for name in section:
            if name in keyed or not allowed(entity.attributes[name]):
                why = "stands in a key" if name in keyed else "is of another kind"
                raise BadInput(
                    f"{entity.name}.{camel(name)} {why}: you cannot {how} it. Set it instead."
                )
    moved = [name for name in change.set if name in entity.home.names]
    moved = [name for name in moved if change.set[name] != change.key[name]]
    if moved and not entity.rules.moves:
        raise BadInput(
            f"{entity.name}.{camel(moved[0])} is part of its key {entity.home}, and a "
            f"{entity.name} does not move. Create another one, and delete this."
        )


def in_keys(entity: Entity) -> frozenset[str]:
    names = [name for key in entity.keys for name in key.names]
    names += [name for unique in entity.rules.uniques for name in unique.names]
    return frozenset(names)
