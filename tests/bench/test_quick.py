"""The benchmarks run, and fill every section; how fast they found things is nobody's test."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench import slices
from bench.__main__ import SECTIONS
from bench.report import DOCUMENT
from bench.slices import Slice
from tablefold.store.engines import Engine

ROOT = Path(__file__).parents[2]
LOAD = ("load-machine", "load", "throttled", "walk")


def run(pytestconfig: pytest.Config, *command: str) -> str:
    engines = pytestconfig.rootpath / os.environ.get("TABLEFOLD_ENGINES", ".engines")
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={**os.environ, "TABLEFOLD_ENGINES": str(engines)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def sections(document: Path) -> dict[str, str]:
    marked = re.findall(r"<!-- ([\w-]+) -->\n(.*?)<!-- /\1 -->", document.read_text(), re.DOTALL)
    return dict(marked)


def rows(section: str) -> list[list[str]]:
    """The cells of a section's tables, without heads and rules."""
    found: list[list[str]] = []
    for table in re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE):
        lines = [re.split(r" *\| *", line.strip("| ")) for line in table.splitlines()]
        found += lines[2:]
    return found


def number(cell: str) -> float:
    """The median of a figure, or the number alone."""
    return float(cell.split()[0].replace(",", ""))


def test_the_document_has_every_section_once():
    assert list(sections(DOCUMENT)) == [*SECTIONS, *LOAD]


@pytest.mark.engines("dynoxide")
def test_a_quick_run_fills_every_section_with_positive_numbers(
    engine: Engine, pytestconfig: pytest.Config, tmp_path: Path
):
    document = Path(shutil.copy(DOCUMENT, tmp_path))
    run(pytestconfig, "bench", "--quick", "--no-aiobotocore", "--output", str(document))
    filled = sections(document)
    assert "dynoxide" in filled["machine"]
    assert "cores" in filled["machine"]

    wire = rows(filled["wire"])
    assert len(wire) == 3 * 6  # three requests, two clients on two loops and one at a time
    assert all(number(cell) > 0 for row in wire for cell in row[1:])

    operation = rows(filled["operation"])
    assert [(row[0], row[1]) for row in operation[:2]] == [
        ("Tablefold, asyncio", "2"),
        ("resolvers, DataLoaders and boto3, asyncio", "3"),
    ]
    assert all(number(cell) > 0 for row in operation for cell in row[1:])

    writing = rows(filled["writing"])
    assert [row[1] for row in writing] == ["1"] * 4
    assert all(number(cell) > 0 for row in writing for cell in row[1:])

    planning = {row[0]: number(row[1]) for row in rows(filled["planning"])}
    assert len(planning) == 7
    assert planning["planning, warm: asks, folds, requests"] > 0
    assert all(number(row[1]) > 0 for row in rows(filled["cursors"]))

    growth = rows(filled["growth"])
    assert len(growth) == 8 + 7 + 6 + 6
    assert all(number(cell) > 0 for row in growth for cell in row)
    assert [row[1] for row in growth if row[0] == "200"] == ["200", "1"]
    assert growth[-1][1] == "6 (1 + 1 + 1 + 1 + 1 + 1)"


@pytest.mark.engines("dynoxide")
def test_a_short_load_ends_without_an_error(
    engine: Engine, pytestconfig: pytest.Config, tmp_path: Path
):
    document = Path(shutil.copy(DOCUMENT, tmp_path))
    options = ("--clients", "4", "--seconds", "2", "--every", "1", "--walk", "2000")
    run(pytestconfig, "bench.load", *options, "--throttle", "0.2", "--output", str(document))
    filled = sections(document)
    for name in ("load", "throttled"):
        assert "no error in" in filled[name]
        assert len(rows(filled[name])) == 2
    assert rows(filled["walk"])[-1][0] == "2,000"


def slice_of(*, latency: float = 0.01, errors: int = 0, megabytes: float = 80) -> Slice:
    return Slice(30, [latency] * 100, ["S1: no"] * errors, 1.0, megabytes)


def test_a_calm_run_is_called_calm():
    assert slices.verdicts([slice_of(megabytes=60), slice_of(), slice_of()]) == [
        "no error in 300 operations",
        "memory flat: +0.0% from the second slice to the last, +0.00 MB per minute",
        "latency flat: median 10 ms in the first half, 10 ms later",
    ]


def test_an_error_growing_memory_and_growing_latency_are_called_by_their_names():
    verdicts = slices.verdicts(
        [slice_of(), slice_of(errors=2), slice_of(megabytes=90, latency=0.02)]
    )
    assert [line.split(":")[0] for line in verdicts] == [
        "2 ERRORS in 300 operations, such as",
        "memory GROWING",
        "latency GROWING",
    ]
