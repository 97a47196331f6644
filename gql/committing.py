"""Committing: what a resolver writes, within its operation's deadline and under its key."""

from __future__ import annotations

import base64
import dataclasses
import enum
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from graphql import GraphQLResolveInfo
from graphql.execution.values import VariableValues, get_argument_values

from ..loaders.sending import Sender
from ..resolvers.changes import Change
from ..resolvers.records import Record
from ..resolvers.writing import Outcome, Writer
from ..store.errors import ItemInvalid
from ..store.naming import camel
from ..store.values import Item
from .operations import operation_of, path_of

if TYPE_CHECKING:
    from .gateway import Gateway

RawInfo = GraphQLResolveInfo[Any]
NOT_OF_THE_INPUT = ("idempotencyKey", "known")
"""Arguments that may differ when a write is sent again."""


async def commit(
    gateway: Gateway,
    changes: Sequence[Change],
    info: RawInfo | None = None,
    *,
    idempotency_key: str | None = None,
) -> Outcome:
    """One request for all changes; a key of the caller's own outranks the operation's."""
    record = _record(gateway, changes, info, idempotency_key)
    return await writer_of(gateway, info).write(changes, record=record)


def writer_of(gateway: Gateway, info: RawInfo | None) -> Writer:
    serves = () if info is None else (".".join(path_of(info)),)
    shown = _Shown(gateway)
    return Writer(_sender(gateway), gateway.layout, serves, shown)


def _sender(gateway: Gateway) -> Sender:
    operation = operation_of(gateway)
    return gateway.loader().sender if operation is None else operation.loader.sender


def _record(
    gateway: Gateway, changes: Sequence[Change], info: RawInfo | None, key: str | None
) -> Record | None:
    operation = operation_of(gateway)
    place = ""
    if key is None and operation is not None and info is not None:
        key, place = operation.idempotency_key, operation.next_place(info)
    if key is None:
        return None
    made_for = _input_of(info) if info is not None else _wanted(changes)
    viewer = "" if operation is None else operation.frame.viewer
    return Record.of(key, f"{viewer}\n{place}" if place else viewer, made_for, gateway.idempotency)


def _input_of(info: RawInfo) -> str:
    """The mutation and its arguments, as one text."""
    variables: Any = info.variable_values
    if not isinstance(variables, VariableValues):
        variables = VariableValues({}, variables)
    definition = info.parent_type.fields[info.field_name]
    given = get_argument_values(definition, info.field_nodes[0], variables)
    kept = {name: value for name, value in given.items() if name not in NOT_OF_THE_INPUT}
    return json.dumps([info.field_name, kept], default=repr, sort_keys=True)


def _wanted(changes: Sequence[Change]) -> str:
    told = [
        [change.verb, change.entity.name, sorted((name, repr(value)) for name, value in kept)]
        for change in changes
        for kept in [_without_stamps(change)]
    ]
    return json.dumps(told)


def _without_stamps(change: Change) -> list[tuple[str, object]]:
    values: dict[str, object] = dict(change.identity)
    for name in ("set", "add", "append", "remove"):
        values[f"{name}:"] = sorted(map(repr, getattr(change, name, {}).items()))
    return [
        (name, value) for name, value in values.items() if name not in change.entity.rules.stamps
    ]


# What a refused client is shown of the item in its way.


@dataclasses.dataclass(frozen=True, slots=True)
class _Shown:
    """Only what anybody may see who can ask for the object: nothing private, nothing guarded."""

    gateway: Gateway

    def __call__(self, change: Change, item: Item) -> Mapping[str, object]:
        entity, home = change.entity, self.gateway.layout.home.names
        names = [name for name in entity.attributes if name not in entity.rules.secret]
        parsed = entity.home.parse(*home.key_of(item)) or {}
        try:
            values = entity.read(item, parsed, names, home=home)
        except ItemInvalid:
            return {}
        return {camel(name): plain(value) for name, value in values.items()}


def plain(value: object) -> object:
    """As JSON can hold it, in the words of GraphQL."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case enum.Enum():
            return value.name
        case bytes():
            return base64.b64encode(value).decode()
        case set() | frozenset():
            return sorted(map(plain, cast("set[object]", value)), key=str)
        case list() | tuple():
            return [plain(one) for one in cast("list[object]", value)]
        case Mapping():
            entries = cast("Mapping[str, object]", value)
            return {name: plain(one) for name, one in entries.items()}
        case _ if dataclasses.is_dataclass(value):
            return {camel(name): plain(one) for name, one in vars(value).items()}
        case _:
            isoformat = getattr(value, "isoformat", None)
            return isoformat() if isoformat is not None else str(value)
