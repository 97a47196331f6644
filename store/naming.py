"""How attribute names are written in the table, and how GraphQL shows them."""

from __future__ import annotations

import enum
import re

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Naming(enum.Enum):
    """A convention that turns the Python name `placed_on` into the stored name."""

    AS_IS = "as is"
    SNAKE_CASE = "snake_case"
    CAMEL_CASE = "camelCase"
    PASCAL_CASE = "PascalCase"

    def apply(self, name: str) -> str:
        if self is Naming.AS_IS:
            return name
        if self is Naming.SNAKE_CASE:
            return _HUMP.sub("_", name).lower()
        first, *others = [word for word in name.split("_") if word] or [name]
        if self is Naming.PASCAL_CASE:
            first = _capital(first)
        return first + "".join(map(_capital, others))


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def snake(name: str) -> str:
    """The name of a class as the name of a field."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def camel(name: str) -> str:
    """The name as Strawberry shows it in GraphQL."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() or "_" for word in others)
