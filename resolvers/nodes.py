"""Global node ids: an entity's name and the values of its home key, as one opaque text."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

import orjson

from ..store.entities import Entity, Key, Layout
from ..store.errors import BadInput
from ..store.keys import Placeholder


def _placeholders(key: Key) -> dict[str, Placeholder]:
    return {p.name: p for p in (*key.partition.placeholders, *key.sort.placeholders)}


def node_id(entity: Entity, values: Mapping[str, object]) -> str:
    texts = [
        placeholder.write(values[name]) for name, placeholder in _placeholders(entity.home).items()
    ]
    raw = orjson.dumps([entity.name, *texts])
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def parse_node_id(layout: Layout, text: str) -> tuple[Entity, dict[str, object]]:
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        name, *texts = orjson.loads(raw)
        if not all(isinstance(part, str) for part in texts):
            raise TypeError("a key's parts are texts")
        entity = layout.entities[name]
        placeholders = _placeholders(entity.home)
        values = {
            placeholder.name: placeholder.text.read(part)
            for placeholder, part in zip(placeholders.values(), texts, strict=True)
        }
        entity.home_key(values)
        if node_id(entity, values) != text:  # one object has one id, spelt one way
            raise ValueError(text)
    except (ValueError, KeyError, TypeError, binascii.Error, BadInput):
        raise BadInput("nodeId is no id of this API. Take one from a nodeId field.") from None
    return entity, values
