"""Planning a document for `explain`: parsed, validated, and rehearsed without the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphql import GraphQLError, OperationDefinitionNode, OperationType
from graphql.execution.values import VariableValues, get_variable_values

from ..resolvers.asking import Values
from ..resolvers.framing import Frame
from ..resolvers.planning import Plan, Rehearsal
from ..resolvers.pricing import Counts, refuse_many_keys
from ..resolvers.running import Runner
from ..resolvers.selection import Selected, Selector
from ..store.errors import BadInput

if TYPE_CHECKING:
    from .gateway import Gateway


class DocumentInvalid(BadInput):
    """A document that cannot be planned; `errors` are what running it would show."""

    def __init__(self, *errors: GraphQLError) -> None:
        super().__init__("\n".join(str(error) for error in errors))
        self.errors = errors


async def plan_document(
    gateway: Gateway,
    frame: Frame,
    query: str,
    variables: dict[str, Any],
    operation_name: str | None,
) -> Plan:
    """DocumentInvalid where the document, or variables that do not fit it, would not run."""
    schema = gateway.graphql_schema
    try:
        prepared = gateway.documents.prepare(query)
    except GraphQLError as error:
        raise DocumentInvalid(error) from error
    if prepared.errors:
        raise DocumentInvalid(*prepared.errors)
    operation = prepared.operation(operation_name)
    if operation.operation is OperationType.MUTATION:
        raise BadInput(
            "A mutation is not planned: what it asks of the table depends on what it finds there. "
            "Run it with explain to see what it did."
        )
    values = get_variable_values(schema, operation.variable_definitions or (), variables)
    if not isinstance(values, VariableValues):
        raise DocumentInvalid(*values)
    return await _rehearse(gateway, frame, operation, Selector(schema, prepared.fragments, values))


async def _rehearse(
    gateway: Gateway, frame: Frame, operation: OperationDefinitionNode, selector: Selector
) -> Plan:
    root = selector.schema.get_root_type(operation.operation)
    if root is None:
        raise BadInput(f"This API has no {operation.operation.value}.")
    selected = selector.select(root, [operation.selection_set], ())
    return await rehearse(gateway, frame, selector, [(one, None) for one in selected])


async def rehearse(
    gateway: Gateway,
    frame: Frame,
    selector: Selector,
    fields: Sequence[tuple[Selected, Values | None]],
    counts: Counts | None = None,
) -> Plan:
    """What `fields` would ask, each under the values of its parent; None is the root."""
    refuse_many_keys(selector, (selected for selected, _ in fields))
    frame.learn(selected for selected, _ in fields)
    rehearsal = Rehearsal(gateway.table_name, gateway.layout.home, gateway.folding)
    outcomes: list[object] = []
    runner = Runner.over(rehearsal, frame, selector)
    for selected, count in (counts or {}).items():
        runner.asking.assume(selected, count=count)
    await runner.run((selected, values, outcomes.append) for selected, values in fields)
    errors = tuple(str(value) for value in outcomes if isinstance(value, Exception))
    return Plan(tuple(rehearsal.waves), errors)
