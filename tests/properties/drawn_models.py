"""Random models: collections that are neighbours in one partition, bounded, paged and nested."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import strawberry
from hypothesis import strategies as st

from tablefold import Connection, Gateway, Table, copy, count_of, many, one, sum_of
from tablefold.store.values import Item
from tests.harness.serving import UNLIMITED
from tests.properties.operations import Pools
from tests.properties.twins import DEADLINE, session

ROOTS = ("r", "r 1", "s")
SORTS = ("#", "INFO", "M", "ZZZ")
PREFIXES = ("A", "A!", "AB", "B", "L", "LA", "N", "Z")
MOST = 5
POOLS = Pools(
    {
        "Int": (0, 1, 2, 4, 9),
        "ID": (*ROOTS, "nobody"),
        "String": (*ROOTS, "nobody"),
        "first": (1, 2, 3, 5, 20),
        "last": (1, 2, 3, 5, 20),
        "nodeId": ("garbage",),
    }
)


@dataclass(frozen=True)
class Kind:
    """A collection in the partition of a root: how it is declared, and what lies under it."""

    name: str
    prefix: str
    bound: int | None
    newest_first: bool
    copied: bool
    below: "Kind | None" = None

    @property
    def sort(self) -> str:
        return f"{self.prefix}#{{n:02d}}"


@dataclass(frozen=True)
class Drawn:
    root_sort: str
    kinds: tuple[Kind, ...]
    items: list[Item] = field(default_factory=list[Item], repr=False)
    bounded: bool = True

    def gateway(self, *, folding: bool) -> Gateway:
        return Gateway(
            self.table(),
            folding=folding,
            session=session(),
            deadline=DEADLINE,
            limits=UNLIMITED,
        )

    def table(self) -> Table:
        table = Table("drawn")
        links: dict[str, Any] = {"id": strawberry.ID, "v": int}
        fields: dict[str, Any] = {}
        for kind in self.kinds:
            cls = _entity(table, kind)
            _link(links, fields, kind, cls)
        root = table.entity("R#{id}", self.root_sort)(_class("Root", links, fields))
        peers = {"id": strawberry.ID, "peer_id": str, "peer": root}
        table.entity("PEER#{id}", "PEER")(_class("Peer", peers, {"peer": one(id="peer_id")}))
        return table


def _class(name: str, annotations: dict[str, Any], fields: dict[str, Any]) -> type[object]:
    return type(name, (), {"__annotations__": annotations, **fields})


def _entity(table: Table, kind: Kind, above: str = "") -> type:
    own = "m" if above else "n"
    annotations: dict[str, Any] = {"root_id": strawberry.ID, "n": int, "v": int}
    fields: dict[str, Any] = {}
    sort = kind.sort
    if above:
        annotations["m"] = int
        sort = f"{above}#{kind.prefix}#{{{own}:02d}}"
    if kind.below is not None:
        _link(annotations, fields, kind.below, _entity(table, kind.below, kind.sort))
    if kind.copied:
        annotations["id"], annotations["w"] = strawberry.ID, int
        carried = copy("R#{root_id}", sort, carries=["v"])
        return table.entity(f"{kind.name}#{{id}}", "HOME", copies=[carried])(
            _class(kind.name, annotations, fields)
        )
    return table.entity("R#{root_id}", sort)(_class(kind.name, annotations, fields))


def _link(
    annotations: dict[str, Any], fields: dict[str, Any], kind: Kind, cls: type[object]
) -> None:
    name = f"{kind.name.lower()}_all"
    if kind.bound is None:
        annotations[name] = Connection[cls]
        fields[name] = many(newest_first=kind.newest_first, filters=["v"])
        return
    annotations[name] = list[cls]
    fields[name] = many(bounded=kind.bound, newest_first=kind.newest_first)
    annotations |= {f"{name}_count": int, f"{name}_sum": int}
    fields |= {f"{name}_count": count_of(name), f"{name}_sum": sum_of(name, "v")}


@st.composite
def _kinds(draw: st.DrawFn, name: str, prefix: str, depth: int = 1) -> Kind:
    below = None
    if depth and draw(st.booleans()):
        below = draw(_kinds(f"{name}x", draw(st.sampled_from(PREFIXES)), depth - 1))
    return Kind(
        name,
        prefix,
        draw(st.sampled_from([None, MOST, 20, 60])),
        draw(st.booleans()),
        copied=depth == 1 and below is None and draw(st.integers(1, 4)) == 4,
        below=below,
    )


@st.composite
def models(draw: st.DrawFn) -> Drawn:
    count = draw(st.integers(1, 3))
    prefixes = draw(
        st.lists(st.sampled_from(PREFIXES), min_size=count, max_size=count, unique=True)
    )
    kinds = tuple(draw(_kinds(f"K{at}", prefix)) for at, prefix in enumerate(prefixes))
    crowded = draw(st.integers(1, 4)) == 4
    items = _items(draw, kinds, draw(st.sampled_from(SORTS)), 9 if crowded else MOST)
    return Drawn(items[0], kinds, items[1], bounded=not crowded)


def _items(
    draw: st.DrawFn, kinds: Sequence[Kind], root_sort: str, most: int
) -> tuple[str, list[Item]]:
    found: dict[tuple[str, str], Item] = {}

    def put(partition: str, sort: str, type: str, **numbers: int) -> None:
        texts = {"PK": partition, "SK": sort, "entityType": type}
        item = {name: {"S": text} for name, text in texts.items()}
        found[partition, sort] = {**item, **{n: {"N": str(v)} for n, v in numbers.items()}}

    def some(count: int) -> list[int]:
        return draw(st.lists(st.integers(0, 20), max_size=count, unique=True))

    for root in ROOTS:
        if draw(st.integers(1, 4)) < 4:
            put(f"R#{root}", root_sort, "Root", v=1)
        for kind in kinds:
            for n in some(most):
                value = draw(st.integers(0, 3))
                put(f"R#{root}", f"{kind.prefix}#{n:02d}", kind.name, v=value)
                if kind.copied:
                    id = f"{root}-{n}"
                    found[f"R#{root}", f"{kind.prefix}#{n:02d}"] = {
                        **found[f"R#{root}", f"{kind.prefix}#{n:02d}"],
                        "id": {"S": id},
                    }
                    put(f"{kind.name}#{id}", "HOME", kind.name, v=value + 1, w=n, n=n)
                    found[f"{kind.name}#{id}", "HOME"] = {
                        **found[f"{kind.name}#{id}", "HOME"],
                        "rootId": {"S": root},
                    }
                if kind.below is not None:
                    for m in some(2):
                        sort = f"{kind.prefix}#{n:02d}#{kind.below.prefix}#{m:02d}"
                        put(f"R#{root}", sort, kind.below.name, v=m)
        if draw(st.integers(1, 4)) == 4:
            put(f"R#{root}", f"{draw(st.sampled_from(PREFIXES))}#stranger", "Stranger")
    for root in ROOTS:
        item = {"PK": f"PEER#{root}", "SK": "PEER", "entityType": "Peer", "peerId": ROOTS[0]}
        found[f"PEER#{root}", "PEER"] = {name: {"S": text} for name, text in item.items()}
    return root_sort, list(found.values())
