"""What a client writes for a value, how it is read, and how what cannot be read is refused.

The scalars are Strawberry's own in name and form. They say how to write what they refuse, and
a number never passes through a float.
"""

from __future__ import annotations

import base64
import datetime
import json
import re
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import strawberry
from graphql import (
    ASTValidationRule,
    FloatValueNode,
    GraphQLEnumType,
    GraphQLError,
    GraphQLSchema,
    IntValueNode,
    ValueNode,
    ValuesOfCorrectTypeRule,
    VisitorAction,
    print_ast,
    specified_rules,
    value_from_ast_untyped,
)
from strawberry.scalars import Base64
from strawberry.schema.types.scalar import DEFAULT_SCALAR_REGISTRY
from strawberry.types.scalar import ScalarDefinition

from ..store.errors import BadInput, cut

SHOWN_MEMBERS = 20

# Each reads a text, and raises ValueError for one that it cannot read.


def _moment(text: str) -> datetime.datetime:
    if re.search(r"[.,][0-9]{7}", text):  # Python would drop what it cannot keep
        raise ValueError(text)
    return datetime.datetime.fromisoformat(text)


_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def _decimal(text: str) -> Decimal:
    """Python's own parser also takes NaN, blanks, underscores, and the digits of any script."""
    if _DECIMAL.fullmatch(text) is None:
        raise ValueError(text)
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise ValueError(text) from error


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _scalar(
    origin: object, read: Callable[[str], object], wanted: str, *, numbers: bool = False
) -> ScalarDefinition:
    """Strawberry's scalar for `origin`; one of `numbers` may be written without quotes."""

    def value(given: object) -> object:
        try:
            if isinstance(given, str):
                return read(given)
            if numbers and isinstance(given, (int, float)) and not isinstance(given, bool):
                return read(str(given))
        except ValueError:  # no integer of more than 4,300 digits is printed either
            pass
        raise GraphQLError(f"Write {wanted}, not {_shown(given)}.")

    def literal(node: ValueNode, variables: dict[str, Any] | None = None) -> object:
        if numbers and isinstance(node, (IntValueNode, FloatValueNode)):
            given: Any = node.value
        else:
            given = value_from_ast_untyped(node, variables)
        try:
            return value(given)
        except GraphQLError:
            raise GraphQLError(f"Write {wanted}, not {cut(print_ast(node))}.", node) from None

    known = DEFAULT_SCALAR_REGISTRY[origin]
    return strawberry.scalar(
        name=known.name,
        description=known.description,
        specified_by_url=known.specified_by_url,
        serialize=known.serialize or str,
        parse_value=value,
        parse_literal=literal,
    )


def _shown(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except ValueError:
        return "that"
    return cut(text.encode(errors="backslashreplace").decode())


SCALARS: Mapping[object, ScalarDefinition] = {
    datetime.date: _scalar(
        datetime.date, datetime.date.fromisoformat, 'a Date such as "2024-01-31"'
    ),
    datetime.datetime: _scalar(
        datetime.datetime,
        _moment,
        'a DateTime such as "2024-01-31T12:00:00Z", to the microsecond at most',
    ),
    Decimal: _scalar(Decimal, _decimal, 'a Decimal such as "12.50"', numbers=True),
    uuid.UUID: _scalar(
        uuid.UUID, uuid.UUID, 'a UUID such as "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"'
    ),
    Base64: _scalar(Base64, _bytes, 'Base64 such as "AP8=", with its padding'),
}
"""In the place of Strawberry's."""


# Literals.


class ValuesOfCorrectType(ValuesOfCorrectTypeRule):
    """A literal that does not fit is bad input, as a variable's value is, and has a place."""

    _literal: ValueNode

    def is_valid_value_node(self, node: ValueNode, input_type: Any) -> VisitorAction:
        self._literal = node
        return super().is_valid_value_node(node, input_type)  # pyright: ignore[reportUnknownMemberType]

    def report_error(self, error: GraphQLError) -> None:
        hidden = self.context.hide_suggestions
        members = "" if hidden else members_told(self.context.schema, error.message)
        super().report_error(
            GraphQLError(
                f"{error.message}{members}",
                error.nodes if error.locations else self._literal,
                extensions={"code": BadInput.code},
            )
        )


RULES: tuple[type[ASTValidationRule], ...] = tuple(
    ValuesOfCorrectType if rule is ValuesOfCorrectTypeRule else rule for rule in specified_rules
)
"""Those of the specification, with ours about values."""


def members_told(schema: GraphQLSchema, message: str) -> str:
    """For graphql-core's refusal of an unknown enum member: which ones there are."""
    named = re.search(r"(?:does not exist in|Enum) '(\w+)' (?:enum|cannot)", message)
    found = schema.get_type(named[1]) if named else None
    if not isinstance(found, GraphQLEnumType):
        return ""
    names = list(found.values)
    more = ", …" if len(names) > SHOWN_MEMBERS else ""
    return f" It has {', '.join(names[:SHOWN_MEMBERS])}{more}."
