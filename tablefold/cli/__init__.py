"""The command line: `tablefold demo`, `serve`, `table`, `load`, `schema`, `explain`."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import __version__
from . import demo, inspection, load, serve, table
from .speech import Plainly

app = typer.Typer(
    name="tablefold",
    cls=Plainly,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tablefold {__version__}")
        raise typer.Exit


@app.callback()
def tablefold(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """A GraphQL gateway over a DynamoDB single table.

    \b
    Examples:
      tablefold demo
      tablefold table create examples.shop:gateway --endpoint-url http://localhost:8000
      tablefold serve examples.shop:gateway --region eu-central-1
    """


app.command()(demo.demo)
app.command()(serve.serve)
app.add_typer(table.app, name="table")
app.command()(load.load)
app.command()(inspection.schema)
app.command()(inspection.explain)


def main() -> None:
    app()
