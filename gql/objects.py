"""Entities in plain Python: what a custom resolver or a script fetches by key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..loaders.asks import Ask, Member
from ..store.entities import Entity
from ..store.errors import BadInput
from ..store.spans import Span
from .operations import loader_of

if TYPE_CHECKING:
    from .gateway import Gateway


async def fetch(gateway: Gateway, cls: type, key: Mapping[str, object]) -> object | None:
    """Within an operation of this gateway it joins the operation's own requests."""
    entity = entity_of(gateway, cls)
    if missing := [name for name in entity.home.names if name not in key]:
        raise BadInput(
            f"{entity.name} is found by {', '.join(entity.home.names)}; "
            f"{', '.join(missing)} is not given."
        )
    partition, sort = entity.home_key(key)
    home = gateway.layout.home
    ask = Ask(
        home,
        partition,
        Span.exactly(sort),
        (Member(entity, entity.home),),
        bound=1,
        serves=(f"get({entity.name})",),
    )
    [answer] = await (loader_of(gateway) or gateway.loader()).ask([ask])
    if answer.error is not None:
        raise answer.error
    for found in answer.items:
        values = entity.read(found.item, found.parsed, entity.attributes, home=home.names)
        return cls(**values)
    return None


def entity_of(gateway: Gateway, cls: type) -> Entity:
    for entity in gateway.layout.entities.values():
        if entity.cls is cls:
            return entity
    raise BadInput(f"{cls.__name__} is no entity of the table {gateway.table.name}.")
