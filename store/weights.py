"""What an item weighs: DynamoDB counts names and values, and takes no item over 400 KB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .values import AttributeValue, Item

ITEM_MAX_BYTES = 400 * 1024
TRANSACTION_MAX_BYTES = 4 * 1024 * 1024

_CONTAINER = 3
_ENTRY = 1


def item_bytes(item: Item) -> int:
    return sum(_text(name) + value_bytes(value) for name, value in item.items())


def value_bytes(value: AttributeValue) -> int:
    [(tag, held)] = value.items()
    match tag:
        case "S":
            return _text(held)
        case "N":
            return _number(held)
        case "B":
            return _binary(held)
        case "SS":
            return sum(map(_text, held))
        case "NS":
            return sum(map(_number, held))
        case "BS":
            return sum(map(_binary, held))
        case "L":
            return _CONTAINER + sum(_ENTRY + value_bytes(one) for one in held)
        case "M":
            return _CONTAINER + _map(held)
        case _:  # BOOL and NULL
            return 1


def _map(entries: Mapping[str, Any]) -> int:
    return sum(_ENTRY + _text(name) + value_bytes(one) for name, one in entries.items())


def _text(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _number(text: str) -> int:
    """A byte for two digits, one for the exponent, one for a minus."""
    digits = text.lstrip("-").partition("E")[0].replace(".", "").strip("0")
    return (len(digits) + 1) // 2 + 1 + text.startswith("-")


def _binary(text: str) -> int:
    return len(text) // 4 * 3 - text.count("=", -2)
