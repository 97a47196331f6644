import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import strawberry

from tablefold import CreatedAt, Gateway, Table, attribute
from tablefold.store.deadline import Deadline
from tablefold.store.engines import Engine
from tablefold.store.errors import (
    RequestRefused,
    StoreError,
    TableMissing,
    Throttled,
    Unavailable,
    Unprocessed,
)
from tablefold.store.loading import Loading, Progress, Report, rows_of_file, rows_of_objects
from tablefold.store.retries import RetryPolicy
from tablefold.store.tables import definition
from tablefold.store.wire import Reply, Request, Wire
from tablefold.store.writes import BatchWrite
from tests.harness.tables import client

table = Table("notes")


@table.entity("NOTE#{id}", "TEXT", copies=[("BY#{author}", "NOTE#{id}")])
class Note:
    id: strawberry.ID
    author: str
    text: str


LAYOUT = Gateway(table).layout
QUICK = RetryPolicy(base=0.001, cap=0.002, attempts=4)
REPLY = Reply({}, 0.0, 0, 0.0)


@dataclass
class Carrier:
    """Keeps what it is sent; `answer` may raise in its place."""

    answer: Callable[[BatchWrite], None] = lambda _: None
    sent: list[BatchWrite] = field(default_factory=list[BatchWrite])
    at_once: int = 0
    most_at_once: int = 0

    async def send(self, request: Request, *, deadline: Deadline) -> Reply:
        assert isinstance(request, BatchWrite)
        self.sent.append(request)
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        self.answer(request)
        return REPLY

    @property
    def keys(self) -> list[str]:
        return [item["PK"]["S"] for request in self.sent for item in request.puts]

    @property
    def sizes(self) -> list[int]:
        return [len(request.puts) for request in self.sent]


def note(number: int, **changes: Any) -> Note:
    values: dict[str, Any] = {"id": f"n{number}", "author": "ada", "text": "hi", **changes}
    return Note(**values)


