"""An operation under way: its loader, its frame, and the runs that fill its fields."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, cast

from graphql import (
    GraphQLObjectType,
    GraphQLResolveInfo,
    OperationDefinitionNode,
    SelectionSetNode,
    get_named_type,
)
from graphql.execution.values import VariableValues

from ..loaders.loader import Loader
from ..resolvers.asking import Values
from ..resolvers.framing import Frame
from ..resolvers.running import PARKED, Parked, Runner, parking
from ..resolvers.selection import Selected, Selector
from .budgets import Budget

OUTLINES_KEPT = 256

Info = GraphQLResolveInfo[Any]

_current: ContextVar[Operation] = ContextVar("tablefold_operation")


def resolve(source: Any, info: Info) -> object:
    """What an earlier wave parked for this field, or a run that begins here."""
    parked: Parked | None = getattr(source, "__dict__", {}).get(PARKED)
    if parked is not None:
        held = parked.get(id(info.field_nodes[0]))
        if held is not None and path_of(info) in held[0].paths:
            return shown(held[1])
    return current().resolve(source, info)


def path_of(info: Info) -> tuple[str, ...]:
    """The response keys down to a field, without the places in lists."""
    return tuple(part for part in info.path.as_list() if isinstance(part, str))


def selects(info: Info, name: str) -> bool:
    """Whether a field of that name is selected right under this one."""
    sets = [node.selection_set for node in info.field_nodes if node.selection_set]
    collected = _selector(info).collect(_shown_type(info), sets).values()
    return any(nodes[0].name.value == name for nodes in collected)


def shown(value: object) -> object:
    if isinstance(value, Exception):
        raise value
    return value


def current() -> Operation:
    try:
        return _current.get()
    except LookupError:
        raise RuntimeError(
            "A table field was resolved outside an operation of its gateway. Execute the query "
            "with gateway.execute, gateway.asgi or gateway.schema."
        ) from None


def operation_of(gateway: object) -> Operation | None:
    """The operation of this gateway that is under way."""
    operation = _current.get(None)
    return operation if operation is not None and operation.gateway is gateway else None


def loader_of(gateway: object) -> Loader | None:
    """The loader of this gateway's operation under way; what a mutation reads is read anew."""
    operation = operation_of(gateway)
    if operation is None:
        return None
    return operation.fresh_loader() if operation.writes else operation.loader


@dataclass(slots=True)
class Outlines:
    """What each document selects at its root, kept for the documents used last."""

    _kept: OrderedDict[object, tuple[OperationDefinitionNode, list[Selected]]] = field(
        default_factory=OrderedDict[object, "tuple[OperationDefinitionNode, list[Selected]]"]
    )

    def outline(
        self, selector: Selector, root: GraphQLObjectType, operation: OperationDefinitionNode
    ) -> list[Selected]:
        """The root's links. Booleans belong to the key, because @skip and @include use them."""
        flags = tuple(
            (name, value)
            for name, value in selector.variables.coerced.items()
            if isinstance(value, bool)
        )
        key = (id(operation), flags)
        if (known := self._kept.get(key)) is not None and known[0] is operation:
            self._kept.move_to_end(key)
            return known[1]
        selected = selector.select(root, [operation.selection_set], ())
        self._kept[key] = (operation, selected)
        if len(self._kept) > OUTLINES_KEPT:
            self._kept.popitem(last=False)
        return selected


