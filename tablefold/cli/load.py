"""`tablefold load`: rows of a file, or the model's sample, into the table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from ..gql.gateway import Gateway
from ..store.errors import StoreError
from ..store.loading import (
    STRETCH_ROWS,
    Loading,
    Progress,
    Report,
    Row,
    rows_of_file,
    rows_of_objects,
)
from . import refusals, targets
from .speech import Refused, counted, progress_bar, say

REJECTED = 1
INTERRUPTED = 130


def load(
    target: targets.Target,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE.jsonl", help="Rows, one JSON object a line.")
    ] = None,
    *,
    sample: Annotated[bool, typer.Option("--sample", help="Load the model's sample.")] = False,
    restart: Annotated[
        bool, typer.Option("--restart", help="Begin again, also where a load was interrupted.")
    ] = False,
    endpoint_url: targets.EndpointUrl = None,
    region: targets.Region = None,
    table_name: targets.TableName = None,
) -> None:
    """Load rows into the table; items with the same keys are overwritten.

    A row is {"type": "User", "id": "u1", …}, from which keys, copies and index keys are made, or
    {"Item": {"PK": {"S": …}, …}}, which is stored as it is. An interrupted load goes on where it
    stopped. Exits with 1 when rows were rejected, and says which and why.

    \b
    Examples:
      tablefold load shop:gateway users.jsonl --endpoint-url http://localhost:8001
      tablefold load shop:gateway users.jsonl --restart --region eu-central-1
      tablefold load shop:gateway --sample --region eu-central-1
    """
    if (file is None) != sample:
        raise Refused("Name a file of rows, or write --sample for the model's own: one of them.")
    gateway = targets.find(target, endpoint_url=endpoint_url, region=region, table_name=table_name)
    if file is None:
        objects = sample_of(gateway, target)
        targets.reach(gateway, target)
        with refusals.explained(gateway, target):
            report = load_objects(gateway, objects)
    else:
        if not file.is_file():
            raise Refused(f"There is no file {file}.")
        targets.reach(gateway, target)
        report = _load_file(gateway, target, file, restart=restart)
    _tell(report, gateway.table_name, "line" if file else "object")
    if report.rejected:
        raise typer.Exit(REJECTED)


def sample_of(gateway: Gateway, named: str) -> list[object]:
    if gateway.sample is None:
        raise Refused(f"{named} has no sample; give it one with Gateway(…, sample=…).")
    return list(gateway.sample())


def load_objects(gateway: Gateway, objects: list[object]) -> Report:
    with progress_bar(f"Loading {gateway.table_name}", len(objects)) as done:
        rows = rows_of_objects(objects, gateway.layout)
        return asyncio.run(_load(gateway, rows, None, lambda report: done(report.offset)))


def _load_file(gateway: Gateway, target: str, file: Path, *, restart: bool) -> Report:
    progress = Progress(file, f"{gateway.table_name} at {refusals.address(gateway)}")
    before = None if restart else progress.read()
    if before is not None:
        say(f"Going on after line {before.number:,}; --restart begins again.")
    latest = [before or Report()]
    try:
        with progress_bar(f"Loading {file.name}", file.stat().st_size) as done:

            def acknowledged(report: Report) -> None:
                latest[0] = report
                done(report.offset)
                progress.write(report)

            rows = rows_of_file(file, gateway.layout, after=before)
            report = asyncio.run(_load(gateway, rows, before, acknowledged))
    except KeyboardInterrupt:
        say(_stopped(latest[0]))
        raise typer.Exit(INTERRUPTED) from None
    except StoreError as error:
        told = refusals.sentence(error, gateway, target)
        raise Refused(f"{told}\n{_stopped(latest[0])}") from error
    except OSError as error:
        raise Refused(f"{error.filename or file}: {error.strerror or error}.") from error
    progress.remove()
    return report


async def _load(
    gateway: Gateway,
    rows: Iterator[Row],
    before: Report | None,
    acknowledged: Callable[[Report], None],
) -> Report:
    loading = Loading(gateway.wire, gateway.layout, gateway.table_name)
    try:
        return await loading.load(rows, after=before, acknowledged=acknowledged)
    finally:
        await gateway.close()


def _stopped(report: Report) -> str:
    if not report.number:
        return f"Stopped within the first {STRETCH_ROWS:,} rows; the same command begins again."
    return f"Stopped after line {report.number:,}; the same command goes on from there."


def _tell(report: Report, table: str, unit: str) -> None:
    rows, items = counted(report.rows, "row"), counted(report.items, "item")
    typer.echo(f"Loaded {rows} as {items} into {table}.")
    if report.replaced:
        replaced = counted(report.replaced, "item")
        typer.echo(f"Later rows replaced {replaced} of earlier rows with the same keys.")
    if not report.rejected:
        return
    say(f"Rejected {counted(report.rejected, 'row')}:")
    for one in report.rejections:
        say(f"  {unit} {one.number}: {one.why}")
    if more := report.rejected - len(report.rejections):
        say(f"  and {more:,} more")
