"""`tablefold table`: makes the table of a model, or holds a table against it."""

from __future__ import annotations

import typer

from ..store import tables
from . import refusals, targets
from .speech import counted

app = typer.Typer(no_args_is_help=True, help="Make a model's table, or compare one with it.")

DIFFERENT = 1


@app.command()
def create(
    target: targets.Target,
    *,
    endpoint_url: targets.EndpointUrl = None,
    region: targets.Region = None,
    table_name: targets.TableName = None,
) -> None:
    """Create the table with its indexes, and wait until it can be used.

    It is billed per request. A table that is already there is left as it is.

    \b
    Examples:
      tablefold table create shop:gateway --endpoint-url http://localhost:8001
      tablefold table create shop:gateway --region eu-central-1 --table-name shop-test
    """
    gateway = targets.find(target, endpoint_url=endpoint_url, region=region, table_name=table_name)
    with refusals.explained(gateway, target):
        dynamodb = tables.client(gateway.settings, gateway.session)
        made = tables.create(dynamodb, gateway.layout, gateway.table_name)
    where = f"at {dynamodb.meta.endpoint_url}"
    if made:
        indexes = ", ".join(map(str, gateway.layout.indexes.values())) or "no index"
        typer.echo(f"Created the table {gateway.table_name} {where} with {indexes}.")
    else:
        typer.echo(
            f"The table {gateway.table_name} already exists {where}; "
            "`tablefold table verify` compares it with the model."
        )


@app.command()
def verify(
    target: targets.Target,
    *,
    endpoint_url: targets.EndpointUrl = None,
    region: targets.Region = None,
    table_name: targets.TableName = None,
) -> None:
    """Compare the real table's keys, indexes and projections with the model.

    Exits with 0 when they agree, 1 when they differ, 2 when the table cannot be seen.

    \b
    Examples:
      tablefold table verify shop:gateway --endpoint-url http://localhost:8001
      tablefold table verify shop:gateway --region eu-central-1
    """
    gateway = targets.find(target, endpoint_url=endpoint_url, region=region, table_name=table_name)
    with refusals.explained(gateway, target):
        dynamodb = tables.client(gateway.settings, gateway.session)
        differences = tables.verify(dynamodb, gateway.layout, gateway.table_name)
    for difference in differences:
        typer.echo(f"- {difference}")
    if differences:
        typer.echo(f"{counted(len(differences), 'difference')} from the model.")
        raise typer.Exit(DIFFERENT)
    typer.echo(f"The table {gateway.table_name} is what the model says.")
