"""The gateway: a model, a schema made from it, and the way to the table."""

from __future__ import annotations

import datetime
import inspect
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

import boto3
import strawberry
from graphql import GraphQLError, GraphQLSchema
from starlette.applications import Starlette
from starlette.requests import Request
from strawberry.extensions import SchemaExtension
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext, ExecutionResult

from ..loaders.loader import Loader
from ..loaders.sending import CONCURRENT_REQUESTS, Sender
from ..resolvers.framing import Frame
from ..resolvers.paging import PageSizes
from ..resolvers.planning import Plan
from ..store.cursors import Sealer
from ..store.deadline import Deadline
from ..store.entities import Layout
from ..store.requests import Get
from ..store.settings import Settings
from ..store.wire import Wire
from .annotations import namespace_of
from .arguments import arguments_of
from .building import Model, build, finish
from .coercion import SCALARS
from .documents import Documents
from .errors import all_presentable
from .extension import IDEMPOTENCY_KEY, Folding, Named
from .limits import Limits
from .model import Table, link_fields
from .mutations import generated_mutation, merged_mutation
from .nodes import implement
from .objects import fetch
from .operations import Outlines
from .planner import plan_document
from .roots import declared_query, generated_query
from .transactions import Transaction
from .trusted import Trusted, read_documents, trust_documents

log = logging.getLogger("tablefold")

Viewer = Callable[[Any], str]
ContextHook = Callable[[Request], Any]
T = TypeVar("T")
Sample = Callable[[], Iterable[object]]


