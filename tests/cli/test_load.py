import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tablefold.store.engines import Engine
from tablefold.store.tables import definition
from tests.harness import tables
from tests.harness.messages import Message
from tests.harness.proxy import Proxy, Upstream, running

from .conftest import Tablefold
from .project import TIMEOUT_SECONDS, stop

TARGET = "notebook:gateway"


@pytest.fixture
def where(engine: Engine, folder: Path) -> Iterator[tuple[str, ...]]:
    """The options that name a fresh table."""
    from tablefold.cli.targets import find

    with tables.created(engine.endpoint_url, definition(find(TARGET).layout, "notes")) as name:
        yield "--endpoint-url", engine.endpoint_url, "--table-name", name


def write(folder: Path, rows: int, **bad: Any) -> str:
    lines = [
        json.dumps({"type": "Note", "authorId": "a1", "n": n, "text": f"note {n}"})
        for n in range(rows)
    ]
    for number, row in bad.items():
        lines[int(number[1:]) - 1] = json.dumps(row)
    (folder / "notes.jsonl").write_text("\n".join(lines))
    return "notes.jsonl"


def count(where: tuple[str, ...]) -> int:
    pages = tables.client(where[1]).get_paginator("scan").paginate(TableName=where[3])
    return sum(page["Count"] for page in pages)


def test_the_sample_is_loaded(tablefold: Tablefold, where: tuple[str, ...]):
    said = tablefold("load", TARGET, "--sample", *where)
    assert said.exit_code == 0, said.stderr
    assert said.stdout == f"Loaded 31 rows as 31 items into {where[3]}.\n"
    assert count(where) == 31


@pytest.mark.engines("dynoxide")
def test_rejected_rows_are_reported_with_line_and_reason(
    tablefold: Tablefold, folder: Path, where: tuple[str, ...]
):
    file = write(folder, 5, l2={"type": "Dog"}, l4={"type": "Note", "authorId": "a", "n": "x"})
    said = tablefold("load", TARGET, file, *where)
    assert said.exit_code == 1
    assert said.stdout == f"Loaded 3 rows as 3 items into {where[3]}.\n"
    assert said.stderr == (
        "Rejected 2 rows:\n"
        "  line 2: 'Dog' is no entity of the table notes, which has Author, Note.\n"
        '  line 4: Note.n must be a whole number, not "x".\n'
    )
    assert sorted(path.name for path in folder.glob("*progress*")) == []


@pytest.mark.engines("dynoxide")
def test_rows_that_replace_others_are_told(
    tablefold: Tablefold, folder: Path, where: tuple[str, ...]
):
    again = {"type": "Note", "authorId": "a1", "n": 0, "text": "again"}
    said = tablefold("load", TARGET, write(folder, 3, l3=again), *where)
    assert said.exit_code == 0, said.stderr
    assert said.stdout == (
        f"Loaded 3 rows as 2 items into {where[3]}.\n"
        "Later rows replaced 1 item of earlier rows with the same keys.\n"
    )
    assert count(where) == 2


@pytest.mark.engines("dynoxide")
def test_a_line_that_is_not_json_is_told_by_its_own_number_only(
    tablefold: Tablefold, folder: Path, where: tuple[str, ...]
):
    file = folder / write(folder, 2)
    file.write_text(f"{file.read_text()}\n{{'type': 'Note'}}\n")
    said = tablefold("load", TARGET, file.name, *where)
    assert said.stderr == (
        "Rejected 1 row:\n  line 3: This is not JSON: Expecting property name enclosed in double "
        "quotes, at column 2.\n"
    )


def written(proxy: Proxy) -> set[int]:
    """The numbers of the notes that were sent."""
    batches = [one.body for one in proxy.sent if one.operation == "BatchWriteItem"]
    writes = [write for body in batches for write in next(iter(body["RequestItems"].values()))]
    return {int(write["PutRequest"]["Item"]["n"]["N"]) for write in writes}


class Stopping(Proxy):
    """Refuses every batch after the first few, as when a permission is taken away."""

    batches = 50

    async def answer(self, request: Message, engine: Upstream) -> Message:
        if self.operations.count("BatchWriteItem") <= self.batches:
            return await engine.exchange(request)
        body = orjson.dumps({"__type": "x#AccessDeniedException", "message": "not any more"})
        head = f"HTTP/1.1 400 Bad Request\r\ncontent-length: {len(body)}\r\n\r\n"
        return Message(head.encode(), body)


