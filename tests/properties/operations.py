"""Random operations that are valid in a schema: nested, aliased, in fragments, with variables.

What stands in the table is known to the `Pools` alone: which ids there are, which days, which
kinds. Everything else is drawn from the GraphQL schema itself.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
)
from hypothesis import strategies as st

DEPTH = 6
FIELDS_MAX = 40
PAGES = ("first", "after", "last", "before")
CURSORS = ("cursor", "startCursor", "endCursor")
AGAIN = "_again"
"""Ends the alias of a field that shows no items, so that an answer's cursors can be told."""

Composite = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType


@dataclass(frozen=True)
class Pools:
    """Values for arguments by `field.argument`, else by the argument's name, else by its type."""

    values: Mapping[str, Sequence[Any]]

    def of(self, field: str, argument: str, type_name: str) -> Sequence[Any]:
        for name in (f"{field}.{argument}", argument, type_name):
            if name in self.values:
                return self.values[name]
        raise LookupError(f"No values for {field}({argument}: {type_name})")


@dataclass(frozen=True)
class Slot:
    """A variable that takes the `pick`th cursor of an answer's pages at `key`, or of any page."""

    variable: str
    key: str
    pick: int
    foreign: bool


@dataclass(frozen=True)
class Operation:
    text: str
    variables: dict[str, Any]
    slots: tuple[Slot, ...] = ()
    switches: tuple[str, ...] = ()

    def followed(self, data: object) -> "Operation | None":
        """The same document once more: from cursors of its answer, with its switches turned."""
        variables = dict(self.variables)
        for name in self.switches:
            variables[name] = not variables[name]
        for slot in self.slots:
            found = list(cursors(data, None if slot.foreign else slot.key))
            if found:
                variables[slot.variable] = found[slot.pick % len(found)]
        return replace(self, variables=variables) if variables != self.variables else None

    def __repr__(self) -> str:
        return f"{self.text}\n{json.dumps(self.variables)}"


def cursors(data: object, key: str | None) -> Iterator[str]:
    """The cursors of the pages under a response key, or all of them."""
    if isinstance(data, list):
        for one in cast("list[object]", data):
            yield from cursors(one, key)
    elif isinstance(data, dict):
        for name, below in cast("dict[str, object]", data).items():
            if key is None and name.removesuffix(AGAIN) in CURSORS and isinstance(below, str):
                yield below
            yield from cursors(below, None if name == key else key)


def operations(
    schema: GraphQLSchema, pools: Pools, *, depth: int = DEPTH, size: int = FIELDS_MAX
) -> st.SearchStrategy[Operation]:
    return _operations(schema, pools, depth, size)


@st.composite
def _operations(
    draw: st.DrawFn, schema: GraphQLSchema, pools: Pools, depth: int, size: int
) -> Operation:
    return Writer(draw, schema, pools, left=size).operation(depth)


