"""Conditions on an item: what a filter keeps and what a write insists on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .errors import BadInput
from .expressions import Naming
from .values import AttributeValue

ONE_OF_MAX_VALUES = 99
"""IN takes 100 operands, and DynamoDB Local counts the attribute among them."""

Operator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Compare:
    attribute: str
    operator: Operator
    value: AttributeValue = field(hash=False)

    def render(self, naming: Naming) -> str:
        return f"{naming.name(self.attribute)} {self.operator} {naming.value(self.value)}"


@dataclass(frozen=True, slots=True)
class Between:
    """Both ends belong to the range."""

    attribute: str
    low: AttributeValue = field(hash=False)
    high: AttributeValue = field(hash=False)

    def render(self, naming: Naming) -> str:
        name = naming.name(self.attribute)
        return f"{name} BETWEEN {naming.value(self.low)} AND {naming.value(self.high)}"


@dataclass(frozen=True, slots=True)
class OneOf:
    attribute: str
    values: tuple[AttributeValue, ...] = field(hash=False)

    def __post_init__(self) -> None:
        if not 1 <= len(self.values) <= ONE_OF_MAX_VALUES:
            raise BadInput(
                f"{self.attribute} is compared with a list of {len(self.values)} values; "
                f"give between 1 and {ONE_OF_MAX_VALUES}."
            )

    def render(self, naming: Naming) -> str:
        name = naming.name(self.attribute)
        return f"{name} IN ({', '.join(map(naming.value, self.values))})"


@dataclass(frozen=True, slots=True)
class BeginsWith:
    attribute: str
    prefix: AttributeValue = field(hash=False)

    def render(self, naming: Naming) -> str:
        return f"begins_with({naming.name(self.attribute)}, {naming.value(self.prefix)})"


@dataclass(frozen=True, slots=True)
class Contains:
    """A substring of a string, a member of a set, or an element of a list."""

    attribute: str
    part: AttributeValue = field(hash=False)

    def render(self, naming: Naming) -> str:
        return f"contains({naming.name(self.attribute)}, {naming.value(self.part)})"


@dataclass(frozen=True, slots=True)
class Exists:
    """An attribute that is null exists."""

    attribute: str

    def render(self, naming: Naming) -> str:
        return f"attribute_exists({naming.name(self.attribute)})"


@dataclass(frozen=True, slots=True)
class Missing:
    attribute: str

    def render(self, naming: Naming) -> str:
        return f"attribute_not_exists({naming.name(self.attribute)})"


@dataclass(frozen=True, slots=True)
class All:
    conditions: tuple[Condition, ...]

    def __post_init__(self) -> None:
        _refuse_empty(self.conditions)

    def render(self, naming: Naming) -> str:
        return _join(" AND ", self.conditions, naming)


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of them."""

    conditions: tuple[Condition, ...]

    def __post_init__(self) -> None:
        _refuse_empty(self.conditions)

    def render(self, naming: Naming) -> str:
        return _join(" OR ", self.conditions, naming)


@dataclass(frozen=True, slots=True)
class Not:
    condition: Condition

    def render(self, naming: Naming) -> str:
        return f"NOT {_nested(self.condition, naming)}"


Condition: TypeAlias = (
    Compare | Between | OneOf | BeginsWith | Contains | Exists | Missing | All | Either | Not
)


def _refuse_empty(conditions: tuple[Condition, ...]) -> None:
    if not conditions:
        raise BadInput("A list of conditions is empty; give at least one, or no list.")


def _join(word: str, conditions: tuple[Condition, ...], naming: Naming) -> str:
    if len(conditions) == 1:
        return conditions[0].render(naming)
    return word.join(_nested(condition, naming) for condition in conditions)


def _nested(condition: Condition, naming: Naming) -> str:
    # DynamoDB refuses redundant parentheses, so only compounds get any.
    rendered = condition.render(naming)
    return f"({rendered})" if isinstance(condition, (All, Either, Not)) else rendered