def write(path: Path, count: int, *, bad: int | None = None) -> Path:
    lines = [
        json.dumps({"type": "Note", "id": f"n{n}", "author": "ada", "text": 5 if n == bad else "x"})
        for n in range(1, count + 1)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def loading(carrier: Carrier, **options: Any) -> Loading:
    return Loading(carrier, LAYOUT, "notes", policy=QUICK, **options)


async def load_notes(carrier: Carrier, *notes: object, **options: Any) -> Report:
    return await loading(carrier, **options).load(rows_of_objects(notes, LAYOUT))


# Batches.


async def test_items_go_out_by_twenty_five_and_never_more_than_so_many_at_once():
    carrier = Carrier()
    report = await load_notes(carrier, *map(note, range(60)), concurrency=2)
    assert sorted(carrier.sizes) == [20, 25, 25, 25, 25]
    assert carrier.most_at_once == 2
    assert (report.rows, report.items, report.rejected) == (60, 120, 0)


async def test_of_one_key_in_a_stretch_the_last_row_wins():
    carrier = Carrier()
    report = await load_notes(carrier, note(1, text="old"), note(2), note(1, text="new"))
    [request] = carrier.sent
    texts = {item["PK"]["S"]: item["text"]["S"] for item in request.puts}
    assert len(request.puts) == 4
    assert texts["NOTE#n1"] == "new"
    assert (report.rows, report.items, report.replaced) == (3, 4, 2)


async def test_only_what_was_left_unprocessed_is_sent_again():
    def half(request: BatchWrite) -> None:
        if len(carrier.sent) == 1:
            rest = BatchWrite("notes", LAYOUT.home.names, request.puts[3:])
            reply = Reply({}, 0.0, 0, 0.0, rest)
            raise Unprocessed("busy", operation="BatchWriteItem", reply=reply)

    carrier = Carrier(half)
    await load_notes(carrier, note(1), note(2), note(3))
    assert carrier.sizes == [6, 3]


@pytest.mark.parametrize("error", [Throttled("busy"), Unavailable("gone", may_have_applied=True)])
async def test_what_passes_by_itself_is_tried_again(error: StoreError):
    def once(_: BatchWrite) -> None:
        if len(carrier.sent) < 3:
            raise error

    carrier = Carrier(once)
    assert (await load_notes(carrier, note(1))).rows == 1
    assert carrier.sizes == [2, 2, 2]


async def test_patience_has_an_end():
    def never(_: BatchWrite) -> None:
        raise Throttled("busy")

    carrier = Carrier(never)
    with pytest.raises(Throttled):
        await load_notes(carrier, note(1))
    assert len(carrier.sent) == QUICK.attempts


async def test_a_missing_table_ends_the_load_at_once():
    def missing(_: BatchWrite) -> None:
        raise TableMissing("no such table")

    carrier = Carrier(missing)
    with pytest.raises(TableMissing):
        await load_notes(carrier, *map(note, range(100)), concurrency=1)
    assert len(carrier.sent) <= 2  # of eight; the next may be on its way


# Rejections.


async def test_a_row_that_the_model_refuses_is_reported_and_the_rest_is_loaded(tmp_path: Path):
    carrier = Carrier()
    rows = rows_of_file(write(tmp_path / "n.jsonl", 3, bad=2), LAYOUT)
    report = await loading(carrier).load(rows)
    assert (report.rows, report.rejected) == (2, 1)
    [rejection] = report.rejections
    assert (rejection.number, rejection.why) == (2, "Note.text must be a text, not 5.")


async def test_an_item_that_the_table_refuses_is_found_among_its_batch():
    def refuses(request: BatchWrite) -> None:
        if any(item["PK"]["S"] == "NOTE#n7" for item in request.puts):
            raise RequestRefused("Item size has exceeded the maximum")

    carrier = Carrier(refuses)
    report = await load_notes(carrier, *map(note, range(1, 11)))
    assert (report.rows, report.items, report.rejected) == (9, 19, 1)
    assert report.rejections[0].number == 7
    assert "Item size" in report.rejections[0].why


async def test_of_many_rejections_the_first_hundred_are_kept_and_all_are_counted():
    report = await load_notes(Carrier(), *["x"] * 250)
    assert (report.rows, report.rejected, len(report.rejections)) == (0, 250, 100)
    assert report.rejections[-1].number == 100


# Going on.


async def test_every_stretch_is_acknowledged_in_order_once_the_table_has_it():
    carrier = Carrier()
    heard: list[tuple[int, int]] = []
    await loading(carrier, stretch=2).load(
        rows_of_objects(map(note, range(5)), LAYOUT),
        acknowledged=lambda report: heard.append((report.number, len(carrier.sent))),
    )
    assert heard == [(2, 1), (4, 2), (5, 3)]


async def test_an_interrupted_load_goes_on_where_it_stopped(tmp_path: Path):
    file = write(tmp_path / "n.jsonl", 10, bad=2)
    progress = Progress(file, "notes")

    def stops(request: BatchWrite) -> None:
        if any(item["PK"]["S"] == "NOTE#n6" for item in request.puts):
            raise TableMissing("gone")

    with pytest.raises(TableMissing):
        await loading(Carrier(stops), stretch=2).load(
            rows_of_file(file, LAYOUT), acknowledged=progress.write
        )
    before = progress.read()
    assert before is not None
    assert (before.number, before.rows, before.rejected) == (4, 3, 1)

    carrier = Carrier()
    rows = rows_of_file(file, LAYOUT, after=before)
    report = await loading(carrier, stretch=2).load(rows, after=before)
    notes = [key for key in carrier.keys if key.startswith("NOTE")]
    assert notes == [f"NOTE#n{n}" for n in range(5, 11)]
    assert (report.number, report.rows, report.rejected) == (10, 9, 1)
    assert report.rejections[0].number == 2


def test_blank_lines_are_no_rows_but_count(tmp_path: Path):
    file = tmp_path / "n.jsonl"
    file.write_text('\n{"type": "Note"}\n\n  \n{"type"')
    assert [row.number for row in rows_of_file(file, LAYOUT)] == [2, 5]


def test_progress_is_of_one_file_and_one_target(tmp_path: Path):
    file = write(tmp_path / "n.jsonl", 3)
    Progress(file, "notes").write(Report(number=2, offset=99))
    assert Progress(file, "notes").path.name == "n.jsonl.tablefold-progress"
    assert Progress(file, "notes").read() == Report(number=2, offset=99)
    assert Progress(file, "others").read() is None
    os.utime(file, ns=(1, 1))
    assert Progress(file, "notes").read() is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"of": 1}', '{"done": {}}'])
