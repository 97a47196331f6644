"""What holds for every write of an entity: stamps, guards of what is unique, and bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from .attributes import Attribute
from .conditions import Compare, Condition, Either, Missing
from .errors import BadInput
from .keys import PARTITION_KEY_MAX_BYTES
from .naming import camel
from .requests import Key, KeyNames
from .values import EXACT, AttributeValue

GUARD = "UNIQUE"
"""Begins the partition of a guard item, and is its sort key."""

OWNER = "owner"
FIRST_VERSION = 1

Number: TypeAlias = int | Decimal


@dataclass(frozen=True, slots=True)
class Unique:
    """Attributes whose values no two objects of an entity have together."""

    entity: str
    attributes: tuple[Attribute, ...]
    separator: str = "#"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    def guard(self, values: Mapping[str, object]) -> Key | None:
        """The key of the item that holds these values for their owner; None where one is null."""
        if any(values[name] is None for name in self.names):
            return None
        texts = [self._text(one.codec.encode(values[one.name])) for one in self.attributes]
        text = self.separator.join((GUARD, self.entity, "+".join(self.names), *texts))
        if len(text.encode()) > PARTITION_KEY_MAX_BYTES:
            shown = " and ".join(map(camel, self.names))
            raise BadInput(
                f"{shown} is too long to be kept unique; the guard's key takes "
                f"{PARTITION_KEY_MAX_BYTES:,} bytes."
            )
        return text, GUARD

    def _text(self, value: AttributeValue) -> str:
        """Values that are equal have one text, and no text runs into its neighbour."""
        [(tag, held)] = value.items()
        text = f"{Decimal(held).normalize(EXACT):f}" if tag == "N" else str(held)
        return text.replace("%", "%25").replace(self.separator, "%23")


@dataclass(frozen=True, slots=True)
class Rules:
    """`version`, `created` and `updated` name the attributes that writes keep themselves."""

    version: str | None = None
    created: str | None = None
    updated: str | None = None
    uniques: tuple[Unique, ...] = ()
    minimums: Mapping[str, Number] = field(default_factory=dict[str, Number])
    maximums: Mapping[str, Number] = field(default_factory=dict[str, Number])
    secret: frozenset[str] = frozenset()
    """Attributes that not everybody may see, and that no refusal tells."""
    moves: bool = True
    """Whether a change of the home key moves the item; otherwise it is refused."""

    def check(self, entity: str, values: Mapping[str, object]) -> None:
        """BadInput for a number that is out of its bounds."""
        for name, least in self.minimums.items():
            if isinstance(value := values.get(name), (int, float, Decimal)) and value < least:
                raise BadInput(f"{entity}.{camel(name)} must be at least {least}, not {value}.")
        for name, most in self.maximums.items():
            if isinstance(value := values.get(name), (int, float, Decimal)) and value > most:
                raise BadInput(f"{entity}.{camel(name)} must be at most {most}, not {value}.")

    @property
    def stamps(self) -> frozenset[str]:
        return frozenset(
            name for name in (self.version, self.created, self.updated) if name is not None
        )


def guard_item(
    key: Key, owner: Key, names: KeyNames, type_attribute: str | None
) -> dict[str, AttributeValue]:
    """Says who has the values; it stands in no index and belongs to no entity."""
    item: dict[str, AttributeValue] = {**names.render(key), OWNER: owner_value(owner)}
    if type_attribute is not None:
        item[type_attribute] = {"S": GUARD}
    return item


def owner_value(owner: Key) -> AttributeValue:
    return {"L": [{"S": part} for part in owner]}


def free(owner: AttributeValue) -> Condition:
    """On a guard: nobody has the values, or the owner has them already."""
    return Either((Missing(OWNER), Compare(OWNER, "=", owner)))


def guards(uniques: Iterable[Unique], values: Mapping[str, object]) -> list[Key]:
    found = (unique.guard(values) for unique in uniques)
    return [key for key in found if key is not None]
