"""Who lives in a partition, and how many of them: what folding may read across."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace

from ..loaders.asks import Resident
from ..store.entities import Entity, Index, Key, Layout
from ..store.errors import ModelError
from ..store.keys import Placeholder, Template
from ..store.spans import Span
from ..store.texts import Whole
from .links import Link


def settle(layout: Layout, links: Iterable[Link]) -> None:
    """Gives every link the residents of its partition."""
    all_links = list(links)
    known = bounds(layout, all_links)
    cache: dict[int, tuple[Resident, ...]] = {}
    for link in all_links:
        if not link.reaches:
            continue
        key = link.key
        if id(key) not in cache:
            cache[id(key)] = tuple(
                Resident(whole_span(other), known.get(id(other)), entity.name)
                for entity, other in _neighbours(layout, key)
            )
        link.residents = cache[id(key)]


def whole_span(key: Key) -> Span:
    return key.sort.span({}, tight=key.tight)


def _neighbours(layout: Layout, key: Key) -> list[tuple[Entity, Key]]:
    return [
        (entity, other)
        for entity in layout.entities.values()
        for other in entity.keys
        if other.index == key.index and _one_partition(key, other)
    ]


def _one_partition(a: Key, b: Key) -> bool:
    return a is b or _as_written(a).collides(_as_written(b))


def _as_written(key: Key) -> Template:
    """The partition with the number of its shard, where it has any."""
    return (
        key.partition.followed_by(Placeholder("shard", text=Whole()))
        if key.shards
        else (key.partition)
    )


def bounds(layout: Layout, links: list[Link]) -> dict[int, int]:
    """At most how many items of a key (by its id) one partition holds, as the model says."""
    known: dict[int, int] = {
        id(key): 1
        for entity in layout.entities.values()
        for key in entity.keys
        if not key.sort.names
    }
    # Children of a bounded parent are bounded once the parent is: look again until nothing new.
    for _ in range(len(links) + 1):
        before = dict(known)
        for link in links:
            for reach in link.reaches if link.bounded is not None else ():
                key = reach.member.key
                per_partition = _per_partition(link, key, known)
                if per_partition is not None:
                    known[id(key)] = max(known.get(id(key), 0), per_partition)
        if known == before:
            break
    return known


def _per_partition(link: Link, key: Key, bounds: dict[int, int]) -> int | None:
    bounded = link.bounded or 1
    below = [name for name in key.sort.names if name in link.reaches[0].binding]
    if link.kind == "groups" or not below or link.source is None:
        return bounded
    if isinstance(link.source, Entity):
        for own in link.source.keys:
            if own.index == key.index and own.sort.unify_prefix(key.sort) is not None:
                parents = bounds.get(id(own))
                return None if parents is None else parents * bounded
    return None


def check_neighbours(layout: Layout) -> None:
    """Keys that could be the same, or spans that overlap, need a type attribute to tell them."""
    entities = list(layout.entities.values())
    for at, first in enumerate(entities):
        _check_own(first)
        for second in entities[at + 1 :]:
            for a in first.keys:
                for b in second.keys:
                    if a.index == b.index and _one_partition(a, b):
                        _check_pair(layout, first, a, second, b)


def _check_own(entity: Entity) -> None:
    """No type attribute tells an entity's copies from each other, or from home: only keys do.

    Where they merely lie between each other, each is still known by its own key, and copies of
    one object may meet.
    """
    for a, b in itertools.combinations(entity.keys, 2):
        if a.index != b.index or not _one_partition(a, b) or not a.sort.collides(b.sort):
            continue
        if not _of_one_object(entity, a, b):
            raise ModelError(
                f"{entity.name}: its {a.role} {a} and its {b.role} {b} could be the same key.\n"
                "  One item would overwrite the other, or be read in its place. Give the copy "
                "a partition of its own, or a sort key with another prefix, such as "
                f"{entity.name.upper()}_COPY#…."
            )


def _of_one_object(entity: Entity, a: Key, b: Key) -> bool:
    """True where two keys that are equal belong to one object: a trade's buyer is its seller."""
    partition, sort = a.partition.unify(b.partition), a.sort.unify(b.sort)
    if partition is None or sort is None:
        return False
    names = {**partition, **sort}
    always = all(name == other for name, other in names.items())
    return not always and all(names.get(name) == name for name in entity.home.names)


def _check_pair(layout: Layout, first: Entity, a: Key, second: Entity, b: Key) -> None:
    if first.type_value != second.type_value and _tells_types(layout, a.index):
        return
    if a.sort.collides(b.sort) and a.index.name is None:
        raise ModelError(
            f"{first.name} and {second.name} could have the same key: {a} and {b}.\n"
            "  One would overwrite the other. Give one of them another prefix"
            f"{_or_type(layout, a.index)}."
        )
    if a.sort.span({}, tight=True).meets(b.sort.span({}, tight=True)):
        raise ModelError(
            f"{first.name} ({a}) and {second.name} ({b}) overlap in one partition of "
            f"{a.index}, and no type attribute tells their items apart.\n"
            f"  Give one of them another prefix{_or_type(layout, a.index)}."
        )


def _tells_types(layout: Layout, index: Index) -> bool:
    if layout.type_attribute is None:
        return False
    return index.projected is None or layout.type_attribute in index.projected


def _or_type(layout: Layout, index: Index) -> str:
    if layout.type_attribute is None:
        return ', or the table a type attribute, such as Table(…, type_attribute="entityType")'
    if not _tells_types(layout, index):
        return f", or project {layout.type_attribute} into {index}"
    return ', or another type: @table.entity(…, type="…")'


def tighten(layout: Layout) -> None:
    """A prefix that would take in another entity's keys is narrowed to its own type's texts."""
    entities = list(layout.entities.values())
    for entity in entities:
        keys = tuple(
            replace(key, tight=True) if _crowded(entities, entity, key) else key
            for key in entity.keys
        )
        if keys != entity.keys:
            layout.entities[entity.name] = replace(entity, keys=keys)


def _crowded(entities: list[Entity], entity: Entity, key: Key) -> bool:
    loose, tight = key.sort.span({}), key.sort.span({}, tight=True)
    if loose == tight:
        return False
    for other in entities:
        for theirs in other.keys:
            if other is entity or theirs.index != key.index or not _one_partition(key, theirs):
                continue
            span = theirs.sort.span({}, tight=True)
            if loose.meets(span) and not tight.meets(span):
                return True
    return False
