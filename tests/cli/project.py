"""A project of somebody else's, in a folder of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

TIMEOUT_SECONDS = 30.0

MODEL = """
from pathlib import Path

import strawberry

from tablefold import Connection, Gateway, Table, many

table = Table("notes")


@table.entity("AUTHOR#{id}", "PROFILE", gsi1=("AUTHORS", "{name}#{id}"))
class Author:
    id: strawberry.ID
    name: str
    notes: Connection["Note"] = many()


@table.entity("AUTHOR#{author_id}", "NOTE#{n:04d}")
class Note:
    author_id: strawberry.Private[str]
    n: int
    text: str


def sample():
    yield Author(id="a1", name="Ada")
    for n in range(30):
        yield Note(author_id="a1", n=n, text=f"note {n}")


gateway = Gateway(table, sample=sample, operations=Path(__file__).parent / "operations")
other = Gateway(table)
"""

QUERY = '{ author(id: "a1") { name notes(first: 2) { nodes { text } pageInfo { endCursor } } } }'


def write(folder: Path) -> Path:
    """As the module `notebook`, and as an example of that name."""
    (folder / "notebook.py").write_text(MODEL)
    example = folder / "examples" / "notebook"
    (example / "operations").mkdir(parents=True)
    (folder / "examples" / "__init__.py").touch()
    (example / "__init__.py").write_text("from .model import gateway\n")
    (example / "model.py").write_text(MODEL)
    (example / "operations" / "N1_author.graphql").write_text(QUERY)
    return folder


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running(
    folder: Path, *arguments: str, port: int, **environment: str
) -> Generator[subprocess.Popen[str], None, None]:
    """The command once it answers; ended by Ctrl-C if the test did not end it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tablefold", *arguments, "--port", str(port)],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        _wait_until_it_answers(process, port)
        yield process
    finally:
        if process.poll() is None:
            stop(process)


def stop(process: subprocess.Popen[str], how: signal.Signals = signal.SIGINT) -> str:
    """All that it said."""
    process.send_signal(how)
    try:
        said, complained = process.communicate(timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return (said or "") + (complained or "")


def ask(port: int, query: str, variables: Mapping[str, Any] | None = None) -> dict[str, Any]:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/graphql",
        orjson.dumps({"query": query, "variables": variables or {}}),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
        return orjson.loads(answer.read())


def _wait_until_it_answers(process: subprocess.Popen[str], port: int) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(process.communicate()[0])
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    process.kill()
    raise AssertionError(f"no answer: {process.communicate()[0]}")