@dataclass
class Writer:
    """Writes one operation; `left` is how many fields there is still room for."""

    draw: st.DrawFn
    schema: GraphQLSchema
    pools: Pools
    left: int
    declared: dict[str, str] = field(default_factory=dict[str, str])
    given: dict[str, Any] = field(default_factory=dict[str, Any])
    slots: list[Slot] = field(default_factory=list[Slot])
    switches: list[str] = field(default_factory=list[str])
    fragments: dict[str, tuple[str, str]] = field(default_factory=dict[str, "tuple[str, str]"])
    _keys: dict[tuple[str, ...], str] = field(default_factory=dict["tuple[str, ...]", str])
    _foreseen: list[tuple[str, str]] = field(default_factory=list["tuple[str, str]"])

    def operation(self, depth: int) -> Operation:
        root = self.schema.query_type
        assert root is not None
        body = self._selections(root, depth)
        declared = ", ".join(f"${name}: {kind}" for name, kind in self.declared.items())
        lines = [f"query Drawn{f'({declared})' if declared else ''} {body}"]
        lines += [f"fragment {name} on {on} {text}" for name, (on, text) in self.fragments.items()]
        return Operation("\n".join(lines), self.given, tuple(self.slots), tuple(self.switches))

    def _chance(self, of: int) -> bool:
        """True once in `of` times; shrinks to False."""
        return self.draw(st.integers(1, of)) == of

    def _any(self, some: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(some))

    # Selections.

    def _selections(self, parent: Composite, depth: int) -> str:
        parts = ["__typename"] if self._chance(4) else []
        for _ in range(self.draw(st.integers(1, 3 + min(3, _richness(parent))))):
            self.left -= 1
            if self.left > 0 or not parts:
                parts.append(self._selection(parent, depth))
        return "{ " + " ".join(parts) + " }"

    def _selection(self, parent: Composite, depth: int) -> str:
        if self._chance(8):
            return self._named(parent, depth) + self._switched()
        if self._chance(8) or not _fields(parent):
            return self._inline(parent, depth)
        return self._field(parent, depth)

    def _inline(self, parent: Composite, depth: int) -> str:
        on = self._any(self._conditions(parent))
        if on is parent and self._chance(2):
            return f"...{self._switched()} {self._selections(parent, depth)}"
        return f"... on {on.name}{self._switched()} {self._selections(on, depth)}"

    def _named(self, parent: Composite, depth: int) -> str:
        """A fragment of its own, or one that is there already."""
        names = {on.name for on in self._conditions(parent)}
        known = [name for name, (on, _) in self.fragments.items() if on in names]
        if known and self._chance(2):
            return f"...{self._any(known)}"
        on = self._any(self._conditions(parent))
        text = self._selections(on, depth)
        name = f"F{len(self.fragments)}"
        self.fragments[name] = on.name, text
        return f"...{name}"

    def _conditions(self, parent: Composite) -> list[Composite]:
        """Types that a fragment under `parent` may be on."""
        if isinstance(parent, GraphQLObjectType):
            return [parent, *parent.interfaces]
        return [parent, *self.schema.get_possible_types(parent)]

    def _field(self, parent: Composite, depth: int) -> str:
        fields = _fields(parent)
        leaves = [name for name, one in fields.items() if not _composite(one)]
        links = [
            name
            for name, one in fields.items()
            if _composite(one)
            for _ in range(1 + _richness(_named(one)))  # where there is much to fold
        ]
        deeper = links and depth > 0 and (not leaves or self._chance(2))
        if not deeper and not leaves:
            return "__typename"
        name: str = self._any(links if deeper else leaves)
        one = fields[name]
        if not deeper:
            key = self._key("", name, str(one.type)) + (AGAIN if self._chance(8) else "")
            return f"{'' if key == name else f'{key}: '}{name}{self._switched()}"
        arguments = self._arguments(name, one.args)
        key = self._key(parent.name, name, arguments)
        self._foresee(key)
        below = self._selections(_named(one), depth - 1)
        shown = f"{name}{arguments}{self._switched()} {below}"
        return shown if key == name else f"{key}: {shown}"

    def _key(self, *place: str) -> str:
        """One response key for one field with one set of arguments: equal ones are merged.

        Fields that show no items share one, wherever they are of one type.
        """
        if place not in self._keys:
            name = place[1]
            taken = sum(1 for one in self._keys.values() if one.partition("_")[0] == name)
            self._keys[place] = f"{name}_{taken + 1}" if taken else name
        return self._keys[place]

    def _switched(self) -> str:
        if not self._chance(12):
            return ""
        directive = self._any(["include", "skip"])
        if self._chance(3):
            return f" @{directive}(if: {self._any(['true', 'false'])})"
        name = f"s{self.draw(st.integers(0, 1))}"
        if name not in self.declared:
            self.declared[name] = "Boolean!"
            self.given[name] = self.draw(st.booleans())
            self.switches.append(name)
        return f" @{directive}(if: ${name})"

    # Arguments.

    def _arguments(self, name: str, arguments: Mapping[str, Any]) -> str:
        shown = [
            f"{one}: {self._value(name, one, argument.type)}"
            for one, argument in arguments.items()
            if one not in PAGES and (_required(argument.type) or self._chance(3))
        ]
        if "first" in arguments:
            shown += self._page(name, arguments)
        return f"({', '.join(shown)})" if shown else ""

    def _page(self, name: str, arguments: Mapping[str, Any]) -> Iterator[str]:
        """Mostly a size in one direction, and often a place for a cursor of the answer."""
        if self._chance(20):
            ends = [end for end in PAGES if self._chance(2)]
        else:
            size, end = self._any([("first", "after"), ("last", "before")])
            ends = [one for one in (size, end) if not self._chance(3)]
        for end in ends:
            if end in ("first", "last"):
                yield f"{end}: {self._value(name, end, arguments[end].type)}"
            else:
                variable = self._declare("String", None)
                self._foreseen.append((variable, name))
                yield f"{end}: ${variable}"

    def _foresee(self, key: str) -> None:
        """Cursors for the variables of the field that now has its response key."""
        for variable, _ in self._foreseen:
            pick = self.draw(st.integers(0, 9))
            self.slots.append(Slot(variable, key, pick, foreign=self._chance(12)))
        self._foreseen.clear()

    def _declare(self, kind: str, value: Any) -> str:
        name = f"v{len(self.declared)}"
        self.declared[name], self.given[name] = kind, value
        return name

    def _value(self, name: str, argument: str, kind: Any) -> str:
        """A literal, or a variable; literals may hold variables."""
        if self._chance(4):
            given = self._plain(name, argument, kind)
            if not _required(kind) and self._chance(6):
                given = None
            return f"${self._declare(str(kind), given)}"
        inner = _nullable(kind)
        if isinstance(inner, GraphQLInputObjectType):
            parts = (
                f"{one}: {self._value(name, _within(argument, one), held.type)}"
                for one, held in self._some(inner)
            )
            return "{" + ", ".join(parts) + "}"
        return _literal(self._plain(name, argument, inner), inner)

    def _plain(self, name: str, argument: str, kind: Any) -> Any:
        """A value as JSON has it."""
        inner = _nullable(kind)
        if isinstance(inner, GraphQLList):
            of = _element(_nullable(kind))
            count = self.draw(st.integers(0, 5))
            return [self._plain(name, argument, of) for _ in range(count)]
        if isinstance(inner, GraphQLInputObjectType):
            return {
                one: self._plain(name, _within(argument, one), held.type)
                for one, held in self._some(inner)
            }
        if isinstance(inner, GraphQLEnumType):
            return self._any(list(inner.values))
        if inner.name == "Boolean":
            return self.draw(st.booleans())
        return self._any(self.pools.of(name, argument, inner.name))

    def _some(self, kind: GraphQLInputObjectType) -> list[tuple[str, Any]]:
        """A range has `eq`, or ends; other inputs have any of their fields."""
        names = list(kind.fields)
        if names == ["eq", "from", "to"] and not self._chance(12):
            names = self._any([["eq"], ["from"], ["to"], ["from", "to"]])
        else:
            names = [name for name in names if self._chance(3)]
        return [(name, kind.fields[name]) for name in names]


