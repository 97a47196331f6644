"""Rows: plain JSON turned into the values that an entity declares, and from them into items."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import datetime
import difflib
import enum
import json
import typing
import uuid
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn, cast

import orjson

from .attributes import optional_of
from .entities import Entity, Layout
from .errors import BadInput, ItemInvalid
from .naming import Naming, camel
from .values import NUMBER_MAX_EXPONENT, Item, decode

TYPE_NAMES = ("__typename", "type")
RAW_ITEM = "Item"


def items_of_line(layout: Layout, line: str | bytes) -> tuple[Item, ...]:
    """The items that a line of JSON stands for; BadInput that says which attribute is at fault."""
    row = parse(line)
    if set(row) == {RAW_ITEM}:
        items = (_raw(layout, row[RAW_ITEM]),)
    else:
        entity, rest = _entity_of(layout, row)
        items = _items(entity, values_of(entity, rest, layout.naming))
    try:
        orjson.dumps(items)
    except TypeError as error:
        # JSON can write half a surrogate pair, which is no text that could be sent.
        raise BadInput(f"This row cannot be sent: {error}.") from error
    return items


def items_of_object(layout: Layout, thing: object) -> tuple[Item, ...]:
    """The items of an instance of one of the model's entities."""
    for entity in layout.entities.values():
        if type(thing) is entity.cls:
            return _items(entity, {name: getattr(thing, name) for name in entity.attributes})
    raise BadInput(
        f"{type(thing).__name__} is no entity of the table {layout.name}, which has "
        f"{', '.join(layout.entities)}."
    )


def parse(line: str | bytes) -> dict[str, Any]:
    """Numbers with a point become Decimal, never a float in between."""
    try:
        row = json.loads(line, parse_float=Decimal, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        # The parser counts lines too, but it was given one.
        place = min(error.pos, len(error.doc.rstrip())) + 1
        raise BadInput(f"This is not JSON: {error.msg}, at column {place}.") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"This is not JSON: {error}.") from error
    if not isinstance(row, dict):
        raise BadInput('A row is an object such as {"type": "User", "id": "u1"}.')
    return cast("dict[str, Any]", row)


def values_of(entity: Entity, row: Mapping[str, Any], naming: Naming) -> dict[str, object]:
    """Values by Python name, defaults filled in, so that keys can be made of them."""
    given = _by_name(entity.name, entity.attributes, row, _stored(entity))
    values: dict[str, object] = {}
    for name, attribute in entity.attributes.items():
        where = f"{entity.name}.{name}"
        if (plain := given.get(name)) is not None:
            values[name] = convert(attribute.annotation, plain, where, naming)
        elif attribute.default is not None and name not in given:
            values[name] = attribute.default()
        elif name in (entity.rules.created, entity.rules.updated) and name not in given:
            values[name] = entity.moment(name, datetime.datetime.now(datetime.UTC))
        elif attribute.optional:
            values[name] = None
        else:
            raise BadInput(f"{where} is {'null' if name in given else 'missing'}.")
    return values


# Plain JSON to a declared type.


def convert(annotation: object, plain: Any, where: str, naming: Naming) -> object:
    """BadInput that begins with `where` for JSON that is no value of the declared type."""
    inner, optional = optional_of(annotation)
    if plain is None:
        if optional or inner is object:
            return None
        raise BadInput(f"{where} is null.")
    # ID and JSON are names for str and object.
    while isinstance(inner, typing.NewType):
        if inner.__supertype__ is str and isinstance(plain, int):
            plain = str(plain)
        inner = inner.__supertype__
    if (scalar := _SCALARS.get(inner)) is not None:
        return scalar(plain, where)
    origin, arguments = typing.get_origin(inner), typing.get_args(inner)
    if origin is typing.Annotated:
        return convert(arguments[0], plain, where, naming)
    if origin in _COLLECTIONS and arguments:
        entries = _array(plain, where)
        made = [
            convert(arguments[0], entry, f"{where}[{at}]", naming)
            for at, entry in enumerate(entries)
        ]
        return _COLLECTIONS[origin](made)
    if isinstance(inner, type) and issubclass(inner, enum.Enum):
        return _member(inner, plain, where)
    if isinstance(inner, type) and dataclasses.is_dataclass(inner):
        return _nested(inner, plain, where, naming)
    return plain


