"""`serve` and `demo` as processes: started, asked over HTTP, stopped."""

import asyncio
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tablefold.cli.demo import embedded, first_query
from tablefold.store.engines import Engine
from tablefold.store.tables import definition
from tests.harness import tables
from tests.harness.messages import Message
from tests.harness.proxy import Proxy, Upstream
from tests.harness.proxy import running as proxied

from .conftest import Tablefold
from .project import QUERY, ask, free_port, listening, running, stop

TARGET = "notebook:gateway"
MORE = """
query ($after: String) { author(id: "a1") { notes(first: 2, after: $after) { nodes { text } } } }
"""
ENGINES = str(Path(__file__).parents[2] / ".engines")


@pytest.fixture
def where(engine: Engine, folder: Path, tablefold: Tablefold) -> Iterator[tuple[str, ...]]:
    """The options that name a table filled with the sample."""
    from tablefold.cli.targets import find

    with tables.created(engine.endpoint_url, definition(find(TARGET).layout, "notes")) as name:
        options = ("--endpoint-url", engine.endpoint_url, "--table-name", name)
        assert tablefold("load", TARGET, "--sample", *options).exit_code == 0
        yield options


def check_pages(port: int) -> None:
    """A cursor of one answer is understood in the next, whichever process gives it."""
    for _ in range(6):
        author = ask(port, QUERY)["data"]["author"]
        assert author["name"] == "Ada"
        after = author["notes"]["pageInfo"]["endCursor"]
        nodes = ask(port, MORE, {"after": after})["data"]["author"]["notes"]["nodes"]
        assert nodes == [{"text": "note 2"}, {"text": "note 3"}]


@pytest.mark.engines("dynoxide", "dynamodb-local")
def test_a_table_is_served(folder: Path, where: tuple[str, ...]):
    port = free_port()
    with running(folder, "serve", TARGET, *where, port=port) as process:
        check_pages(port)
        said = stop(process)
    assert process.returncode == 0
    assert f"Serving the table {where[3]} at {where[1]}" in said
    assert f"http://127.0.0.1:{port}/graphql" in said
    assert (
        "TABLEFOLD_CURSOR_SECRET is not set: cursors are sealed with a secret of this run, and "
        "end with it. Set it in production.\n"
    ) in said
    assert said.count("TABLEFOLD_CURSOR_SECRET is not set") == 1
    assert "Traceback" not in said
    assert not listening(port)


class Slow(Proxy):
    """Answers Queries when the test says so."""

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.asked, self.go_on = threading.Event(), threading.Event()

    async def answer(self, request: Message, engine: Upstream) -> Message:
        if request.headers["x-amz-target"].endswith(".Query"):
            self.asked.set()
            await asyncio.to_thread(self.go_on.wait, 10)
        return await engine.exchange(request)


@pytest.mark.engines("dynoxide")
def test_a_server_that_is_told_to_stop_finishes_what_it_has_begun(
    folder: Path, where: tuple[str, ...]
):
    port = free_port()
    with (
        proxied(Slow(where[1])) as slow,
        running(
            folder, "serve", TARGET, "--endpoint-url", slow.endpoint_url, *where[2:], port=port
        ) as process,
        ThreadPoolExecutor(1) as pool,
    ):
        answer = pool.submit(ask, port, QUERY)
        assert slow.asked.wait(10)
        process.send_signal(signal.SIGTERM)
        while listening(port):  # no more are taken
            time.sleep(0.01)
        slow.go_on.set()
        assert answer.result(10)["data"]["author"]["name"] == "Ada"
        assert "Traceback" not in process.communicate(timeout=10)[0]
        assert process.returncode in (0, -signal.SIGTERM)


@pytest.mark.engines("dynoxide")
@pytest.mark.parametrize("more", [(), ("--workers", "2")])
def test_a_server_waits_as_long_as_an_operation_may_take(
    tablefold: Tablefold,
    where: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    more: tuple[str, ...],
):
    started: list[dict[str, Any]] = []
    monkeypatch.setattr("os.environ", dict(os.environ))  # workers are told through it

    def run(app: object, **options: Any) -> None:
        started.append(options)

    monkeypatch.setattr("uvicorn.run", run)

    said = tablefold("serve", TARGET, *where, *more, "--port", str(free_port()))

    assert said.exit_code == 0, said.stderr
    assert [one["timeout_graceful_shutdown"] for one in started] == [11]


