"""Links: how a field reaches items. They are found by unifying key templates."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..loaders.asks import Member, Resident
from ..store.entities import Entity, Group, Index, Key
from ..store.errors import ModelError
from ..store.naming import snake

OPTIONS = ("through", "bounded", "newest_first", "filters", "description", "name")
"""What else a link may be declared with; a misspelt one looks like a placeholder."""

Kind = Literal["one", "list", "connection", "keys", "groups", "group", "node"]
Aggregation = Literal["count", "sum", "min", "max"]
Source = Entity | Group | None
"""Where a link starts; None is the root, whose values are the field's arguments."""


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """A member as a source sees it: which of the source's values fill which placeholders."""

    member: Member
    binding: Mapping[str, str]

    def fill(self, values: Mapping[str, object]) -> dict[str, object]:
        return {name: values[origin] for name, origin in self.binding.items() if origin in values}

    @property
    def pinned(self) -> bool:
        """True where the whole key follows from the source."""
        key = self.member.key
        return all(name in self.binding for name in key.names)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A number computed over the items of a bounded collection."""

    how: Aggregation
    attribute: str | None


@dataclass(slots=True, eq=False)
class Link:
    """A field that reaches items of the table. All reaches share one index and partition."""

    name: str
    kind: Kind
    source: Source
    reaches: tuple[Reach, ...]
    bounded: int | None = None
    newest_first: bool = False
    narrowing: tuple[str, ...] = ()
    """Sort-key placeholders that arguments may narrow, in the order of the key."""
    filters: tuple[str, ...] = ()
    group: Group | None = None
    aggregate: Aggregate | None = None
    residents: tuple[Resident, ...] = ()
    outgrown: bool = False
    """Whether a list longer than declared has been met, which is logged once."""
    by_type: Mapping[str, Link] = field(default_factory=dict["str", "Link"])
    """For `node`: the link to each entity by its name."""
    members: tuple[Member, ...] = field(init=False, repr=False)
    origins: frozenset[str] = field(init=False, repr=False)
    """The source's values that the link needs."""

    def __post_init__(self) -> None:
        self.members = tuple(reach.member for reach in self.reaches)
        self.origins = self._origins()

    @property
    def index(self) -> Index:
        return self.reaches[0].member.key.index

    @property
    def key(self) -> Key:
        return self.reaches[0].member.key

    def _origins(self) -> frozenset[str]:
        if self.group is not None and self.kind == "group":
            return frozenset((*self.group.partition.names, *self.group.by))
        return frozenset(origin for reach in self.reaches for origin in reach.binding.values())

    @property
    def whole(self) -> bool:
        """True where every item is read, so that what lies under it can be read along."""
        return self.kind in ("list", "groups") or self.aggregate is not None


@dataclass(frozen=True, slots=True)
class Candidate:
    key: Key
    binding: Mapping[str, str]


def find_reach(
    name: str,
    source: Source,
    target: Entity,
    *,
    given: Mapping[str, str],
    through: str | None,
    single: bool,
    partial: bool,
    in_union: bool = False,
) -> Reach:
    """The one way from `source` to `target`; ModelError where there is none, or several.

    `single` looks for one item, `partial` allows it to be the first of several; in a union,
    a collection may be a single item.
    """
    _check_given(name, source, target, given)
    candidates = [
        candidate
        for candidate in _candidates(source, target, given, through)
        if _fits(candidate, source, single=single, partial=partial, in_union=in_union)
    ]
    if single:
        at_home = [candidate for candidate in candidates if candidate.key.role == "home"]
        candidates = at_home or candidates
    distinct = _distinct(candidates)
    if not distinct:
        if not single and source is not None and _alone(source, target, given, through):
            raise ModelError(
                f"{name}: {source.name} has a single {target.name}, at {_keys(target)}.\n"
                f"  Annotate it as {target.name}, and declare it with one()."
            )
        raise ModelError(_no_path(name, source, target, single=single, through=through))
    if len(distinct) > 1:
        raise ModelError(_several_paths(name, target, distinct, single=single))
    [found] = distinct
    return Reach(Member(target, found.key), found.binding)


