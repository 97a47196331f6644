"""Typed attributes: from a declared type to its codec, its stored name and its default."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .codecs import SCALARS, Codec, enum_of, list_of, nullable, set_of, set_tag, shown, unwrap
from .errors import ModelError
from .naming import Naming
from .texts import Misfit
from .values import AttributeValue


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of an entity or a nested type: `name` in Python, `stored` in the table."""

    name: str
    stored: str
    annotation: object
    codec: Codec
    optional: bool
    default: Callable[[], object] | None = None

    def absent(self) -> object:
        """What an item without it reads as; Misfit where it has to be there."""
        if self.default is not None:
            return self.default()
        if self.optional:
            return None
        if self.codec.kind == "set":
            return []  # DynamoDB has no empty set
        raise Misfit("is missing.")

    def reads_absent_as(self, value: object) -> bool:
        required = self.default is None and not self.optional and self.codec.kind != "set"
        if required:
            return False
        absent = self.absent()
        if value is None or absent is None:
            return value is absent
        return self.codec.encode(absent) == self.codec.encode(value)

    def encode(self, value: object) -> AttributeValue | None:
        """None where its absence reads as `value`, and nothing else could say it."""
        if value is None:
            if not self.optional:
                raise Misfit("is missing.")
            return None if self.absent() is None else {"NULL": True}
        encoded = self.codec.encode(value)
        if self.codec.kind == "set" and not value and self.absent() in ([], set()):
            return None
        return encoded

    def decode(self, held: AttributeValue) -> object:
        if "NULL" not in held:
            return self.codec.decode(held)
        if self.optional:
            return None
        raise Misfit("is null.")


def optional_of(annotation: object) -> tuple[object, bool]:
    """The type without None, and whether None was among it."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        arms = [arm for arm in typing.get_args(annotation) if arm is not type(None)]
        if len(arms) < len(typing.get_args(annotation)):
            rest = arms[0] if len(arms) == 1 else typing.Union[tuple(arms)]  # noqa: UP007
            return rest, True
    return annotation, False


def codec_for(
    annotation: object, *, scalars: Mapping[object, Codec], naming: Naming, where: str
) -> Codec:
    """ModelError for a type that an item cannot hold, or that holds one."""
    return _Catalogue(scalars, naming).codec(annotation, where)


@dataclass(frozen=True, slots=True)
class _Catalogue:
    """Finds codecs; `maps` are those under way, so that a type may hold itself."""

    scalars: Mapping[object, Codec]
    naming: Naming
    maps: dict[type, Codec] = dataclasses.field(default_factory=dict[type, Codec])

    def codec(self, annotation: object, where: str) -> Codec:
        if (found := self.scalars.get(annotation) or SCALARS.get(annotation)) is not None:
            return found
        if isinstance(annotation, typing.NewType):
            return self.codec(annotation.__supertype__, where)
        inner, optional = optional_of(annotation)
        if optional:
            return nullable(self.codec(inner, where))
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Annotated:
            return self.codec(arguments[0], where)
        if origin is list or (origin is tuple and arguments[1:] == (...,)):
            return list_of(self.codec(arguments[0], where))
        if origin in (set, frozenset):
            return set_of(self.codec(arguments[0], where), set_tag(arguments[0], where))
        if isinstance(annotation, type):
            cls = typing.cast("type[object]", annotation)
            if issubclass(cls, enum.Enum):
                return enum_of(cls, where)
            if dataclasses.is_dataclass(cls):
                return self._map(cls, where)
        raise ModelError(
            f"{where}: an item cannot hold {annotation!r}. Use str, int, float, Decimal, bool, "
            "ID, date, datetime, UUID, an Enum, bytes, JSON, a list or set of these, or a "
            "Strawberry type."
        )

    def _map(self, cls: type[Any], where: str) -> Codec:
        if cls in self.maps:
            return self.maps[cls]
        fields: list[Attribute] = []
        codec = self.maps[cls] = _map(cls, fields)
        try:
            hints = typing.get_type_hints(cls)
        except NameError as error:
            raise ModelError(
                f"{where}: {cls.__name__} has an annotation that names {error.name!r}, which is "
                f"not known where {cls.__name__} is declared.\n  Import it in that module."
            ) from error
        for one in dataclasses.fields(cls):
            if one.init:
                hint, optional = optional_of(hints[one.name])
                inner = self.codec(hint, f"{where}.{one.name}")
                stored = self.naming.apply(one.name)
                fields.append(Attribute(one.name, stored, hint, inner, optional, default_of(one)))
        return codec


def default_of(field: dataclasses.Field[Any]) -> Callable[[], object] | None:
    """What makes the default of a dataclass field; None where it has none."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory
    if field.default is not dataclasses.MISSING:
        value = field.default
        return lambda: value
    return None


def _map(cls: type, fields: list[Attribute]) -> Codec:
    """A nested type as a map; `fields` may be filled in later."""

    def encode(value: Any) -> AttributeValue:
        if not isinstance(value, cls):
            raise Misfit(f"must be of type {cls.__name__}, not {shown(value)}.")
        return {"M": encode_all(fields, lambda field: getattr(value, field.name))}

    def decode(attribute: AttributeValue) -> Any:
        entries = unwrap(attribute, "M")
        made: dict[str, Any] = {}
        for field in fields:
            held = entries.get(field.stored)
            try:
                made[field.name] = field.absent() if held is None else field.decode(held)
            except Misfit as misfit:
                raise misfit.under(f".{field.stored}") from misfit
        try:
            return cls(**made)
        except (ValueError, TypeError) as error:
            raise Misfit(f"is no valid {cls.__name__}: {error}.") from error

    return Codec("map", encode, decode)


def encode_all(
    attributes: Iterable[Attribute], value_of: Callable[[Attribute], object]
) -> dict[str, AttributeValue]:
    """By stored names; Misfit that begins with a dot and the attribute at fault."""
    encoded: dict[str, AttributeValue] = {}
    for attribute in attributes:
        try:
            held = attribute.encode(value_of(attribute))
        except Misfit as misfit:
            raise misfit.under(f".{attribute.name}") from misfit
        if held is not None:
            encoded[attribute.stored] = held
    return encoded
