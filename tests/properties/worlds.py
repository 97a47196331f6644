"""What stands in a table, as objects: values to ask for, and what is right to answer."""

import abc
import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from tablefold import Gateway
from tablefold.store.rows import items_of_object
from tablefold.store.values import Item
from tests.properties.operations import Pools
from tests.properties.oracle import Oracle, stored

T = TypeVar("T")
BAD_IDS = ("nobody", "nobody", "a#b", "")
SIZES = (1, 2, 3, 3, 5, 10, 0, 201)


@dataclass(frozen=True)
class World(abc.ABC):
    """Home items as objects, and copies as the objects that they were made of."""

    gateway: Gateway
    homes: Sequence[object]
    copies: Sequence[object] = ()

    def items(self) -> list[Item]:
        layout = self.gateway.layout
        items = [items_of_object(layout, home)[0] for home in self.homes]
        return [*items, *(item for one in self.copies for item in items_of_object(layout, one)[1:])]

    def of(self, cls: type[T]) -> list[T]:
        return [home for home in self.homes if type(home) is cls]

    @functools.cached_property
    def pools(self) -> Pools:
        return self._pools()

    @functools.cached_property
    def oracle(self) -> Oracle:
        return self._oracle()

    @abc.abstractmethod
    def _pools(self) -> Pools: ...

    @abc.abstractmethod
    def _oracle(self) -> Oracle: ...


def sample_of(gateway: Gateway) -> list[object]:
    return [as_stored(row) for row in gateway.sample()] if gateway.sample else []


def as_stored(row: Any) -> Any:
    numbers = {
        one.name: stored(held)
        for one in dataclasses.fields(row)
        if one.init and isinstance(held := getattr(row, one.name), Decimal)
    }
    return dataclasses.replace(row, **numbers) if numbers else row


def nodes(
    oracle: Oracle, known: Iterable[object], there: Sequence[object]
) -> Callable[[str], object]:
    by_id = {oracle.node_id(one): one for one in known}

    def node(node_id: str) -> object:
        found = by_id[node_id]  # an unknown id is refused
        return found if any(found is one for one in there) else None

    return node
