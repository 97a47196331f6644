"""Whether the fields of a document can be merged, in time linear to its size.

GraphQL's rule compares fields in pairs, so 400 repetitions of one field cost 80,000 comparisons.
Here all fields that end up under one response key are looked at together, each against the first
(after Simon Adameit's algorithm for Sangria).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    get_named_type,
    is_composite_type,
    is_leaf_type,
    print_ast,
)

VISITS_PER_FIELD = 20
"""How often a field may be met in different company, on average, before the check gives up."""


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """A selection set and the type that it selects from."""

    selections: SelectionSetNode
    parent: GraphQLNamedType


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A field in its scope."""

    node: FieldNode
    parent: GraphQLNamedType
    definition: GraphQLField | None
    below: Scope | None

    @property
    def key(self) -> str:
        return self.node.alias.value if self.node.alias else self.node.name.value


class TooIntricate(Exception):
    """So many fragments overlap in so many ways that checking them would take too long."""


def overlaps(schema: GraphQLSchema, document: DocumentNode) -> list[GraphQLError]:
    """The first conflict, if any. The document has to be valid by all other rules."""
    fragments = {
        node.name.value: node
        for node in document.definitions
        if isinstance(node, FragmentDefinitionNode)
    }
    check = _Check(schema, fragments)
    try:
        for node in document.definitions:
            if isinstance(node, OperationDefinitionNode):
                root = schema.get_root_type(node.operation)
                if root is not None:
                    check.scopes([check.scope(node.selection_set, root)])
    except GraphQLError as conflict:
        return [conflict.with_traceback(None)]
    return []


