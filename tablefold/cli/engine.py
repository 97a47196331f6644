"""`tablefold engine`: a local engine for a table of your own."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..store import engines
from ..store.engines import ENGINES, Engine, EngineUnavailable
from ..store.settings import Settings
from . import serve
from .speech import Refused, say

HERE = Path(".engines")
"""Where `make setup` puts engines; looked into after the folder that the settings name."""


def engine(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(ENGINES)}.")] = ENGINES[0],
    *,
    port: serve.Port = 8001,
    data: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the data here (dynoxide only).")
    ] = None,
) -> None:
    """Run a local engine, on this machine only, until Ctrl-C.

    It is fetched on first use. Without --data it begins empty and keeps nothing.

    \b
    Examples:
      tablefold engine
      tablefold engine --data shop.db
      tablefold engine dynamodb-local --port 8002
    """
    if name not in ENGINES:
        raise Refused(f"There is no engine {name!r}; there are {', '.join(ENGINES)}.")
    if data is not None and name != "dynoxide":
        raise Refused(f"{name} keeps nothing in a file: leave out --data, or take dynoxide.")
    serve.refuse_taken(engines.LOOPBACK, port, options="--port")
    # Unwinds as Ctrl-C does, so that the engine has gone before we have.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        with engines.start(name, _directory(name), port=port, data=data) as started:
            _greet(started, port, data)
            ended = started.process.wait()
    except KeyboardInterrupt:
        say("Stopped.")
        return
    raise Refused(f"{name} ended by itself, with code {ended}.")


def _directory(name: str) -> Path:
    try:
        return engines.obtain(name, Settings.from_environment().engines, HERE, say=say)
    except EngineUnavailable as error:
        others = " or ".join(f"`tablefold engine {one}`" for one in ENGINES if one != name)
        raise Refused(f"{name} cannot run here: {error}. Try {others}.") from error


def _greet(started: Engine, port: int, data: Path | None) -> None:
    where = f"--endpoint-url http://localhost:{port}"
    kept = "nothing is kept when it ends" if data is None else f"its data is kept in {data}"
    say(
        f"{started.name} is running at http://localhost:{port}; {kept}.\n\n"
        "In another terminal, with the gateway of your shop.py\n"
        "(or tablefold.examples.shop:gateway, to try one):\n\n"
        f"  tablefold table create shop:gateway {where}\n"
        f"  tablefold load shop:gateway items.jsonl {where}\n"
        f"  tablefold serve shop:gateway {where}\n\n"
        "Ctrl-C stops it."
    )
