"""The schema extension that gives every operation its loader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from graphql import DocumentNode, GraphQLError, OperationDefinitionNode
from strawberry.extensions import SchemaExtension
from strawberry.types import ExecutionContext
from strawberry.types.graphql import OperationType

from ..loaders.loader import Loader
from ..resolvers.explaining import explained
from .coercion import with_places
from .operations import Operation

if TYPE_CHECKING:
    from .gateway import Gateway


class Folding(SchemaExtension):
    """One for each operation; `gateway` is set by the subclass that the gateway makes."""

    gateway: Gateway
    loader: Loader | None = None

    def on_operation(self) -> Iterator[None]:
        context = self.execution_context
        context.validation_rules = with_places(context.validation_rules)
        yield

    def on_execute(self) -> Iterator[None]:
        _refuse_unnamed(self.execution_context)
        self.loader = self.gateway.loader()
        frame = self.gateway.frame(self.execution_context.context)
        writes = self.execution_context.operation_type is OperationType.MUTATION
        operation = Operation(self.gateway, self.loader, frame, self.gateway.outlines, writes)
        with operation.under_way():
            yield

    def get_results(self) -> dict[str, Any]:
        asked = self.execution_context.operation_extensions or {}
        if not asked.get("explain") or self.loader is None:
            return {}
        return {"explain": explained(self.loader.sender.sent)}


def _refuse_unnamed(context: ExecutionContext) -> None:
    """Strawberry would run the first of several operations."""
    document: DocumentNode | None = context.graphql_document
    if context._provided_operation_name is not None or document is None:  # pyright: ignore[reportPrivateUsage]
        return
    names = [
        node.name.value if node.name else "an unnamed one"
        for node in document.definitions
        if isinstance(node, OperationDefinitionNode)
    ]
    if len(names) > 1:
        raise GraphQLError(f"Say which operation to run; the document has {', '.join(names)}.")
