"""The Node interface: every entity has a global id, called `nodeId`."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry.annotation import StrawberryAnnotation
from strawberry.types.field import StrawberryField

from ..resolvers.nodes import node_id
from ..store.entities import Entity


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
    definition: Any = entity.cls.__dict__["__strawberry_definition__"]
    interface: Any = Node.__dict__["__strawberry_definition__"]
    fields = [field for field in definition.fields if not isinstance(field, NodeIdField)]
    definition.fields = [NodeIdField.of(entity), *fields]
    if interface not in definition.interfaces:
        definition.interfaces.append(interface)
        cls = entity.cls
        definition.is_type_of = lambda value, _info: isinstance(value, cls)
