"""The budget of an operation: what it reads is priced before it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..resolvers.asking import Values
from ..resolvers.framing import Frame
from ..resolvers.pricing import price, refuse_dear
from ..resolvers.selection import Selected, Selector
from .planner import rehearse

if TYPE_CHECKING:
    from .gateway import Gateway


@dataclass(slots=True)
class Budget:
    """`left` is in capacity units."""

    gateway: Gateway
    frame: Frame
    left: float

    async def spend(
        self, selector: Selector, fields: Sequence[tuple[Selected, Values | None]]
    ) -> None:
        """LimitExceeded, and nothing spent, where the fields may cost more than is left."""
        prices = [price(selector, selected, self.frame.sizes) for selected, _ in fields]
        self.left -= await refuse_dear(
            prices,
            lambda counts: rehearse(self.gateway, self.frame, selector, fields, counts),
            most=self.left,
        )
