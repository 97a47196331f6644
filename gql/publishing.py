"""Publishing: the latest version and the entity in which those before it are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..resolvers.changes import Values
from ..store.entities import Entity
from ..store.errors import ModelError

if TYPE_CHECKING:
    from .gateway import Gateway
    from .model import Table


def past_of(gateway: Gateway, entity: Entity) -> tuple[Entity, Values]:
    """The entity of past versions, and the values that replace those of the latest."""
    return find_past(gateway.table, gateway.layout.entities, entity)


def find_past(table: Table, entities: dict[str, Entity], entity: Entity) -> tuple[Entity, Values]:
    history = table.entities[entity.name].history
    if history is None:
        raise ModelError(
            f"{entity.name}: nothing says where a past version goes.\n"
            f'  Write @table.entity(…, history=kept_as("{entity.name}Version")).'
        )
    past = entities.get(history.entity)
    if past is None:
        raise ModelError(
            f"{entity.name}: kept_as({history.entity!r}) names no entity of the table.\n"
            f"  It has {', '.join(entities)}."
        )
    for name in history.values:
        if name not in past.attributes:
            raise ModelError(
                f"{entity.name}: kept_as({history.entity!r}, {name}=…) names no attribute.\n"
                f"  {past.name} has {', '.join(past.attributes)}."
            )
    return past, history.values


def asked_for(entity: Entity, past: Entity, values: Values) -> list[str]:
    """What a publication must say beside the new version: what only the past one has."""
    return [
        name
        for name, attribute in past.attributes.items()
        if name not in entity.attributes
        and name not in values
        and name not in past.rules.stamps
        and not attribute.optional
        and attribute.default is None
    ]
