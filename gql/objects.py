"""Entities in plain Python: what a custom resolver or a script fetches by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..loaders.asks import Answer, Ask, Member
from ..store.entities import Entity
from ..store.errors import BadInput
from ..store.requests import KeyNames
from ..store.spans import Span
from .operations import loader_of

if TYPE_CHECKING:
    from .gateway import Gateway


async def fetch(gateway: Gateway, cls: type, key: Mapping[str, object]) -> object | None:
    """Within an operation of this gateway it joins the operation's own requests."""
    [found] = await fetch_all(gateway, [(cls, key)])
    return found


async def fetch_all(
    gateway: Gateway, wanted: Sequence[tuple[type, Mapping[str, object]]]
) -> list[object | None]:
    """Read together, and given in their order; None where the table has none."""
    asks = [_ask(gateway, entity_of(gateway, cls), key) for cls, key in wanted]
    answers = await (loader_of(gateway) or gateway.loader()).ask(asks)
    return [
        _made(entity_of(gateway, cls), answer, gateway.layout.home.names)
        for (cls, _), answer in zip(wanted, answers, strict=True)
    ]


def _ask(gateway: Gateway, entity: Entity, key: Mapping[str, object]) -> Ask:
    if missing := [name for name in entity.home.names if name not in key]:
        raise BadInput(
            f"{entity.name} is found by {', '.join(entity.home.names)}; "
            f"{', '.join(missing)} is not given."
        )
    partition, sort = entity.home_key(key)
    return Ask(
        gateway.layout.home,
        partition,
        Span.exactly(sort),
        (Member(entity, entity.home),),
        bound=1,
        serves=(f"get({entity.name})",),
    )


def _made(entity: Entity, answer: Answer, home: KeyNames) -> object | None:
    if answer.error is not None:
        raise answer.error
    for found in answer.items:
        return entity.cls(**entity.read(found.item, found.parsed, entity.attributes, home=home))
    return None


def entity_of(gateway: Gateway, cls: type) -> Entity:
    for entity in gateway.layout.entities.values():
        if entity.cls is cls:
            return entity
    raise BadInput(f"{cls.__name__} is no entity of the table {gateway.table.name}.")
