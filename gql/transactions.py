"""Transactions in plain Python: several changes that are made together, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import strawberry

from ..resolvers.changes import (
    Change,
    Creation,
    Insistence,
    Publication,
    Removal,
    Replacement,
    Revision,
    Values,
)
from ..resolvers.needs import telling
from ..resolvers.writing import Written
from ..store.entities import Entity
from ..store.errors import BadInput
from ..store.rules import Number
from .committing import RawInfo, commit
from .objects import entity_of, fetch_all
from .publishing import past_of

if TYPE_CHECKING:
    from .gateway import Gateway


class Transaction:
    """Collects changes; they are sent as one request when its block ends without an error.

    An object is named by its class and the attributes of its home key, or by itself: what it
    holds is then taken as known, so that nothing has to be read first.
    """

    def __init__(
        self,
        gateway: Gateway,
        info: strawberry.Info[Any, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> None:
        self._gateway = gateway
        self._info: RawInfo | None = getattr(info, "_raw_info", None)
        self._key = idempotency_key
        self._changes: list[Change] = []
        self._objects: list[object] = []
        self._ended = False
        self.replayed = False
        """Whether an earlier run with the same idempotency key had made the changes."""

    # Changes.

    def create(self, thing: object) -> None:
        """A new object. Its stamps are set once it is written."""
        self._add(Creation(self._entity(type(thing)), dict(vars(thing))), thing)

    def put(self, thing: object, *, version: int | None = None) -> None:
        """An object as a whole, whether one was there or not."""
        self._add(Replacement(self._entity(type(thing)), dict(vars(thing)), version), thing)

    def update(
        self,
        what: object,
        *key: object,
        set: Mapping[str, object] | None = None,
        add: Mapping[str, Number] | None = None,
        append: Mapping[str, object] | None = None,
        remove: Mapping[str, object] | None = None,
        minimum: Mapping[str, Number] | None = None,
        where: Mapping[str, object] | None = None,
        version: int | None = None,
        known: Mapping[str, object] | None = None,
    ) -> None:
        """Some attributes of an object: `tx.update(Product, "p1", add={"inventory": -2})`."""
        entity, values, believed = self._named(what, key)
        self._add(
            Revision(
                entity,
                values,
                dict(set or {}),
                dict(add or {}),
                dict(append or {}),
                dict(remove or {}),
                dict(minimum or {}),
                _checked(entity, where),
                version,
                {**believed, **_checked(entity, known)},
            )
        )

    def delete(
        self,
        what: object,
        *key: object,
        where: Mapping[str, object] | None = None,
        version: int | None = None,
        known: Mapping[str, object] | None = None,
    ) -> None:
        entity, values, believed = self._named(what, key)
        known = {**believed, **_checked(entity, known)}
        self._add(Removal(entity, values, _checked(entity, where), version, known))

    def check(
        self,
        what: object,
        *key: object,
        where: Mapping[str, object] | None = None,
        version: int | None = None,
    ) -> None:
        """Insists on an object that the transaction leaves as it is."""
        entity, values, _ = self._named(what, key)
        self._add(Insistence(entity, values, _checked(entity, where), version))

    def publish(self, thing: object, *, version: int | None = None, **past: object) -> None:
        """A new latest version; `past` is what the one before it is kept under, as its date."""
        entity = self._entity(type(thing))
        kept, values = past_of(self._gateway, entity)
        change = Publication(
            entity, dict(vars(thing)), kept, {**values, **_checked(kept, past)}, version
        )
        self._add(change, thing)

    def _add(self, change: Change, thing: object = None) -> None:
        if self._ended:
            raise RuntimeError("The block of this transaction has ended: open another one.")
        self._changes.append(change)
        self._objects.append(thing)

    def _entity(self, cls: type) -> Entity:
        return entity_of(self._gateway, cls)

    def _named(self, what: object, key: tuple[object, ...]) -> tuple[Entity, Values, Values]:
        """The entity, the values of its home key, and what is believed of it beside."""
        if not isinstance(what, type):
            entity, held = self._entity(type(what)), vars(what)
            believed = {name: held[name] for name in telling(entity) if name in held}
            return entity, {name: held[name] for name in entity.home.names}, believed
        entity = self._entity(what)
        names = entity.home.names
        if len(key) != len(names):
            raise BadInput(
                f"{entity.name} is found by {', '.join(names)}; {len(key)} of these "
                f"{'was' if len(key) == 1 else 'were'} given."
            )
        return entity, dict(zip(names, key, strict=True)), {}

    # The block.

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended = True
        if error is None and self._changes:
            await self._commit()

    async def _commit(self) -> None:
        outcome = await commit(self._gateway, self._changes, self._info, idempotency_key=self._key)
        self.replayed = outcome.replayed
        made = [
            (written, thing)
            for written, thing in zip(outcome.written, self._objects, strict=True)
            if thing is not None
        ]
        if outcome.replayed:
            await self._recall(made)
            return
        for written, thing in made:
            vars(thing).update(written.values)

    async def _recall(self, made: Sequence[tuple[Written, object]]) -> None:
        """What the first run made has perhaps another key than what this one thought up."""
        keys = [
            (entity.cls, entity.home.parse(*written.key) or {})
            for written, _ in made
            for entity in [written.change.entity]
        ]
        found = await fetch_all(self._gateway, keys)
        for (_, thing), (_, key), first in zip(made, keys, found, strict=True):
            vars(thing).update(key if first is None else vars(first))


def _checked(entity: Entity, given: Mapping[str, object] | None) -> dict[str, object]:
    for name in given or {}:
        if name not in entity.attributes:
            raise BadInput(
                f"{entity.name} has no attribute {name!r}. It has {', '.join(entity.attributes)}."
            )
    return dict(given or {})
