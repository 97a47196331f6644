"""Whose fault it is that no key can be made: the client's, or that of an item in the table."""

from __future__ import annotations

from collections.abc import Mapping

from ..loaders.asks import Found
from ..store.entities import Entity
from ..store.errors import BadInput, ItemInvalid
from ..store.texts import Misfit
from .links import Link, Reach


def fault_of_item(
    link: Link, values: Mapping[str, object], found: Found | None
) -> ItemInvalid | None:
    """Names item, entity and attribute where a stored value fits into no key that it leads to."""
    source = link.source
    if not isinstance(source, Entity):
        return None
    for reach in link.reaches:
        try:
            _fill(reach, values)
        except Misfit as misfit:
            names = [reach.binding.get(name, name) for name in misfit.name.split(" and ")]
            stored = " and ".join(
                source.attributes[name].stored for name in names if name in source.attributes
            )
            where = _key(source, values, found)
            what = f"{stored} {misfit.what} {link.name} needs it for {reach.member.key}."
            return ItemInvalid(f"The item {where} is no valid {source.name}: {what}")
    return None


def _fill(reach: Reach, values: Mapping[str, object]) -> None:
    filled, key = reach.fill(values), reach.member.key
    for template in (key.partition, key.sort):
        for one in template.placeholders:
            if one.name in filled:
                one.write(filled[one.name])
        if all(name in filled for name in template.names):
            template.format(filled)


def _key(source: Entity, values: Mapping[str, object], found: Found | None) -> str:
    """An object that a resolver made, or that a permission has let pass, has its values alone."""
    if found is not None:
        names = found.member.key.index.names
        return " / ".join(names.key_of(found.item))
    try:
        return " / ".join(source.home_key(values))
    except (BadInput, KeyError):
        return f"{source.home}"
