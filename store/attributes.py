"""Typed attributes: how a declared type is kept in an item, and read back from it."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import reprlib
import types
import typing
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from . import values
from .errors import BadInput, ItemInvalid, ModelError
from .moments import moment_text, parse_moment
from .naming import Naming
from .texts import Misfit
from .values import AttributeValue

T = TypeVar("T")
Encode = Callable[[Any], AttributeValue]
Decode = Callable[[AttributeValue], Any]
JSON_INTEGERS = range(-(2**63), 2**64)  # what JSON writers agree on; beyond it, a float


@dataclass(frozen=True, slots=True)
class Codec:
    """Both directions of one type; Misfit for a value that is not of it.

    `kind` names the type for filters and messages.
    """

    kind: str
    encode: Encode
    decode: Decode


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
        if (found := self.scalars.get(annotation) or _SCALARS.get(annotation)) is not None:
            return found
        if isinstance(annotation, typing.NewType):
            return self.codec(annotation.__supertype__, where)
        inner, optional = optional_of(annotation)
        if optional:
            return _nullable(self.codec(inner, where))
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Annotated:
            return self.codec(arguments[0], where)
        if origin is list or (origin is tuple and arguments[1:] == (...,)):
            return _list(self.codec(arguments[0], where))
        if origin in (set, frozenset):
            return _set(self.codec(arguments[0], where), _set_tag(arguments[0], where))
        if isinstance(annotation, type):
            cls = typing.cast("type[object]", annotation)
            if issubclass(cls, enum.Enum):
                return _enum(cls, where)
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


def _shown(value: object) -> str:
    return reprlib.repr(value)


def _unwrap(attribute: AttributeValue, tag: str) -> Any:
    try:
        return attribute[tag]
    except KeyError:
        held = ", ".join(attribute)
        raise Misfit(f"holds {held} where {tag} is expected.") from None


# Scalars.


def _scalar(
    kind: str,
    tag: str,
    what: str,
    accepts: type | tuple[type, ...],
    write: Callable[[Any], object],
    read: Callable[[Any], object],
    *,
    refuses: type | tuple[type, ...] = (),
) -> Codec:
    """`refuses` are the subtypes that mean something else: True is an int, a datetime a date."""

    def encode(value: Any) -> AttributeValue:
        if not isinstance(value, accepts) or isinstance(value, refuses):
            raise Misfit(f"must be {what}, not {_shown(value)}.")
        try:
            return {tag: write(value)}
        except (BadInput, OverflowError) as error:
            raise Misfit(f"cannot be stored: {str(error).rstrip('.')}.") from error

    def decode(attribute: AttributeValue) -> Any:
        held = _unwrap(attribute, tag)
        try:
            return read(held)
        except (ValueError, TypeError, ArithmeticError) as error:
            raise Misfit(f"holds {_shown(held)} where {what} is expected.") from error

    return Codec(kind, encode, decode)


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadInput("it is not valid Unicode text.") from None
    return str.__str__(value)  # a member of a `str` enum would print its name


def _same(held: Any) -> Any:
    return held


def _whole(text: str) -> int:
    number = values.parse_number(text)
    if number != int(number):
        raise ValueError(text)
    return int(number)


def _bytes(text: str) -> object:
    try:
        return values.decode({"B": text})
    except ItemInvalid as error:
        raise ValueError(text) from error


def _base64(value: bytes) -> str:
    return values.encode(value)["B"]


_NUMBERS = (int, float, Decimal)
TEXT = _scalar("text", "S", "text", str, _text, _same)

_SCALARS: Mapping[object, Codec] = {
    str: TEXT,
    bool: _scalar("bool", "BOOL", "true or false", bool, _same, _same),
    int: _scalar("int", "N", "a whole number", int, values.number, _whole, refuses=bool),
    float: _scalar("float", "N", "a number", _NUMBERS, values.number, float, refuses=bool),
    Decimal: _scalar("decimal", "N", "a number", _NUMBERS, values.number, Decimal, refuses=bool),
    datetime.date: _scalar(
        "date",
        "S",
        "a date such as 2024-01-31",
        datetime.date,
        datetime.date.isoformat,
        datetime.date.fromisoformat,
        refuses=datetime.datetime,
    ),
    datetime.datetime: _scalar(
        "datetime",
        "S",
        "a date and time such as 2024-01-31T12:00:00Z",
        datetime.datetime,
        moment_text,
        parse_moment,
    ),
    uuid.UUID: _scalar("uuid", "S", "a UUID", uuid.UUID, str, uuid.UUID),
    bytes: _scalar("bytes", "B", "a bytes value", (bytes, bytearray), _base64, _bytes),
}


def _encode_json(value: Any) -> AttributeValue:
    try:
        return values.encode(value)
    except (BadInput, TypeError) as error:
        raise Misfit(f"cannot be stored: {str(error).rstrip('.')}.") from error


def _decode_json(attribute: AttributeValue) -> object:
    try:
        return _jsonable(values.decode(attribute))
    except ItemInvalid as error:
        raise Misfit("holds what is no DynamoDB value.") from error


def _jsonable(value: object) -> object:
    """JSON has neither sets nor bytes nor Decimal: a list, base64 text and a float."""
    match value:
        case Decimal():
            return _jsonable(int(value)) if value == value.to_integral_value() else float(value)
        case int() if value not in JSON_INTEGERS:
            return float(value)
        case bytes():
            return _base64(value)
        case frozenset():
            members = typing.cast("frozenset[Any]", value)
            return [_jsonable(member) for member in sorted(members)]
        case list():
            return [_jsonable(entry) for entry in typing.cast("list[object]", value)]
        case dict():
            entries = typing.cast("dict[str, object]", value)
            return {key: _jsonable(entry) for key, entry in entries.items()}
        case _:
            return value


JSON = Codec("json", _encode_json, _decode_json)


def _nullable(inner: Codec) -> Codec:
    def encode(value: Any) -> AttributeValue:
        return {"NULL": True} if value is None else inner.encode(value)

    def decode(attribute: AttributeValue) -> Any:
        return None if "NULL" in attribute else inner.decode(attribute)

    return Codec(inner.kind, encode, decode)


def _enum(members: type[enum.Enum], where: str) -> Codec:
    expected = f"one of {', '.join(str(member.value) for member in members)}"
    _tags_of(members, where)
    texts: dict[object, enum.Enum] = {
        member.value: member for member in members if isinstance(member.value, str)
    }

    def encode(value: Any) -> AttributeValue:
        try:
            return values.encode(members(value).value)
        except ValueError:
            raise Misfit(f"must be {expected}, not {_shown(value)}.") from None

    def decode(attribute: AttributeValue) -> Any:
        if (found := texts.get(attribute.get("S"))) is not None:
            return found
        try:
            return members(values.decode(attribute))
        except (ValueError, ItemInvalid) as error:
            held = _shown(next(iter(attribute.values()), None))
            raise Misfit(f"holds {held} where {expected} is expected.") from error

    return Codec("enum", encode, decode)


def _tags_of(members: type[enum.Enum], where: str) -> set[str]:
    """The DynamoDB types of an enum's values."""
    try:
        return {tag for member in members for tag in values.encode(member.value)}
    except (BadInput, TypeError) as error:
        raise ModelError(
            f"{where}: a value of {members.__name__} is nothing that DynamoDB can hold: {error}"
        ) from error


