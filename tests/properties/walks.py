"""Walking lists page by page, several of them in one operation, and judging every page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from strawberry.types import ExecutionResult

from tablefold.loaders import reading
from tablefold.resolvers.paging import Cursors, Position
from tests.properties.halls import identity
from tests.properties.listed import Listed, Rank, Stored

NODE = {
    "talks": "hallId heldOn n",
    "topics": "hallId heldOn n itself { size }",
    "states": "hallId heldOn n",
    "guests": "hallId came id hall { name }",
    "notes": "hallId on n",
    "papers": "... on Note { hallId on n } ... on Slide { hallId on n }",
}
PROBES = "hasNextPage hasPreviousPage"


@dataclass(frozen=True)
class Turn:
    """One page to ask for; `probing` asks whether there is more."""

    listed: Listed
    size: int
    backward: bool = False
    cursor: str | None = None
    probing: bool = True

    def render(self, alias: str) -> str:
        count, onward = ("last", "before") if self.backward else ("first", "after")
        cursor = f'{onward}: "{self.cursor}"' if self.cursor else ""
        call = self.listed.call(f"{count}: {self.size}", cursor)
        node = f"__typename {NODE[self.listed.name]}"
        info = f"startCursor endCursor {PROBES if self.probing else ''}"
        page = (
            f"{{ edges {{ cursor node {{ {node} }} }} nodes {{ {node} }} pageInfo {{ {info} }} }}"
        )
        return f"{alias}: {call} {page}"


def operation(turns: Sequence[Turn], *, beside: str = "") -> str:
    """Lists of one parent stand side by side under it, `beside` among them."""
    by_parent: dict[str | None, list[str]] = {}
    for at, turn in enumerate(turns):
        by_parent.setdefault(turn.listed.parent, []).append(turn.render(f"a{at}"))
    parts = [
        " ".join(lists) if parent is None else f"h{at}: {parent} {{ {beside} {' '.join(lists)} }}"
        for at, (parent, lists) in enumerate(by_parent.items())
    ]
    return "{ " + " ".join(parts) + " }"


def pages_in(data: Mapping[str, Any]) -> dict[str, Any]:
    """Each list's page by its alias, from wherever it stands."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        if name.startswith("h"):
            found.update(pages_in(value))
        elif name.startswith("a"):
            found[name] = value
    return found


def items_read(result: ExecutionResult, alias: str) -> int:
    """How many items the requests of a list have read."""
    waves = (result.extensions or {})["explain"]["waves"]
    return sum(
        request["itemsRead"]
        for wave in waves
        for request in wave["requests"]
        if any(alias in path.split(".") for path in request["serves"])
    )


@dataclass
class Sealed:
    """Which position each cursor seals, overheard where they are made."""

    positions: dict[str, Position] = field(default_factory=dict[str, Position])

    def overhear(self, patch: pytest.MonkeyPatch) -> None:
        seal = Cursors.seal

        def noting(cursors: Cursors, position: Position) -> str:
            text = seal(cursors, position)
            self.positions[text] = position
            return text

        patch.setattr(Cursors, "seal", noting)


@dataclass(frozen=True)
class Judge:
    """Holds pages against the table. `bare` are cursors of pages that gave up with nothing shown
    on the side that their walk came from, and whether that walk went backward."""

    stored: Stored
    sealed: Sealed
    bare: dict[str, bool] = field(default_factory=dict[str, bool])

    def judge(self, turn: Turn, page: Mapping[str, Any], read: int) -> None:
        listed, backward = turn.listed, turn.backward
        rank = self._rank(listed, turn.cursor)
        ahead = listed.beyond(self.stored, rank, backward=backward)
        shown = ahead[: len(page["edges"])]
        rest = ahead[len(shown) :]
        if backward:
            shown = shown[::-1]
        edges, info = page["edges"], page["pageInfo"]
        assert len(edges) <= turn.size
        assert [identity(edge["node"]) for edge in edges] == [identity(one) for _, one in shown]
        assert page["nodes"] == [edge["node"] for edge in edges]
        assert [self._rank(listed, edge["cursor"]) for edge in edges] == [r for r, _ in shown]

        near, far = ("endCursor", "startCursor") if backward else ("startCursor", "endCursor")
        cursors = [edge["cursor"] for edge in edges]
        assert info[near] == (cursors[-1 if backward else 0] if cursors else None)
        stopped = info[far] != (cursors[0 if backward else -1] if cursors else None)
        if stopped:
            self._judge_stop(turn, rank, info[far], rest)
            if not edges and not self._behind(turn):
                self.bare[info[far]] = backward
        gave_up = stopped or (bool(rest) and len(edges) < turn.size)
        if turn.probing:
            more, behind = _probes(info, backward=backward)
            assert behind is self._behind(turn)
            assert more or not (rest or stopped)
            gave_up = gave_up or more is not bool(rest)
        assert read >= reading.PAGE_MAX_READ or not gave_up, "gave up, and need not have"

    def _judge_stop(self, turn: Turn, rank: Rank | None, cursor: str, rest: Sequence[Any]) -> None:
        """A page that gave up has moved on, and has left nothing out."""
        listed, sign = turn.listed, -1 if turn.backward else 1
        end = self._rank(listed, cursor)
        assert end is not None
        assert rank is None or listed.compare(end, rank) * sign > 0
        assert all(listed.compare(place, end) * sign > 0 for place, _ in rest)

    def _behind(self, turn: Turn) -> bool:
        """Something was shown on the side that the walk comes from."""
        return turn.cursor is not None and self.bare.get(turn.cursor) is not turn.backward

    def _rank(self, listed: Listed, cursor: str | None) -> Rank | None:
        return None if cursor is None else listed.rank_at(self.sealed.positions[cursor])


def _probes(info: Mapping[str, Any], *, backward: bool) -> tuple[bool, bool]:
    """Whether more follows in the direction of the walk, and whether something lies behind it."""
    pair = info["hasNextPage"], info["hasPreviousPage"]
    return pair[::-1] if backward else pair


@dataclass
class Walk:
    """A walk through one list: where it stands, and what it has seen."""

    turn: Turn
    seen: list[Any] = field(default_factory=list[Any])
    cursors: list[str] = field(default_factory=list[str])
    ended: bool = False

    def in_order(self) -> list[Any]:
        """What was seen, in the order of the list."""
        return self.seen[::-1] if self.turn.backward else self.seen

    def go_on(self, page: Mapping[str, Any]) -> None:
        edges, info = page["edges"], page["pageInfo"]
        backward = self.turn.backward
        self.seen += [identity(edge["node"]) for edge in (edges[::-1] if backward else edges)]
        self.cursors += [edge["cursor"] for edge in edges]
        far = info["startCursor" if backward else "endCursor"]
        if far is not None and far not in self.cursors:
            self.cursors.append(far)
        more = _probes(info, backward=backward)[0] if self.turn.probing else far is not None
        self.ended = not more
        self.turn = replace(self.turn, cursor=far or self.turn.cursor)


def under_way(walks: Sequence[Walk]) -> Iterator[Walk]:
    return (walk for walk in walks if not walk.ended)
