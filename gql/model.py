"""Declaring a model: a table, its indexes, and the types that live in it."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, dataclass_transform

import strawberry
from strawberry.types.base import StrawberryObjectDefinition, get_object_definition

from ..store.entities import Index as StoredIndex
from ..store.errors import ModelError
from ..store.naming import Naming
from ..store.requests import KeyNames
from .fields import LinkField, attribute, count_of, many, max_of, min_of, one, sum_of
from .keys import KeyLike, KeySpec, spec_of
from .stamps import supply_defaults
from .writes import KeptAs, Writes, WritesLike, writes_of

NamingStyle = Literal["camelCase", "PascalCase", "snake_case", "as is"]
Projection = Literal["ALL", "KEYS_ONLY"] | Sequence[str]
T = TypeVar("T")

_FIELD_KIND = "_field_type"
"""Where a dataclass field keeps that it is one; Strawberry's copies forget it."""

_CONVENTIONAL = re.compile(r"[gl]si[0-9]+")


@dataclass(frozen=True, slots=True)
class Index:
    """A secondary index as the table has it: its name, its key attributes, its projection."""

    name: str
    pk: str
    sk: str
    projection: Projection = "ALL"

    def stored(self, table: Table) -> StoredIndex:
        names = KeyNames(self.pk, self.sk)
        if self.projection == "ALL":
            return StoredIndex(self.name, names)
        keys = {self.pk, self.sk, table.pk, table.sk}
        included = () if isinstance(self.projection, str) else self.projection
        return StoredIndex(self.name, names, frozenset((*keys, *included)))


