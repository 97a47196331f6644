"""The placeholders of DynamoDB expressions, and the actions of an update."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeAlias

from .values import AttributeValue, JsonObject

EXPRESSION_MAX_BYTES = 4096


def _empty_list() -> AttributeValue:
    return {"L": []}


class Naming(Protocol):
    """How an expression writes its names and values."""

    def name(self, attribute: str) -> str: ...

    def value(self, value: AttributeValue) -> str: ...


class Aliases:
    """One request's placeholders. Every name is aliased: more than 500 words are reserved."""

    __slots__ = ("_names", "_values")

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: list[AttributeValue] = []

    def name(self, attribute: str) -> str:
        return self._names.setdefault(attribute, f"#n{len(self._names)}")

    def value(self, value: AttributeValue) -> str:
        self._values.append(value)
        return f":v{len(self._values) - 1}"

    def projection(self, attributes: Iterable[str]) -> str:
        return ", ".join(map(self.name, attributes))

    def render(self) -> JsonObject:
        """The two maps of the request; a map that would be empty is left out."""
        rendered: JsonObject = {}
        if self._names:
            rendered["ExpressionAttributeNames"] = {
                alias: attribute for attribute, alias in self._names.items()
            }
        if self._values:
            rendered["ExpressionAttributeValues"] = {
                f":v{position}": value for position, value in enumerate(self._values)
            }
        return rendered


class Literals:
    """Writes names and values as they are: for people, not for DynamoDB."""

    __slots__ = ()

    def name(self, attribute: str) -> str:
        return attribute

    def value(self, value: AttributeValue) -> str:
        if "N" in value:
            return str(value["N"])
        [content] = value.values()
        return json.dumps(content, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class SetTo:
    clause: ClassVar[str] = "SET"
    attribute: str
    value: AttributeValue = field(hash=False)

    def render(self, naming: Naming) -> str:
        return f"{naming.name(self.attribute)} = {naming.value(self.value)}"


@dataclass(frozen=True, slots=True)
class Increase:
    """Adds a number to what is held; a missing attribute begins at `start`."""

    clause: ClassVar[str] = "SET"
    attribute: str
    value: AttributeValue = field(hash=False)
    start: AttributeValue = field(hash=False)

    def render(self, naming: Naming) -> str:
        name = naming.name(self.attribute)
        held = f"if_not_exists({name}, {naming.value(self.start)})"
        return f"{name} = {held} + {naming.value(self.value)}"


@dataclass(frozen=True, slots=True)
class Append:
    """`values` (a list value) goes behind what the list holds; a missing list is `start`."""

    clause: ClassVar[str] = "SET"
    attribute: str
    values: AttributeValue = field(hash=False)
    start: AttributeValue = field(default_factory=_empty_list, hash=False)

    def render(self, naming: Naming) -> str:
        name = naming.name(self.attribute)
        held = f"if_not_exists({name}, {naming.value(self.start)})"
        return f"{name} = list_append({held}, {naming.value(self.values)})"


@dataclass(frozen=True, slots=True)
class Remove:
    clause: ClassVar[str] = "REMOVE"
    attribute: str

    def render(self, naming: Naming) -> str:
        return naming.name(self.attribute)


@dataclass(frozen=True, slots=True)
class AddTo:
    """Adds a number, or the members of a set; a missing attribute begins at zero or empty."""

    clause: ClassVar[str] = "ADD"
    attribute: str
    value: AttributeValue = field(hash=False)

    def render(self, naming: Naming) -> str:
        return f"{naming.name(self.attribute)} {naming.value(self.value)}"


@dataclass(frozen=True, slots=True)
class DeleteFrom:
    """Takes members out of a set."""

    clause: ClassVar[str] = "DELETE"
    attribute: str
    members: AttributeValue = field(hash=False)

    def render(self, naming: Naming) -> str:
        return f"{naming.name(self.attribute)} {naming.value(self.members)}"


UpdateAction: TypeAlias = SetTo | Increase | Append | Remove | AddTo | DeleteFrom


def update_expression(actions: Iterable[UpdateAction], naming: Naming) -> str:
    clauses: dict[str, list[str]] = {}
    for action in actions:
        clauses.setdefault(action.clause, []).append(action.render(naming))
    return " ".join(f"{clause} {', '.join(parts)}" for clause, parts in clauses.items())