@pytest.mark.engines("dynoxide")
def test_workers_share_settings_and_secret(folder: Path, where: tuple[str, ...]):
    port = free_port()
    with running(folder, "serve", TARGET, *where, "--workers", "2", port=port) as process:
        check_pages(port)
        said = stop(process)
    assert "the workers share a secret of this run, and cursors end with it." in said
    assert "Traceback" not in said
    assert not listening(port)


@pytest.mark.engines("dynoxide")
def test_a_secret_that_is_set_is_used_and_nothing_is_said_of_it(
    folder: Path, where: tuple[str, ...]
):
    port = free_port()
    secret = {"TABLEFOLD_CURSOR_SECRET": "1:" + "s" * 32}
    with running(folder, "serve", TARGET, *where, port=port, **secret) as process:
        check_pages(port)
        assert "CURSOR_SECRET" not in stop(process)


@pytest.mark.engines("dynoxide")
def test_the_endpoint_of_the_environment_is_served_as_boto3_would(
    folder: Path, where: tuple[str, ...]
):
    port = free_port()
    variables = {"AWS_ENDPOINT_URL_DYNAMODB": where[1]}
    with running(folder, "serve", TARGET, *where[2:], port=port, **variables) as process:
        check_pages(port)
        assert f"Serving the table {where[3]} at {where[1]}" in stop(process)


@pytest.mark.engines("dynoxide")
def test_a_missing_table_is_not_served(tablefold: Tablefold, engine: Engine):
    said = tablefold(
        *("serve", TARGET, "--endpoint-url", engine.endpoint_url, "--port", str(free_port()))
    )
    assert said.exit_code == 2
    assert said.stderr.startswith("Error: There is no table notes at ")


def test_a_secret_that_cannot_be_used_is_said(
    tablefold: Tablefold, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TABLEFOLD_CURSOR_SECRET", "short")
    for command in (("explain", TARGET, "-"), ("serve", TARGET)):
        said = tablefold(*command, input=QUERY)
        assert said.exit_code == 2
        assert said.stderr.startswith("Error: TABLEFOLD_CURSOR_SECRET cannot be used. Write cursor")


@pytest.mark.parametrize("command", [("serve", TARGET), ("demo", "shop")])
def test_a_taken_port_is_said(tablefold: Tablefold, command: tuple[str, ...]):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = tablefold(*command, "--port", str(port))
    assert said.exit_code == 2
    assert said.stderr.startswith(f"Error: Cannot listen on 127.0.0.1:{port}: Address already in")


def test_reload_and_workers_do_not_go_together(tablefold: Tablefold):
    said = tablefold("serve", TARGET, "--reload", "--workers", "2")
    assert (said.exit_code, "leave out --workers" in said.stderr) == (2, True)


# The demo.


@pytest.mark.engines("dynoxide")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_demo_serves_an_example_and_takes_its_engine_along(
    folder: Path, engine: Engine, how: signal.Signals
):
    port = free_port()
    with running(folder, "demo", "notebook", port=port, TABLEFOLD_ENGINES=ENGINES) as process:
        check_pages(port)
        said = stop(process, how)
    started = re.search(r"Started (\S+) at http://127\.0\.0\.1:(\d+)", said)
    assert started is not None
    assert "Loaded 31 objects as 31 items" in said
    assert f"GraphQL:  http://127.0.0.1:{port}/graphql" in said
    assert QUERY in said
    assert f"curl -s http://127.0.0.1:{port}/graphql -H 'content-type: application/json'" in said
    assert "-H 'x-tablefold-explain: 1' -d" in said
    assert "Traceback" not in said
    assert not listening(port)
    assert not listening(int(started[2]))


@pytest.mark.engines("moto")
def test_without_npm_the_demo_falls_back_to_moto(
    engine: Engine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with embedded(tmp_path / "engines") as started:
        assert started.name == "moto"
    assert capsys.readouterr().err == (
        "dynoxide cannot run here (npm is not installed): using moto, which is slower.\n"
    )


def test_an_unknown_example_lists_the_others(tablefold: Tablefold):
    said = tablefold("demo", "zoo")
    assert said.exit_code == 2
    assert said.stderr == ("Error: There is no example 'zoo'; there are fund, notebook, shop.\n")


def test_the_first_query_needs_no_variables_and_two_comes_before_ten(tmp_path: Path):
    for name in ("S10_ten", "S2_two", "S1_one"):
        (tmp_path / f"{name}.graphql").write_text(f"# {name}\n{{ a }}\n")
    (tmp_path / "S1_one.variables.json").write_text("{}")
    assert first_query(tmp_path) == "# S2_two\n{ a }"
    assert "__schema" in first_query(None)
