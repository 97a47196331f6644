"""Committing: what a resolver writes, within its operation's deadline and under its key."""

from __future__ import annotations

import base64
import dataclasses
import enum
import json
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from graphql import GraphQLResolveInfo
from graphql.execution.values import VariableValues, get_argument_values

from ..loaders.sending import Sender
from ..resolvers.changes import Change
from ..resolvers.records import Record
from ..resolvers.writing import Outcome, Writer
from ..store.entities import Entity
from ..store.errors import ItemInvalid
from ..store.naming import camel
from ..store.values import Item
from .operations import operation_of, path_of
from .ruling import open_fields

if TYPE_CHECKING:
    from .gateway import Gateway

RawInfo = GraphQLResolveInfo[Any]


async def commit(
    gateway: Gateway,
    changes: Sequence[Change],
    info: RawInfo | None = None,
    *,
    idempotency_key: str | None = None,
    beside: Container[str] = (),
) -> Outcome:
    """One request for all changes; a key of the caller's own outranks the operation's.

    `beside` names arguments that may differ when the same write is sent again.
    """
    record = _record(gateway, changes, info, idempotency_key, beside)
    return await writer_of(gateway, info).write(changes, record=record)


def writer_of(gateway: Gateway, info: RawInfo | None) -> Writer:
    serves = () if info is None else (".".join(path_of(info)),)
    shown = _Shown(gateway)
    return Writer(_sender(gateway), gateway.layout, serves, shown)


def _sender(gateway: Gateway) -> Sender:
    operation = operation_of(gateway)
    return gateway.loader().sender if operation is None else operation.loader.sender


def _record(
    gateway: Gateway,
    changes: Sequence[Change],
    info: RawInfo | None,
    key: str | None,
    beside: Container[str],
) -> Record | None:
    operation = operation_of(gateway)
    if operation is None or info is None:
        return None if key is None else Record.of(key, "", _wanted(changes), gateway.idempotency)
    place = operation.place(info)
    if key is None:
        key = operation.idempotency_key
    else:  # two fields with one key are one write, sent twice; two writes of a field are two
        place = "" if place.endswith("/1") else place.rpartition("/")[2]
    if key is None:
        return None
    owner = "\n".join(filter(None, (operation.frame.viewer, place)))
    return Record.of(key, owner, _input_of(info, beside), gateway.idempotency)


def _input_of(info: RawInfo, beside: Container[str]) -> str:
    """The mutation and its arguments, as one text."""
    variables: Any = info.variable_values
    if not isinstance(variables, VariableValues):
        variables = VariableValues({}, variables)
    definition = info.parent_type.fields[info.field_name]
    given = get_argument_values(definition, info.field_nodes[0], variables)
    kept = {name: value for name, value in given.items() if name not in beside}
    return json.dumps([info.field_name, plain(kept)], sort_keys=True)


def _wanted(changes: Sequence[Change]) -> str:
    """All that is asked for, but for stamps, which are drawn anew, and what is only believed."""
    return json.dumps([_told(change) for change in changes], sort_keys=True)


def _told(change: Change) -> list[object]:
    stamps, told = change.entity.rules.stamps, dict[str, object]()
    for one in dataclasses.fields(change):
        value: object = getattr(change, one.name)
        if isinstance(value, Entity):
            told[one.name] = value.name
        elif isinstance(value, Mapping):
            values = cast("Mapping[str, object]", value)
            told[one.name] = {
                name: plain(held) for name, held in values.items() if name not in stamps
            }
        else:
            told[one.name] = plain(value)
    return [change.verb, {name: told[name] for name in told if name not in ("known", "shown")}]


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
            shown = open_fields(type(value))
            return {camel(name): plain(getattr(value, name)) for name in shown}
        case _:
            isoformat = getattr(value, "isoformat", None)
            return isoformat() if isoformat is not None else str(value)
