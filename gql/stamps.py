"""Stamps: attributes that every write keeps by itself."""

from __future__ import annotations

import datetime
import sys
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import strawberry

from ..store.attributes import optional_of
from ..store.errors import ModelError
from ..store.rules import FIRST_VERSION

Role = Literal["version", "created", "updated"]


@dataclass(frozen=True, slots=True)
class Stamp:
    role: Role


Version: TypeAlias = Annotated[int, Stamp("version")]
"""Counts the writes of an object; a write that expects another version is refused."""

CreatedAt: TypeAlias = Annotated[datetime.datetime, Stamp("created")]
UpdatedAt: TypeAlias = Annotated[datetime.datetime, Stamp("updated")]


def stamp_of(hint: Any) -> Role | None:
    inner, _ = optional_of(hint)
    for arm in (hint, inner):
        if typing.get_origin(arm) is Annotated:
            for more in typing.get_args(arm)[1:]:
                if isinstance(more, Stamp):
                    return more.role
    return None


def stamps_of(name: str, hints: Mapping[str, Any]) -> dict[Role, str]:
    """Attributes by what they keep; ModelError where two keep the same."""
    found: dict[Role, str] = {}
    for attribute, hint in hints.items():
        if (role := stamp_of(hint)) is None:
            continue
        other = found.setdefault(role, attribute)
        if other != attribute:
            raise ModelError(
                f"{name}: {other} and {attribute} would keep the same, and one is enough.\n"
                "  Remove one, or annotate it with its plain type."
            )
    return found


def supply_defaults(cls: type) -> None:
    """Lets a constructor be called without stamps: a write sets them anyway."""
    for name, role in _declared(cls):
        if name not in vars(cls):
            setattr(cls, name, _default(role))


def _default(role: Role) -> Any:
    if role == "version":
        return FIRST_VERSION
    return strawberry.field(default_factory=now)


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def _declared(cls: type) -> Iterator[tuple[str, Role]]:
    module = vars(sys.modules.get(cls.__module__, object))
    for name, hint in vars(cls).get("__annotations__", {}).items():
        if isinstance(hint, str):  # postponed; what it names may not be there yet
            try:
                hint = eval(hint, dict(module))
            except Exception:
                continue
        if (role := stamp_of(hint)) is not None:
            yield name, role
