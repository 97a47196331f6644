"""The schema extension that prepares an operation's document and gives it its loader."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphql import specified_rules
from graphql.execution.values import VariableValues, get_variable_values
from strawberry.extensions import SchemaExtension
from strawberry.types.graphql import OperationType

from ..loaders.loader import Loader
from ..resolvers.explaining import explained
from ..resolvers.selection import Selector
from .budgets import Budget
from .documents import Prepared
from .operations import Operation
from .tracing import current_trace

if TYPE_CHECKING:
    from .gateway import Gateway

IDEMPOTENCY_KEY = "idempotencyKey"

_SPECIFIED = frozenset(specified_rules)


@dataclass(frozen=True, slots=True)
class Named:
    """Who asks, as Python code says. A client's extensions are JSON, and never hold this."""

    viewer: str


class Folding(SchemaExtension):
    """One for each operation; `gateway` is set by the subclass that the gateway makes."""

    gateway: Gateway
    loader: Loader | None = None
    prepared: Prepared | None = None

    def on_parse(self) -> Iterator[None]:
        context = self.execution_context
        if context.query and context.graphql_document is None:
            self.prepared = self.gateway.documents.prepare(context.query)
            context.graphql_document = self.prepared.document
            added = tuple(rule for rule in context.validation_rules if rule not in _SPECIFIED)
            context.validation_rules = added  # those of the specification have been checked
            if self.prepared.errors or not added:
                context.pre_execution_errors = list(self.prepared.errors)
        yield

    async def on_execute(self) -> AsyncIterator[None]:
        gateway, context = self.gateway, self.execution_context
        self.loader = gateway.loader()
        writes = context.operation_type is OperationType.MUTATION
        frame = gateway.frame(context.context, self._viewer())
        operation = Operation(gateway, self.loader, frame, gateway.outlines, writes)
        if (trace := current_trace()) is not None:
            trace.writes = trace.writes or writes
        key = (context.operation_extensions or {}).get(IDEMPOTENCY_KEY)
        operation.idempotency_key = key if isinstance(key, str) else None
        if self.prepared is not None:
            await self._choose(operation, self.prepared)
        with operation.under_way():
            yield
        if (trace := current_trace()) is not None:
            trace.requests += len(self.loader.sender.sent)

    def _viewer(self) -> str | None:
        named = (self.execution_context.operation_extensions or {}).get("viewer")
        return named.viewer if isinstance(named, Named) else None

    async def _choose(self, operation: Operation, prepared: Prepared) -> None:
        """Strawberry would run the first of several operations, and at any price."""
        context, gateway = self.execution_context, self.gateway
        chosen = prepared.operation(context._provided_operation_name)  # pyright: ignore[reportPrivateUsage]
        schema, most = gateway.graphql_schema, gateway.limits.capacity
        root = schema.get_root_type(chosen.operation)
        if root is None or most is None:
            return
        variables = get_variable_values(
            schema, chosen.variable_definitions or (), context.variables or {}
        )
        if not isinstance(variables, VariableValues):
            return  # graphql-core will say what is wrong with them
        selector = Selector(schema, prepared.fragments, variables)
        outline = gateway.outlines.outline(selector, root, chosen)
        operation.budget = Budget(gateway, operation.frame, most)
        await operation.budget.spend(selector, [(one, None) for one in outline if not one.guarded])

    def get_results(self) -> dict[str, Any]:
        asked = self.execution_context.operation_extensions or {}
        if not (self.gateway.explain and asked.get("explain")) or self.loader is None:
            return {}
        return {"explain": explained(self.loader.sender.sent, self.gateway.layout.hidden)}
