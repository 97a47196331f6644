"""Fields of mutations: what they were given becomes changes, and what was made a payload."""

from __future__ import annotations

import abc
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from strawberry.types.field import StrawberryField
from strawberry.types.info import Info

from ..loaders.asks import ALL_ATTRIBUTES
from ..resolvers.changes import Change, Removal
from ..resolvers.needs import placing
from ..resolvers.writing import Written
from ..store.errors import AlreadyThere, NotFound
from ..store.naming import camel, snake
from .committing import RawInfo, commit
from .operations import current, selects

if TYPE_CHECKING:
    from .gateway import Gateway

Arguments: TypeAlias = Mapping[str, Any]
Make: TypeAlias = Callable[[Arguments], Change]


class MutationField(StrawberryField, abc.ABC):
    """A field that writes; its arguments come by their Python names."""

    @property
    def is_basic_field(self) -> bool:
        return False

    @cached_property
    def is_async(self) -> bool:
        return True

    def get_result(
        self, source: Any, info: Info | None, args: list[Any], kwargs: dict[str, Any]
    ) -> Awaitable[object]:
        raw: Any = info
        return self.run(raw._raw_info, kwargs)

    @abc.abstractmethod
    async def run(self, info: RawInfo, arguments: Arguments) -> object: ...


class WriteField(MutationField):
    """A mutation: makes a change of its arguments, commits it, and answers with its payload."""

    make: Make
    payload: type[object]
    lenient: bool = False
    """Whether it is well if everything is as wanted already."""

    async def run(self, info: RawInfo, arguments: Arguments) -> object:
        operation = current()
        gateway = cast("Gateway", operation.gateway)
        change = self.make(arguments)
        key = arguments.get("idempotency_key")
        await operation.afford(info, [change.identity])
        if isinstance(change, Removal):
            keyed = key is not None or operation.idempotency_key is not None
            change = _wanted(change, info, keyed=keyed)
        try:
            outcome = await commit(
                gateway, [change], info, idempotency_key=key, beside=("idempotencyKey", "known")
            )
        except (AlreadyThere, NotFound):
            if not self.lenient:
                raise
            return self._answer(Written(change, change.entity.home_key(change.identity)), False)
        [written] = outcome.written
        loader = operation.loader_for(info)
        if outcome.replayed and isinstance(change, Removal):  # what it was, nobody knows any more
            loader.remember(written.key, None, ALL_ATTRIBUTES)
        elif written.known is not None:
            loader.remember(written.key, written.item, written.known)
        return self._answer(written, not outcome.replayed)

    def _answer(self, written: Written, changed: bool) -> object:
        """The payload holds the key: what is selected under it is planned from there."""
        entity = written.change.entity
        made = object.__new__(self.payload)
        key = entity.home.parse(*written.key) or {}
        vars(made).update({**key, "changed": changed})
        return made


def _wanted(change: Removal, info: RawInfo, *, keyed: bool) -> Removal:
    """DynamoDB shows what it deletes, but not where a transaction does: then it is read before."""
    entity = change.entity
    alone = not keyed and not placing(entity)
    shown = not alone and selects(info, camel(snake(entity.name)))
    return replace(change, shown=shown)
