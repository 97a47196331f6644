"""What an operation must answer, worked out naively: lists of objects, filtered and sorted.

graphql-core runs the operation over a schema made of the gateway's SDL alone; nothing of the
reading code has a part in it. A field that the gateway must refuse is refused here too.
"""

import base64
import datetime
import enum
import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from graphql import (
    ExecutionResult,
    GraphQLError,
    GraphQLResolveInfo,
    GraphQLScalarType,
    GraphQLSchema,
    build_schema,
    graphql_sync,  # pyright: ignore[reportUnknownVariableType]
)

from tablefold import Gateway
from tablefold.store.naming import snake
from tests.properties.operations import AGAIN, CURSORS

PAGE_SIZE, PAGE_SIZE_MAX = 20, 200

Resolver = Callable[[Any, dict[str, Any]], Any]
Text = Callable[[Any], str]


@dataclass(frozen=True)
class Place:
    """The texts in an entity's key, in their order, as `nodeId` holds them."""

    cls: type
    texts: Callable[[Any], Sequence[str]]


class Oracle:
    """`fields` are by `Type.field`; any other field shows the attribute of its name."""

    def __init__(
        self, gateway: Gateway, fields: Mapping[str, Resolver], places: Sequence[Place]
    ) -> None:
        self._schema = _schema(gateway)
        self._fields = fields
        self._places = {place.cls.__name__: place for place in places}

    def answer(self, text: str, variables: Mapping[str, Any]) -> ExecutionResult:
        return graphql_sync(
            self._schema,
            text,
            variable_values=dict(variables),
            field_resolver=self._resolve,
            type_resolver=_type_name,
        )

    def node_id(self, thing: object) -> str:
        name = type(thing).__name__
        raw = json.dumps([name, *self._places[name].texts(thing)], separators=(",", ":"))
        return base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")

    def _resolve(self, source: Any, info: GraphQLResolveInfo[Any], **arguments: Any) -> object:
        if isinstance(source, dict):
            return cast("dict[str, object]", source)[info.field_name]
        if info.field_name == "nodeId":
            return self.node_id(source)
        resolver = self._fields.get(f"{info.parent_type.name}.{info.field_name}")
        if resolver is not None:
            held = resolver(source, arguments)
            if isinstance(held, Collection):
                return held.shown(info, source, arguments)
            return held
        held = getattr(source, snake(info.field_name))
        if isinstance(held, set):
            return sorted(cast("set[str]", held))
        return held.name if isinstance(held, enum.Enum) else held


@functools.cache
def _schema(gateway: Gateway) -> GraphQLSchema:
    schema = build_schema(gateway.sdl())
    for name, (shown, read) in _SCALARS.items():
        scalar = schema.type_map.get(name)
        if isinstance(scalar, GraphQLScalarType):
            scalar.coerce_output_value, scalar.coerce_input_value = shown, read
    return schema


def _type_name(value: object, *_: object) -> str:
    return type(value).__name__


# Collections.


@dataclass(frozen=True)
class Collection:
    """Objects, their sort key, and the attributes that arguments narrow, in the key's order."""

    rows: Iterable[Any]
    sort: Text
    narrowing: tuple[str, ...] = ()
    newest_first: bool = False
    paged: bool = False

    def shown(
        self, info: GraphQLResolveInfo[Any], source: object, arguments: dict[str, Any]
    ) -> object:
        direction = arguments.get("direction")
        descending = self.newest_first if direction is None else direction == "DESCENDING"
        for refused in (self._unreachable(arguments), _impossible(arguments)):
            if refused:
                raise GraphQLError(refused)
        rows = [
            row
            for row in sorted(self.rows, key=self.sort, reverse=descending)
            if all(_in_range(row, name, arguments.get(name)) for name in self.narrowing)
            and _passes(row, arguments.get("where"))
        ]
        if not self.paged:
            return rows
        list_of = [info.parent_type.name, info.field_name, _identity(source), descending]
        return _page(rows, arguments, lambda row: self._cursor(list_of, arguments, row))

    def _unreachable(self, arguments: Mapping[str, Any]) -> str | None:
        """A sort key is narrowed from the left: equal, equal, then one range."""
        still = True
        for name in self.narrowing:
            given = arguments.get(name)
            if given is None:
                still = False
                continue
            ends = [given.get("from"), given.get("to")]
            for value in given.values():
                key_text(value)
            if not still:
                return f"{name} comes too far to the right"
            if given.get("eq") is not None:
                if ends != [None, None]:
                    return f"{name} has eq and a range"
                continue
            if None not in ends and ends[0] > ends[1]:
                return f"{name} is upside down"
            still = False
        return None

    def _cursor(self, list_of: list[Any], arguments: Mapping[str, Any], row: object) -> str:
        kept = {
            name: value
            for name, value in arguments.items()
            if name not in ("first", "after", "last", "before", "direction")
        }
        return json.dumps([list_of, _tidy(kept), self.sort(row)], default=str)