def test_a_damaged_progress_file_counts_for_nothing(tmp_path: Path, text: str):
    progress = Progress(write(tmp_path / "n.jsonl", 1), "notes")
    progress.path.write_text(text)
    assert progress.read() is None


def test_progress_is_replaced_whole_and_removed_at_the_end(tmp_path: Path):
    progress = Progress(write(tmp_path / "n.jsonl", 1), "notes")
    progress.write(Report(number=1))
    progress.write(Report(number=2))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "n.jsonl",
        "n.jsonl.tablefold-progress",
    ]
    progress.remove()
    progress.remove()
    assert progress.read() is None


# On engines.


async def test_a_load_arrives_in_the_table(
    engine: Engine, make_table: Callable[[Any], str], tmp_path: Path
):
    name = make_table(definition(LAYOUT, "notes"))
    wire = Wire(endpoint_url=engine.endpoint_url)
    try:
        rows = rows_of_file(write(tmp_path / "n.jsonl", 130, bad=100), LAYOUT)
        report = await Loading(wire, LAYOUT, name).load(rows)
    finally:
        await wire.close()
    assert (report.rows, report.items, report.rejected) == (129, 258, 1)
    scanned = client(engine.endpoint_url).scan(TableName=name, Select="COUNT")
    assert scanned["Count"] == 258


members = Table("members")


@members.entity("MEMBER#{id}", "INFO", unique=["mail"])
class Member:
    id: strawberry.ID
    mail: str
    age: int = attribute(default=0, minimum=0)
    created_at: CreatedAt


MEMBERS = Gateway(members).layout


async def test_what_is_unique_is_loaded_once(
    engine: Engine, make_table: Callable[[Any], str], tmp_path: Path
):
    name = make_table(definition(MEMBERS, "members"))
    file = tmp_path / "m.jsonl"
    pairs = [("a", "x"), ("b", "x"), ("c", "old"), ("c", "new"), ("d", "old")]
    lines: list[dict[str, Any]] = [{"type": "Member", "id": id, "mail": mail} for id, mail in pairs]
    lines.append({"type": "Member", "id": "e", "mail": "e", "age": -1})
    file.write_text("\n".join(map(json.dumps, lines)))
    wire = Wire(endpoint_url=engine.endpoint_url)
    try:
        for _ in range(2):  # the second time nothing is new, and nothing is in the way
            report = await Loading(wire, MEMBERS, name).load(rows_of_file(file, MEMBERS))
            told = {one.number: one.why for one in report.rejections}
            assert told[2] == "Another object has the same values, and they have to be unique."
            assert told[6] == "Member.age must be at least 0, not -1."
            assert len(told) == 2
    finally:
        await wire.close()
    items = client(engine.endpoint_url).scan(TableName=name)["Items"]
    held = {item["PK"].get("S", "") for item in items}
    assert held == {
        *("MEMBER#a", "UNIQUE#Member#mail#x"),
        *("MEMBER#c", "UNIQUE#Member#mail#new"),
        *("MEMBER#d", "UNIQUE#Member#mail#old"),
    }
