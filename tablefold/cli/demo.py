"""`tablefold demo`: an example with its sample data on an engine of its own."""

from __future__ import annotations

import json
import shlex
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from graphql import strip_ignored_characters

from ..gql.app import EXPLAIN_HEADER
from ..gql.gateway import Gateway
from ..gql.pages import BUILT
from ..gql.samples import read_samples
from ..store import engines, tables
from ..store.engines import Engine, EngineUnavailable
from . import serve, targets
from .engine import HERE
from .load import load_objects, sample_of
from .speech import Refused, counted, say

SHOWCASES = ("S3_profile_and_newest_orders", "F1_document_overview")
ANY_QUERY = "{ __schema { queryType { fields { name description } } } }"


def demo(
    name: Annotated[str, typer.Argument(help="The example: shop, fund.")] = "shop",
    *,
    host: serve.Host = "127.0.0.1",
    port: serve.Port = 8000,
) -> None:
    """Serve an example on an embedded engine, filled with its sample data.

    Nothing is kept: Ctrl-C ends the API, the engine and the data in it.

    \b
    Examples:
      tablefold demo
      tablefold demo fund --port 8080
    """
    gateway = example(name)
    serve.refuse_taken(host, port)
    # Unwinds as Ctrl-C does, so that the engine has gone before we have.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with embedded(gateway.settings.engines) as engine:
        _fill(gateway, engine, name)
        _greet(gateway, serve.address(host, port))
        serve.run(gateway, host=host, port=port, quiet=True)
    say("Stopped.")


def example(name: str) -> Gateway:
    """From the working directory, else from the installed package."""
    if name not in (names := examples()):
        raise Refused(f"There is no example {name!r}; there are {', '.join(names)}.")
    package = "examples" if _models(Path.cwd() / "examples", name) else "tablefold.examples"
    return targets.find(f"{package}.{name}:gateway")


def examples() -> list[str]:
    packaged = Path(__file__).parent.parent / "examples"
    found = {*_models(Path.cwd() / "examples"), *_models(packaged)}
    if not found:
        raise Refused("The examples are not installed here; run this in Tablefold's repository.")
    return sorted(found)


def _models(folder: Path, name: str = "*") -> list[str]:
    return [file.parent.name for file in folder.glob(f"{name}/model.py")]


@contextmanager
def embedded(directory: Path) -> Generator[Engine, None, None]:
    """dynoxide, fetched on first use; moto where it cannot be had."""
    name = "dynoxide"
    try:
        directory = engines.obtain(name, directory, HERE, say=say)
    except EngineUnavailable as error:
        say(f"dynoxide cannot run here ({error}): using moto, which is slower.")
        name = "moto"
    if (reason := engines.available(name, directory)) is not None:
        raise Refused(f"No engine can run here: {reason}.")
    with engines.start(name, directory) as engine:
        yield engine


def _fill(gateway: Gateway, engine: Engine, name: str) -> None:
    gateway.configure(endpoint_url=engine.endpoint_url)
    targets.with_secret(gateway)
    say(f"Started {engine.name} at {engine.endpoint_url}")
    dynamodb = tables.client(gateway.settings, gateway.session)
    tables.create(dynamodb, gateway.layout, gateway.table_name)
    report = load_objects(gateway, sample_of(gateway, name))
    for one in report.rejections:
        say(f"  object {one.number} was rejected: {one.why}")
    say(f"Loaded {counted(report.rows, 'object')} as {counted(report.items, 'item')}")


def _greet(gateway: Gateway, address: str) -> None:
    query = first_query(gateway.operations)
    body = json.dumps({"query": strip_ignored_characters(query)}, ensure_ascii=False)
    kind, explain = "content-type: application/json", f"{EXPLAIN_HEADER}: 1"
    say(
        f"\nGraphQL:  {address}\n"
        f"GraphiQL: {address} in a browser\n"
        f"{_table_page(address)}\n"
        f"Paste this into GraphiQL:\n\n{query}\n\n"
        "or this into a terminal, to see also what DynamoDB was asked:\n\n"
        f"curl -s {address} -H {shlex.quote(kind)} -H {shlex.quote(explain)} "
        f"-d {shlex.quote(body)}\n\n"
        "Ctrl-C stops it."
    )


def _table_page(address: str) -> str:
    return f"Table:    {address.removesuffix('graphql')}table\n" if BUILT.exists() else ""


def first_query(operations: Path | None) -> str:
    """A sample operation to begin with: the showcase, or the first that needs no variables."""
    samples = sorted(read_samples(operations), key=lambda one: one.name not in SHOWCASES)
    return next((one.query for one in samples if one.variables is None), ANY_QUERY)
