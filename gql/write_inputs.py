"""Input types of mutations, made from attributes, and the values that they hold."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import strawberry
from strawberry.scalars import Base64
from strawberry.types.base import StrawberryObjectDefinition, has_object_definition

from ..resolvers.changes import Values
from ..resolvers.editing import adds, appends, in_keys, removes
from ..resolvers.needs import telling
from ..store.attributes import Attribute, optional_of
from ..store.entities import Entity
from ..store.errors import ModelError
from .model import definition_of
from .ruling import open_fields

SECTIONS = ("add", "append", "remove")
_ALLOWED: Mapping[str, Callable[[Attribute], bool]] = {
    "add": adds,
    "append": appends,
    "remove": removes,
}
_TOLD = {
    "add": "Numbers to add to those that are there; negative ones take away.",
    "append": "Members to put behind those of a list, or into a set.",
    "remove": "Members to take out of a set.",
}


def writable(entity: Entity) -> list[Attribute]:
    """What a client may set of a new object: what it can see, and what a key cannot do without."""
    secret, keyed = entity.rules.secret, in_keys(entity)

    def needed(one: Attribute) -> bool:
        return one.name in keyed and not one.optional and one.default is None

    return [
        one
        for one in entity.attributes.values()
        if one.name not in entity.rules.stamps and (one.name not in secret or needed(one))
    ]


def create_input(entity: Entity, *, without: Iterable[str] = (), verb: str = "Create") -> type:
    left_out = set(without)
    hidden = [
        one.name
        for one in entity.attributes.values()
        if one not in writable(entity)
        and one.name not in entity.rules.stamps
        and not one.optional
        and one.default is None
    ]
    if hidden:
        raise ModelError(
            f"{entity.name}.{hidden[0]} is private or guarded, and has no default: nobody "
            f"could {verb.lower()} a {entity.name} over GraphQL.\n  Give it a default, or leave "
            f"{verb.lower()} out of writes and write a mutation of your own."
        )
    annotations: dict[str, Any] = {}
    for one in writable(entity):
        if one.name in left_out:
            continue
        shown = input_annotation(one.annotation)
        required = not one.optional and one.default is None
        annotations[one.name] = shown if required else typing.Optional[shown]  # noqa: UP045
    return _input(f"{verb}{entity.name}Input", annotations, _descriptions(entity))


def changeable(entity: Entity, only: Sequence[str] | None) -> list[Attribute]:
    """What an update may change: `only` these, or all that a client may set."""
    every = [
        one for one in writable(entity) if entity.rules.moves or one.name not in entity.home.names
    ]
    if only is None:
        return every
    names = [one.name for one in every]
    if not only or not set(only) <= set(names):
        raise ModelError(
            f"{entity.name}: updates={list(only)!r} must name attributes that an update can change."
            f"\n  These are {', '.join(names)}."
        )
    return [one for one in every if one.name in only]


def update_input(entity: Entity, only: Sequence[str] | None = None) -> type:
    annotations: dict[str, Any] = {}
    for one in changeable(entity, only):
        annotations[one.name] = typing.Optional[input_annotation(one.annotation)]  # noqa: UP045
    for section in SECTIONS:
        fields = {
            one.name: input_annotation(one.annotation)
            for one in changeable(entity, only)
            if _ALLOWED[section](one) and one.name not in in_keys(entity)
        }
        if not fields:
            continue
        if section in entity.attributes:
            raise ModelError(
                f"{entity.name}.{section}: updates have a section of that name.\n"
                f'  Give the attribute another name; attribute("{section}") keeps the stored one.'
            )
        made = _input(
            f"{entity.name}{section.title()}",
            {name: typing.Optional[shown] for name, shown in fields.items()},  # noqa: UP045
            {},
            _TOLD[section],
        )
        annotations[section] = typing.Optional[made]  # noqa: UP045
    return _input(
        f"Update{entity.name}Input",
        annotations,
        _descriptions(entity),
        "What is left out stays as it is; null removes an optional attribute.",
    )


def known_input(entity: Entity) -> type | None:
    """What a client may know of an object beside its key; None where that would not help."""
    names = telling(entity)
    if not names:
        return None
    annotations = {
        name: typing.Optional[input_annotation(one.annotation)]  # noqa: UP045
        for name, one in entity.attributes.items()
        if name in names
    }
    return _input(
        f"{entity.name}Known",
        annotations,
        _descriptions(entity),
        f"What you know of the {entity.name}. Where it tells all keys, nothing is read before the "
        "write; where it is wrong, the item is read after all.",
    )


def _descriptions(entity: Entity) -> dict[str, str]:
    return {
        field.python_name: field.description
        for field in definition_of(entity.cls).fields
        if field.description
    }


def _input(
    name: str,
    annotations: Mapping[str, Any],
    descriptions: Mapping[str, str],
    description: str | None = None,
) -> type:
    fields = {
        one: strawberry.field(description=descriptions.get(one))
        if not _nullable(annotation)
        else strawberry.field(default=strawberry.UNSET, description=descriptions.get(one))
        for one, annotation in annotations.items()
    }
    namespace: dict[str, Any] = {
        **fields,
        "__annotations__": dict(annotations),
        "__module__": __name__,
    }
    make: Callable[[type], type] = strawberry.input(name=name, description=description)
    return make(type(name, (), namespace))


def _nullable(annotation: Any) -> bool:
    return optional_of(annotation)[1]


# Attribute types as inputs, and back.


def input_annotation(annotation: Any) -> Any:
    """bytes become Base64 text, sets lists, and nested types inputs of their own."""
    if annotation is bytes:
        return Base64
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return input_annotation(arguments[0])
    if origin in (list, set, frozenset, tuple):
        return list[input_annotation(arguments[0])]
    if origin in (typing.Union, types.UnionType):
        arms = tuple(input_annotation(arm) for arm in arguments)
        return typing.Union[arms]  # noqa: UP007
    if isinstance(annotation, type) and has_object_definition(annotation):
        return _nested_input(annotation)
    return annotation


def has_no_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is field.default_factory is dataclasses.MISSING


_nested: dict[type, type] = {}


def _nested_input(cls: type) -> type:
    definition: StrawberryObjectDefinition = definition_of(cls)
    if definition.is_input:
        return cls
    if cls not in _nested:
        hints, seen = typing.get_type_hints(cls, include_extras=True), open_fields(cls)
        annotations: dict[str, Any] = {}
        for one in dataclasses.fields(cls):
            if one.name not in seen:
                _refuse_hidden(definition.name, one)
                continue
            shown = input_annotation(hints[one.name])
            annotations[one.name] = shown if has_no_default(one) else typing.Optional[shown]  # noqa: UP045
        _nested[cls] = _input(f"{definition.name}Input", annotations, {})
    return _nested[cls]


def _refuse_hidden(owner: str, field: dataclasses.Field[Any]) -> None:
    if field.init and has_no_default(field):
        raise ModelError(
            f"{owner}.{field.name} is private or guarded, and has no default: nobody could write "
            f"a {owner} over GraphQL.\n  Give it a default."
        )


def given_in(entity: Entity, held: object) -> Values:
    """The values of an input, by attribute; what was left out is left out."""
    return {
        name: value_of(entity.attributes[name].annotation, value)
        for name, value in _fields_of(held).items()
        if name in entity.attributes
    }


def whole_in(entity: Entity, held: object) -> Values:
    """The values of a whole object, with the defaults of what was left out."""
    return entity.complete(given_in(entity, held))


def sections_in(entity: Entity, held: object) -> dict[str, Values]:
    """What a section names with null, it leaves as it is."""
    given = _fields_of(held)
    found = {
        section: given_in(entity, given[section]) for section in SECTIONS if given.get(section)
    }
    return {
        section: {name: value for name, value in values.items() if value is not None}
        for section, values in found.items()
    }


def _fields_of(held: object) -> dict[str, Any]:
    return {name: value for name, value in vars(held).items() if value is not strawberry.UNSET}


def value_of(annotation: Any, given: Any) -> object:
    """What an input's value is as an attribute of that type."""
    if given is None:
        return None
    annotation = optional_of(annotation)[0]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return value_of(arguments[0], given)
    if origin in (set, frozenset):
        return {value_of(arguments[0], one) for one in given}
    if origin in (list, tuple):
        return [value_of(arguments[0], one) for one in given]
    if isinstance(annotation, type) and has_object_definition(annotation):
        return _nested_value(annotation, given)
    return given


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls, include_extras=True)


def _nested_value(cls: type, given: Any) -> object:
    hints = _hints(cls)
    return cls(**{name: value_of(hints[name], one) for name, one in _fields_of(given).items()})
