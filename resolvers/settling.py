"""Settling: what became of a single write whose answer was lost."""

from __future__ import annotations

import datetime

from ..store.expressions import Append, Increase, SetTo
from ..store.values import Item, decode
from ..store.writes import Delete, Put, Update
from .drafts import Draft, Step
from .expectations import AtVersion

_FINE = datetime.datetime(2000, 1, 1, microsecond=123_456, tzinfo=datetime.UTC)


def may_come_twice(draft: Draft, step: Step) -> bool:
    """Whether sending it again does no harm: nothing is counted or appended a second time.

    A version may skip a number, for all it tells is that something has changed. A deletion would
    take away what somebody else has made in its place.
    """
    if isinstance(step.action, Delete):
        return False
    if not isinstance(step.action, Update):
        return True
    if any(isinstance(one, AtVersion) for one in step.expects):
        return True
    version = _stored(draft, draft.change.entity.rules.version)
    return not any(
        isinstance(one, (Increase, Append)) and one.attribute != version
        for one in step.action.actions
    )


def was_applied(draft: Draft, step: Step, item: Item | None) -> bool | None:
    """For a write that was sent again and refused: whether the first one was the reason.

    None where the item does not tell: others may have written since.
    """
    if item is None:
        return None
    if isinstance(step.action, Put):
        return _left_by_put(draft, step.action, item)
    if isinstance(step.action, Update):
        return _left_by_update(draft, step, step.action, item)
    return None


def _left_by_put(draft: Draft, put: Put, item: Item) -> bool | None:
    if item.keys() == put.item.keys() and all(_same(item, put.item, name) for name in item):
        return True
    created = _telling(draft, draft.change.entity.rules.created)
    if created is None:
        return None
    return _same(item, put.item, created)


def _left_by_update(draft: Draft, step: Step, update: Update, item: Item) -> bool | None:
    sets = {one.attribute: one.value for one in update.actions if isinstance(one, SetTo)}
    as_set = all(_same(item, sets, name) for name in sets)
    updated = _telling(draft, draft.change.entity.rules.updated)
    if updated is not None and as_set:
        return True
    for one in step.expects:
        if isinstance(one, AtVersion) and one.held(item) == one.version + 1:
            # Another writer may have set the same; what was counted or removed leaves no trace.
            version = _stored(draft, draft.change.entity.rules.version)
            tells = sets and all(
                isinstance(action, SetTo) or action.attribute == version
                for action in update.actions
            )
            return (True if tells else None) if as_set else False
    return None


def _telling(draft: Draft, name: str | None) -> str | None:
    """The stored name of a stamp, where it is fine enough to tell one write from another."""
    if name is None or draft.change.entity.moment(name, _FINE) != _FINE:
        return None
    return _stored(draft, name)


def _stored(draft: Draft, name: str | None) -> str | None:
    return None if name is None else draft.change.entity.attributes[name].stored


def _same(item: Item, other: Item, name: str) -> bool:
    if name not in item or name not in other:
        return False
    return decode(item[name]) == decode(other[name])