@dataclass(slots=True)
class _Check:
    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    _scopes: dict[int, Scope] = field(default_factory=dict[int, Scope])
    _placed: dict[Scope, tuple[list[Placed], list[str]]] = field(
        default_factory=dict[Scope, "tuple[list[Placed], list[str]]"]
    )
    _shaped: set[frozenset[Scope]] = field(default_factory=set[frozenset[Scope]])
    _merged: set[frozenset[Scope]] = field(default_factory=set[frozenset[Scope]])
    _written: dict[int, tuple[str, ...]] = field(default_factory=dict[int, "tuple[str, ...]"])
    _fields: int = 0
    _visits: int = 0

    def scopes(self, scopes: Sequence[Scope]) -> None:
        self._same_shape(scopes)
        self._same_fields(scopes)

    def scope(self, selections: SelectionSetNode, parent: GraphQLNamedType) -> Scope:
        """The same scope for the same selection set, wherever it is reached from."""
        return self._scopes.setdefault(id(selections), Scope(selections, parent))

    # The two halves of the rule.

    def _same_shape(self, scopes: Iterable[Scope]) -> None:
        """Under one response key, everything must look the same to a client."""
        waiting = [frozenset(scopes)]
        while waiting:
            together = waiting.pop()
            if together in self._shaped:
                continue
            self._shaped.add(together)
            for key, group in self._by_key(together).items():
                first = _shape(group[0])
                for other in group[1:]:
                    if _shape(other) != first:
                        raise _conflict(key, "they return conflicting types", group[0], other)
                waiting.append(_below(group))

    def _same_fields(self, scopes: Iterable[Scope]) -> None:
        """Fields that may meet in one object must be one field with the same arguments."""
        waiting = [frozenset(scopes)]
        while waiting:
            together = waiting.pop()
            if together in self._merged:
                continue
            self._merged.add(together)
            for key, group in self._by_key(together).items():
                for meeting in _meeting(group):
                    first = meeting[0]
                    for other in meeting[1:]:
                        if other.node.name.value != first.node.name.value:
                            raise _conflict(key, "they are different fields", first, other)
                        if self._arguments(other.node) != self._arguments(first.node):
                            raise _conflict(key, "they have differing arguments", first, other)
                    waiting.append(_below(meeting))

    # Fields of scopes, fragments spread.

    def _by_key(self, together: frozenset[Scope]) -> dict[str, list[Placed]]:
        groups: dict[str, list[Placed]] = {}
        for placed in self._fields_of(together):
            groups.setdefault(placed.key, []).append(placed)
        return groups

    def _fields_of(self, together: frozenset[Scope]) -> Iterator[Placed]:
        waiting, seen = list(together), set(together)
        while waiting:
            fields, spreads = self._selected(waiting.pop())
            self._visits += len(fields) + len(spreads)
            for name in spreads:
                fragment = self.fragments[name]
                named = self.schema.get_type(fragment.type_condition.name.value)
                if named is not None:
                    scope = self.scope(fragment.selection_set, named)
                    if scope not in seen:
                        seen.add(scope)
                        waiting.append(scope)
            yield from fields
        if self._visits > VISITS_PER_FIELD * max(self._fields, 100):
            raise TooIntricate

    def _selected(self, scope: Scope) -> tuple[list[Placed], list[str]]:
        """The fields that stand in a scope itself, and the fragments that it spreads."""
        if (known := self._placed.get(scope)) is not None:
            return known
        fields: list[Placed] = []
        spreads: dict[str, None] = {}
        waiting = [(scope.selections, scope.parent)]
        while waiting:
            selections, parent = waiting.pop()
            for node in selections.selections:
                if isinstance(node, FieldNode):
                    fields.append(self._place(node, parent))
                elif isinstance(node, FragmentSpreadNode):
                    spreads[node.name.value] = None
                elif isinstance(node, InlineFragmentNode):
                    condition = node.type_condition
                    named = self.schema.get_type(condition.name.value) if condition else parent
                    waiting.append((node.selection_set, named or parent))
        self._fields += len(fields) + len(spreads)
        self._placed[scope] = fields, list(spreads)
        return self._placed[scope]

    def _place(self, node: FieldNode, parent: GraphQLNamedType) -> Placed:
        definition = None
        if is_composite_type(parent):
            definition = self.schema.get_field(parent, node.name.value)
        below = None
        if node.selection_set is not None and definition is not None:
            below = self.scope(node.selection_set, _named(definition))
        return Placed(node, parent, definition, below)

    def _arguments(self, node: FieldNode) -> tuple[str, ...]:
        if not node.arguments:
            return ()
        if (known := self._written.get(id(node))) is None:
            written = (f"{one.name.value}: {print_ast(one.value)}" for one in node.arguments)
            known = self._written[id(node)] = tuple(sorted(written))
        return known


def _below(group: Iterable[Placed]) -> frozenset[Scope]:
    return frozenset(placed.below for placed in group if placed.below is not None)


def _meeting(group: list[Placed]) -> Iterator[list[Placed]]:
    """Those that may stand in one object: of the same object type, or of no certain one."""
    objects: dict[str, list[Placed]] = {}
    anywhere: list[Placed] = []
    for placed in group:
        if isinstance(placed.parent, GraphQLObjectType):
            objects.setdefault(placed.parent.name, []).append(placed)
        else:
            anywhere.append(placed)
    if not objects:
        yield anywhere
    for members in objects.values():
        yield [*anywhere, *members]


def _named(definition: Any) -> GraphQLNamedType:
    return cast("GraphQLNamedType", get_named_type(definition.type))


def _shape(placed: Placed) -> str:
    """Lists and non-nulls as they are written; what is inside counts only where it is a leaf."""
    if placed.definition is None:
        return ""
    written, named = str(cast("Any", placed.definition).type), _named(placed.definition)
    return written if is_leaf_type(named) else written.replace(named.name, "{}")


def _conflict(key: str, reason: str, first: Placed, other: Placed) -> GraphQLError:
    return GraphQLError(
        f"Fields '{key}' conflict because {reason}. "
        "Use different aliases on the fields to fetch both if this was intentional.",
        [first.node, other.node],
    )