def _alone(
    source: Entity | Group, target: Entity, given: Mapping[str, str], through: str | None
) -> bool:
    return any(
        all(name in candidate.binding for name in candidate.key.names)
        for candidate in _candidates(source, target, given, through)
    )


def _candidates(
    source: Source, target: Entity, given: Mapping[str, str], through: str | None
) -> Iterator[Candidate]:
    for key in target.keys:
        if through is not None and not _is_through(key, through):
            continue
        if source is None:
            yield Candidate(key, {name: name for name in key.partition.names})
        elif given and all(name in given for name in key.partition.names):
            bound = {name: given[name] for name in key.names if name in given}
            yield Candidate(key, bound)
        elif not given:
            yield from _unified(source, target, key)


def _is_through(key: Key, through: str) -> bool:
    return through in (key.index.name, key.partition.source) or (
        key.index.name is None and through == "table"
    )


def _unified(source: Entity | Group, target: Entity, key: Key) -> Iterator[Candidate]:
    if isinstance(source, Group):
        if (
            source.index == key.index
            and (names := key.partition.unify(source.partition)) is not None
        ):
            bound = {name: name for name in key.sort.names if name in source.by}
            yield Candidate(key, {**names, **bound})
        return
    for own in source.keys:
        names = key.partition.unify(own.partition)
        if names is None or not _trusted(key, own, names):
            continue
        below = own.sort.unify_prefix(key.sort) if own.index == key.index else None
        if source is target and own is key and below is None:
            continue  # an item is no member of its own collection
        yield Candidate(key, {**names, **(below or {})})


def _trusted(key: Key, own: Key, names: Mapping[str, str]) -> bool:
    """Without a literal, `{id}` would unify with any other id: only in one index, or by name."""
    if any(isinstance(part, str) for part in key.partition.parts):
        return True
    return key.index == own.index or all(a == b for a, b in names.items())


def _fits(
    candidate: Candidate, source: Source, *, single: bool, partial: bool, in_union: bool
) -> bool:
    key = candidate.key
    open_names = [name for name in key.sort.names if name not in candidate.binding]
    if single:
        if source is None:
            return True
        return key.unique or partial or not open_names
    return bool(open_names) or in_union or isinstance(source, Group)


def _distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Without those that say the same: one key, filled from the same values."""
    seen: dict[tuple[int, tuple[tuple[str, str], ...]], Candidate] = {}
    for candidate in candidates:
        seen.setdefault((id(candidate.key), tuple(sorted(candidate.binding.items()))), candidate)
    return list(seen.values())


def root_reach(
    name: str,
    target: Entity,
    *,
    through: str | None,
    single: bool,
    partial: bool,
    in_union: bool,
) -> Reach:
    """A root field's way: arguments fill the key."""
    if single:
        key = target.home
        if through is not None:
            keys = [key for key in target.keys if _is_through(key, through)]
            if not keys:
                raise ModelError(_no_path(name, None, target, single=True, through=through))
            key = keys[0]
        wanted = key.partition.names if key.unique or partial else key.names
        return Reach(Member(target, key), {name: name for name in wanted})
    return find_reach(
        name,
        None,
        target,
        given={},
        through=through,
        single=False,
        partial=False,
        in_union=in_union,
    )


def _check_given(name: str, source: Source, target: Entity, given: Mapping[str, str]) -> None:
    placeholders = {
        one.name: one
        for key in target.keys
        for one in (*key.partition.placeholders, *key.sort.placeholders)
    }
    for placeholder, origin in given.items():
        if placeholder not in placeholders:
            near = difflib.get_close_matches(placeholder, (*placeholders, *OPTIONS), 1, 0.5)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise ModelError(
                f"{name}: {placeholder!r} stands in no key of {target.name}.{hint}\n"
                f"  Its keys are {_keys(target)}."
            )
        if source is None:
            continue
        if origin not in source.attributes:
            raise ModelError(
                f"{name}: {source.name} has no attribute {origin!r}.\n"
                f"  It has {', '.join(source.attributes)}."
            )
        held, wanted = source.attributes[origin].codec.kind, placeholders[placeholder].text.kind
        if held not in _WRITABLE.get(wanted, (wanted,)):
            raise ModelError(
                f"{name}: {target.name}.{placeholder} stands in its key as {wanted}, and "
                f"{source.name}.{origin} is {held}, so it cannot fill it.\n"
                "  Give both the same type."
            )


