"""Fields that reach items: `one()`, `many()`, and the numbers over a collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

import strawberry
from strawberry.permission import BasePermission
from strawberry.types.field import StrawberryField
from strawberry.types.info import Info

from ..resolvers.links import Aggregation, Link
from .operations import resolve

STORED = "tablefold.stored"
MINIMUM = "tablefold.minimum"
MAXIMUM = "tablefold.maximum"


@dataclass(frozen=True, slots=True)
class LinkSpec:
    """What the user wrote; the link itself is found when the model is built."""

    many: bool
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    through: str | None = None
    bounded: int | None = None
    newest_first: bool | None = None
    filters: tuple[str, ...] = ()
    aggregation: Aggregation | None = None
    over: str | None = None
    attribute: str | None = None


class LinkField(StrawberryField):
    """A Strawberry field whose value the table gives."""

    spec: LinkSpec
    link: Link | None = None

    def __init__(self, spec: LinkSpec | None = None, **options: Any) -> None:
        super().__init__(**options)  # pyright: ignore[reportUnknownMemberType]
        if spec is not None:
            self.spec = spec
        self.init = self.compare = self.repr = False

    def __copy__(self) -> LinkField:
        twin = super().__copy__()
        twin.spec, twin.link = self.spec, self.link
        return twin

    @property
    def is_basic_field(self) -> bool:
        return False

    @cached_property
    def is_async(self) -> bool:
        return self.guarded

    @property
    def guarded(self) -> bool:
        """Permissions and extensions decide first; nothing is read before they have."""
        return bool(self.extensions)

    def get_result(
        self, source: Any, info: Info | None, args: list[Any], kwargs: dict[str, Any]
    ) -> Any:
        """The plan has the arguments already; `info` tells which of its fields this is."""
        strawberry_info: Any = info
        return resolve(source, strawberry_info._raw_info)


def many(
    *,
    through: str | None = None,
    bounded: int | None = None,
    newest_first: bool = False,
    filters: Sequence[str] = (),
    init: Literal[False] = False,
    description: str | None = None,
    name: str | None = None,
    deprecation_reason: str | None = None,
    permission_classes: Sequence[type[BasePermission]] = (),
    **given: str,
) -> Any:
    """A collection: `list[X]` where it is bounded, `Connection[X]` where it is paged.

    Keyword arguments name the attributes of this type that fill the key of the other:
    `many(user_id="owner_id")`. They are needed only where the templates do not tell. `init` is
    there for type checkers: a link is no argument of the type's constructor.
    """
    spec = LinkSpec(
        many=True,
        given=given,
        through=through,
        bounded=bounded,
        newest_first=newest_first,
        filters=tuple(filters),
    )
    return _field(spec, description, name, deprecation_reason, permission_classes)


def one(
    *,
    through: str | None = None,
    newest_first: bool | None = None,
    init: Literal[False] = False,
    description: str | None = None,
    name: str | None = None,
    deprecation_reason: str | None = None,
    permission_classes: Sequence[type[BasePermission]] = (),
    **given: str,
) -> Any:
    """A single item. `newest_first` takes the last (True) or the first (False) of several."""
    spec = LinkSpec(many=False, given=given, through=through, newest_first=newest_first)
    return _field(spec, description, name, deprecation_reason, permission_classes)


def count_of(over: str, *, init: Literal[False] = False, description: str | None = None) -> Any:
    """How many items the bounded list `over` has."""
    return _number("count", over, None, description)


def sum_of(
    over: str, attribute: str, *, init: Literal[False] = False, description: str | None = None
) -> Any:
    """The sum of `attribute` over the bounded list `over`; zero where it is empty."""
    return _number("sum", over, attribute, description)


def min_of(
    over: str, attribute: str, *, init: Literal[False] = False, description: str | None = None
) -> Any:
    """The least `attribute` in the bounded list `over`; null where it is empty."""
    return _number("min", over, attribute, description)


def max_of(
    over: str, attribute: str, *, init: Literal[False] = False, description: str | None = None
) -> Any:
    """The greatest `attribute` in the bounded list `over`; null where it is empty."""
    return _number("max", over, attribute, description)


def attribute(
    stored: str | None = None,
    *,
    minimum: int | Decimal | None = None,
    maximum: int | Decimal | None = None,
    **options: Any,
) -> Any:
    """An attribute with a stored name of its own; `options` are those of `strawberry.field`.

    No write takes a number below its `minimum`, or above its `maximum`.
    """
    metadata: dict[str, Any] = {STORED: stored, MINIMUM: minimum, MAXIMUM: maximum}
    metadata = {name: value for name, value in metadata.items() if value is not None}
    return strawberry.field(metadata=metadata, **options)


def _number(
    aggregation: Aggregation, over: str, attribute: str | None, description: str | None
) -> Any:
    spec = LinkSpec(many=True, aggregation=aggregation, over=over, attribute=attribute)
    return _field(spec, description, None, None, ())


def _field(
    spec: LinkSpec,
    description: str | None,
    name: str | None,
    deprecation_reason: str | None,
    permission_classes: Sequence[type[BasePermission]],
) -> Any:
    return LinkField(
        spec,
        description=description,
        graphql_name=name,
        deprecation_reason=deprecation_reason,
        permission_classes=list(permission_classes),
    )
