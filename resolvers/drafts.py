"""Drafts: a change as actions on items, each with what it insists on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from ..loaders.asks import Attributes
from ..store.requests import Key
from ..store.values import Item
from ..store.writes import TransactAction
from .changes import Change, Values
from .expectations import Expectation, together

Role = Literal["home", "copy", "guard", "past", "record"]


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a write, and what it insists on."""

    action: TransactAction
    key: Key
    role: Role
    expects: tuple[Expectation, ...] = ()

    def conditional(self, partition: str) -> TransactAction:
        condition = together(self.expects, partition)
        if condition is None:
            return self.action
        return replace(self.action, condition=condition, show_conflict=True)


@dataclass(frozen=True, slots=True)
class Draft:
    """The steps of one change, home first, and what is known of the home item once they are done.

    `known` says which attributes `after` tells; `after` is None where nothing is left.
    """

    change: Change
    steps: tuple[Step, ...]
    key: Key
    after: Item | None = field(default=None, hash=False)
    known: Attributes | None = None
    values: Values = field(default_factory=dict[str, object], hash=False)
    """Of a new object all values, stamps among them; of another what its key says."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A home item as it was read; `item` None where there was none."""

    item: Item | None = field(hash=False)