def _within(argument: str, name: str) -> str:
    """`placedOn: {from}` has the values of placedOn, `where: {total: {ge}}` those of total."""
    return argument if name in _OPERATORS else name


_OPERATORS = frozenset(
    ("eq", "ne", "in", "exists", "lt", "le", "gt", "ge", "from", "to", "beginsWith", "contains")
)


def _required(kind: object) -> bool:
    return isinstance(kind, GraphQLNonNull)


def _nullable(kind: Any) -> Any:
    return kind.of_type if _required(kind) else kind


def _element(kind: Any) -> Any:
    """The type of a list's entries; here none of them may be null."""
    return _nullable(kind.of_type)


def _fields(parent: Composite) -> dict[str, Any]:
    return {} if isinstance(parent, GraphQLUnionType) else dict(parent.fields)


def _richness(kind: object) -> int:
    """How many lists and objects lie under a type, or under the nodes of a page of it."""
    if not isinstance(kind, GraphQLObjectType):
        return 0
    if "nodes" in kind.fields:
        return _richness(_named(kind.fields["nodes"]))
    return sum(1 for one in _fields(kind).values() if _composite(one))


def _named(one: Any) -> Any:
    return cast("Any", get_named_type(one.type))


def _composite(one: Any) -> bool:
    return isinstance(
        get_named_type(one.type), (GraphQLObjectType, GraphQLInterfaceType, GraphQLUnionType)
    )


def _literal(value: Any, kind: Any) -> str:
    if isinstance(value, list):
        held = cast("list[Any]", value)
        inner = _element(kind)
        return "[" + ", ".join(_literal(one, inner) for one in held) + "]"
    if isinstance(kind, GraphQLEnumType):
        return str(value)
    return json.dumps(value)
