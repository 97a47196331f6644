"""Changes: what somebody wants written, before it is known which items that takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from ..store.entities import Entity
from ..store.requests import Key
from ..store.rules import Number

Values: TypeAlias = Mapping[str, object]


def _nothing() -> Values:
    return {}


@dataclass(frozen=True, slots=True, eq=False)
class Creation:
    """A new object; refused where its key is taken."""

    verb: ClassVar[str] = "create"
    entity: Entity
    values: Values

    @property
    def identity(self) -> Values:
        return self.values


@dataclass(frozen=True, slots=True, eq=False)
class Replacement:
    """An object as a whole, whether one stood at its key or not."""

    verb: ClassVar[str] = "put"
    entity: Entity
    values: Values
    expected: int | None = None

    @property
    def identity(self) -> Values:
        return self.values


@dataclass(frozen=True, slots=True, eq=False)
class Revision:
    """Some attributes of an object that is there.

    `where` names values that the object must have; `known` names values that it is believed to
    have, so that they need not be read before the keys that hold them can be told.
    """

    verb: ClassVar[str] = "update"
    entity: Entity
    key: Values
    set: Values = field(default_factory=_nothing)
    add: Mapping[str, Number] = field(default_factory=dict[str, Number])
    append: Values = field(default_factory=_nothing)
    remove: Values = field(default_factory=_nothing)
    minimum: Mapping[str, Number] = field(default_factory=dict[str, Number])
    where: Values = field(default_factory=_nothing)
    expected: int | None = None
    known: Values = field(default_factory=_nothing)

    def __post_init__(self) -> None:
        """A key that is set to what it is moves nothing."""
        kept = {name: value for name, value in self.set.items() if not self._is_key(name, value)}
        object.__setattr__(self, "set", kept)

    def _is_key(self, name: str, value: object) -> bool:
        return name in self.key and self.key[name] == value

    @property
    def identity(self) -> Values:
        return self.key

    @property
    def changed(self) -> frozenset[str]:
        """The attributes that change, the stamps of a write among them."""
        rules = self.entity.rules
        stamps = [name for name in (rules.version, rules.updated) if name is not None]
        return frozenset((*self.set, *self.add, *self.append, *self.remove, *stamps))


@dataclass(frozen=True, slots=True, eq=False)
class Removal:
    """`shown`: its item is wanted as it was, which a transaction does not tell by itself."""

    verb: ClassVar[str] = "delete"
    entity: Entity
    key: Values
    where: Values = field(default_factory=_nothing)
    expected: int | None = None
    known: Values = field(default_factory=_nothing)
    shown: bool = False

    @property
    def identity(self) -> Values:
        return self.key


@dataclass(frozen=True, slots=True, eq=False)
class Insistence:
    """An object that has to be there, with these values, and is left as it is."""

    verb: ClassVar[str] = "check"
    entity: Entity
    key: Values
    where: Values = field(default_factory=_nothing)
    expected: int | None = None

    @property
    def identity(self) -> Values:
        return self.key


@dataclass(frozen=True, slots=True, eq=False)
class Publication:
    """A new latest version; the one before it goes into history as a `past`.

    `past_values` are those that the past one has of its own, such as its date.
    """

    verb: ClassVar[str] = "publish"
    entity: Entity
    values: Values
    past: Entity
    past_values: Values
    expected: int | None = None

    @property
    def identity(self) -> Values:
        return self.values


Change: TypeAlias = Creation | Replacement | Revision | Removal | Insistence | Publication


def home_of(change: Change) -> Key:
    """The key of the object's home item; BadInput for a value that cannot stand in it."""
    return change.entity.home_key(change.identity)


def described(change: Change) -> str:
    return f"{change.verb} {change.entity.name} {' / '.join(home_of(change))}"
