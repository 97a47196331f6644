"""Input types made from attribute types: ranges for sort keys, filters for everything else."""

from __future__ import annotations

import datetime
import enum
import uuid
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

import strawberry
from strawberry.annotation import StrawberryAnnotation
from strawberry.types.arguments import StrawberryArgument

from ..store.attributes import Attribute
from ..store.naming import camel
from .scalars import graphql_annotation

_NAMES: dict[object, str] = {
    str: "String",
    strawberry.ID: "ID",
    int: "Int",
    float: "Float",
    bool: "Boolean",
    Decimal: "Decimal",
    datetime.date: "Date",
    datetime.datetime: "DateTime",
    uuid.UUID: "UUID",
    bytes: "Base64",
}
_ORDERED = (int, float, Decimal, datetime.date, datetime.datetime)


def _name_of(annotation: Any) -> str:
    """The type's name in GraphQL."""
    if known := _NAMES.get(annotation):
        return known
    shown = getattr(annotation, "__strawberry_definition__", annotation)
    return getattr(shown, "name", None) or annotation.__name__


def argument(
    name: str, annotation: Any, *, description: str | None = None, default: object = None
) -> StrawberryArgument:
    """An argument; `default` None makes it optional, `...` makes it required."""
    required = default is ...
    wanted = annotation if required else annotation | None
    return StrawberryArgument(
        python_name=name,
        graphql_name=camel(name),
        type_annotation=StrawberryAnnotation(wanted),
        description=description,
        default=strawberry.UNSET if required or default is None else default,
    )


@cache
def range_input(annotation: Any) -> type:
    """`{eq, from, to}`; what has no useful order has `eq` alone."""
    name = _name_of(annotation)
    fields: dict[str, Any] = {"eq": _optional("eq")}
    annotations: dict[str, Any] = {"eq": annotation | None}
    if annotation is bool or (isinstance(annotation, type) and issubclass(annotation, enum.Enum)):
        return _input(f"{name}Match", annotations, fields, f"{name} values in a key.")
    for end in ("from", "to"):
        annotations[f"{end}_"] = annotation | None
        fields[f"{end}_"] = _optional(end)
    return _input(
        f"{name}Range",
        annotations,
        fields,
        f"Either `eq`, or `from` and `to` (both inclusive, each may be left out). {name} values "
        "are read by the sort key: nothing outside the range is paid for.",
    )


@cache
def value_filter(annotation: Any) -> type:
    """The comparisons that make sense for a type."""
    name = _name_of(annotation)
    shown = graphql_annotation(annotation)
    annotations: dict[str, Any] = {
        "eq": shown | None,
        "ne": shown | None,
        "in_": list[shown] | None,
        "exists": bool | None,
    }
    fields = {key: _optional(key.rstrip("_")) for key in annotations}
    if annotation in _ORDERED:
        for key in ("lt", "le", "gt", "ge"):
            annotations[key] = shown | None
            fields[key] = _optional(key)
    if annotation in (str, strawberry.ID):
        for key, graphql_name in (("begins_with", "beginsWith"), ("contains", "contains")):
            annotations[key] = str | None
            fields[key] = _optional(graphql_name)
    return _input(f"{name}Filter", annotations, fields, f"Comparisons with {name} values.")


def filter_input(name: str, attributes: list[Attribute]) -> type:
    annotations: dict[str, Any] = {}
    fields: dict[str, Any] = {}
    for attribute in attributes:
        annotations[attribute.name] = value_filter(attribute.annotation) | None
        fields[attribute.name] = strawberry.field(default=strawberry.UNSET)
    return _input(
        name,
        annotations,
        fields,
        "Applied after reading: what it discards has been read, and paid for.",
    )


def _optional(graphql_name: str) -> Any:
    return strawberry.field(name=graphql_name, default=strawberry.UNSET)


def _input(
    name: str, annotations: dict[str, Any], fields: dict[str, Any], description: str
) -> type:
    namespace: dict[str, Any] = {**fields, "__annotations__": annotations, "__module__": __name__}
    make: Callable[[type], type] = strawberry.input(name=name, description=description)
    return make(type(name, (), namespace))
