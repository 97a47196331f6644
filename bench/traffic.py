"""Traffic: the examples' own operations, with variables drawn at random and pages walked."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from examples.fund import gateway as fund
from examples.shop import gateway as shop
from tablefold import Gateway

from .new_user import drawn

GATEWAYS: dict[str, Gateway] = {"shop": shop, "fund": fund}
PAGES_WALKED = 5

Draw = Callable[[random.Random], Any]


def _user(dice: random.Random) -> str:
    return f"u_{dice.randint(1, 75):03d}"  # the last three are nobody


def _order(dice: random.Random) -> str:
    return f"o_{dice.randint(1, 285):04d}"


def _day(dice: random.Random, first: int, last: int) -> str:
    return f"2026-{dice.randint(first, last):02d}-{dice.randint(1, 28):02d}"


def _new_user(_: random.Random) -> dict[str, Any]:
    """Dice that are thrown again would give somebody who is there already."""
    return drawn()


VARIABLES: dict[str, dict[str, Draw]] = {
    "S1": {"id": _user},
    "S5": {
        "userId": _user,
        "from": lambda dice: _day(dice, 1, 3),
        "to": lambda dice: _day(dice, 4, 6),
        "first": lambda dice: dice.randint(1, 10),
    },
    "S8": {
        "status": lambda dice: dice.choice(["PENDING", "PAID", "SHIPPED", "CANCELLED"]),
        "first": lambda dice: dice.randint(1, 50),
    },
    "S10": {"ids": lambda dice: [_user(dice) for _ in range(dice.randint(1, 50))]},
    "S11": {
        "ids": lambda dice: [
            f"p_{number:03d}" for number in dice.sample(range(1, 161), dice.randint(1, 150))
        ]
    },
    "S13": {"first": lambda dice: dice.randint(1, 20)},
    "S14": {"input": _new_user},
    "S16": {
        "id": _order,
        "status": lambda dice: dice.choice(["PENDING", "PAID", "SHIPPED", "CANCELLED"]),
    },
    "F4": {"documentId": lambda dice: dice.choice(["DOC001", "DOC002", "DOC003"])},
    "F6": {
        "positionId": lambda dice: dice.choice(["POSITION_1", "POSITION_2"]),
        "first": lambda dice: dice.randint(1, 4),
    },
}
"""What is drawn for each operation, by its row in the table of patterns."""

STRANGERS = 0.05
"""How often a document is new: most are those that a program sends all day."""


def _literal(draw: Callable[[random.Random], str], few: list[str]) -> Draw:
    return lambda dice: draw(dice) if dice.random() < STRANGERS else dice.choice(few)


LITERALS: dict[str, Draw] = {
    r"u_\d+": _literal(_user, [f"u_{number:03d}" for number in range(1, 6)]),
    r"o_\d+": _literal(_order, [f"o_{number:04d}" for number in range(61, 66)]),
    "DOC001": lambda dice: dice.choice(["DOC001", "DOC002"]),
    "POSITION_1": lambda dice: dice.choice(["POSITION_1", "POSITION_2"]),
}
"""Keys that stand in a document itself are drawn as well, most from a few."""


@dataclass(frozen=True, slots=True)
class Operation:
    example: str
    row: str
    text: str

    @property
    def writes(self) -> bool:
        return re.search(r"^mutation\b", self.text, re.MULTILINE) is not None

    def drawn(self, dice: random.Random) -> tuple[str, dict[str, Any]]:
        text = self.text
        for pattern, draw in LITERALS.items():
            text = re.sub(f'"{pattern}"', lambda _, draw=draw: f'"{draw(dice)}"', text)
        variables = {name: draw(dice) for name, draw in VARIABLES.get(self.row, {}).items()}
        return text, variables


def operations() -> list[Operation]:
    """All queries, and those mutations that can be made again and again."""
    every = [
        Operation(example, path.stem.partition("_")[0], path.read_text(encoding="utf-8"))
        for example, gateway in GATEWAYS.items()
        if gateway.operations is not None
        for path in sorted(gateway.operations.glob("*.graphql"))
    ]
    return [one for one in every if one.row in VARIABLES or not one.writes]


def body(text: str, variables: dict[str, Any]) -> bytes:
    return json.dumps({"query": text, "variables": variables}).encode()


def next_cursor(data: Any) -> str | None:
    """Where the one connection of an answer goes on."""
    for info in _page_infos(data):
        if info.get("hasNextPage"):
            return info.get("endCursor")
    return None


def _page_infos(data: Any) -> Iterator[dict[str, Any]]:
    if isinstance(data, dict):
        held = cast("dict[str, Any]", data)
        if "pageInfo" in held:
            yield held["pageInfo"]
        for value in held.values():
            yield from _page_infos(value)
