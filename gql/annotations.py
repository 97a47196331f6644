"""What a field's annotation says: which types it reaches, and how many of them."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from strawberry.annotation import StrawberryAnnotation

from ..resolvers.links import Kind
from ..store.attributes import optional_of
from ..store.errors import ModelError
from .connections import Connection
from .model import Table


@dataclass(frozen=True, slots=True)
class Target:
    kind: Kind
    types: tuple[type, ...]
    inner: Any
    """The annotation of one item, with the name that a union was given."""

    @property
    def nullable(self) -> StrawberryAnnotation:
        """Whatever has to be fetched may be null: a failed fetch then leaves its siblings alone."""
        inner, shown = self.inner, self.inner
        if self.kind == "connection":
            shown = Connection[inner]
        elif self.kind == "list":
            shown = list[typing.Optional[inner]]  # noqa: UP045
        return StrawberryAnnotation(typing.Optional[shown])  # noqa: UP045


def namespace_of(table: Table) -> dict[str, Any]:
    """What annotations may name although their module does not know it."""
    specs = (*table.entities.values(), *table.groups.values())
    return {spec.cls.__name__: spec.cls for spec in specs} | {"Connection": Connection}


def hints_of(cls: type, namespace: Mapping[str, Any]) -> dict[str, Any]:
    module = sys.modules.get(cls.__module__)
    try:
        return typing.get_type_hints(
            cls, vars(module) if module else {}, dict(namespace), include_extras=True
        )
    except NameError as error:
        known = ", ".join(name for name in namespace if name != "Connection")
        raise ModelError(
            f"{cls.__name__}: an annotation names {error.name!r}, which is known neither in "
            f"{cls.__module__} nor as a type of the table.\n"
            f"  The table has {known}. Correct the name, import it at the top of the module, or "
            "declare it with @table.entity."
        ) from error


def target_of(name: str, hint: Any) -> Target:
    """ModelError for an annotation that nothing in a table could fit."""
    hint, _ = optional_of(hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (list, tuple):
        return Target("list", _types(name, arguments[0]), optional_of(arguments[0])[0])
    if origin is Connection:
        return Target("connection", _types(name, arguments[0]), optional_of(arguments[0])[0])
    if hint in (Connection, list):
        shown = hint.__name__
        raise ModelError(f"{name}: say what it is a {shown} of, such as {shown}[Order].")
    return Target("one", _types(name, hint), hint)


def bare(hint: Any) -> Any:
    """Without `Annotated`: `strawberry.Private[str]` is a str."""
    return typing.get_args(hint)[0] if typing.get_origin(hint) is typing.Annotated else hint


def _types(name: str, hint: Any) -> tuple[type, ...]:
    hint = bare(optional_of(hint)[0])
    arms = (hint,)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        arms = typing.get_args(hint)
    for arm in arms:
        if not isinstance(arm, type):
            raise ModelError(
                f"{name}: {arm!r} is no type that could live in the table.\n"
                "  Annotate it with a class that is declared with @table.entity."
            )
    return arms