def _nested(cls: type, plain: Any, where: str, naming: Naming) -> object:
    if not isinstance(plain, dict):
        _refuse(where, f"an object, the fields of {cls.__name__}", plain)
    fields = {one.name: one for one in dataclasses.fields(cls) if one.init}
    hints = typing.get_type_hints(cls)
    stored = {naming.apply(name): name for name in fields}
    given = _by_name(where, fields, cast("dict[str, Any]", plain), stored)
    values: dict[str, object] = {}
    for name, one in fields.items():
        required = one.default is dataclasses.MISSING is one.default_factory
        if name in given:
            values[name] = convert(hints[name], given[name], f"{where}.{name}", naming)
        elif required and optional_of(hints[name])[1]:
            values[name] = None
        elif required:
            raise BadInput(f"{where}.{name} is missing.")
    return cls(**values)


def _text(plain: Any, where: str) -> str:
    return plain if isinstance(plain, str) else _refuse(where, "a text", plain)


def _boolean(plain: Any, where: str) -> bool:
    return plain if isinstance(plain, bool) else _refuse(where, "true or false", plain)


def _decimal(plain: Any, where: str) -> Decimal:
    if isinstance(plain, (int, Decimal, str)) and not isinstance(plain, bool):
        try:
            number = Decimal(plain)
        except InvalidOperation:
            number = Decimal("NaN")
        if number.is_finite():
            return number
    return _refuse(where, "a number, or a text that is one", plain)


def _whole(plain: Any, where: str) -> int:
    if isinstance(plain, int) and not isinstance(plain, bool):
        return plain
    # 1E+999999999 is short to write and long to expand.
    if isinstance(plain, Decimal) and plain.adjusted() <= NUMBER_MAX_EXPONENT and plain % 1 == 0:
        return int(plain)
    return _refuse(where, "a whole number", plain)


def _floating(plain: Any, where: str) -> float:
    if isinstance(plain, (int, Decimal)) and not isinstance(plain, bool):
        return float(plain)
    return _refuse(where, "a number", plain)


def _day(plain: Any, where: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(plain)
    except (TypeError, ValueError):
        return _refuse(where, "a date such as 2024-01-31", plain)


def _moment(plain: Any, where: str) -> datetime.datetime:
    """A time without a zone counts as UTC."""
    try:
        moment = datetime.datetime.fromisoformat(plain)
    except (TypeError, ValueError):
        return _refuse(where, "a datetime such as 2024-01-31T12:00:00Z", plain)
    if moment.tzinfo is None:
        return moment.replace(tzinfo=datetime.UTC)
    return moment.astimezone(datetime.UTC)


def _uuid(plain: Any, where: str) -> uuid.UUID:
    try:
        return uuid.UUID(plain)
    except (AttributeError, TypeError, ValueError):
        return _refuse(where, "a UUID", plain)


def _bytes(plain: Any, where: str) -> bytes:
    try:
        return base64.b64decode(plain, validate=True)
    except (TypeError, ValueError, binascii.Error):
        return _refuse(where, "bytes written in base64", plain)


def _as_it_is(plain: Any, _: str) -> object:
    return plain


def _member(members: type[enum.Enum], plain: Any, where: str) -> enum.Enum:
    """By value first, else by name: GraphQL shows names, the table holds values."""
    for member in members:
        if member.value == plain and isinstance(plain, bool) == isinstance(member.value, bool):
            return member
    if isinstance(plain, str) and plain in members.__members__:
        return members[plain]
    return _refuse(where, f"one of {', '.join(str(member.value) for member in members)}", plain)


def _array(plain: Any, where: str) -> list[Any]:
    return cast("list[Any]", plain) if isinstance(plain, list) else _refuse(where, "a list", plain)


_SCALARS: Mapping[object, Callable[[Any, str], object]] = {
    str: _text,
    bool: _boolean,
    int: _whole,
    float: _floating,
    Decimal: _decimal,
    datetime.date: _day,
    datetime.datetime: _moment,
    uuid.UUID: _uuid,
    bytes: _bytes,
    object: _as_it_is,
}

_COLLECTIONS: Mapping[object, Callable[[list[Any]], object]] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
}


