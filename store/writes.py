"""Writes as values: they render to the JSON that is sent, compare and print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self, TypeAlias

from .conditions import Condition
from .expressions import Aliases, Literals, Naming, UpdateAction, update_expression
from .requests import (
    TRANSACT_MAX_ACTIONS,
    Key,
    KeyNames,
    count,
    counted,
    described_key,
    refuse_length,
)
from .values import Item, JsonObject

BATCH_WRITE_MAX_ITEMS = 25


@dataclass(frozen=True, slots=True)
class Put:
    """`show_conflict` asks for the standing item when the condition fails."""

    operation: ClassVar[str] = "PutItem"
    repeatable: ClassVar[bool] = False
    table: str
    item: Item = field(hash=False)
    condition: Condition | None = None
    show_conflict: bool = False
    returns: Literal["NONE", "ALL_OLD"] = "NONE"
    names: KeyNames | None = None
    """Those of the table, where a description shall tell the key."""

    def action(self) -> JsonObject:
        """The part of it that also stands in a transaction."""
        return {
            "TableName": self.table,
            "Item": self.item,
            **_conditional(self.condition, show_conflict=self.show_conflict),
        }

    def render(self) -> JsonObject:
        return counted({**self.action(), **_returning(self.returns)})

    def describe(self, naming: Naming | None = None) -> str:
        where = f"of {count(len(self.item), 'attribute')}"
        if self.names is not None:
            where = described_key(self.names, self.names.key_of(self.item))
        return f"PutItem {where}{_described(self.condition, naming)}"


@dataclass(frozen=True, slots=True)
class Update:
    operation: ClassVar[str] = "UpdateItem"
    repeatable: ClassVar[bool] = False
    table: str
    names: KeyNames
    key: Key
    actions: tuple[UpdateAction, ...]
    condition: Condition | None = None
    show_conflict: bool = False
    returns: Literal["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"] = "NONE"

    def action(self) -> JsonObject:
        """The part of it that also stands in a transaction."""
        aliases = Aliases()
        expression = update_expression(self.actions, aliases)
        return {
            "TableName": self.table,
            "Key": self.names.render(self.key),
            **({"UpdateExpression": expression} if expression else {}),
            **_conditional(self.condition, show_conflict=self.show_conflict, aliases=aliases),
        }

    def render(self) -> JsonObject:
        return counted({**self.action(), **_returning(self.returns)})

    def describe(self, naming: Naming | None = None) -> str:
        actions = update_expression(self.actions, naming or Literals())
        where = described_key(self.names, self.key)
        return f"UpdateItem {where}, {actions}{_described(self.condition, naming)}"


@dataclass(frozen=True, slots=True)
class Delete:
    operation: ClassVar[str] = "DeleteItem"
    repeatable: ClassVar[bool] = False
    table: str
    names: KeyNames
    key: Key
    condition: Condition | None = None
    show_conflict: bool = False
    returns: Literal["NONE", "ALL_OLD"] = "NONE"

    def action(self) -> JsonObject:
        """The part of it that also stands in a transaction."""
        return {
            "TableName": self.table,
            "Key": self.names.render(self.key),
            **_conditional(self.condition, show_conflict=self.show_conflict),
        }

    def render(self) -> JsonObject:
        return counted({**self.action(), **_returning(self.returns)})

    def describe(self, naming: Naming | None = None) -> str:
        where = described_key(self.names, self.key)
        return f"DeleteItem {where}{_described(self.condition, naming)}"


@dataclass(frozen=True, slots=True)
class Check:
    """Only in a transaction: insists on an item that the transaction leaves as it is."""

    table: str
    names: KeyNames
    key: Key
    condition: Condition
    show_conflict: bool = False

    def action(self) -> JsonObject:
        return {
            "TableName": self.table,
            "Key": self.names.render(self.key),
            **_conditional(self.condition, show_conflict=self.show_conflict),
        }


TransactAction: TypeAlias = Put | Update | Delete | Check

_ACTION_NAMES: Mapping[type[TransactAction], str] = {
    Put: "Put",
    Update: "Update",
    Delete: "Delete",
    Check: "ConditionCheck",
}


@dataclass(frozen=True, slots=True)
class TransactWrite:
    """With a `token` the same transaction, sent again within ten minutes, applies once."""

    operation: ClassVar[str] = "TransactWriteItems"
    actions: tuple[TransactAction, ...]
    token: str | None = None

    def __post_init__(self) -> None:
        refuse_length("TransactWriteItems", len(self.actions), TRANSACT_MAX_ACTIONS)

    @property
    def repeatable(self) -> bool:
        return self.token is not None

    def render(self) -> JsonObject:
        rendered: JsonObject = {
            "TransactItems": [
                {_ACTION_NAMES[type(action)]: action.action()} for action in self.actions
            ]
        }
        if self.token is not None:
            rendered["ClientRequestToken"] = self.token
        return counted(rendered)

    def describe(self) -> str:
        kinds: dict[str, int] = {}
        for action in self.actions:
            name = _ACTION_NAMES[type(action)]
            kinds[name] = kinds.get(name, 0) + 1
        listed = ", ".join(f"{count} {name}" for name, count in kinds.items())
        return f"TransactWriteItems {count(len(self.actions), 'action')}: {listed}"


@dataclass(frozen=True, slots=True)
class BatchWrite:
    """Unconditional writes, each on its own: some may apply and others not."""

    operation: ClassVar[str] = "BatchWriteItem"
    repeatable: ClassVar[bool] = False
    table: str
    names: KeyNames
    puts: tuple[Item, ...] = field(default=(), hash=False)
    deletes: tuple[Key, ...] = ()

    def __post_init__(self) -> None:
        refuse_length("BatchWriteItem", len(self), BATCH_WRITE_MAX_ITEMS)

    def __len__(self) -> int:
        return len(self.puts) + len(self.deletes)

    def render(self) -> JsonObject:
        writes: list[JsonObject] = [{"PutRequest": {"Item": item}} for item in self.puts]
        for key in self.deletes:
            writes.append({"DeleteRequest": {"Key": self.names.render(key)}})
        return counted({"RequestItems": {self.table: writes}})

    def describe(self) -> str:
        return f"BatchWriteItem {count(len(self), 'item')}"

    def remainder(self, body: JsonObject) -> Self | None:
        """The request for the writes that the answer left unprocessed."""
        unprocessed: dict[str, list[JsonObject]] = body.get("UnprocessedItems") or {}
        if not (left := unprocessed.get(self.table)):
            return None
        puts = tuple(write["PutRequest"]["Item"] for write in left if "PutRequest" in write)
        deletes = tuple(
            self.names.key_of(write["DeleteRequest"]["Key"])
            for write in left
            if "DeleteRequest" in write
        )
        return replace(self, puts=puts, deletes=deletes)


WriteRequest: TypeAlias = Put | Update | Delete | TransactWrite | BatchWrite


def _returning(returns: str) -> JsonObject:
    return {} if returns == "NONE" else {"ReturnValues": returns}


def _conditional(
    condition: Condition | None, *, show_conflict: bool, aliases: Aliases | None = None
) -> JsonObject:
    aliases = aliases or Aliases()
    rendered: JsonObject = {}
    if condition is not None:
        rendered["ConditionExpression"] = condition.render(aliases)
        if show_conflict:
            rendered["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return {**rendered, **aliases.render()}


def _described(condition: Condition | None, naming: Naming | None) -> str:
    return "" if condition is None else f", if {condition.render(naming or Literals())}"