@dataclass(frozen=True, slots=True)
class EntitySpec:
    cls: type
    definition: StrawberryObjectDefinition
    home: KeySpec
    copies: tuple[KeySpec, ...]
    indexes: Mapping[str, KeySpec]
    type_value: str | None
    plural: str | None
    writes: tuple[Writes, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    moves: bool = True
    history: KeptAs | None = None


@dataclass(frozen=True, slots=True)
class GroupSpec:
    cls: type
    definition: StrawberryObjectDefinition
    pk: str
    by: str


class Table:
    """A DynamoDB table and the conventions by which its items are written.

    Indexes named `gsi1`, `gsi2`, … need no declaration: they are called GSI1 and have the key
    attributes GSI1PK and GSI1SK. Others are given in `indexes`.
    """

    def __init__(
        self,
        name: str,
        *,
        pk: str = "PK",
        sk: str = "SK",
        indexes: Mapping[str, Index] | None = None,
        naming: NamingStyle = "camelCase",
        type_attribute: str | None = "entityType",
        separator: str = "#",
        expiry: str = "expiresAt",
    ) -> None:
        self.name = name
        self.pk = pk
        self.sk = sk
        self.indexes = dict(indexes or {})
        self.naming = _naming(naming)
        self.type_attribute = type_attribute
        self.separator = _separator(separator)
        self.expiry = expiry
        self.entities: dict[str, EntitySpec] = {}
        self.groups: dict[str, GroupSpec] = {}

    @dataclass_transform(
        kw_only_default=True,
        field_specifiers=(strawberry.field, attribute, many, one, count_of, sum_of, min_of, max_of),
    )
    def entity(
        self,
        pk: str,
        sk: str,
        *,
        copies: Sequence[KeyLike] = (),
        type: str | None = None,
        name: str | None = None,
        plural: str | None = None,
        description: str | None = None,
        writes: WritesLike = False,
        unique: Sequence[str | Sequence[str]] = (),
        moves: bool = True,
        history: KeptAs | None = None,
        **indexes: KeyLike,
    ) -> Callable[[type[T]], type[T]]:
        """Makes a class a GraphQL type stored at `pk` / `sk`, and in each index that is named.

        `type` is what the type attribute holds (the class's name unless given), `plural` names
        the root field for several. `writes=True` makes mutations; `unique` lists attributes, or
        groups of them, whose values no two objects share; `moves=False` refuses a change of the
        home key; `history` is where a publication puts the version before it.
        """

        def declare(cls: type[T]) -> type[T]:
            made = _made(cls, name, description)
            shown = definition_of(made).name
            self._refuse_twice(shown)
            self.entities[shown] = EntitySpec(
                made,
                definition_of(made),
                KeySpec(pk, sk),
                tuple(spec_of(given, f"{shown}, copies") for given in copies),
                {index: spec_of(given, f"{shown}, {index}") for index, given in indexes.items()},
                type,
                plural,
                writes_of(writes),
                _groups(unique),
                moves,
                history,
            )
            for index in indexes:
                self._index_named(index, shown)
            return made

        return declare

    @dataclass_transform(
        kw_only_default=True,
        field_specifiers=(strawberry.field, attribute, many, one, count_of, sum_of, min_of, max_of),
    )
    def group(
        self, pk: str, by: str, *, name: str | None = None, description: str | None = None
    ) -> Callable[[type[T]], type[T]]:
        """Makes a class a node that has no item of its own: what shares `by` in one partition."""

        def declare(cls: type[T]) -> type[T]:
            made = _made(cls, name, description)
            shown = definition_of(made).name
            self._refuse_twice(shown)
            self.groups[shown] = GroupSpec(made, definition_of(made), pk, by)
            return made

        return declare

    def _refuse_twice(self, name: str) -> None:
        if name in self.entities or name in self.groups:
            raise ModelError(
                f"The table {self.name} already has a type {name}.\n"
                '  Give this one another name: @table.entity(…, name="…").'
            )

    def _index_named(self, name: str, entity: str) -> Index:
        if (known := self.indexes.get(name)) is not None:
            return known
        if not _CONVENTIONAL.fullmatch(name):
            declared = ", ".join(self.indexes) or "none"
            raise ModelError(
                f"{entity}: the table {self.name} has no index {name!r} (declared: {declared}).\n"
                f'  Write Table(…, indexes={{{name!r}: Index("{name}", pk=…, sk=…)}}), or use '
                "gsi1, gsi2, … which need no declaration."
            )
        upper = name.upper()
        made = self.indexes[name] = Index(upper, f"{upper}PK", f"{upper}SK")
        return made


def _groups(unique: Sequence[str | Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    every = (unique,) if isinstance(unique, str) else unique
    return tuple((one,) if isinstance(one, str) else tuple(one) for one in every)


def _separator(text: str) -> str:
    if not text or "{" in text or "}" in text:
        raise ModelError(
            f"separator={text!r} cannot part the values of a key. Write a text such as '#'."
        )
    return text


def _naming(style: str) -> Naming:
    try:
        return Naming(style)
    except ValueError:
        known = ", ".join(repr(one.value) for one in Naming)
        raise ModelError(f"naming={style!r} is no convention. Write one of {known}.") from None


def _made(cls: type[T], name: str | None, description: str | None) -> type[T]:
    if "__strawberry_definition__" in cls.__dict__:
        raise decorated_twice(cls)
    supply_defaults(cls)
    return strawberry.type(cls, name=name, description=description or _doc(cls))


def decorated_twice(cls: type) -> ModelError:
    return ModelError(
        f"{cls.__name__} is decorated with @strawberry.type as well.\n"
        "  Remove it: @table.entity and @table.group make a class a Strawberry type."
    )


def _doc(cls: type) -> str | None:
    """The class's own docstring; dataclasses write one of their own when there is none."""
    doc = cls.__dict__.get("__doc__")
    return inspect.cleandoc(doc) if doc else None


def definition_of(cls: type) -> StrawberryObjectDefinition:
    return get_object_definition(cls, strict=True)


def link_fields(cls: type) -> dict[str, LinkField]:
    fields = definition_of(cls).fields
    return {field.python_name: field for field in fields if isinstance(field, LinkField)}


def fresh_links(cls: type) -> dict[str, LinkField]:
    """The type's link fields, as copies: those of a base class or another gateway stay theirs."""
    definition = definition_of(cls)
    made: dict[str, LinkField] = {}
    for name, field in link_fields(cls).items():
        twin = made[name] = copy.copy(field)
        twin.link, twin.arguments = None, []
        setattr(twin, _FIELD_KIND, getattr(field, _FIELD_KIND))
    definition.fields = [made.get(field.python_name, field) for field in definition.fields]
    vars(cls)["__dataclass_fields__"].update(made)
    return made


def stored_fields(cls: type) -> list[dataclasses.Field[Any]]:
    """The dataclass fields that hold attributes, private ones among them."""
    return [field for field in dataclasses.fields(cls) if field.init]
