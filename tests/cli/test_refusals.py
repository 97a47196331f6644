"""Every command that needs the table says in the same words why it cannot have it."""

import http.server
import threading
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from tablefold.store.engines import Engine
from tests.harness import tables

from .conftest import Tablefold
from .project import free_port

TARGET = "notebook:gateway"
READING = [("table", "verify", TARGET), ("load", TARGET, "--sample"), ("serve", TARGET)]
COMMANDS = [("table", "create", TARGET), *READING]


def refusal(tablefold: Tablefold, command: tuple[str, ...], *options: str) -> str:
    more = ("--port", str(free_port())) if command[0] == "serve" else ()
    said = tablefold(*command, *more, *options)
    assert said.exit_code == 2
    assert said.stdout == ""
    assert "Traceback" not in said.stderr
    assert said.stderr.startswith("Error: ")
    return said.stderr.removeprefix("Error: ").rstrip("\n")


@contextmanager
def answering(status: int, body: bytes, kind: str) -> Generator[str, None, None]:
    """The address of a server that gives everyone this answer."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (404, b"Not Found", "text/plain"),
        (404, b'{"detail": "Not Found"}', "application/json"),
        (405, b"<h1>No</h1>", "text/html"),
        (400, b"", "text/plain"),
        (200, b'{"errors": []}', "application/json"),
    ],
)
def test_an_endpoint_that_is_not_dynamodb_is_said(
    tablefold: Tablefold, command: tuple[str, ...], status: int, body: bytes, kind: str
):
    with answering(status, body, kind) as url:
        assert refusal(tablefold, command, "--endpoint-url", url) == (
            f"What answers at {url} is not DynamoDB: check --endpoint-url, and whether another "
            "server has that port."
        )


@pytest.mark.parametrize("command", COMMANDS)
def test_an_endpoint_that_fails_is_said(tablefold: Tablefold, command: tuple[str, ...]):
    with answering(502, b"bad gateway", "text/plain") as url:
        told = refusal(tablefold, command, "--endpoint-url", url)
    assert told.startswith(f"{url} failed to answer as DynamoDB does (")
    assert told.endswith("HTTP 502). Try again, and check --endpoint-url.")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_web_page_is_said(tablefold: Tablefold, command: tuple[str, ...]):
    with answering(200, b"<h1>Hello</h1>", "text/html") as url:
        told = refusal(tablefold, command, "--endpoint-url", url)
    assert url in told
    assert "check --endpoint-url" in told
    assert "does not fit the model" not in told


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unreachable_endpoint_is_said(tablefold: Tablefold, command: tuple[str, ...]):
    url = f"http://127.0.0.1:{free_port()}"
    assert refusal(tablefold, command, "--endpoint-url", url) == (
        f"No connection to DynamoDB at {url} (connection refused). Is the engine running? "
        "`tablefold engine` starts one at http://localhost:8001. Check --endpoint-url."
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_host_that_is_not_known_is_said(tablefold: Tablefold, command: tuple[str, ...]):
    told = refusal(tablefold, command, "--endpoint-url", "http://nowhere.invalid:8001")
    assert told.startswith("No connection to DynamoDB at http://nowhere.invalid:8001 (")
    assert told.endswith("Check --endpoint-url.")


@pytest.mark.parametrize("command", COMMANDS)
def test_https_to_an_engine_of_plain_http_is_said(tablefold: Tablefold, command: tuple[str, ...]):
    with answering(400, b"", "text/plain") as url:
        secure = url.replace("http:", "https:")
        assert refusal(tablefold, command, "--endpoint-url", secure) == (
            f"No connection to DynamoDB at {secure} (TLS failed). If the engine there speaks "
            f"plain HTTP, try {url} in --endpoint-url."
        )


@pytest.mark.engines("dynoxide")
@pytest.mark.parametrize("command", READING)
def test_a_missing_table_is_said_with_the_command_that_makes_it(
    tablefold: Tablefold, engine: Engine, command: tuple[str, ...]
):
    url = engine.endpoint_url
    where = ("--endpoint-url", url)
    assert refusal(tablefold, command, *where) == (
        f"There is no table notes at {url}. Make it with `tablefold table create {TARGET} "
        f"--endpoint-url {url}`, or name another with --table-name."
    )
    assert refusal(tablefold, command, *where, "--table-name", "none") == (
        f"There is no table none at {url}. Make it with `tablefold table create {TARGET} "
        f"--endpoint-url {url} --table-name none`, or name another with --table-name."
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_credentials_and_region_are_said(
    tablefold: Tablefold, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    for name in tables.CREDENTIALS:
        monkeypatch.delenv(name, raising=False)
    assert refusal(tablefold, command) == (
        "No AWS region is set. Write --region, such as --region eu-central-1, or --endpoint-url "
        "http://localhost:8001 for a local engine."
    )
    told = refusal(tablefold, command, "--region", "eu-central-1")
    assert told.startswith("No AWS credentials were found. Set ")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("url", ["localhost:8001", "http://localhost:port"])
def test_an_address_that_is_none_is_said(tablefold: Tablefold, command: tuple[str, ...], url: str):
    told = refusal(tablefold, command, "--endpoint-url", url)
    assert told.startswith(f"{url!r} is no endpoint")


def test_a_profile_that_is_not_there_is_said(tablefold: Tablefold, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    assert "nobody" in refusal(tablefold, ("table", "verify", TARGET))
