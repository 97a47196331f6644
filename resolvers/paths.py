"""Access paths: from a link, its source's values and its arguments to partitions and a span."""

from __future__ import annotations

import datetime
import enum
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ..loaders.asks import Member, Resident
from ..store.entities import Group, Key, Layout
from ..store.errors import BadInput, cut
from ..store.keys import Symbol
from ..store.moments import in_utc
from ..store.naming import camel
from ..store.spans import Span
from .links import Link, Reach
from .residents import whole_span


class SortDirection(enum.Enum):
    ASCENDING = "ASCENDING"
    DESCENDING = "DESCENDING"


@dataclass(frozen=True, slots=True)
class Path:
    """An access path: partitions (several where it is sharded), a span, and its reading order."""

    partitions: tuple[str, ...]
    span: Span
    descending: bool


def access_path(link: Link, values: Mapping[str, object], arguments: Mapping[str, object]) -> Path:
    """BadInput for values that no key can hold, and for ranges that are upside down."""
    first = link.reaches[0]
    partitions = first.member.key.partitions(first.fill(values))
    return Path(partitions, span_of(link, values, arguments), is_descending(link, arguments))


def check_group(layout: Layout, group: Group, values: Mapping[str, object]) -> None:
    """BadInput for values that no key of the group's members can hold."""
    group.partition.format(values)
    for entity in layout.entities.values():
        for key in entity.keys:
            if key.index == group.index and key.partition.unify(group.partition) is not None:
                for one in key.sort.placeholders:
                    if one.name in group.by:
                        one.write(values[one.name])


def is_descending(link: Link, arguments: Mapping[str, object]) -> bool:
    direction = arguments.get("direction")
    return link.newest_first if direction is None else direction is SortDirection.DESCENDING


def span_of(link: Link, values: Mapping[str, object], arguments: Mapping[str, object]) -> Span:
    """The link's sort keys; what `values` do not tell yet stays open."""
    first = link.reaches[0]
    if len(link.reaches) == 1:
        key = first.member.key
        if key.unique and not key.shards:
            return whole_span(key)
        return _narrowed(link, key, first.fill(values), arguments)
    spans = [
        reach.member.key.sort.span(_sort_values(reach, values), tight=reach.member.key.tight)
        for reach in link.reaches
    ]
    return _tidied(functools.reduce(Span.hull, spans), link.members, link.residents)


def _sort_values(reach: Reach, values: Mapping[str, object]) -> dict[str, object]:
    return {
        name: value
        for name, value in reach.fill(values).items()
        if name in reach.member.key.sort.names
    }


def _tidied(hull: Span, members: tuple[Member, ...], residents: tuple[Resident, ...]) -> Span:
    """A hull as a shorter condition, where that reads nobody else's items."""
    names = {member.entity.name for member in members}
    foreign = [resident for resident in residents if resident.entity not in names]
    if not foreign:
        return Span()
    if hull.high is not None:
        common = _common_prefix(hull.low, hull.high)
        prefix = Span.beginning(common)
        if common and not any(resident.span.meets(prefix) for resident in foreign):
            return prefix
    return hull


def _common_prefix(low: str, high: str) -> str:
    for at, (a, b) in enumerate(zip(low, high, strict=False)):
        if a != b:
            return low[:at]
    return min(low, high, key=len)


def _narrowed(
    link: Link, key: Key, known: Mapping[str, object], arguments: Mapping[str, object]
) -> Span:
    equal = {name: value for name, value in known.items() if name in key.sort.names}
    low: object = None
    high: object = None
    closed_by: str | None = None
    ranged = ""
    for name in link.narrowing:
        shown = camel(name)
        given = cast("Mapping[str, object] | None", arguments.get(shown))
        if given is None:
            closed_by = closed_by or shown
            continue
        if closed_by is not None:
            raise BadInput(
                f"{shown}: the sort key is {key.sort}, so {shown} can only be narrowed once "
                f"{closed_by} has a value: {closed_by}: {{eq: …}}."
            )
        if given.get("eq") is not None:
            if given.get("from") is not None or given.get("to") is not None:
                raise BadInput(f"{shown}: give either eq or from and to, not both.")
            equal[name] = given["eq"]
            continue
        low, high = given.get("from"), given.get("to")
        closed_by = ranged = shown
    span = key.sort.span(equal, low=low, high=high, tight=key.tight)
    if low is not None and high is not None and _upside_down(low, high, span):
        order = f" in the order of {key.sort}" if isinstance(low, str) else ""
        raise BadInput(
            f"{ranged}: from ({cut(low)}) lies after to ({cut(high)}){order}. Swap them."
        )
    return span


def _upside_down(low: Any, high: Any, span: Span) -> bool:
    """Texts go by the order of their keys, where `Ann#` comes after `Ann Lee#`.

    Other ranges may be empty and make sense, such as one between two seconds of a key.
    """
    if isinstance(low, Symbol) or isinstance(high, Symbol):
        return False
    if isinstance(low, str):
        return span.empty
    if isinstance(low, datetime.datetime):
        return in_utc(low) > in_utc(high)
    return low > high
