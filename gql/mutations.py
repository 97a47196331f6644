"""Mutations made from the model: for each entity the writes that it allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import strawberry
from strawberry.annotation import StrawberryAnnotation
from strawberry.types.arguments import StrawberryArgument
from strawberry.types.base import has_object_definition
from strawberry.types.field import StrawberryField

from ..loaders.asks import Member
from ..resolvers.changes import (
    Change,
    Creation,
    Publication,
    Removal,
    Replacement,
    Revision,
    Values,
)
from ..resolvers.links import Link, Reach
from ..store.entities import Entity
from ..store.errors import BadInput, ModelError
from ..store.naming import camel, snake
from .building import Model
from .bulk import BulkField, bulk_field
from .fields import LinkField, LinkSpec
from .inputs import argument
from .model import Table, definition_of
from .publishing import asked_for, find_past
from .roots import plural
from .write_fields import Arguments, Make, WriteField
from .write_inputs import (
    create_input,
    given_in,
    has_no_default,
    input_annotation,
    known_input,
    sections_in,
    update_input,
    value_of,
    whole_in,
)
from .writes import Writes

_OTHERS = ("input", "expected_version", "known", "idempotency_key")
"""Arguments of mutations that an attribute of a key must not share its name with."""


def generated_mutation(table: Table, model: Model) -> type | None:
    """A Mutation type with a field for each write that the model allows; None for none."""
    fields: dict[str, StrawberryField] = {}
    for name, entity in model.layout.entities.items():
        spec = table.entities[name]
        inputs: dict[str, type] = {}
        for writes in spec.writes:
            fields |= _Making(table, model, entity, writes, inputs).fields()
    if not fields:
        return None
    return strawberry.type(type("Mutation", (), dict(fields)), name="Mutation")


def merged_mutation(own: type | None, generated: type | None) -> type | None:
    """What the user wrote comes first, and takes the place of what would be made."""
    if own is None or generated is None:
        return own or generated
    if not has_object_definition(own):
        raise ModelError(
            f"{own.__name__} is no GraphQL type yet.\n  Decorate it with @strawberry.type."
        )
    return strawberry.type(type("Mutation", (own, generated), {}), name="Mutation")


@dataclass(frozen=True, slots=True)
class _Making:
    table: Table
    model: Model
    entity: Entity
    writes: Writes
    inputs: dict[str, type]

    def fields(self) -> dict[str, StrawberryField]:
        made: dict[str, StrawberryField] = {}
        one = snake(self.entity.name)
        for operation in self.writes.operations:
            match operation:
                case "create":
                    made[f"create_{one}"] = self._create()
                case "put":
                    made[f"put_{one}"] = self._put()
                case "update":
                    made[f"update_{one}"] = self._update()
                case "delete":
                    made[f"delete_{one}"] = self._delete()
                case "link":
                    made[f"link_{one}"] = self._link()
                case "unlink":
                    made[f"unlink_{one}"] = self._unlink()
                case "publish":
                    made[f"publish_{one}"] = self._publish()
                case _:
                    made[f"create_{self._plural}"] = self._create_many()
        return made

    @property
    def _plural(self) -> str:
        name = self.entity.name
        return self.table.entities[name].plural or plural(snake(name))

    # The mutations.

    def _create(self) -> WriteField:
        entity = self.entity
        return self._field(
            "Create",
            lambda given: Creation(entity, whole_in(entity, given["input"])),
            [argument("input", self._create_input(), default=...)],
            f"A new {entity.name}; CONFLICT where its key is taken.",
        )

    def _create_many(self) -> BulkField:
        entity = self.entity
        shown = self._shown(f"Create{entity.name}Result")
        shown.python_name = snake(entity.name)
        return bulk_field(
            entity,
            camel(self._plural),
            self._create_input(),
            shown,
            list(self.writes.permission_classes),
        )

    def _create_input(self) -> type:
        """One type, whether for one or for many."""
        if "create" not in self.inputs:
            self.inputs["create"] = create_input(self.entity)
        return self.inputs["create"]

    def _put(self) -> WriteField:
        entity = self.entity
        return self._field(
            "Put",
            lambda given: Replacement(
                entity, whole_in(entity, given["input"]), given.get("expected_version")
            ),
            [argument("input", create_input(entity, verb="Put"), default=...), *self._version()],
            f"One {entity.name} as a whole, whether it is there or not.",
        )

    def _update(self) -> WriteField:
        entity = self.entity

        def make(given: Arguments) -> Change:
            parts = sections_in(entity, given["input"])
            change = Revision(
                entity,
                self._key(given),
                given_in(entity, given["input"]),
                cast("Any", parts.get("add", {})),
                parts.get("append", {}),
                parts.get("remove", {}),
                expected=given.get("expected_version"),
                known=self._given(given, "known"),
            )
            if not (change.set or change.add or change.append or change.remove):
                raise BadInput(f"This update of {entity.name} changes nothing.")
            return change

        return self._field(
            "Update",
            make,
            [
                *self._keys(),
                argument("input", update_input(entity, self.writes.updates), default=...),
                *self._version(),
                *self._known(),
            ],
            f"Changes some attributes of one {entity.name}; NOT_FOUND where there is none.",
        )

    def _delete(self) -> WriteField:
        return self._field(
            "Delete",
            self._removal,
            [*self._keys(), *self._version(), *self._known()],
            f"Deletes one {self.entity.name}, and shows it as it was; NOT_FOUND if there is none.",
        )

    def _link(self) -> WriteField:
        """The key stands in the arguments; what is left for the input is the edge's own."""
        entity = self.entity
        inner = create_input(entity, without=entity.home.names, verb="Link")
        fields = definition_of(inner).fields
        needed = any(has_no_default(one) for one in fields)
        more = [argument("input", inner, default=... if needed else None)] if fields else []

        def make(given: Arguments) -> Change:
            return Creation(entity, {**self._key(given), **self._given(given, "input")})

        made = self._field(
            "Link",
            make,
            [*self._keys(), *more],
            f"Makes the {entity.name}, in all its directions at once; one that is there is kept.",
            changed="Whether it was made now; false where it was there.",
        )
        made.lenient = True
        return made

    def _unlink(self) -> WriteField:
        made = self._field(
            "Unlink",
            self._removal,
            [*self._keys(), *self._known()],
            f"Takes the {self.entity.name} away, in all its directions at once, if it is there.",
            changed="Whether it was taken away now; false where there was none.",
        )
        made.lenient = True
        return made

    def _publish(self) -> WriteField:
        entity = self.entity
        past, replaced = find_past(self.table, self.model.layout.entities, entity)
        asked = asked_for(entity, past, replaced)

        def make(given: Arguments) -> Change:
            own = {name: value_of(past.attributes[name].annotation, given[name]) for name in asked}
            return Publication(
                entity,
                whole_in(entity, given["input"]),
                past,
                {**replaced, **own},
                given.get("expected_version"),
            )

        return self._field(
            "Publish",
            make,
            [
                argument("input", create_input(entity, verb="Publish"), default=...),
                *(
                    argument(
                        name,
                        input_annotation(past.attributes[name].annotation),
                        default=...,
                        description="Of the version that was the latest until now.",
                    )
                    for name in asked
                ),
                *self._version(),
            ],
            f"A new {entity.name}; the one before it is kept as {past.name}.",
        )

    def _removal(self, given: Arguments) -> Change:
        return Removal(
            self.entity,
            self._key(given),
            expected=given.get("expected_version"),
            known=self._given(given, "known"),
        )

    # Their arguments.

    def _keys(self) -> Iterator[StrawberryArgument]:
        for name in self.entity.home.names:
            if name in _OTHERS:
                raise ModelError(
                    f"{self.entity.name}.{name}: mutations have an argument of that name.\n"
                    f'  Give the attribute another name; attribute("{name}") keeps the stored one.'
                )
            yield argument(name, self.entity.attributes[name].annotation, default=...)

    def _key(self, given: Arguments) -> Values:
        return {name: given[name] for name in self.entity.home.names}

    def _version(self) -> Iterator[StrawberryArgument]:
        if self.entity.rules.version is not None:
            yield argument(
                "expected_version",
                int,
                description="Refused with CONFLICT where the object has another version by now.",
            )

    def _known(self) -> Iterator[StrawberryArgument]:
        if (made := known_input(self.entity)) is not None:
            yield argument("known", made)

    def _given(self, given: Arguments, name: str) -> Values:
        """The values of an input that may be left out."""
        return given_in(self.entity, given[name]) if given.get(name) else {}

    def _field(
        self,
        verb: str,
        make: Make,
        arguments: list[StrawberryArgument],
        description: str,
        *,
        changed: str | None = None,
    ) -> WriteField:
        payload = self._payload(verb, changed)
        made = WriteField(
            type_annotation=StrawberryAnnotation(payload | None),
            description=description,
            permission_classes=list(self.writes.permission_classes),
        )
        made.make, made.payload = make, payload
        made.arguments = [
            *arguments,
            argument(
                "idempotency_key",
                str,
                description="However often it is sent with this key, the write is made once.",
            ),
        ]
        return made

    def _payload(self, verb: str, changed: str | None) -> type:
        entity = self.entity
        name = f"{verb}{entity.name}Payload"
        told = changed or "False where an earlier send with the same idempotency key did it."
        namespace: dict[str, Any] = {
            snake(entity.name): self._shown(name, was=verb == "Delete"),
            "changed": strawberry.field(description=told),
            "__annotations__": {"changed": bool},
        }
        return strawberry.type(type(name, (), namespace), name=name)

    def _shown(self, owner: str, *, was: bool = False) -> LinkField:
        """The field that leads from a payload, which holds the key, to the object."""
        entity = self.entity
        reach = Reach(Member(entity, entity.home), {name: name for name in entity.home.names})
        link = Link(f"{owner}.{snake(entity.name)}", "one", None, (reach,))
        self.model.links.append(link)
        shown = LinkField(
            LinkSpec(many=False),
            type_annotation=StrawberryAnnotation(entity.cls | None),
            description=f"The {entity.name} as it was." if was else None,
        )
        shown.link = link
        return shown
