"""What an operation selects, as a tree of links: fragments spread, skipped fields left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLIncludeDirective,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLSkipDirective,
    GraphQLUnionType,
    InlineFragmentNode,
    SelectionNode,
    SelectionSetNode,
    get_named_type,
)
from graphql.execution.values import VariableValues, get_argument_values, get_directive_values

from ..store.errors import LimitExceeded
from .links import Link

SELECTED_MAX = 1_000
"""How many links an operation may select, wherever its fragments repeat them."""

EVERYTHING = "*"
"""Among the needs of a type: a resolver of the user's own may look at any attribute."""


@dataclass(slots=True)
class Wants:
    """Which parts of a page are selected."""

    cursors: bool = False
    next: bool = False
    previous: bool = False


@dataclass(slots=True, eq=False)
class Selected:
    """One link as it is selected, with all that is selected under it, by type."""

    link: Link
    node: FieldNode
    definition: GraphQLField
    path: tuple[str, ...]
    paths: set[tuple[str, ...]]
    """Every place of the response that this selection fills."""
    guarded: bool = False
    wants: Wants = field(default_factory=Wants)
    children: dict[str, dict[int, Selected]] = field(
        default_factory=dict[str, "dict[int, Selected]"]
    )
    needs: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])

    @property
    def dotted(self) -> str:
        return ".".join(self.path)

    def under(self, type_name: str) -> Iterable[Selected]:
        return self.children.get(type_name, {}).values()


@dataclass(slots=True)
class Selector:
    """Walks selection sets with the operation's fragments and variables."""

    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    variables: VariableValues
    _count: int = 0

    def select(
        self, parent: GraphQLObjectType, sets: Iterable[SelectionSetNode], path: tuple[str, ...]
    ) -> list[Selected]:
        """The links among the fields of a selection set."""
        selected: list[Selected] = []
        for key, nodes in self.collect(parent, sets).items():
            found = self.selected(parent, nodes, (*path, key))
            if found is not None:
                selected.append(found)
        return selected

    def selected(
        self, parent: GraphQLObjectType, nodes: list[FieldNode], path: tuple[str, ...]
    ) -> Selected | None:
        definition = parent.fields.get(nodes[0].name.value)
        if definition is None:
            return None
        link = _link_of(definition)
        if link is None:
            return None
        self._count += 1
        if self._count > SELECTED_MAX:
            raise LimitExceeded(
                f"This operation asks the table in more than {SELECTED_MAX:,} places. "
                "Ask for less at once; fragments within fragments count each time."
            )
        one = Selected(link, nodes[0], definition, path, {path}, _guarded(definition))
        self._fill(one, _named(definition), nodes)
        return one

    def arguments(self, selected: Selected) -> dict[str, object]:
        return get_argument_values(selected.definition, selected.node, self.variables)

    def _fill(self, one: Selected, named: GraphQLNamedType, nodes: list[FieldNode]) -> None:
        sets = [node.selection_set for node in nodes if node.selection_set]
        if one.link.aggregate is not None:
            attribute = one.link.aggregate.attribute
            for member in one.link.members:
                one.needs.setdefault(member.entity.name, set()).update(
                    [attribute] if attribute else []
                )
        elif one.link.kind == "connection" and isinstance(named, GraphQLObjectType):
            self._fill_page(one, named, sets)
        else:
            self._fill_node(one, named, sets, one.path)

    def _fill_page(
        self, one: Selected, page: GraphQLObjectType, sets: list[SelectionSetNode]
    ) -> None:
        for key, nodes in self.collect(page, sets).items():
            name = nodes[0].name.value
            below = [node.selection_set for node in nodes if node.selection_set]
            definition = page.fields.get(name)
            if definition is None:
                continue
            named = _named(definition)
            if name == "nodes":
                self._fill_node(one, named, below, (*one.path, key))
            elif name == "edges" and isinstance(named, GraphQLObjectType):
                self._fill_edges(one, named, below, (*one.path, key))
            elif name == "pageInfo" and isinstance(named, GraphQLObjectType):
                for infos in self.collect(named, below).values():
                    _want(one.wants, infos[0].name.value)

    def _fill_edges(
        self,
        one: Selected,
        edge: GraphQLObjectType,
        sets: list[SelectionSetNode],
        path: tuple[str, ...],
    ) -> None:
        for key, nodes in self.collect(edge, sets).items():
            name = nodes[0].name.value
            definition = edge.fields.get(name)
            if name == "cursor":
                one.wants.cursors = True
            elif name == "node" and definition is not None:
                below = [node.selection_set for node in nodes if node.selection_set]
                self._fill_node(one, _named(definition), below, (*path, key))

    def _fill_node(
        self,
        one: Selected,
        named: GraphQLNamedType,
        sets: list[SelectionSetNode],
        path: tuple[str, ...],
    ) -> None:
        for concrete in self._possible(named):
            needs = one.needs.setdefault(concrete.name, set())
            children = one.children.setdefault(concrete.name, {})
            for key, nodes in self.collect(concrete, sets).items():
                name = nodes[0].name.value
                definition = concrete.fields.get(name)
                if definition is None:
                    continue
                child = self.selected(concrete, nodes, (*path, key))
                if child is None:
                    needs.update(_attributes_of(definition))
                    continue
                if child.guarded:
                    needs.add(EVERYTHING)
                needs.update(child.link.origins)
                _adopt(children, child)

    def _possible(self, named: GraphQLNamedType) -> Iterator[GraphQLObjectType]:
        if isinstance(named, GraphQLObjectType):
            yield named
        elif isinstance(named, (GraphQLUnionType, GraphQLInterfaceType)):
            yield from self.schema.get_possible_types(named)

    def collect(
        self, parent: GraphQLObjectType, sets: Iterable[SelectionSetNode]
    ) -> dict[str, list[FieldNode]]:
        """Fields by response key, in the order in which graphql-core meets them."""
        fields: dict[str, list[FieldNode]] = {}
        visited: set[str] = set()
        for selection_set in sets:
            self._collect(parent, selection_set, fields, visited)
        return fields

    def _collect(
        self,
        parent: GraphQLObjectType,
        selection_set: SelectionSetNode,
        fields: dict[str, list[FieldNode]],
        visited: set[str],
    ) -> None:
        for node in selection_set.selections:
            if not self._included(node):
                continue
            if isinstance(node, FieldNode):
                if node.name.value != "__typename":
                    key = node.alias.value if node.alias else node.name.value
                    fields.setdefault(key, []).append(node)
            elif isinstance(node, FragmentSpreadNode):
                name = node.name.value
                fragment = self.fragments.get(name)
                if name in visited or fragment is None:
                    continue
                visited.add(name)
                if self._applies(fragment.type_condition.name.value, parent):
                    self._collect(parent, fragment.selection_set, fields, visited)
            elif isinstance(node, InlineFragmentNode):
                condition = node.type_condition
                if condition is None or self._applies(condition.name.value, parent):
                    self._collect(parent, node.selection_set, fields, visited)

    def _applies(self, condition: str, parent: GraphQLObjectType) -> bool:
        if condition == parent.name:
            return True
        named = self.schema.get_type(condition)
        if isinstance(named, (GraphQLUnionType, GraphQLInterfaceType)):
            return self.schema.is_sub_type(named, parent)
        return False

    def _included(self, node: SelectionNode) -> bool:
        if not node.directives:
            return True
        skip = get_directive_values(GraphQLSkipDirective, node, self.variables)
        if skip and skip["if"] is True:
            return False
        include = get_directive_values(GraphQLIncludeDirective, node, self.variables)
        return not (include and include["if"] is False)


