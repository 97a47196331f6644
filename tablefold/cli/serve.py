"""`tablefold serve`: the API over a table that is there already."""

from __future__ import annotations

import math
import os
import socket
from typing import Annotated

import typer
import uvicorn

from ..gql.gateway import Gateway
from . import refusals, targets
from .speech import Refused, say

OWN = "cursors are sealed with a secret of this run, and end with it. Set it in production."
SHARED = "the workers share a secret of this run, and cursors end with it. Set it in production."

Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]


def serve(
    target: targets.Target,
    *,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    endpoint_url: targets.EndpointUrl = None,
    region: targets.Region = None,
    table_name: targets.TableName = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that serve.")] = 1,
    reload: Annotated[
        bool, typer.Option("--reload", help="Start again when a source file changes.")
    ] = False,
) -> None:
    """Serve the API and GraphiQL at /graphql, with health checks at /healthz and /readyz.

    \b
    Examples:
      tablefold serve shop:gateway --endpoint-url http://localhost:8001
      tablefold serve shop:gateway --host 0.0.0.0 --region eu-central-1 --workers 4
      tablefold serve shop:gateway --reload
    """
    if reload and workers > 1:
        raise Refused("--reload serves with one process; leave out --workers.")
    gateway = targets.find(target, endpoint_url=endpoint_url, region=region, table_name=table_name)
    lasting = targets.with_secret(gateway)
    refuse_taken(host, port)
    targets.reach(gateway, target)
    say(f"Serving the table {gateway.table_name} at {refusals.address(gateway)}")
    say(f"GraphQL and GraphiQL: {address(host, port)}")
    if not lasting:
        say(f"TABLEFOLD_CURSOR_SECRET is not set: {SHARED if workers > 1 else OWN}")
    if workers > 1 or reload:
        _run_processes(gateway, target, host=host, port=port, workers=workers, reload=reload)
    else:
        run(gateway, host=host, port=port)


def run(gateway: Gateway, *, host: str, port: int, quiet: bool = False) -> None:
    """Until Ctrl-C."""
    uvicorn.run(
        gateway.asgi(),
        host=host,
        port=port,
        log_level="warning" if quiet else "info",
        timeout_graceful_shutdown=_last_answers(gateway),
    )


def _run_processes(
    gateway: Gateway, target: str, *, host: str, port: int, workers: int, reload: bool
) -> None:
    """Each process imports the module itself; the settings reach it through the environment."""
    os.environ.update(gateway.settings.to_environment())
    uvicorn.run(
        f"{target}.worker",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        reload=reload,
        timeout_graceful_shutdown=_last_answers(gateway),
    )


def _last_answers(gateway: Gateway) -> int:
    """Seconds until the last operation that was begun has its answer, or its deadline."""
    return math.ceil(gateway.deadline) + 1


def address(host: str, port: int) -> str:
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/graphql"


def refuse_taken(host: str, port: int, *, options: str = "--host or --port") -> None:
    """Tries the address: uvicorn would tell of a taken one in a log line of its own."""
    try:
        [(family, kind, protocol, _, where), *_] = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
    except OSError as error:
        raise Refused(
            f"Cannot listen on {host}:{port}: {error.strerror or error}. Choose another with "
            f"{options}."
        ) from error
