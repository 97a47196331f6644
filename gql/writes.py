"""Which writes an entity allows, and who may make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from strawberry.permission import BasePermission

from ..store.errors import ModelError

OPERATIONS = ("create", "update", "delete", "put", "link", "unlink", "publish", "create_many")
USUAL = ("create", "update", "delete")


@dataclass(frozen=True, slots=True, init=False)
class Writes:
    """The mutations of an entity: `Writes("create", "update", permission_classes=[IsStaff])`.

    `updates` lists the attributes that an update may change, where these are not all.
    """

    operations: tuple[str, ...]
    updates: tuple[str, ...] | None = None
    permission_classes: tuple[type[BasePermission], ...] = ()

    def __init__(
        self,
        *operations: str,
        updates: Sequence[str] | None = None,
        permission_classes: Sequence[type[BasePermission]] = (),
    ) -> None:
        for one in operations:
            if one not in OPERATIONS:
                raise ModelError(
                    f"writes: {one!r} is no operation.\n  Write some of {', '.join(OPERATIONS)}."
                )
        object.__setattr__(self, "operations", tuple(dict.fromkeys(operations or USUAL)))
        object.__setattr__(self, "updates", None if updates is None else tuple(updates))
        object.__setattr__(self, "permission_classes", tuple(permission_classes))


WritesLike: TypeAlias = bool | str | Writes | Sequence[str | Writes]


def writes_of(given: WritesLike) -> tuple[Writes, ...]:
    """Those of an entity; each may have permissions of its own."""
    if isinstance(given, bool):
        return (Writes(),) if given else ()
    if isinstance(given, (str, Writes)):
        given = (given,)
    words = [one for one in given if isinstance(one, str)]
    others = [one for one in given if isinstance(one, Writes)]
    return (Writes(*words), *others) if words else tuple(others)


@dataclass(frozen=True, slots=True)
class KeptAs:
    """What becomes of the latest version when another is published."""

    entity: str
    values: Mapping[str, object] = field(default_factory=dict[str, object])


def kept_as(entity: str, **values: object) -> KeptAs:
    """`history=kept_as("DocumentVersion", status=Status.HISTORICAL)`: a publication keeps the
    version before it as that entity, with these values in the place of its own.
    """
    return KeptAs(entity, values)
