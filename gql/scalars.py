"""How attribute types look in GraphQL, where Strawberry has no word for them."""

from __future__ import annotations

import types
import typing
from typing import Any

import strawberry
from strawberry.scalars import JSON, Base64

from ..store import codecs
from ..store.codecs import Codec

SCALARS: dict[object, Codec] = {strawberry.ID: codecs.TEXT, JSON: codecs.JSON}
"""Strawberry's own types, as an item keeps them."""


def graphql_annotation(annotation: Any) -> Any:
    """bytes become Base64 text and sets become lists; everything else stays as it is."""
    if annotation is bytes:
        return Base64
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (set, frozenset):
        return list[graphql_annotation(arguments[0])]
    if origin is list:
        return list[graphql_annotation(arguments[0])]
    if origin in (typing.Union, types.UnionType):
        arms = tuple(graphql_annotation(arm) for arm in arguments)
        return typing.Union[arms]  # noqa: UP007
    return annotation


def key_annotation(annotation: Any) -> Any:
    """The type that tells how a value is written in a key."""
    return str if annotation is strawberry.ID else annotation
