"""Entities: which items of the table they are, and what their attributes are called there."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from .attributes import Attribute, encode_all
from .errors import BadInput, ItemInvalid
from .keys import Template
from .naming import Naming
from .requests import Key as ItemKey
from .requests import KeyNames
from .rules import Rules, guard_item, guards
from .texts import Misfit, Moment
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
    names: tuple[str, ...] = dataclasses.field(init=False, repr=False)
    """The attributes that stand in the key, partition first."""
    _suffixes: tuple[str, ...] = dataclasses.field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = dict.fromkeys((*self.partition.names, *self.sort.names))
        suffixes = (f"{self.partition.separator}{shard}" for shard in range(self.shards))
        object.__setattr__(self, "names", tuple(names))
        object.__setattr__(self, "_suffixes", tuple(suffixes))

    def partitions(self, values: Mapping[str, object]) -> tuple[str, ...]:
        """The partition's text, or that of each of its shards."""
        text = self.partition.format(values)
        if not self.shards:
            return (text,)
        self.partition.checked(text + self._suffixes[-1])
        return tuple([text + suffix for suffix in self._suffixes])

    def parse(self, partition: str, sort: str) -> dict[str, object] | None:
        """The values in a key, or None where it is no key of this entity."""
        if self.shards:
            partition, separator, shard = partition.rpartition(self.partition.separator)
            if separator + shard not in self._suffixes:
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
    rules: Rules = dataclasses.field(default_factory=Rules)
    _held_by: Mapping[str, tuple[Key, ...]] = dataclasses.field(init=False, repr=False)
    """The keys in which an attribute stands."""
    _carried: Mapping[Key, frozenset[str]] = dataclasses.field(init=False, repr=False)

    def __post_init__(self) -> None:
        held_by = {
            name: tuple(key for key in self.keys if name in key.names) for name in self.attributes
        }
        object.__setattr__(self, "_held_by", held_by)
        object.__setattr__(self, "_carried", {key: self._carries(key) for key in self.keys})

    @property
    def home(self) -> Key:
        return self.keys[0]

    @property
    def copies(self) -> tuple[Key, ...]:
        return tuple(key for key in self.keys if key.role == "copy")

    @property
    def indexes(self) -> tuple[Key, ...]:
        return tuple(key for key in self.keys if key.role == "index")

    # Items that were read.

    def recognise(self, item: Item, key: Key) -> dict[str, object] | None:
        """The values in the item's key, or None where the item is not of this entity.

        An item without a type attribute, or read without it, is told by its key alone.
        """
        held = item.get(self.type_attribute) if self.type_attribute is not None else None
        if held is not None and held.get("S") != self.type_value:
            return None
        try:
            partition, sort = key.index.names.key_of(item)
        except KeyError:
            return None
        return key.parse(partition, sort)

    def read(
        self,
        item: Item,
        parsed: Mapping[str, object],
        names: Iterable[str],
        *,
        home: KeyNames,
    ) -> dict[str, object]:
        """The named attributes' values: as stored, else as they stand in a key, else by default.

        ItemInvalid that names item, entity and attribute for what does not fit.
        """
        values: dict[str, object] = {}
        for name in names:
            attribute = self.attributes[name]
            held = item.get(attribute.stored)
            try:
                if held is not None and not ("NULL" in held and name in parsed):
                    values[name] = attribute.decode(held)
                elif name in parsed:
                    values[name] = parsed[name]
                elif (found := self._in_other_keys(item, name)) is not None:
                    values[name] = found
                else:
                    values[name] = attribute.absent()
            except Misfit as misfit:
                what = f"{attribute.stored}{misfit.name} {misfit.what}"
                raise self.invalid(item, what, home=home) from misfit
        return values

    def invalid(self, item: Item, what: str, *, home: KeyNames) -> ItemInvalid:
        where = f"{_text_of(item, home.partition)} / {_text_of(item, home.sort)}"
        return ItemInvalid(f"The item {where} is no valid {self.name}: {what}")

    def _in_other_keys(self, item: Item, name: str) -> object:
        for key in self._held_by[name]:
            try:
                parsed = key.parse(*key.index.names.key_of(item))
            except KeyError:
                continue
            if parsed is not None:
                return parsed[name]
        return None

    def carried(self, key: Key) -> Callable[[str], bool]:
        """Tells whether an attribute can be read where `key` leads, without the home item."""
        return self._carried[key].__contains__

    def _carries(self, key: Key) -> frozenset[str]:
        in_key = {*key.names, *self.home.names}
        carried = self.attributes.keys() if key.carries is None else key.carries
        projected = key.index.projected
        return frozenset(
            name
            for name, attribute in self.attributes.items()
            if name in in_key
            or (name in carried and (projected is None or attribute.stored in projected))
        )

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

    def items(self, values: Mapping[str, object]) -> list[dict[str, AttributeValue]]:
        """The home item with its index keys, then every copy and every guard.

        An attribute that `values` leave out has its default. BadInput that names entity and
        attribute for a value in the way.
        """
        complete = self.complete(values)
        with self.blamed():
            return list(self._items(complete))

    @contextlib.contextmanager
    def blamed(self) -> Generator[None, None, None]:
        """Turns a value in the way into BadInput that names entity and attribute."""
        try:
            yield
        except Misfit as misfit:
            raise BadInput(f"{self.name}.{misfit.name.lstrip('.')} {misfit.what}") from misfit

    def check_in_keys(self, name: str, value: object) -> None:
        """BadInput where the value cannot stand in a key that has a place for it."""
        for key in self._held_by[name]:
            for one in (*key.partition.placeholders, *key.sort.placeholders):
                if one.name == name:
                    one.write(value)

    def moment(self, name: str, now: datetime.datetime) -> datetime.datetime:
        """`now` as far as the keys that hold the attribute keep it."""
        for key in self._held_by[name]:
            for one in (*key.partition.placeholders, *key.sort.placeholders):
                if one.name == name and isinstance(one.text, Moment):
                    now = one.text.cut(now)
        return now

    def complete(self, values: Mapping[str, object]) -> dict[str, object]:
        complete: dict[str, object] = {}
        for name, attribute in self.attributes.items():
            if name in values:
                complete[name] = values[name]
            else:
                complete[name] = None if attribute.default is None else attribute.default()
        return complete

    def _items(self, values: Mapping[str, object]) -> Iterator[dict[str, AttributeValue]]:
        for name in self.home.names:
            if values[name] is None:
                raise Misfit(f"is missing; it stands in the key {self.home}.", name)
        encoded = encode_all(self.attributes.values(), lambda one: values[one.name])
        if self.type_attribute is not None:
            encoded[self.type_attribute] = {"S": self.type_value}
        home = {**encoded, **self.rendered(self.home, values)}
        for key in self.indexes:
            if self.belongs(key, values):
                home.update(self.rendered(key, values))
        yield home
        for key in self.copies:
            if self.belongs(key, values):
                yield {**self.copied(encoded, key), **self.rendered(key, values)}
        owner, names = self.home_key(values), self.home.index.names
        for guard in guards(self.rules.uniques, values):
            yield guard_item(guard, owner, names, self.type_attribute)

    def copied(self, encoded: Mapping[str, AttributeValue], key: Key) -> dict[str, AttributeValue]:
        """What a copy at `key` holds of `encoded` attributes."""
        if key.carries is None:
            return dict(encoded)
        stored = {self.attributes[name].stored for name in (*key.carries, *self.home.names)}
        if self.type_attribute is not None:
            stored.add(self.type_attribute)
        return {name: value for name, value in encoded.items() if name in stored}

    def belongs(self, key: Key, values: Mapping[str, object]) -> bool:
        """A sparse index leaves out items whose key has no value, or whose `when` is not true."""
        if key.when is not None and not values[key.when]:
            return False
        return all(values[name] is not None for name in key.names)

    def rendered(self, key: Key, values: Mapping[str, object]) -> dict[str, AttributeValue]:
        """The two key attributes at `key`."""
        partitions = key.partitions(values)
        shard = 0
        if key.shards:
            shard = zlib.crc32("\0".join(self.home_key(values)).encode()) % key.shards
        names = key.index.names
        return {
            names.partition: {"S": partitions[shard]},
            names.sort: {"S": key.sort.format(values)},
        }


def _text_of(item: Item, name: str) -> str:
    """For messages, where a part of the key may be missing too."""
    return item.get(name, {}).get("S", "?")


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
    expiry: str = "expiresAt"
    """The attribute by which DynamoDB deletes what has expired (TTL)."""
    entities: dict[str, Entity] = dataclasses.field(default_factory=dict[str, Entity])
    groups: dict[str, Group] = dataclasses.field(default_factory=dict[str, Group])

    @property
    def hidden(self) -> frozenset[str]:
        """Stored names of what not everybody may see."""
        return frozenset(
            entity.attributes[name].stored
            for entity in self.entities.values()
            for name in entity.rules.secret
        )