def _named(definition: Any) -> GraphQLNamedType:
    return cast("GraphQLNamedType", get_named_type(definition.type))


def _adopt(children: dict[int, Selected], child: Selected) -> None:
    """One field node under two places of a page (`nodes`, `edges { node }`) is one ask."""
    known = children.setdefault(id(child.node), child)
    if known is child:
        return
    known.paths |= child.paths
    known.wants.cursors |= child.wants.cursors
    known.wants.next |= child.wants.next
    known.wants.previous |= child.wants.previous
    for name, needs in child.needs.items():
        known.needs.setdefault(name, set()).update(needs)
    for name, grandchildren in child.children.items():
        for grandchild in grandchildren.values():
            _adopt(known.children.setdefault(name, {}), grandchild)


def _want(wants: Wants, name: str) -> None:
    match name:
        case "hasNextPage":
            wants.next = True
        case "hasPreviousPage":
            wants.previous = True
        case _:
            wants.cursors = True


def _definition(definition: GraphQLField) -> Any:
    """The Strawberry field behind a GraphQL field; table fields carry a `link`."""
    return definition.extensions.get("strawberry-definition")


def _link_of(definition: GraphQLField) -> Link | None:
    return getattr(_definition(definition), "link", None)


def _guarded(definition: GraphQLField) -> bool:
    return bool(getattr(_definition(definition), "guarded", False))


def _attributes_of(definition: GraphQLField) -> set[str]:
    """The attributes that a plain field shows; everything for a field with its own resolver."""
    found = _definition(definition)
    if found is None:
        return set()
    if (needs := getattr(found, "needs", None)) is not None:
        return set(needs)
    if found.base_resolver or found.extensions:
        return {EVERYTHING}
    return {found.python_name}
