"""`tablefold engine` as a process: started, used by the other commands, stopped."""

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tablefold.store.engines import Engine

from .conftest import Tablefold
from .project import TIMEOUT_SECONDS, free_port, listening, stop
from .test_serving import ENGINES

TARGET = "notebook:gateway"


def start(folder: Path, port: int, *arguments: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tablefold", "engine", *arguments, "--port", str(port)],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not listening(port) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return process


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the repository's engines in .engines, and an empty cache."""
    monkeypatch.delenv("TABLEFOLD_ENGINES", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    (folder / ".engines").symlink_to(ENGINES)
    return folder


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_engine_says_what_to_type_next_and_stops(
    here: Path, tablefold: Tablefold, engine: Engine, how: signal.Signals
):
    port = free_port()
    where = ("--endpoint-url", f"http://localhost:{port}")
    process = start(here, port, engine.name)
    made = tablefold("table", "create", TARGET, *where)
    assert made.exit_code == 0, made.stderr
    loaded = tablefold("load", TARGET, "--sample", *where)
    assert loaded.stdout == "Loaded 31 rows as 31 items into notes.\n"
    said = stop(process, how)
    assert process.returncode == (0 if how is signal.SIGINT else 128 + how)
    assert not listening(port)
    assert said == (
        f"{engine.name} is running at http://localhost:{port}; nothing is kept when it ends.\n"
        "\n"
        "In another terminal, with the gateway of your shop.py\n"
        "(or tablefold.examples.shop:gateway, to try one):\n"
        "\n"
        f"  tablefold table create shop:gateway --endpoint-url http://localhost:{port}\n"
        f"  tablefold load shop:gateway items.jsonl --endpoint-url http://localhost:{port}\n"
        f"  tablefold serve shop:gateway --endpoint-url http://localhost:{port}\n"
        "\n"
        "Ctrl-C stops it.\n"
    ) + ("Stopped.\n" if how is signal.SIGINT else "")


@pytest.mark.engines("dynoxide")
def test_a_data_file_outlives_the_engine(here: Path, tablefold: Tablefold, engine: Engine):
    for made in ("Created the table notes", "The table notes already exists"):
        port = free_port()
        process = start(here, port, "--data", "notes.db")
        said = tablefold("table", "create", TARGET, "--endpoint-url", f"http://localhost:{port}")
        assert said.stdout.startswith(made), said.stderr
        assert "; its data is kept in notes.db.\n" in stop(process)
    assert (here / "notes.db").is_file()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("scylla",), "There is no engine 'scylla'; there are dynoxide, dynamodb-local, moto."),
        (
            ("moto", "--data", "x.db"),
            "moto keeps nothing in a file: leave out --data, or take dynoxide.",
        ),
    ],
)
def test_what_cannot_be_run_is_said(tablefold: Tablefold, arguments: tuple[str, ...], told: str):
    said = tablefold("engine", *arguments)
    assert (said.exit_code, said.stderr) == (2, f"Error: {told}\n")


def test_a_taken_port_is_said(tablefold: Tablefold):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = tablefold("engine", "--port", str(port))
    assert said.exit_code == 2
    assert said.stderr == (
        f"Error: Cannot listen on 127.0.0.1:{port}: Address already in use. Choose another with "
        "--port.\n"
    )


def test_an_engine_that_cannot_be_had_names_the_others(
    tablefold: Tablefold, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("TABLEFOLD_ENGINES", str(folder / "none"))
    said = tablefold("engine", "--port", str(free_port()))
    assert (said.exit_code, said.stderr) == (
        2,
        "Error: dynoxide cannot run here: npm is not installed. Try `tablefold engine "
        "dynamodb-local` or `tablefold engine moto`.\n",
    )
