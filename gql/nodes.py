"""The Node interface: every entity has a global id, called `nodeId`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import strawberry
from graphql import GraphQLResolveInfo
from strawberry.annotation import StrawberryAnnotation
from strawberry.types.field import StrawberryField

from ..resolvers.nodes import node_id
from ..store.entities import Entity
from ..store.errors import ModelError
from .model import definition_of

DEFINITION = "__strawberry_definition__"


@strawberry.interface(description="An object with an id that is unique in this API.")
class Node:
    node_id: strawberry.ID


class NodeIdField(StrawberryField):
    """Computed from the home key; `needs` tells the plan which attributes that takes."""

    needs: tuple[str, ...] = ()
    entity: Entity

    @classmethod
    def of(cls, entity: Entity) -> NodeIdField:
        made = cls(
            python_name="node_id",
            type_annotation=StrawberryAnnotation(strawberry.ID),
            description="The id of this object in all of the API.",
        )
        made.entity, made.needs = entity, entity.home.names
        return made

    def get_result(self, source: Any, info: Any, args: Any, kwargs: Any) -> Any:
        return node_id(self.entity, source.__dict__)


def implement(entity: Entity) -> None:
    """Makes an entity's GraphQL type implement Node, once."""
    definition, interface = definition_of(entity.cls), definition_of(Node)
    if "node_id" in entity.attributes:
        raise ModelError(
            f"{entity.name}.node_id: nodeId is the id that every object has in this API.\n"
            '  Give the attribute another name; attribute("…") keeps its stored one.'
        )
    fields = [field for field in definition.fields if not isinstance(field, NodeIdField)]
    definition.fields = [NodeIdField.of(entity), *fields]
    if interface not in definition.interfaces:
        definition.interfaces.append(interface)
    definition.is_type_of = _is_type(entity.cls)


def _is_type(cls: type) -> Callable[[Any, GraphQLResolveInfo[Any]], bool]:
    """An entity may extend another: an object is of the type that stands first among its own."""

    def is_type_of(value: Any, _info: GraphQLResolveInfo[Any]) -> bool:
        declared = (base for base in type(value).__mro__ if DEFINITION in vars(base))
        return next(declared, None) is cls

    return is_type_of
