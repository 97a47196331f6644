"""`tablefold schema` and `tablefold explain`: what a model offers and costs, without a table."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from ..resolvers.explaining import explained_plan
from . import targets
from .speech import REFUSED, Refused

STANDARD_INPUT = "-"


def schema(
    target: targets.Target,
    *,
    output: Annotated[Path | None, typer.Option(help="Write it to this file.")] = None,
) -> None:
    """Print the GraphQL schema of a model.

    \b
    Examples:
      tablefold schema shop:gateway
      tablefold schema shop:gateway --output schema.graphql
    """
    sdl = targets.find(target).sdl().rstrip("\n")
    if output is None:
        typer.echo(sdl)
        return
    try:
        output.write_text(f"{sdl}\n")
    except OSError as error:
        raise Refused(f"{output} cannot be written: {error.strerror}.") from error


def explain(
    target: targets.Target,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The operation; - reads stdin.")],
    *,
    variables: Annotated[
        str | None,
        typer.Option(
            metavar="JSON", help="Its variables; else those of NAME.variables.json beside FILE."
        ),
    ] = None,
    operation: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which, where FILE has several.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
) -> None:
    """Print what an operation would ask of the table, without asking it.

    The plan tells the requests of each wave, the fields that they serve, and what they cost at
    most.

    \b
    Examples:
      tablefold explain shop:gateway order.graphql --variables '{"id": "o1"}'
      echo '{ user(id: "u_001") { name } }' | tablefold explain shop:gateway -
      tablefold explain shop:gateway screens.graphql --operation Home --json
    """
    gateway = targets.find(target)
    targets.with_secret(gateway)
    query, given = _query(file), _variables(file, variables)
    plan = asyncio.run(gateway.plan(query, given, operation_name=operation, viewer=""))
    if as_json:
        typer.echo(json.dumps(explained_plan(plan), indent=2, ensure_ascii=False, default=str))
    else:
        typer.echo(str(plan))
    if plan.errors:
        raise typer.Exit(REFUSED)


def _query(file: str) -> str:
    try:
        return sys.stdin.read() if file == STANDARD_INPUT else Path(file).read_text()
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Refused(f"{file} is not text in UTF-8.") from error


def _variables(file: str, given: str | None) -> dict[str, Any]:
    where, beside = "--variables", Path(file).with_suffix(".variables.json")
    if given is None:
        if file == STANDARD_INPUT or not beside.is_file():
            return {}
        where, given = str(beside), beside.read_text()
    try:
        parsed = json.loads(given)
    except ValueError as error:
        raise Refused(f"{where} is not JSON: {error}.") from error
    if not isinstance(parsed, dict):
        raise Refused(f'{where} must be a JSON object such as {{"id": "u_001"}}.')
    return cast("dict[str, Any]", parsed)