@dataclass(slots=True)
class Operation:
    gateway: object
    loader: Loader
    frame: Frame
    outlines: Outlines
    writes: bool = False
    budget: Budget | None = None
    idempotency_key: str | None = None
    _roots: asyncio.Task[Parked] | None = None
    _below: dict[tuple[str, ...], Selected] = field(
        default_factory=dict["tuple[str, ...]", Selected]
    )
    _written: str | None = None
    _fresh: Loader | None = None
    _writes: dict[int, int] = field(default_factory=dict[int, int])
    _paid: set[tuple[str, ...]] = field(default_factory=set["tuple[str, ...]"])
    """Fields under mutations whose price was paid before the write."""

    @contextmanager
    def under_way(self) -> Generator[None, None, None]:
        """Makes this the current operation; at its end nothing of it goes on."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)
            if self._roots is not None and not self._roots.done():
                self._roots.cancel()
            self.loader.cancel()

    def place(self, info: Info) -> str:
        """Where in the operation a write stands: whose root field's, and the how manieth of it.

        Whatever the field is called in the answer, it keeps its place when it is sent again.
        """
        selector = _selector(info)
        root = cast("GraphQLObjectType", info.schema.mutation_type)
        keys = list(selector.collect(root, [info.operation.selection_set]))
        at = keys.index(path_of(info)[0])
        self._writes[at] = self._writes.get(at, 0) + 1
        return f"{at}/{self._writes[at]}"

    def resolve(self, source: Any, info: Info) -> Awaitable[object]:
        if info.path.prev is None:
            return self._resolve_root(info)
        return self._resolve_below(source, info)

    async def _resolve_root(self, info: Info) -> object:
        if self._roots is None:
            self._roots = asyncio.ensure_future(self._run_roots(info))
        key = id(info.field_nodes[0])
        values = await self._roots
        if key in values:
            return shown(values[key][1])
        return await self._resolve_below(None, info)

    async def _run_roots(self, info: Info) -> Parked:
        selector = _selector(info)
        outline = self.outlines.outline(selector, info.parent_type, info.operation)
        root = [one for one in outline if not one.guarded]
        self.frame.learn(root)
        values: Parked = {}
        runner = Runner.over(self.loader, self.frame, selector)
        await runner.run((one, None, parking(values, one)) for one in root)
        return values

    async def _resolve_below(self, source: Any, info: Info) -> object:
        """A field under something that no plan has seen: a custom resolver's or a guard's."""
        selector = _selector(info)
        selected = self._selected_below(selector, info)
        known = None if source is None else dict(source.__dict__)
        if self.budget is not None and (info.parent_type.name, *path_of(info)) not in self._paid:
            await self.budget.spend(selector, [(selected, known)])
        values: Parked = {}
        runner = Runner.over(self.loader_for(info), self.frame, selector)
        await runner.run([(selected, known, parking(values, selected))])
        return shown(values[id(selected.node)][1])

    async def afford(self, info: Info, objects: Sequence[Values]) -> None:
        """Pays for what is selected under a mutation's field before that writes anything.

        Each of the `objects` will be shown in the field's answer.
        """
        if self.budget is None:
            return
        selector = _selector(info)
        sets = [node.selection_set for node in info.field_nodes if node.selection_set]
        links = list(_links_under(selector, _shown_type(info), sets, path_of(info)))
        fields = [(selected, values) for _, selected in links for values in objects]
        await self.budget.spend(selector, fields)
        self._paid.update((parent, *selected.path) for parent, selected in links)

    def fresh_loader(self) -> Loader:
        """What is asked of it at once is fetched together; the next time nothing is remembered."""
        if self._fresh is None:
            self._fresh = self.loader.after_write()
            asyncio.get_running_loop().call_soon(self._forget)
        return self._fresh

    def _forget(self) -> None:
        self._fresh = None

    def loader_for(self, info: Info) -> Loader:
        """Each field of a mutation remembers only what was read after it had written."""
        if not self.writes:
            return self.loader
        field = path_of(info)[0]
        if self._written != field:
            self.loader.cancel()
            self.loader, self._written = self.loader.after_write(), field
        return self.loader

    def _selected_below(self, selector: Selector, info: Info) -> Selected:
        """Looked at once, however many objects of a list have the field.

        A fragment's field is one node in several places, and each may select more beside it.
        """
        path = path_of(info)
        key = (info.parent_type.name, *path)
        if (known := self._below.get(key)) is None:
            known = selector.selected(info.parent_type, info.field_nodes, path)
            if known is None:
                raise TypeError(f"{info.parent_type}.{info.field_name} reaches no items")
            self._below[key] = known
            self.frame.learn([known])
        return known


def _shown_type(info: Info) -> GraphQLObjectType:
    """The type of the object, or of the objects, that a field answers with."""
    raw = cast("Any", info)
    return cast("GraphQLObjectType", get_named_type(raw.return_type))


def _links_under(
    selector: Selector,
    parent: GraphQLObjectType,
    sets: Iterable[SelectionSetNode],
    path: tuple[str, ...],
) -> Iterator[tuple[str, Selected]]:
    """The links of a payload, also those in the objects that it holds, with their parents."""
    for key, nodes in selector.collect(parent, sets).items():
        if (found := selector.selected(parent, nodes, (*path, key))) is not None:
            yield parent.name, found
            continue
        definition: Any = parent.fields.get(nodes[0].name.value)
        named = cast("Any", get_named_type(definition.type)) if definition is not None else None
        below = [node.selection_set for node in nodes if node.selection_set]
        if isinstance(named, GraphQLObjectType):
            yield from _links_under(selector, named, below, (*path, key))


def _selector(info: Info) -> Selector:
    """Strawberry hands resolvers the coerced variables alone, without where they came from."""
    given: Any = info.variable_values
    variables = given if isinstance(given, VariableValues) else VariableValues({}, given)
    return Selector(info.schema, info.fragments, variables)
