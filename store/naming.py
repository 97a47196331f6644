"""How attribute names are written in the table."""

from __future__ import annotations

import enum


class Naming(enum.Enum):
    """A convention that turns the Python name `placed_on` into the stored name."""

    AS_IS = "as is"
    SNAKE_CASE = "snake_case"
    CAMEL_CASE = "camelCase"
    PASCAL_CASE = "PascalCase"

    def apply(self, name: str) -> str:
        words = [word for word in name.split("_") if word]
        if self is Naming.CAMEL_CASE:
            return words[0] + "".join(map(_capital, words[1:]))
        if self is Naming.PASCAL_CASE:
            return "".join(map(_capital, words))
        return name


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def camel(name: str) -> str:
    """The name as GraphQL shows it."""
    return Naming.CAMEL_CASE.apply(name)
