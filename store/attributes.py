"""Typed attributes: how a declared type is kept in an item, and read back from it."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import types
import typing
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from . import values
from .errors import ItemInvalid, ModelError
from .naming import Naming
from .values import AttributeValue

Encode = Callable[[Any], AttributeValue]
Decode = Callable[[AttributeValue], Any]


@dataclass(frozen=True, slots=True)
class Codec:
    """Both directions of one type. `kind` names the type for filters and messages."""

    kind: str
    encode: Encode
    decode: Decode


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of an entity: `name` in Python, `stored` in the table."""

    name: str
    stored: str
    annotation: object
    codec: Codec
    optional: bool
    default: Callable[[], object] | None = None


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
    """ModelError for a type that an item cannot hold."""
    if (found := scalars.get(annotation) or _SCALARS.get(annotation)) is not None:
        return found
    inner, optional = optional_of(annotation)
    if optional:
        return _nullable(codec_for(inner, scalars=scalars, naming=naming, where=where))
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (list, tuple) and arguments:
        return _list(codec_for(arguments[0], scalars=scalars, naming=naming, where=where))
    if origin in (set, frozenset) and arguments:
        return _set(codec_for(arguments[0], scalars=scalars, naming=naming, where=where), where)
    if isinstance(annotation, type):
        if issubclass(annotation, enum.Enum):
            return _enum(annotation)
        if dataclasses.is_dataclass(annotation):
            return _map(annotation, scalars=scalars, naming=naming, where=where)
    raise ModelError(
        f"{where}: an item cannot hold {annotation!r}. Use str, int, float, Decimal, bool, ID, "
        "date, datetime, UUID, an Enum, bytes, JSON, a list or set of these, or a Strawberry type."
    )


def _unwrap(attribute: AttributeValue, tag: str) -> Any:
    try:
        return attribute[tag]
    except KeyError:
        held = ", ".join(attribute)
        raise ValueError(f"holds {held} where {tag} is expected") from None


def _moment(text: str) -> datetime.datetime:
    moment = datetime.datetime.fromisoformat(text)
    if moment.tzinfo is None:
        return moment.replace(tzinfo=datetime.UTC)
    return moment.astimezone(datetime.UTC)


def moment_text(moment: datetime.datetime) -> str:
    """ISO 8601 in UTC with a Z; a naive datetime counts as UTC."""
    if moment.tzinfo is not None:
        moment = moment.astimezone(datetime.UTC).replace(tzinfo=None)
    return moment.isoformat() + "Z"


def _whole(text: str) -> int:
    number = values.parse_number(text)
    if number != int(number):
        raise ValueError(f"holds {text} where a whole number is expected")
    return int(number)


def _jsonable(value: object) -> object:
    """JSON has neither sets nor bytes nor Decimal: a list, base64 text and a float."""
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case bytes():
            return values.encode(value)["B"]
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


TEXT = Codec("text", lambda value: {"S": str(value)}, lambda a: _unwrap(a, "S"))
JSON = Codec("json", values.encode, lambda a: _jsonable(values.decode(a)))

_SCALARS: Mapping[object, Codec] = {
    str: TEXT,
    bool: Codec("bool", lambda value: {"BOOL": bool(value)}, lambda a: _unwrap(a, "BOOL")),
    int: Codec(
        "int", lambda value: {"N": values.number(value)}, lambda a: _whole(_unwrap(a, "N"))
    ),
    float: Codec(
        "float", lambda value: {"N": values.number(value)}, lambda a: float(_unwrap(a, "N"))
    ),
    Decimal: Codec(
        "decimal", lambda value: {"N": values.number(value)}, lambda a: Decimal(_unwrap(a, "N"))
    ),
    datetime.date: Codec(
        "date",
        lambda value: {"S": value.isoformat()},
        lambda a: datetime.date.fromisoformat(_unwrap(a, "S")),
    ),
    datetime.datetime: Codec(
        "datetime",
        lambda value: {"S": moment_text(value)},
        lambda a: _moment(_unwrap(a, "S")),
    ),
    uuid.UUID: Codec(
        "uuid", lambda value: {"S": str(value)}, lambda a: uuid.UUID(_unwrap(a, "S"))
    ),
    bytes: Codec("bytes", values.encode, lambda a: values.decode({"B": _unwrap(a, "B")})),
}