_WRITABLE: Mapping[str, tuple[str, ...]] = {
    "enum": ("enum", "text"),
}
"""Which kinds of values a kind of placeholder can write, where it is not its own alone."""


def _keys(target: Entity) -> str:
    return "; ".join(f"{key} ({key.index})" for key in target.keys)


def _no_path(
    name: str, source: Source, target: Entity, *, single: bool, through: str | None
) -> str:
    if through is not None and not any(_is_through(key, through) for key in target.keys):
        return (
            f"{name}: {target.name} does not appear in {through!r}.\n"
            f"  Its keys are {_keys(target)}."
        )
    if source is None:
        example = target.home.names[0] if target.home.names else "id"
        return (
            f"{name}: no key of {target.name} holds a collection, so this would need a Scan.\n"
            f"  Its keys are {_keys(target)}.\n"
            "  Give it an index whose sort key tells its items apart, such as "
            f'gsi1=sharded("{target.name.upper()}", "{{{example}}}", shards=8).'
        )
    what = "key" if single else "collection"
    return (
        f"{name}: no {what} of {target.name} can be built from {source.name}.\n"
        f"  {target.name} lives at {_keys(target)}; {source.name} has "
        f"{', '.join(source.attributes)}.\n"
        f"  {_way_to_one(source, target) if single else _way_to_many(source, target)}"
    )


def _way_to_one(source: Entity | Group, target: Entity) -> str:
    if not target.home.names:
        return f"Give {target.name} a key with the partition of {source.name}."
    pairs: list[str] = []
    for needed in target.home.names:
        likely = f"{snake(target.name)}_{needed}"
        pairs.append(f'{needed}="{likely if likely in source.attributes else "…"}"')
    return f"Write one({', '.join(pairs)}) with the attributes of {source.name} that hold them."


def _way_to_many(source: Entity | Group, target: Entity) -> str:
    partition = source.partition if isinstance(source, Group) else source.home.partition
    owner = f"{snake(source.name)}_id"
    [own, *_] = partition.names or ("id",)
    shown = partition.source.replace(f"{{{own}}}", f"{{{owner}}}")
    sort = f"{target.name.upper()}#{{{(target.home.names or ('id',))[0]}}}"
    return (
        f"Give {target.name} a copy or an index with the partition of {source.name} and a sort "
        f'key that tells its items apart, such as copies=[("{shown}", "{sort}")].'
    )


def _several_paths(
    name: str, target: Entity, candidates: Sequence[Candidate], *, single: bool
) -> str:
    lines = [f"{name}: {target.name} can be reached in several ways:"]
    for candidate in candidates:
        filled = ", ".join(f"{a} = {b}" for a, b in candidate.binding.items())
        key = candidate.key
        lines.append(f"  {key} ({key.index}) with {filled or 'nothing to fill'}")
    word = "one" if single else "many"
    lines.append(f"  Choose one, such as {word}({_choice(candidates)}).")
    return "\n".join(lines)


def _choice(candidates: Sequence[Candidate]) -> str:
    """What to write for the first of them, in the way that tells it from the others."""
    first, *others = (candidate.key for candidate in candidates)
    if all(other.index != first.index for other in others):
        return f'through="{first.index}"'
    if all(other.partition.source != first.partition.source for other in others):
        return f'through="{first.partition}"'
    return ", ".join(f'{a}="{b}"' for a, b in candidates[0].binding.items())


def narrowing_names(name: str, reach: Reach) -> tuple[str, ...]:
    """The sort key's open placeholders; ModelError where a bound one follows an open one."""
    names = reach.member.key.sort.names
    bound = [placeholder in reach.binding for placeholder in names]
    if bound != sorted(bound, reverse=True):
        raise ModelError(
            f"{name}: in the sort key {reach.member.key.sort} the known part does not come "
            "first, so DynamoDB could not look it up.\n"
            "  Put what is known to the left, or add an index that does."
        )
    return tuple(dict.fromkeys(n for n in names if n not in reach.binding))