def _page(rows: list[Any], arguments: Mapping[str, Any], cursor: Text) -> dict[str, Any]:
    backward = arguments.get("last") is not None or arguments.get("before") is not None
    size = arguments.get("last" if backward else "first")
    size = PAGE_SIZE if size is None else size
    place = arguments.get("before" if backward else "after")
    cursors = [cursor(row) for row in rows]
    low, high = 0, len(rows)
    if place is not None:
        if place not in cursors:
            raise GraphQLError("no cursor of this list")
        low, high = (0, cursors.index(place)) if backward else (cursors.index(place) + 1, high)
    start, end = (max(low, high - size), high) if backward else (low, min(high, low + size))
    shown = list(zip(rows[start:end], cursors[start:end], strict=True))
    return {
        "nodes": [row for row, _ in shown],
        "edges": [{"node": row, "cursor": cursor} for row, cursor in shown],
        "pageInfo": {
            "hasNextPage": place is not None if backward else end < high,
            "hasPreviousPage": start > low if backward else place is not None,
            "startCursor": shown[0][1] if shown else None,
            "endCursor": shown[-1][1] if shown else None,
        },
    }


def _impossible(arguments: Mapping[str, Any]) -> str | None:
    given = {name for name in arguments if arguments[name] is not None}
    if given & {"first", "after"} and given & {"last", "before"}:
        return "two directions"
    where = cast("dict[str, dict[str, Any] | None]", arguments.get("where") or {})
    for tests in where.values():
        if tests and tests.get("in") == []:
            return "one of none"
    sizes = [arguments[name] for name in ("first", "last") if name in given]
    return "no such size" if any(not 1 <= size <= PAGE_SIZE_MAX for size in sizes) else None


def _in_range(row: object, name: str, given: Mapping[str, Any] | None) -> bool:
    held: Any = getattr(row, snake(name))
    low, high, equal = ((given or {}).get(end) for end in ("from", "to", "eq"))
    if equal is not None:
        return held == equal
    return (low is None or held >= low) and (high is None or held <= high)


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": lambda held, given: held == given,
    "ne": lambda held, given: held != given,
    "in": lambda held, given: held in given,
    "exists": lambda held, given: (held is not None) is given,
    "lt": lambda held, given: held < given,
    "le": lambda held, given: held <= given,
    "gt": lambda held, given: held > given,
    "ge": lambda held, given: held >= given,
}


def _passes(row: object, where: Mapping[str, Mapping[str, Any] | None] | None) -> bool:
    for name, tests in (where or {}).items():
        held: Any = getattr(row, snake(name))
        held = held.name if isinstance(held, enum.Enum) else held
        for operator, given in (tests or {}).items():
            if given is not None and not _OPERATORS[operator](held, given):
                return False
    return True


def _identity(source: object) -> object:
    return {} if source is None else {name: str(held) for name, held in vars(source).items()}


def _tidy(given: Any) -> Any:
    """Without what says nothing."""
    if not isinstance(given, dict):
        return given
    tidy = {name: _tidy(held) for name, held in cast("dict[str, Any]", given).items()}
    return {name: held for name, held in sorted(tidy.items()) if held not in (None, {})}


# Looking things up.


def first(rows: Iterable[Any], **equal: object) -> Any:
    for row in rows:
        if all(getattr(row, name) == value for name, value in equal.items()):
            return row
    return None


def key_text(value: object) -> object:
    """What stands in a key; refused where it could be taken for two parts of one."""
    if isinstance(value, str) and (not value or "#" in value):
        raise GraphQLError("no key can hold this")
    return value


# What GraphQL shows.


def stored(number: Decimal) -> Decimal:
    """DynamoDB drops zeros at the end."""
    return Decimal(f"{number.normalize():f}")


_SCALARS: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "Date": (lambda held: held.isoformat(), datetime.date.fromisoformat),
    "DateTime": (lambda held: held.isoformat(), datetime.datetime.fromisoformat),
    "Decimal": (str, Decimal),
}


# Comparing.


def pairs(given: object, expected: object) -> dict[str, str]:
    """The gateway's cursors and the oracle's, as they stand in the same places."""
    found: dict[str, str] = {}
    if isinstance(given, dict) and isinstance(expected, dict):
        mine, theirs = cast("dict[str, Any]", given), cast("dict[str, Any]", expected)
        for name in mine.keys() & theirs.keys():
            if name.removesuffix(AGAIN) in CURSORS:
                if mine[name] is not None and theirs[name] is not None:
                    found[mine[name]] = theirs[name]
            else:
                found |= pairs(mine[name], theirs[name])
    elif isinstance(given, list) and isinstance(expected, list):
        sides = zip(cast("list[Any]", given), cast("list[Any]", expected), strict=False)
        for mine, theirs in sides:
            found |= pairs(mine, theirs)
    return found


def translated(answer: Any, names: Mapping[str, str]) -> Any:
    """An answer, or variables, with other cursors."""
    if isinstance(answer, dict):
        held = cast("dict[str, Any]", answer)
        return {name: translated(below, names) for name, below in held.items()}
    if isinstance(answer, list):
        return [translated(one, names) for one in cast("list[Any]", answer)]
    return names.get(answer, answer) if isinstance(answer, str) else answer
