"""Limits of a document: counted in one pass, each fragment once, however often it is spread."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import islice

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
)

from ..store.errors import LimitExceeded

# Strings, comments, numbers and names each count once; commas and blanks not at all.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"""|"(?:[^"\\\n]|\\.)*+"|#[^\n\r]*|\.\.\.|[\w.+-]+|[^\s,]',
    re.DOTALL,
)


_LASTING = ("body_bytes", "batch", "page_size")
"""Limits that cannot be lifted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one operation may ask for. None lifts a limit, except for body, batch and page.

    What a fragment holds counts each time that it is spread.
    """

    body_bytes: int = 1_000_000
    batch: int = 1
    tokens: int | None = 1_000
    depth: int | None = 15
    fields: int | None = 1_000
    aliases: int | None = 50
    root_fields: int | None = 20
    directives: int | None = 50
    page_size: int = 200
    capacity: float | None = 1_000.0

    def __post_init__(self) -> None:
        for one in fields(self):
            value, lasting = getattr(self, one.name), one.name in _LASTING
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if (number and value > 0) or (value is None and not lasting):
                continue
            instead = "" if lasting else ", or None for no limit"
            raise ValueError(f"Limits({one.name}={value!r}): write a number above 0{instead}.")


@dataclass(frozen=True, slots=True)
class Measure:
    """How much one operation, or one fragment of it, asks for."""

    depth: int = 0
    fields: int = 0
    aliases: int = 0
    directives: int = 0
    root_fields: int = 0


def refuse_long(text: str, limits: Limits) -> None:
    """Counts tokens without parsing them, and none beyond the limit: that costs next to nothing."""
    if limits.tokens is None or len(text) <= limits.tokens:
        return
    if next(islice(_TOKEN.finditer(text), limits.tokens, None), None) is not None:
        raise LimitExceeded(
            f"This operation has over {limits.tokens:,} tokens; no more are allowed. "
            f"{_ADVICE['tokens']}"
        )


def refuse_large(document: DocumentNode, limits: Limits) -> None:
    """LimitExceeded for an operation over a limit. The document has to be valid."""
    for measure in measures(document):
        for name in ("depth", "fields", "aliases", "directives", "root_fields"):
            most, count = getattr(limits, name), getattr(measure, name)
            if most is not None and count > most:
                raise exceeded(name, count, most)


_ADVICE = {
    "tokens": "Send lists of values as variables, split it, or register it as a trusted document.",
    "depth": "Ask for what lies deeper in an operation of its own.",
    "fields": "Ask for less at once; what a fragment holds counts each time it is spread.",
    "aliases": "Ask for several keys in one field (such as users(ids: …)) instead.",
    "directives": "Leave fields out instead of skipping them.",
    "root_fields": "Send several operations.",
}
_NOUN = {"root_fields": "root fields", "depth": "levels of fields"}


def exceeded(name: str, count: int, most: int) -> LimitExceeded:
    noun = _NOUN.get(name, name)
    return LimitExceeded(
        f"This operation has {count:,} {noun}; at most {most:,} are allowed. {_ADVICE[name]}"
    )


def measures(document: DocumentNode) -> Iterator[Measure]:
    """One measure for each operation."""
    fragments = {
        node.name.value: node
        for node in document.definitions
        if isinstance(node, FragmentDefinitionNode)
    }
    measuring = _Measuring(fragments)
    for node in document.definitions:
        if isinstance(node, OperationDefinitionNode):
            yield measuring.selections(node.selection_set)


@dataclass(slots=True)
class _Measuring:
    fragments: Mapping[str, FragmentDefinitionNode]
    _known: dict[str, Measure] = field(default_factory=dict[str, Measure])

    def selections(self, selection_set: SelectionSetNode) -> Measure:
        """One call for each level of nesting, of which validation allows 200."""
        depth = count = aliases = directives = roots = 0
        for node in selection_set.selections:
            directives += len(node.directives or ())
            match node:
                case FieldNode():
                    below = self.selections(node.selection_set) if node.selection_set else _LEAF
                    # Introspection is deep by nature, and bounded by a rule of its own.
                    nested = 0 if node.name.value.startswith("__") else below.depth
                    depth, roots = max(depth, nested + 1), roots + 1
                    count, aliases = count + 1, aliases + (node.alias is not None)
                case FragmentSpreadNode():
                    below = self._fragment(node.name.value)
                    depth, roots = max(depth, below.depth), roots + below.root_fields
                case InlineFragmentNode():
                    below = self.selections(node.selection_set)
                    depth, roots = max(depth, below.depth), roots + below.root_fields
                case _:
                    continue
            count += below.fields
            aliases += below.aliases
            directives += below.directives
        return Measure(depth, count, aliases, directives, roots)

    def _fragment(self, name: str) -> Measure:
        if (known := self._known.get(name)) is None:
            known = self._known[name] = self.selections(self.fragments[name].selection_set)
        return known


_LEAF = Measure()