@pytest.mark.engines("dynoxide")
def test_an_interrupted_load_goes_on_where_it_stopped(
    tablefold: Tablefold, folder: Path, where: tuple[str, ...]
):
    file, stopping = write(folder, 2_500), Stopping(where[1])
    with running(stopping) as proxy:
        there = ("--endpoint-url", proxy.endpoint_url, *where[2:])
        said = tablefold("load", TARGET, file, *there)
        assert said.exit_code == 2
        assert "not any more" in said.stderr
        assert "Stopped after line 1,000; the same command goes on from there." in said.stderr

        proxy.clear()
        stopping.batches = 1_000
        said = tablefold("load", TARGET, file, *there)
        assert said.exit_code == 0, said.stderr
        assert "Going on after line 1,000" in said.stderr
        assert said.stdout == f"Loaded 2,500 rows as 2,500 items into {where[3]}.\n"
        assert written(proxy) == set(range(1_000, 2_500))
    assert count(where) == 2_500
    assert not list(folder.glob("*progress*"))


class Silent(Proxy):
    """Gives no answer to any batch after the first few."""

    async def answer(self, request: Message, engine: Upstream) -> Message:
        if self.operations.count("BatchWriteItem") > 50:
            await asyncio.sleep(3600)
        return await engine.exchange(request)


@pytest.mark.engines("dynoxide")
def test_ctrl_c_keeps_what_was_acknowledged(folder: Path, where: tuple[str, ...]):
    file = write(folder, 2_500)
    progress = folder / f"{file}.tablefold-progress"
    with running(Silent(where[1])) as proxy:
        there = ("--endpoint-url", proxy.endpoint_url, *where[2:])
        process = subprocess.Popen(
            [sys.executable, "-m", "tablefold", "load", TARGET, file, *there],
            cwd=folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not progress.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        said = stop(process)
    assert process.returncode == 130
    assert said == "Stopped after line 1,000; the same command goes on from there.\n"
    assert json.loads(progress.read_text())["done"]["number"] == 1_000


@pytest.mark.engines("dynoxide")
def test_a_load_that_stops_early_begins_again(
    tablefold: Tablefold, folder: Path, where: tuple[str, ...]
):
    stopping = Stopping(where[1])
    stopping.batches = 0
    with running(stopping) as proxy:
        there = ("--endpoint-url", proxy.endpoint_url, *where[2:])
        said = tablefold("load", TARGET, write(folder, 5), *there)
    assert said.exit_code == 2
    assert said.stderr == (
        "Error: BatchWriteItem: AccessDeniedException: not any more\n"
        "Stopped within the first 1,000 rows; the same command begins again.\n"
    )


@pytest.mark.engines("dynoxide")
def test_restart_begins_again(tablefold: Tablefold, folder: Path, where: tuple[str, ...]):
    file = write(folder, 2_500)
    with running(Stopping(where[1])) as proxy:
        there = ("--endpoint-url", proxy.endpoint_url, *where[2:])
        assert tablefold("load", TARGET, file, *there).exit_code == 2
        proxy.clear()
        said = tablefold("load", TARGET, file, "--restart", *there)
        assert "Going on" not in said.stderr
        assert set(range(1_000)) <= written(proxy)


@pytest.mark.engines("dynoxide")
def test_a_missing_table_is_said(tablefold: Tablefold, engine: Engine):
    said = tablefold("load", TARGET, "--sample", "--endpoint-url", engine.endpoint_url)
    assert said.exit_code == 2
    assert said.stderr.startswith(f"Error: There is no table notes at {engine.endpoint_url}.")


@pytest.mark.engines("dynoxide")
def test_a_table_with_other_keys_is_said(
    tablefold: Tablefold, engine: Engine, make_table: Callable[[Any], str]
):
    name = make_table(
        {
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        }
    )
    said = tablefold(
        *("load", TARGET, "--sample", "--endpoint-url", engine.endpoint_url),
        *("--table-name", name),
    )
    assert said.exit_code == 2
    assert said.stderr.startswith(f"Error: The table {name} does not fit the model (")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((TARGET,), "Name a file of rows, or write --sample"),
        ((TARGET, "x.jsonl", "--sample"), "Name a file of rows, or write --sample"),
        ((TARGET, "x.jsonl"), "There is no file x.jsonl."),
        (("notebook:other", "--sample"), "notebook:other has no sample; give it one with"),
    ],
)
def test_what_cannot_be_loaded_is_said(tablefold: Tablefold, arguments: tuple[str, ...], told: str):
    said = tablefold("load", *arguments)
    assert said.exit_code == 2
    assert said.stderr.startswith(f"Error: {told}")
