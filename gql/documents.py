"""Documents: parsed, validated and limited once, then kept for whoever sends the same again."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from graphql import (
    ASTValidationRule,
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    OverlappingFieldsCanBeMergedRule,
    parse,
    validate,
)
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule

from ..store.errors import BadInput, LimitExceeded
from .coercion import RULES as COERCING
from .limits import Limits, refuse_large, refuse_long
from .overlapping import TooIntricate, overlaps

KEPT = 1_000
KEPT_CHARACTERS = 5_000_000
ERRORS_SHOWN = 10

# Whether fields can be merged is checked by `overlaps`, which takes linear time.
RULES: tuple[type[ASTValidationRule], ...] = (
    *(rule for rule in COERCING if rule is not OverlappingFieldsCanBeMergedRule),
    MaybeNullValidationRule,
    OneOfInputValidationRule,
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document that may run, unless it has errors."""

    document: DocumentNode
    errors: tuple[GraphQLError, ...] = ()

    @property
    def fragments(self) -> dict[str, FragmentDefinitionNode]:
        return {
            node.name.value: node
            for node in self.document.definitions
            if isinstance(node, FragmentDefinitionNode)
        }

    def operation(self, name: str | None) -> OperationDefinitionNode:
        """The one of that name; without a name, the only one. BadInput where there is none."""
        operations = [
            node for node in self.document.definitions if isinstance(node, OperationDefinitionNode)
        ]
        names = [node.name.value if node.name else None for node in operations]
        if name in names:
            return operations[names.index(name)]
        if name is None and len(operations) == 1:
            return operations[0]
        listed = ", ".join(known for known in names if known)
        if name is None:
            raise BadInput(f"Say which operation to run; it can be {listed}.")
        if not listed:
            raise BadInput(f"No operation is called {name}; the only one has no name.")
        raise BadInput(f"No operation is called {name}; it can be {listed}.")


@dataclass(slots=True)
class Documents:
    """The documents of one schema. Those used last are kept, bounded in number and length."""

    schema: GraphQLSchema
    limits: Limits
    introspection: bool = True
    suggestions: bool = True
    _trusted: dict[str, Prepared] = field(default_factory=dict[str, Prepared])
    _kept: OrderedDict[str, Prepared] = field(default_factory=OrderedDict[str, Prepared])
    _characters: int = 0
    _lock: Lock = field(default_factory=Lock)

    def trust(self, text: str) -> Prepared:
        """Prepared for good, and not held against the limits of documents."""
        document = parse(text)
        prepared = Prepared(document, tuple(self._errors(document)))
        if not prepared.errors:
            self._trusted[text] = prepared
        return prepared

    def prepare(self, text: str) -> Prepared:
        """GraphQLSyntaxError for what is no GraphQL, LimitExceeded for what is too much."""
        if (known := self._trusted.get(text)) is not None:
            return known
        with self._lock:
            if (known := self._kept.get(text)) is not None:
                self._kept.move_to_end(text)
                return known
        refuse_long(text, self.limits)
        document = parse(text)
        if errors := self._errors(document):
            return Prepared(document, tuple(errors))
        refuse_large(document, self.limits)
        prepared = Prepared(document)
        self._keep(text, prepared)
        return prepared

    def _errors(self, document: DocumentNode) -> list[GraphQLError]:
        rules = RULES if self.introspection else (*RULES, NoSchemaIntrospectionCustomRule)
        errors = validate(
            self.schema,
            document,
            rules,
            max_errors=ERRORS_SHOWN,
            hide_suggestions=not self.suggestions,
        )
        if errors:
            return errors
        try:
            return overlaps(self.schema, document)
        except TooIntricate:
            raise LimitExceeded(
                "The fragments of this document overlap in too many ways to check. "
                "Spread fewer fragments under one field."
            ) from None

    def _keep(self, text: str, prepared: Prepared) -> None:
        with self._lock:
            if text in self._kept:
                return
            self._kept[text] = prepared
            self._characters += len(text)
            while len(self._kept) > KEPT or self._characters > KEPT_CHARACTERS:
                dropped, _ = self._kept.popitem(last=False)
                self._characters -= len(dropped)
