"""Completing: an item that was read in a copy or an index, with what only its home item has."""

from __future__ import annotations

from dataclasses import replace

from ..loaders.asks import Found


def completed(found: Found, home: Found) -> Found:
    """What a copy carries is shown as the copy has it, though its home may have moved on.

    So an attribute does not change with what else is selected, nor with what a shared request
    happens to bring along of a copy that holds more than it is declared to carry.
    """
    entity = found.member.entity
    carries = entity.carried(found.member.key)
    carried = {one.stored for one in entity.attributes.values() if carries(one.name)}
    lacking = {one.stored for one in entity.attributes.values()} - carried
    kept = {name: held for name, held in found.item.items() if name not in lacking}
    added = {name: held for name, held in home.item.items() if name not in carried}
    return replace(found, item={**added, **kept})