class _Schema(strawberry.Schema):
    gateway: Gateway
    suggestions = True

    def process_errors(
        self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        """Errors are logged once, where they are given their codes."""

    async def execute(self, *args: Any, **options: Any) -> ExecutionResult:
        """Whatever failed, and wherever: no error leaves without its code."""
        result = await super().execute(*args, **options)
        if result.errors:
            told = self._schema if self.suggestions else None
            result.errors = all_presentable(result.errors, told)
        return result


class Gateway:
    """Serves a table's model as GraphQL.

    `query` is a Query class of your own; the root fields derived from the keys come along only
    with `generated=True`. `viewer` tells from the context whose cursors are whose. `sample` gives
    entities to load into an empty table, `operations` is a folder of `*.graphql` to try on them.
    """

    def __init__(
        self,
        table: Table,
        *,
        query: type | None = None,
        mutation: type | None = None,
        generated: bool | None = None,
        viewer: Viewer | None = None,
        context: ContextHook | None = None,
        documents: str | Path | None = None,
        only_documents: bool = False,
        session: boto3.Session | None = None,
        endpoint_url: str | None = None,
        region: str | None = None,
        table_name: str | None = None,
        cursor_secret: str | None = None,
        page_size: int = 20,
        limits: Limits | None = None,
        explain: bool = True,
        introspection: bool = True,
        suggestions: bool = True,
        deadline: float = 10.0,
        idempotency: datetime.timedelta = datetime.timedelta(days=1),
        concurrency: int = CONCURRENT_REQUESTS,
        folding: bool = True,
        extensions: Sequence[type[SchemaExtension]] = (),
        types: Sequence[type] = (),
        sample: Sample | None = None,
        operations: str | Path | None = None,
    ) -> None:
        if page_size < 1 or deadline <= 0 or concurrency < 1:
            raise ValueError("page_size, deadline and concurrency must be above 0.")
        if only_documents and documents is None:
            raise ValueError("only_documents=True serves nothing without documents=…, a file.")
        self.table = table
        self.sample = sample
        self.operations = None if operations is None else Path(operations)
        self.explain = explain
        self.viewer = viewer
        self._context = context
        self.limits = limits or Limits()
        self.sizes = PageSizes(min(page_size, self.limits.page_size), self.limits.page_size)
        self.deadline = deadline
        self.idempotency = idempotency
        self.concurrency = concurrency
        self.folding = folding
        self.outlines = Outlines()
        self.session = session
        self._wire: Wire | None = None
        settings = Settings.from_environment()
        self.settings = replace(
            settings,
            table=table_name or settings.table or table.name,
            endpoint_url=endpoint_url or settings.endpoint_url,
            region=region or settings.region,
            cursor_secret=cursor_secret or settings.cursor_secret,
        )
        self._sealer: Sealer | None = None
        self.model: Model = build(table)
        self.schema = self._schema(query, mutation, generated, extensions, types)
        self.schema.suggestions = suggestions
        self.documents = Documents(
            self.graphql_schema,
            self.limits,
            introspection=introspection,
            suggestions=suggestions,
        )
        known = read_documents(Path(documents)) if documents is not None else {}
        self.trusted = Trusted(known, only_documents)
        trust_documents(known, self.documents, Path(documents or "").name)

    @staticmethod
    def of(info: strawberry.Info[Any, Any]) -> Gateway:
        """The gateway that runs this resolver, which may be one of several over its types."""
        schema = info.schema
        if not isinstance(schema, _Schema):
            raise RuntimeError("This resolver was not called by a schema of a gateway.")
        return schema.gateway

    @property
    def layout(self) -> Layout:
        return self.model.layout

    # The schema.

    def _schema(
        self,
        query: type | None,
        mutation: type | None,
        generated: bool | None,
        extensions: Sequence[type[SchemaExtension]],
        types: Sequence[type],
    ) -> _Schema:
        model, namespace = self.model, namespace_of(self.table)
        roots: list[type] = []
        if query is not None:
            declared_query(model, query, namespace)
            roots.append(query)
        if generated if generated is not None else query is None:
            roots.append(generated_query(self.table, model))
        root = roots[0]
        if len(roots) > 1:
            root = strawberry.type(type("Query", tuple(roots), {}), name="Query")
        mutation = merged_mutation(mutation, generated_mutation(self.table, model))
        finish(model)
        self._arguments(root)
        for entity in model.layout.entities.values():
            implement(entity)
        folding = type("Folding", (Folding,), {"gateway": self})
        every = [entity.cls for entity in model.layout.entities.values()]
        schema = _Schema(
            query=root,
            mutation=mutation,
            types=[*every, *types],
            config=StrawberryConfig(scalar_map=SCALARS),
            extensions=[*extensions, folding],
        )
        schema.gateway = self
        return schema

    def _arguments(self, root: type) -> None:
        specs = (*self.table.entities.values(), *self.table.groups.values())
        for cls in (root, *(spec.cls for spec in specs)):
            for one in link_fields(cls).values():
                if one.link is not None and not one.arguments:
                    one.arguments = arguments_of(one.link)

    @property
    def graphql_schema(self) -> GraphQLSchema:
        """The graphql-core schema under Strawberry's."""
        return self.schema._schema  # pyright: ignore[reportPrivateUsage]

    def sdl(self) -> str:
        return self.schema.as_str()

    # Running operations.

    async def execute(
        self,
        query: str,
        variables: Mapping[str, Any] | None = None,
        *,
        operation_name: str | None = None,
        context: Any = None,
        viewer: str | None = None,
        idempotency_key: str | None = None,
        explain: bool = False,
    ) -> ExecutionResult:
        """Runs an operation in plain Python; `explain` puts its requests into the extensions.

        `context` is what resolvers see. `viewer` names whoever asks, in place of what the
        gateway's own `viewer` would tell from the context. `idempotency_key` does for its
        mutations what the header does over HTTP.
        """
        return await self.schema.execute(
            query,
            variable_values=dict(variables or {}),
            operation_name=operation_name,
            context_value={} if context is None else context,
            operation_extensions={
                "explain": explain,
                "viewer": None if viewer is None else Named(viewer),
                IDEMPOTENCY_KEY: idempotency_key,
            },
        )

    async def plan(
        self,
        query: str,
        variables: Mapping[str, Any] | None = None,
        *,
        operation_name: str | None = None,
        context: Any = None,
        viewer: str | None = None,
    ) -> Plan:
        """What an operation would ask of the table, without asking it."""
        frame = self.frame({} if context is None else context, viewer)
        return await plan_document(self, frame, query, dict(variables or {}), operation_name)

    async def get(self, cls: type[T], **key: object) -> T | None:
        """An entity by its home key: `await gateway.get(User, id="u1")`."""
        return cast("T | None", await fetch(self, cls, key))

    def transaction(
        self, info: strawberry.Info[Any, Any] | None = None, *, idempotency_key: str | None = None
    ) -> Transaction:
        """Changes that are made together or not at all, by one TransactWriteItems.

        In a resolver pass its `info`: the write then counts into the operation's deadline, and
        into what its explain shows.
        """
        return Transaction(self, info, idempotency_key=idempotency_key)

    async def context_of(self, request: Request) -> Any:
        """What resolvers, permission classes and `viewer` see of an HTTP request."""
        if self._context is None:
            return {"request": request}
        made = self._context(request)
        return await made if inspect.isawaitable(made) else made

    def asgi(
        self,
        *,
        path: str = "/graphql",
        graphiql: bool = True,
        cors: Sequence[str] = (),
        compression: bool = True,
    ) -> Starlette:
        """The ASGI app; it needs no lifespan events and can be mounted under another app.

        `cors` lists the origins whose pages may ask here; "*" is all of them.
        """
        from .app import make_app

        _ = self.sealer  # a missing or unusable secret is said now, not with the first request
        return make_app(self, path=path, graphiql=graphiql, cors=cors, compression=compression)

    def configure(
        self,
        *,
        table_name: str | None = None,
        endpoint_url: str | None = None,
        region: str | None = None,
        cursor_secret: str | None = None,
    ) -> None:
        """Points the gateway at another table before it is first used."""
        self.settings = replace(
            self.settings,
            table=table_name or self.settings.table,
            endpoint_url=endpoint_url or self.settings.endpoint_url,
            region=region or self.settings.region,
            cursor_secret=cursor_secret or self.settings.cursor_secret,
        )
        self._wire = None
        self._sealer = None

    def worker(self) -> Starlette:
        """The app of one worker process, pointed at what `Settings.to_environment` carried there.

        Here the environment outranks what the model's module says: a command line wrote it.
        """
        carried = Settings.from_environment()
        self.configure(
            table_name=carried.table,
            endpoint_url=carried.endpoint_url,
            region=carried.region,
            cursor_secret=carried.cursor_secret,
        )
        return self.asgi()

    # What an operation needs.

    @property
    def table_name(self) -> str:
        return self.settings.table or self.table.name

    def loader(self) -> Loader:
        sender = Sender(self.wire, Deadline.after(self.deadline), self.table_name, self.concurrency)
        return Loader(sender, home=self.layout.home, folding=self.folding)

    def probe(self) -> Get:
        """A request for an item that is not there: the table answers, or says why it cannot."""
        names = self.layout.home.names
        return Get(self.table_name, names, ("tablefold", "ready"), (names.partition,))

    def frame(self, context: Any, viewer: str | None = None) -> Frame:
        if viewer is None:
            viewer = self.viewer(context) if self.viewer is not None else ""
        return Frame(self.layout, self.sealer, str(viewer), self.sizes, self.table_name)

    @property
    def wire(self) -> Wire:
        """Opened on first use, so that a gateway can be made at import time."""
        if self._wire is None:
            self._wire = Wire(
                session=self.session,
                region=self.settings.region,
                endpoint_url=self.settings.endpoint_url,
            )
        return self._wire

    @property
    def sealer(self) -> Sealer:
        if self._sealer is None:
            secret = self.settings.cursor_secret
            if secret is None:
                log.warning(
                    "No TABLEFOLD_CURSOR_SECRET is set: cursors will not outlive this process, "
                    "nor be understood by another worker. Set it in production."
                )
            self._sealer = Sealer.ephemeral() if secret is None else Sealer.parse(secret)
        return self._sealer

    async def close(self) -> None:
        if self._wire is not None:
            await self._wire.close()
            self._wire = None
