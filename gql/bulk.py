"""The mutation that creates many objects: a result for each input, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import strawberry
from strawberry.annotation import StrawberryAnnotation
from strawberry.types.field import StrawberryField

from ..resolvers.bulk import Bulk, Result, may_overwrite
from ..resolvers.changes import Creation
from ..resolvers.writing import Written
from ..store.entities import Entity
from ..store.errors import BadInput, TablefoldError, WriteRefused
from .committing import RawInfo, writer_of
from .errors import code_and_message
from .inputs import argument
from .operations import current
from .write_fields import Arguments, MutationField
from .write_inputs import whole_in

if TYPE_CHECKING:
    from .gateway import Gateway

INPUTS_MAX = 1_000


@strawberry.type(description="Why one of many was not written.")
class WriteError:
    code: str = strawberry.field(description="As in the `extensions.code` of an error.")
    message: str
    reason: str | None = strawberry.field(
        default=None, description="Of a CONFLICT, as in its `extensions.failures`."
    )
    attributes: list[str] | None = strawberry.field(
        default=None, description="Those whose values another one has."
    )


class BulkField(MutationField):
    entity: Entity
    payload: type[object]
    result: type[object]

    async def run(self, info: RawInfo, arguments: Arguments) -> object:
        inputs: list[Any] = arguments["inputs"]
        if len(inputs) > INPUTS_MAX:
            raise BadInput(f"At most {INPUTS_MAX:,} inputs can be sent at once.")
        operation = current()
        if operation.idempotency_key is not None:
            raise BadInput("Many objects at once have no idempotency key. Send them without one.")
        gateway = cast("Gateway", operation.gateway)
        changes = [Creation(self.entity, whole_in(self.entity, one)) for one in inputs]
        await operation.afford(info, [change.identity for change in changes])
        results = await Bulk(writer_of(gateway, info)).create(
            changes, overwrite=bool(arguments.get("overwrite"))
        )
        loader = operation.loader_for(info)
        for one in results:
            if isinstance(one, Written) and one.known is not None:
                loader.remember(one.key, one.item, one.known)
        made = object.__new__(self.payload)
        vars(made)["results"] = [self._result(one) for one in results]
        return made

    def _result(self, one: Result) -> object:
        """Of a failure no key is told, so that nothing is looked for."""
        made = object.__new__(self.result)
        if isinstance(one, Written):
            vars(made).update({**(self.entity.home.parse(*one.key) or {}), "error": None})
        else:
            vars(made)["error"] = _error(one)
        return made


def _error(error: TablefoldError) -> WriteError:
    code, message = code_and_message(error)
    failures: Any = error.details.get("failures") if isinstance(error, WriteRefused) else None
    first: dict[str, Any] = failures[0] if failures else {}
    return WriteError(
        code=code,
        message=message,
        reason=first.get("reason"),
        attributes=first.get("attributes"),
    )


def bulk_field(
    entity: Entity, plural: str, inputs: type, shown: StrawberryField, permissions: list[Any]
) -> BulkField:
    """`shown` is the field of a result that leads to the object."""
    name = f"Create{entity.name}Result"
    result = strawberry.type(
        type(
            name,
            (),
            {
                shown.python_name: shown,
                "error": strawberry.field(description="Null where it was written."),
                "__annotations__": {"error": WriteError | None},
            },
        ),
        name=name,
    )
    pascal = plural[:1].upper() + plural[1:]
    payload_name = f"Create{pascal}Payload"
    payload = strawberry.type(
        type(payload_name, (), {"__annotations__": {"results": list[result]}}), name=payload_name
    )
    arguments = [argument("inputs", list[inputs], default=...)]
    if may_overwrite(entity):
        arguments.append(
            argument(
                "overwrite",
                bool,
                description="Writes without a look at what is there, which is replaced: cheaper, "
                "by BatchWriteItem, and each item for itself.",
            )
        )
    field = BulkField(
        type_annotation=StrawberryAnnotation(payload | None),
        description=f"Many new {plural}, with a result for each input in order: those that are "
        "refused are named, the others are written.",
        permission_classes=permissions,
    )
    field.entity, field.payload, field.result = entity, payload, result
    field.arguments = arguments
    return field
