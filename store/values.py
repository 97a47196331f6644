"""DynamoDB JSON and Python, both ways, for values whose type nobody declared.

Numbers stay exact: int or Decimal, never a float in between.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal, InvalidOperation
from typing import Any, TypeAlias, cast

from .errors import BadInput, ItemInvalid, cut

JsonObject: TypeAlias = dict[str, Any]
AttributeValue: TypeAlias = Mapping[str, Any]
Item: TypeAlias = Mapping[str, AttributeValue]

NUMBER_MAX_DIGITS = 38
NUMBER_MIN_EXPONENT = -130
NUMBER_MAX_EXPONENT = 125
_INT_END = 10 ** (NUMBER_MAX_EXPONENT + 1)
_PLAIN_INT_END = 10**NUMBER_MAX_DIGITS

EXACT = Context(prec=NUMBER_MAX_EXPONENT - NUMBER_MIN_EXPONENT + NUMBER_MAX_DIGITS)
"""Python's own context rounds what has more than 28 digits."""


def encode(value: object) -> AttributeValue:
    """BadInput for a value that DynamoDB cannot hold, TypeError for a type it does not know."""
    match value:
        case str():
            return {"S": unicode_text(value)}
        case bool():
            return {"BOOL": value}
        case int() | Decimal() | float():
            return {"N": number(value)}
        case None:
            return {"NULL": True}
        case bytes() | bytearray():
            return {"B": _base64(value)}
        case Mapping():
            entries = cast("Mapping[object, object]", value)
            return {"M": {_map_key(key): encode(entry) for key, entry in entries.items()}}
        case set() | frozenset():
            return _encode_set(cast("set[object] | frozenset[object]", value))
        case list() | tuple():
            return {"L": [encode(entry) for entry in cast("Sequence[object]", value)]}
        case _:
            raise TypeError(f"DynamoDB has no type for {type(value).__name__}: {value!r}")


def decode(attribute: AttributeValue) -> object:
    """Sets become frozensets. ItemInvalid for anything that is not one DynamoDB value."""
    try:
        [(kind, value)] = attribute.items()
        return _DECODERS[kind](value)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ItemInvalid(f"Not a DynamoDB value: {attribute!r}") from error


def decode_item(item: Item) -> dict[str, object]:
    return {name: decode(attribute) for name, attribute in item.items()}


def number(value: int | float | Decimal) -> str:
    """The exact text of a number; BadInput beyond 38 digits or DynamoDB's range."""
    if isinstance(value, int):
        if -_PLAIN_INT_END < value < _PLAIN_INT_END:
            return str(value)
        if not -_INT_END < value < _INT_END:
            raise _too_large(f"An integer of {value.bit_length()} bits")
        value = Decimal(value)
    elif isinstance(value, float):
        # repr is the shortest text that names this float; its binary expansion has 50 digits.
        value = Decimal(repr(value))
    if not value.is_finite():
        raise BadInput(f"{value} is not a number that DynamoDB can hold.")
    return _exact(value)


def settled(item: Item) -> dict[str, AttributeValue]:
    """The item as DynamoDB gives it back: 31.00 has become 31."""
    return {name: _settled(value) for name, value in item.items()}


def _settled(value: AttributeValue) -> AttributeValue:
    [(tag, held)] = value.items()
    match tag:
        case "N":
            return {"N": _trimmed(held)}
        case "NS":
            return {"NS": [_trimmed(one) for one in held]}
        case "L":
            return {"L": [_settled(one) for one in held]}
        case "M":
            return {"M": settled(held)}
        case _:
            return value


def _trimmed(text: str) -> str:
    return text if text.removeprefix("-").isdecimal() else f"{EXACT.normalize(Decimal(text)):f}"


def plus(one: float | Decimal, other: float | Decimal) -> int | Decimal:
    """Without rounding, as DynamoDB adds; a float is the number that its text names."""
    if isinstance(one, int) and isinstance(other, int):
        return one + other
    return EXACT.add(Decimal(str(one)), Decimal(str(other)))


def minus(one: float | Decimal, other: float | Decimal) -> int | Decimal:
    return plus(one, -other if isinstance(other, int) else Decimal(str(other)).copy_negate())


def parse_number(text: str) -> int | Decimal:
    """int where the text is an integer's, else Decimal. ValueError if it is no number."""
    if text.removeprefix("-").isdecimal():
        return int(text)
    try:
        parsed = Decimal(text)
    except InvalidOperation as error:
        raise ValueError(f"Not a number: {text!r}") from error
    if not parsed.is_finite():
        raise ValueError(f"Not a number: {text!r}")
    return parsed


def _exact(value: Decimal) -> str:
    if value.is_zero():
        return "0"
    significant = len("".join(map(str, value.as_tuple().digits)).strip("0"))
    if significant > NUMBER_MAX_DIGITS:
        raise BadInput(
            f"{cut(value)} has {significant:,} digits; DynamoDB keeps {NUMBER_MAX_DIGITS}. "
            "Round it, or write it as text."
        )
    if not NUMBER_MIN_EXPONENT <= value.adjusted() <= NUMBER_MAX_EXPONENT:
        raise _too_large(cut(value))
    return str(value)


def _too_large(what: str) -> BadInput:
    return BadInput(
        f"{what} is out of range: DynamoDB holds magnitudes from "
        f"1E{NUMBER_MIN_EXPONENT} to 9.9E+{NUMBER_MAX_EXPONENT}."
    )


def _encode_set(members: set[object] | frozenset[object]) -> AttributeValue:
    if not members:
        raise BadInput("DynamoDB has no empty set. Leave the attribute out.")
    if all(isinstance(member, str) for member in members):
        return {"SS": sorted(map(unicode_text, cast("set[str]", members)))}
    if all(isinstance(member, bytes) for member in members):
        return {"BS": [_base64(member) for member in sorted(cast("set[bytes]", members))]}
    if all(_is_number(member) for member in members):
        return {"NS": [number(member) for member in sorted(cast("set[int]", members))]}
    raise TypeError("A DynamoDB set holds strings, numbers or bytes, and only one of these.")


def _is_number(member: object) -> bool:
    return isinstance(member, (int, float, Decimal)) and not isinstance(member, bool)


def _map_key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"A DynamoDB map has string keys, not {key!r}")
    if not key:
        raise BadInput("DynamoDB has no empty names in a map.")
    return unicode_text(key)


def unicode_text(value: str) -> str:
    """BadInput for half a surrogate pair, which JSON can write and nobody can send."""
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise BadInput("it holds half a surrogate pair, which is no Unicode text.") from None
    return str.__str__(value)  # a member of a `str` enum would print its name


def _base64(value: bytes | bytearray) -> str:
    return binascii.b2a_base64(value, newline=False).decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def _null(_: object) -> None:
    return None


def _list(entries: list[AttributeValue]) -> list[object]:
    return [decode(entry) for entry in entries]


def _texts(texts: list[str]) -> frozenset[str]:
    return frozenset(map(_text, texts))


def _numbers(texts: list[str]) -> frozenset[int | Decimal]:
    return frozenset(map(parse_number, texts))


def _binaries(texts: list[str]) -> frozenset[bytes]:
    return frozenset(map(_bytes, texts))


_DECODERS: Mapping[str, Callable[[Any], object]] = {
    "S": _text,
    "N": parse_number,
    "BOOL": _boolean,
    "NULL": _null,
    "B": _bytes,
    "M": decode_item,
    "L": _list,
    "SS": _texts,
    "NS": _numbers,
    "BS": _binaries,
}
