"""Planning a document for `explain`: parsed, validated, and rehearsed without the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphql import (
    FragmentDefinitionNode,
    GraphQLError,
    OperationDefinitionNode,
    parse,
    validate,
)
from graphql.execution.values import VariableValues, get_variable_values

from ..resolvers.framing import Frame
from ..resolvers.planning import Plan, Rehearsal
from ..resolvers.running import Runner
from ..resolvers.selection import Selector
from ..store.errors import BadInput
from .coercion import RULES

if TYPE_CHECKING:
    from .gateway import Gateway


async def plan_document(
    gateway: Gateway,
    frame: Frame,
    query: str,
    variables: dict[str, Any],
    operation_name: str | None,
) -> Plan:
    """BadInput for a document that is not valid, or for variables that do not fit it."""
    schema = gateway.graphql_schema
    try:
        document = parse(query)
    except GraphQLError as error:
        raise BadInput(str(error)) from error
    if errors := validate(schema, document, RULES):
        raise BadInput("\n".join(str(error) for error in errors))
    operation = _operation(document.definitions, operation_name)
    fragments = {
        node.name.value: node
        for node in document.definitions
        if isinstance(node, FragmentDefinitionNode)
    }
    values = get_variable_values(schema, operation.variable_definitions or (), variables)
    if not isinstance(values, VariableValues):
        raise BadInput("\n".join(str(error) for error in values))
    return await _rehearse(gateway, frame, operation, Selector(schema, fragments, values))


async def _rehearse(
    gateway: Gateway, frame: Frame, operation: OperationDefinitionNode, selector: Selector
) -> Plan:
    root = selector.schema.get_root_type(operation.operation)
    if root is None:
        raise BadInput(f"This API has no {operation.operation.value}.")
    selected = selector.select(root, [operation.selection_set], ())
    frame.learn(selected)
    rehearsal = Rehearsal(gateway.table_name, gateway.layout.home, gateway.folding)
    outcomes: list[object] = []
    runner = Runner.over(rehearsal, frame, selector)
    await runner.run((one, None, outcomes.append) for one in selected)
    errors = tuple(str(value) for value in outcomes if isinstance(value, Exception))
    return Plan(tuple(rehearsal.waves), errors)


def _operation(definitions: Any, name: str | None) -> OperationDefinitionNode:
    """The one of that name; without a name, the only one."""
    operations = [node for node in definitions if isinstance(node, OperationDefinitionNode)]
    names = [node.name.value if node.name else None for node in operations]
    if name in names:
        return operations[names.index(name)]
    if name is None and len(operations) == 1:
        return operations[0]
    listed = ", ".join(known for known in names if known)
    if name is None:
        raise BadInput(f"Choose one of several operations with --operation; it can be {listed}.")
    if not listed:
        raise BadInput(f"No operation is called {name}: this one has no name. Omit --operation.")
    raise BadInput(f"No operation is called {name}; --operation can be {listed}.")