# Rows.


def _entity_of(layout: Layout, row: Mapping[str, Any]) -> tuple[Entity, dict[str, Any]]:
    for naming in TYPE_NAMES:
        if naming in row:
            break
    else:
        raise BadInput('A row names its entity, such as {"type": "User", "id": "u1"}.')
    entity = layout.entities.get(row[naming]) if isinstance(row[naming], str) else None
    if entity is None:
        raise BadInput(
            f"{row[naming]!r} is no entity of the table {layout.name}, which has "
            f"{', '.join(layout.entities)}."
        )
    return entity, {name: value for name, value in row.items() if name != naming}


def _items(entity: Entity, values: Mapping[str, object]) -> tuple[Item, ...]:
    for name in entity.home.names:
        if values.get(name) is None:
            raise BadInput(f"{entity.name}.{name} is missing; it stands in the key {entity.home}.")
    entity.rules.check(entity.name, values)
    try:
        return tuple(entity.items(values))
    except BadInput as error:
        told = str(error)
        named = told.startswith(entity.name)
        raise BadInput(told if named else f"{entity.name}: {told}") from error
    except (AttributeError, TypeError, ValueError) as error:
        raise BadInput(f"{entity.name} cannot be stored: {error}.") from error


def _raw(layout: Layout, item: Any) -> Item:
    """An item in DynamoDB's own JSON, looked at only as far as its keys."""
    if not isinstance(item, dict):
        raise BadInput('A raw item is an object such as {"Item": {"PK": {"S": "USER#1"}, …}}.')
    raw = cast("dict[str, Any]", item)
    for name, held in raw.items():
        try:
            decode(held)
        except ItemInvalid as error:
            raise BadInput(f"The item's {name} is no DynamoDB value such as {_SHOWN}.") from error
    names = layout.home.names
    for name in (names.partition, names.sort):
        if "S" not in raw.get(name, ()):
            raise BadInput(f"The item has no key {name}; write it as {_SHOWN}.")
    return raw


_SHOWN = '{"S": "USER#1"}'


def _stored(entity: Entity) -> dict[str, str]:
    return {attribute.stored: name for name, attribute in entity.attributes.items()}


def _by_name(
    owner: str,
    known: Iterable[str],
    row: Mapping[str, Any],
    stored: Mapping[str, str],
) -> dict[str, Any]:
    """What is given, by Python names; it may be written in Python's, GraphQL's or the table's."""
    names = list(known)
    spellings = {**stored, **{camel(name): name for name in names}, **{n: n for n in names}}
    given: dict[str, Any] = {}
    for written, value in row.items():
        name = spellings.get(written)
        if name is None:
            raise BadInput(f"{owner} has no attribute {written!r}. {_hint(written, names)}")
        if name in given:
            raise BadInput(f"{owner}.{name} is given twice.")
        given[name] = value
    return given


def _hint(written: str, names: list[str]) -> str:
    if close := difflib.get_close_matches(written, names, n=1):
        return f"Did you mean {close[0]}?"
    return f"It has {', '.join(names)}."


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number that DynamoDB could hold")


def _refuse(where: str, wanted: str, plain: Any) -> NoReturn:
    shown = json.dumps(plain, default=str, ensure_ascii=False)
    shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
    raise BadInput(f"{where} must be {wanted}, not {shown}.")