# Collections.


def _each(convert: Callable[[Any], T], entries: Iterable[Any]) -> list[T]:
    """Names the place of the entry that does not fit."""
    made: list[T] = []
    for at, entry in enumerate(entries):
        try:
            made.append(convert(entry))
        except Misfit as misfit:
            raise misfit.under(f"[{at}]") from misfit
    return made


def _list(entry: Codec) -> Codec:
    def encode(entries: Any) -> AttributeValue:
        if not isinstance(entries, (list, tuple)):
            raise Misfit(f"must be a list, not {_shown(entries)}.")
        return {"L": _each(entry.encode, typing.cast("list[Any]", entries))}

    def decode(attribute: AttributeValue) -> Any:
        return _each(entry.decode, _unwrap(attribute, "L"))

    return Codec("list", encode, decode)


_SET_TAGS: Mapping[object, str] = {
    str: "S",
    datetime.date: "S",
    datetime.datetime: "S",
    uuid.UUID: "S",
    int: "N",
    float: "N",
    Decimal: "N",
    bytes: "B",
}


def _set_tag(member: object, where: str) -> str:
    """The DynamoDB type of a set's members, of which there must be one."""
    while isinstance(member, typing.NewType):
        member = member.__supertype__
    tags = {_SET_TAGS.get(member, "")}
    if isinstance(member, type) and issubclass(member, enum.Enum):
        tags = _tags_of(member, where)
    if len(tags) != 1 or not tags <= {"S", "N", "B"}:
        raise ModelError(f"{where}: a DynamoDB set holds texts, numbers or bytes.")
    return tags.pop()


def _set(entry: Codec, tag: str) -> Codec:
    """A set is read as a sorted list: neither DynamoDB's sets nor Python's have an order."""

    def encode(members: Any) -> AttributeValue:
        if not isinstance(members, (set, frozenset, list, tuple)):
            raise Misfit(f"must be a set, not {_shown(members)}.")
        if not members:
            return {"L": []}  # DynamoDB has no empty set
        encoded = [entry.encode(member)[tag] for member in typing.cast("set[Any]", members)]
        return {tag + "S": _distinct(encoded, tag)}

    def decode(attribute: AttributeValue) -> Any:
        if (members := attribute.get(tag + "S")) is None:
            return _each(entry.decode, _unwrap(attribute, "L"))
        return _each(lambda member: entry.decode({tag: member}), _distinct(members, tag))

    return Codec("set", encode, decode)


def _distinct(members: Iterable[str], tag: str) -> list[str]:
    """In order and each once; 1 and 1.0 are one number to DynamoDB."""
    if tag == "N":
        numbers = {Decimal(member): member for member in members}
        return [numbers[number] for number in sorted(numbers)]
    return sorted(set(members))


def _map(cls: type, fields: list[Attribute]) -> Codec:
    """A nested type as a map; `fields` may be filled in later."""

    def encode(value: Any) -> AttributeValue:
        if not isinstance(value, cls):
            raise Misfit(f"must be of type {cls.__name__}, not {_shown(value)}.")
        return {"M": encode_all(fields, lambda field: getattr(value, field.name))}

    def decode(attribute: AttributeValue) -> Any:
        entries = _unwrap(attribute, "M")
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
