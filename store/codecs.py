"""Codecs: how a value of one type is kept in an item, and read back from it."""

from __future__ import annotations

import datetime
import enum
import reprlib
import typing
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from . import values
from .errors import BadInput, ItemInvalid, ModelError
from .moments import moment_text, parse_moment
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


def shown(value: object) -> str:
    return reprlib.repr(value)


def unwrap(attribute: AttributeValue, tag: str) -> Any:
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
            raise Misfit(f"must be {what}, not {shown(value)}.")
        try:
            return {tag: write(value)}
        except (BadInput, OverflowError) as error:
            raise Misfit(f"cannot be stored: {str(error).rstrip('.')}.") from error

    def decode(attribute: AttributeValue) -> Any:
        held = unwrap(attribute, tag)
        try:
            return read(held)
        except (ValueError, TypeError, ArithmeticError) as error:
            raise Misfit(f"holds {shown(held)} where {what} is expected.") from error

    return Codec(kind, encode, decode)


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
TEXT = _scalar("text", "S", "text", str, values.unicode_text, _same)

SCALARS: Mapping[object, Codec] = {
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


def nullable(inner: Codec) -> Codec:
    def encode(value: Any) -> AttributeValue:
        return {"NULL": True} if value is None else inner.encode(value)

    def decode(attribute: AttributeValue) -> Any:
        return None if "NULL" in attribute else inner.decode(attribute)

    return Codec(inner.kind, encode, decode)


def enum_of(members: type[enum.Enum], where: str) -> Codec:
    expected = f"one of {', '.join(str(member.value) for member in members)}"
    _tags_of(members, where)
    texts: dict[object, enum.Enum] = {
        member.value: member for member in members if isinstance(member.value, str)
    }

    def encode(value: Any) -> AttributeValue:
        try:
            return values.encode(members(value).value)
        except ValueError:
            raise Misfit(f"must be {expected}, not {shown(value)}.") from None

    def decode(attribute: AttributeValue) -> Any:
        if (found := texts.get(attribute.get("S"))) is not None:
            return found
        try:
            return members(values.decode(attribute))
        except (ValueError, ItemInvalid) as error:
            held = shown(next(iter(attribute.values()), None))
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


def list_of(entry: Codec) -> Codec:
    def encode(entries: Any) -> AttributeValue:
        if not isinstance(entries, (list, tuple)):
            raise Misfit(f"must be a list, not {shown(entries)}.")
        return {"L": _each(entry.encode, typing.cast("list[Any]", entries))}

    def decode(attribute: AttributeValue) -> Any:
        return _each(entry.decode, unwrap(attribute, "L"))

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


def set_tag(member: object, where: str) -> str:
    """The DynamoDB type of a set's members, of which there must be one."""
    while isinstance(member, typing.NewType):
        member = member.__supertype__
    tags = {_SET_TAGS.get(member, "")}
    if isinstance(member, type) and issubclass(member, enum.Enum):
        tags = _tags_of(member, where)
    if len(tags) != 1 or not tags <= {"S", "N", "B"}:
        raise ModelError(f"{where}: a DynamoDB set holds texts, numbers or bytes.")
    return tags.pop()


def set_of(entry: Codec, tag: str) -> Codec:
    """A set is read as a sorted list: neither DynamoDB's sets nor Python's have an order."""

    def encode(members: Any) -> AttributeValue:
        if not isinstance(members, (set, frozenset, list, tuple)):
            raise Misfit(f"must be a set, not {shown(members)}.")
        if not members:
            return {"L": []}  # DynamoDB has no empty set
        encoded = [entry.encode(member)[tag] for member in typing.cast("set[Any]", members)]
        return {tag + "S": _distinct(encoded, tag)}

    def decode(attribute: AttributeValue) -> Any:
        if (members := attribute.get(tag + "S")) is None:
            return _each(entry.decode, unwrap(attribute, "L"))
        return _each(lambda member: entry.decode({tag: member}), _distinct(members, tag))

    return Codec("set", encode, decode)


def _distinct(members: Iterable[str], tag: str) -> list[str]:
    """In order and each once; 1 and 1.0 are one number to DynamoDB."""
    if tag == "N":
        numbers = {Decimal(member): member for member in members}
        return [numbers[number] for number in sorted(numbers)]
    return sorted(set(members))
