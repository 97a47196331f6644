"""Entities: which items of the table they are, and what their attributes are called there."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from .attributes import Attribute, decode_attribute, invalid
from .errors import BadInput
from .keys import Template
from .naming import Naming
from .requests import Key as ItemKey
from .requests import KeyNames
from .values import AttributeValue, Item


@dataclass(frozen=True, slots=True)
class Index:
    """The table itself (`name` is None) or one of its secondary indexes."""

    name: str | None
    names: KeyNames
    projected: frozenset[str] | None = None
    """Stored names that the index carries beside the keys; None where it carries all."""

    def __str__(self) -> str:
        return self.name or "table"


Role = Literal["home", "copy", "index"]


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """Where an entity appears in an index; `carries` names the attributes a copy holds."""

    index: Index
    partition: Template
    sort: Template
    role: Role
    shards: int = 0
    unique: bool = False
    when: str | None = None
    field: str | None = None
    newest_first: bool = False
    carries: frozenset[str] | None = None
    tight: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that stand in the key, partition first."""
        return tuple(dict.fromkeys((*self.partition.names, *self.sort.names)))

    def partitions(self, values: Mapping[str, object]) -> tuple[str, ...]:
        """The partition's text, or that of each of its shards."""
        text = self.partition.format(values)
        if not self.shards:
            return (text,)
        separator = self.partition.separator
        return tuple(f"{text}{separator}{shard}" for shard in range(self.shards))

    def parse(self, partition: str, sort: str) -> dict[str, object] | None:
        """The values in a key, or None where it is no key of this entity."""
        if self.shards:
            partition, separator, shard = partition.rpartition(self.partition.separator)
            if not separator or not shard.isdecimal():
                return None
        values = self.partition.parse(partition)
        if values is None or (others := self.sort.parse(sort)) is None:
            return None
        for name, value in others.items():
            if values.setdefault(name, value) != value:
                return None
        return values

    def __str__(self) -> str:
        return f"{self.partition} / {self.sort}"


@dataclass(frozen=True, slots=True, eq=False)
class Entity:
    """A type stored as items: at home, in copies beside other entities, and in indexes."""

    name: str
    cls: type
    attributes: Mapping[str, Attribute]
    keys: tuple[Key, ...]
    """The home key first, then copies, then indexes."""
    type_attribute: str | None
    type_value: str

    @property
    def home(self) -> Key:
        return self.keys[0]

    def recognise(self, item: Item, key: Key) -> dict[str, object] | None:
        """The values in the item's key, or None where the item is not of this entity."""
        names = key.index.names
        try:
            partition, sort = names.key_of(item)
        except (KeyError, TypeError):
            return None
        values = key.parse(partition, sort)
        if values is None or self.type_attribute is None:
            return values
        held = item.get(self.type_attribute)
        if held is not None and held.get("S") != self.type_value:
            return None
        return values

    def read(
        self,
        item: Item,
        parsed: Mapping[str, object],
        names: Iterable[str],
        *,
        home: KeyNames,
    ) -> dict[str, object]:
        """The named attributes' values: as stored, else as they stand in the key."""
        values: dict[str, object] = {}
        for name in names:
            attribute = self.attributes[name]
            held = item.get(attribute.stored)
            if held is not None and not ("NULL" in held and name in parsed):
                key = home.key_of(item)
                values[name] = decode_attribute(attribute, held, entity=self.name, key=key)
            elif name in parsed:
                values[name] = parsed[name]
            elif (found := self._in_other_keys(item, name)) is not None:
                values[name] = found
            elif attribute.default is not None:
                values[name] = attribute.default()
            elif attribute.optional:
                values[name] = None
            else:
                key = home.key_of(item)
                raise invalid(attribute, "is missing", entity=self.name, key=key)
        return values

    def _in_other_keys(self, item: Item, name: str) -> object:
        for key in self.keys:
            if name in key.names and key.index.names.partition in item:
                try:
                    parsed = key.parse(*key.index.names.key_of(item))
                except KeyError:
                    continue
                if parsed is not None and name in parsed:
                    return parsed[name]
        return None

    def carried(self, key: Key) -> Callable[[str], bool]:
        """Tells whether an attribute can be read where `key` leads, without the home item."""
        in_key = frozenset((*key.names, *self.home.names))
        projected = key.index.projected

        def carries(name: str) -> bool:
            if name in in_key:
                return True
            if key.carries is not None and name not in key.carries:
                return False
            return projected is None or self.attributes[name].stored in projected

        return carries

    def stored(self, name: str) -> Iterator[str]:
        """The stored names under which an attribute may be found."""
        yield self.attributes[name].stored
        for key in self.keys:
            if key.role == "index" and name in key.names and name not in self.home.names:
                yield key.index.names.partition
                yield key.index.names.sort

    def home_key(self, values: Mapping[str, object]) -> ItemKey:
        return self.home.partition.format(values), self.home.sort.format(values)

    # Items to store.

    def items(self, values: Mapping[str, object]) -> Iterator[dict[str, AttributeValue]]:
        """The home item with its index keys, then every copy. BadInput for a value in the way."""
        encoded: dict[str, AttributeValue] = {}
        for name, attribute in self.attributes.items():
            value = values.get(name)
            if value is None and attribute.default is not None:
                value = attribute.default()
            if value is not None and value != set():
                encoded[attribute.stored] = attribute.codec.encode(value)
            elif value is None and not attribute.optional and name not in self.home.names:
                raise BadInput(f"{self.name}.{name} is missing.")
        if self.type_attribute is not None:
            encoded[self.type_attribute] = {"S": self.type_value}
        home = {**encoded, **self._rendered(self.home, values)}
        for key in self.keys:
            if key.role == "index" and self._belongs(key, values):
                home.update(self._rendered(key, values))
        yield home
        for key in self.keys:
            if key.role == "copy" and self._belongs(key, values):
                yield {**self._copied(encoded, key), **self._rendered(key, values)}

    def _copied(self, encoded: dict[str, AttributeValue], key: Key) -> dict[str, AttributeValue]:
        if key.carries is None:
            return encoded
        stored = {self.attributes[name].stored for name in (*key.carries, *self.home.names)}
        if self.type_attribute is not None:
            stored.add(self.type_attribute)
        return {name: value for name, value in encoded.items() if name in stored}

    def _belongs(self, key: Key, values: Mapping[str, object]) -> bool:
        """A sparse index leaves out items whose key has no value, or whose `when` is not true."""
        if key.when is not None and not values.get(key.when):
            return False
        return all(values.get(name) is not None for name in key.names)

    def _rendered(self, key: Key, values: Mapping[str, object]) -> dict[str, AttributeValue]:
        partitions = key.partitions(values)
        shard = 0
        if key.shards:
            shard = zlib.crc32("\0".join(self.home_key(values)).encode()) % key.shards
        names = key.index.names
        return {
            names.partition: {"S": partitions[shard]},
            names.sort: {"S": key.sort.format(values)},
        }


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A node that has no item of its own: the items of one partition that share `by`."""

    name: str
    cls: type
    attributes: Mapping[str, Attribute]
    index: Index
    partition: Template
    by: tuple[str, ...]


@dataclass(slots=True)
class Layout:
    """The table as a whole: its keys, indexes, conventions, and who lives in it."""

    name: str
    home: Index
    indexes: dict[str, Index]
    naming: Naming
    type_attribute: str | None
    separator: str
    entities: dict[str, Entity] = field(default_factory=dict[str, Entity])
    groups: dict[str, Group] = field(default_factory=dict[str, Group])
