"""Requests that read, as values: they render to the JSON that is sent, compare and print."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import ClassVar, Self, TypeAlias

from .conditions import BeginsWith, Between, Compare, Condition
from .expressions import Aliases, Literals, Naming
from .spans import Span
from .values import Item, JsonObject

BATCH_GET_MAX_KEYS = 100
TRANSACT_MAX_ACTIONS = 100
DESCRIBED_KEYS = 3

Key: TypeAlias = tuple[str, str]
"""Partition value, sort value."""

WHOLE_PARTITION = Span()


@dataclass(frozen=True, slots=True)
class KeyNames:
    """The names of the two key attributes of a table or an index."""

    partition: str
    sort: str

    def render(self, key: Key) -> JsonObject:
        return {self.partition: {"S": key[0]}, self.sort: {"S": key[1]}}

    def key_of(self, item: Item) -> Key:
        return item[self.partition]["S"], item[self.sort]["S"]


@dataclass(frozen=True, slots=True)
class StartKey:
    """Where a Query goes on: the key of the last item examined, in the index and the table."""

    attributes: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, last_evaluated: Item) -> Self:
        """In order of names, so that equal positions are equal values."""
        return cls(tuple((name, last_evaluated[name]["S"]) for name in sorted(last_evaluated)))

    def render(self) -> JsonObject:
        return {name: {"S": value} for name, value in self.attributes}


@dataclass(frozen=True, slots=True)
class Get:
    operation: ClassVar[str] = "GetItem"
    repeatable: ClassVar[bool] = True
    table: str
    names: KeyNames
    key: Key
    projection: tuple[str, ...] = ()
    consistent: bool = False

    def action(self) -> JsonObject:
        """The part of it that also stands in a transaction."""
        return {
            "TableName": self.table,
            "Key": self.names.render(self.key),
            **_project(self.projection),
        }

    def render(self) -> JsonObject:
        return counted({**self.action(), **_consistency(self.consistent)})

    def describe(self) -> str:
        return f"GetItem {described_key(self.names, self.key)}"


@dataclass(frozen=True, slots=True)
class BatchGet:
    operation: ClassVar[str] = "BatchGetItem"
    repeatable: ClassVar[bool] = True
    table: str
    names: KeyNames
    keys: tuple[Key, ...]
    projection: tuple[str, ...] = ()
    consistent: bool = False

    def __post_init__(self) -> None:
        refuse_length("BatchGetItem", len(self.keys), BATCH_GET_MAX_KEYS)

    def __len__(self) -> int:
        return len(self.keys)

    def render(self) -> JsonObject:
        asked: JsonObject = {
            "Keys": [self.names.render(key) for key in self.keys],
            **_project(self.projection),
            **_consistency(self.consistent),
        }
        return counted({"RequestItems": {self.table: asked}})

    def remainder(self, body: JsonObject) -> Self | None:
        """The request for the keys that the answer left unprocessed."""
        unprocessed: dict[str, JsonObject] = body.get("UnprocessedKeys") or {}
        left: list[Item] = unprocessed.get(self.table, {}).get("Keys", [])
        return replace(self, keys=tuple(map(self.names.key_of, left))) if left else None

    def describe(self) -> str:
        shown = ", ".join("/".join(key) for key in self.keys[:DESCRIBED_KEYS])
        more = ", …" if len(self.keys) > DESCRIBED_KEYS else ""
        return f"BatchGetItem {count(len(self.keys), 'key')}: {shown}{more}"


@dataclass(frozen=True, slots=True)
class Query:
    """`names` are those of the index, or of the table where `index` is None."""

    operation: ClassVar[str] = "Query"
    repeatable: ClassVar[bool] = True
    table: str
    index: str | None
    names: KeyNames
    partition: str
    span: Span = WHOLE_PARTITION
    descending: bool = False
    limit: int | None = None
    start: StartKey | None = None
    filter: Condition | None = None
    projection: tuple[str, ...] = ()
    consistent: bool = False

    def render(self) -> JsonObject:
        aliases = Aliases()
        rendered: JsonObject = {
            "TableName": self.table,
            "KeyConditionExpression": " AND ".join(self._key_conditions(aliases)),
        }
        if self.index is not None:
            rendered["IndexName"] = self.index
        if self.descending:
            rendered["ScanIndexForward"] = False
        if self.limit is not None:
            rendered["Limit"] = self.limit
        if self.start is not None:
            rendered["ExclusiveStartKey"] = self.start.render()
        if self.filter is not None:
            rendered["FilterExpression"] = self.filter.render(aliases)
        if self.projection:
            rendered["ProjectionExpression"] = aliases.projection(self.projection)
        return counted({**rendered, **_consistency(self.consistent), **aliases.render()})

    def describe(self) -> str:
        facts = [self._describe_partition()]
        if (sort := _sort_condition(self.names.sort, self.span)) is not None:
            facts.append(_describe_sort(sort))
        if self.filter is not None:
            facts.append(f"filter {self.filter.render(Literals())}")
        if self.descending:
            facts.append("descending")
        if self.limit is not None:
            facts.append(f"limit {self.limit}")
        if self.start is not None:
            facts.append("after " + "/".join(value for _, value in self.start.attributes))
        return ", ".join(facts)

    def _describe_partition(self) -> str:
        where = f"Query {self.index}:" if self.index is not None else "Query"
        return f"{where} {self.names.partition} = {_quoted(self.partition)}"

    def _key_conditions(self, naming: Naming) -> list[str]:
        partition = Compare(self.names.partition, "=", {"S": self.partition})
        sort = _sort_condition(self.names.sort, self.span)
        return [condition.render(naming) for condition in (partition, sort) if condition]


@dataclass(frozen=True, slots=True)
class TransactGet:
    """Items as they stood at one moment, at twice the price."""

    operation: ClassVar[str] = "TransactGetItems"
    repeatable: ClassVar[bool] = True
    gets: tuple[Get, ...]

    def __post_init__(self) -> None:
        refuse_length("TransactGetItems", len(self.gets), TRANSACT_MAX_ACTIONS)

    def render(self) -> JsonObject:
        return counted({"TransactItems": [{"Get": get.action()} for get in self.gets]})

    def describe(self) -> str:
        keys = ", ".join("/".join(get.key) for get in self.gets[:DESCRIBED_KEYS])
        more = ", …" if len(self.gets) > DESCRIBED_KEYS else ""
        return f"TransactGetItems {count(len(self.gets), 'key')}: {keys}{more}"


ReadRequest: TypeAlias = Get | BatchGet | Query | TransactGet


def _sort_condition(name: str, span: Span) -> Compare | Between | BeginsWith | None:
    low, high = {"S": span.low}, {"S": span.high}
    if span.begins and span.low:
        return BeginsWith(name, low)
    if span.high is None:
        return Compare(name, ">=", low) if span.low else None
    if span.single:
        return Compare(name, "=", low)
    if span.low:
        return Between(name, low, high)
    return Compare(name, "<" if span.open else "<=", high)


def _describe_sort(condition: Compare | Between | BeginsWith) -> str:
    if isinstance(condition, BeginsWith):
        return f"{condition.attribute} begins_with {Literals().value(condition.prefix)}"
    return condition.render(Literals())


def counted(rendered: JsonObject) -> JsonObject:
    return {**rendered, "ReturnConsumedCapacity": "TOTAL"}


def _project(projection: tuple[str, ...]) -> JsonObject:
    if not projection:
        return {}
    aliases = Aliases()
    return {"ProjectionExpression": aliases.projection(projection), **aliases.render()}


def _consistency(consistent: bool) -> JsonObject:
    return {"ConsistentRead": True} if consistent else {}


def refuse_length(operation: str, count: int, most: int) -> None:
    if not 1 <= count <= most:
        raise ValueError(f"{operation} takes from 1 to {most} entries, not {count}.")


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def described_key(names: KeyNames, key: Key) -> str:
    partition, sort = map(_quoted, key)
    return f"{names.partition} = {partition}, {names.sort} = {sort}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
