"""How the command line speaks: results on stdout, everything else on stderr, no tracebacks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import typer
from botocore.exceptions import BotoCoreError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from typer.core import TyperGroup

from ..store.errors import TablefoldError

REFUSED = 2
"""The exit code when a command could not do what it was asked."""


class Refused(TablefoldError):
    """What the user asked cannot be done; the message is all that is said."""


class Plainly(TyperGroup):
    """Says an expected error in its own words, and ends with code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (TablefoldError, BotoCoreError) as error:
            say(f"Error: {error}")
            raise typer.Exit(REFUSED) from error


def say(line: str) -> None:
    typer.echo(line, err=True)


@contextmanager
def progress_bar(what: str, total: int) -> Generator[Callable[[int], None], None, None]:
    """Takes how much is done by now; silent where nobody watches."""
    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bar = Progress(*columns, TimeElapsedColumn(), console=console, disable=not console.is_terminal)
    with bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
