"""The command line: `tablefold demo`, `engine`, `serve`, `table`, `load`, `schema`, `explain`."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import __version__
from . import demo, engine, inspection, load, serve, table
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
      tablefold engine
      tablefold table create shop:gateway --endpoint-url http://localhost:8001
      tablefold serve shop:gateway --region eu-central-1

    shop:gateway is the gateway of your shop.py; tablefold.examples.shop:gateway is one to try.
    """


app.command()(demo.demo)
app.command()(engine.engine)
app.command()(serve.serve)
app.add_typer(table.app, name="table")
app.command()(load.load)
app.command()(inspection.schema)
app.command()(inspection.explain)


def main() -> None:
    app()