def _nullable(inner: Codec) -> Codec:
    def encode(value: Any) -> AttributeValue:
        return {"NULL": True} if value is None else inner.encode(value)

    def decode(attribute: AttributeValue) -> Any:
        return None if "NULL" in attribute else inner.decode(attribute)

    return Codec(inner.kind, encode, decode)


def _enum(members: type[enum.Enum]) -> Codec:
    def decode(attribute: AttributeValue) -> Any:
        return members(values.decode(attribute))

    return Codec("enum", lambda value: values.encode(members(value).value), decode)


def _list(entry: Codec) -> Codec:
    def encode(entries: Any) -> AttributeValue:
        return {"L": [entry.encode(value) for value in entries]}

    def decode(attribute: AttributeValue) -> Any:
        return [entry.decode(value) for value in _unwrap(attribute, "L")]

    return Codec("list", encode, decode)


_SET_TAGS: Mapping[str, tuple[str, str]] = {"S": ("SS", "S"), "N": ("NS", "N"), "B": ("BS", "B")}


def _set(entry: Codec, where: str) -> Codec:
    if entry.kind not in ("text", "int", "float", "decimal", "date", "datetime", "uuid", "bytes"):
        raise ModelError(f"{where}: a DynamoDB set holds texts, numbers or bytes.")

    def encode(members: Any) -> AttributeValue:
        encoded = [entry.encode(member) for member in members]
        tag = next(iter(encoded[0])) if encoded else "S"
        return {_SET_TAGS[tag][0]: sorted(value[tag] for value in encoded)}

    def decode(attribute: AttributeValue) -> Any:
        for tag, (set_tag, _) in _SET_TAGS.items():
            if set_tag in attribute:
                # DynamoDB gives a set in no particular order.
                return sorted(entry.decode({tag: member}) for member in attribute[set_tag])
        return [entry.decode(member) for member in _unwrap(attribute, "L")]

    return Codec("set", encode, decode)


def _map(
    cls: type, *, scalars: Mapping[object, Codec], naming: Naming, where: str
) -> Codec:
    """A nested type as a map; its fields are looked at on first use, so types may refer back."""
    fields: dict[str, tuple[str, Codec, bool]] = {}

    def known() -> dict[str, tuple[str, Codec, bool]]:
        if not fields:
            hints = typing.get_type_hints(cls, include_extras=False)
            for field in dataclasses.fields(cls):
                if not field.init:
                    continue
                hint, optional = optional_of(hints[field.name])
                inner = f"{where}.{field.name}"
                codec = codec_for(hint, scalars=scalars, naming=naming, where=inner)
                fields[field.name] = (naming.apply(field.name), codec, optional)
        return fields

    def encode(value: Any) -> AttributeValue:
        pairs = ((stored, codec, getattr(value, name)) for name, (stored, codec, _) in known().items())
        return {"M": {stored: codec.encode(part) for stored, codec, part in pairs if part is not None}}

    def decode(attribute: AttributeValue) -> Any:
        entries = _unwrap(attribute, "M")
        made: dict[str, Any] = {}
        for name, (stored, codec, optional) in known().items():
            part = entries.get(stored)
            if part is not None and "NULL" not in part:
                made[name] = codec.decode(part)
            elif optional:
                made[name] = None
            else:
                raise ValueError(f"has no {stored}")
        return cls(**made)

    return Codec("map", encode, decode)


def decode_attribute(
    attribute: Attribute, held: AttributeValue, *, entity: str, key: tuple[str, str]
) -> Any:
    """ItemInvalid that names item, entity and attribute where `held` does not fit."""
    if "NULL" in held:
        if attribute.optional:
            return None
        raise invalid(attribute, "is null", entity=entity, key=key)
    try:
        return attribute.codec.decode(held)
    except (ValueError, TypeError, KeyError, ArithmeticError, ItemInvalid) as error:
        raise invalid(attribute, str(error), entity=entity, key=key) from error


def invalid(attribute: Attribute, what: str, *, entity: str, key: tuple[str, str]) -> ItemInvalid:
    return ItemInvalid(
        f"The item {key[0]} / {key[1]} is no valid {entity}: {attribute.stored} {what}."
    )
