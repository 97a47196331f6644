"""The server under load, and the proxy before its engine: processes that end with the run."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from tablefold.store.deadline import Deadline
from tablefold.store.exchange import Endpoint, Exchange

from .environments import ROOT

START_SECONDS = 30
STOP_SECONDS = 10
REQUEST_SECONDS = 30.0
# uvicorn hangs up after five seconds of silence; we are to hang up first.
IDLE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU seconds since the start, and resident bytes."""

    cpu: float
    bytes: int

    @property
    def megabytes(self) -> float:
        return self.bytes / 1_000_000


class Server:
    """Speaks with a worker process over kept-alive connections, one for each client."""

    def __init__(self, port: int, *, clients: int) -> None:
        self._port = port
        self._clients = clients
        self._ways: dict[str, Exchange] = {}

    async def ask(self, example: str, body: bytes) -> tuple[int, Any]:
        """Status and decoded answer."""
        way = self._way(f"/{example}/graphql")
        headers = {"host": f"127.0.0.1:{self._port}", "content-type": "application/json"}
        response = await way.post(headers, body, deadline=Deadline.after(REQUEST_SECONDS))
        return response.status, orjson.loads(response.body)

    async def usage(self) -> Usage:
        def read() -> bytes:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/figures") as answer:
                return answer.read()

        return Usage(**orjson.loads(await asyncio.to_thread(read)))

    async def close(self) -> None:
        for way in self._ways.values():
            await way.close()

    def _way(self, path: str) -> Exchange:
        if (way := self._ways.get(path)) is None:
            endpoint = Endpoint("127.0.0.1", self._port, secure=False, path=path)
            way = self._ways[path] = Exchange(
                endpoint,
                pool_size=self._clients,
                response_seconds=REQUEST_SECONDS,
                idle_seconds=IDLE_SECONDS,
            )
        return way


@contextlib.contextmanager
def server(endpoint_url: str) -> Generator[int, None, None]:
    """The port of a worker process over the engine."""
    with _listening("bench.serving", ["--endpoint", endpoint_url]) as port:
        yield port


@contextlib.contextmanager
def throttled(endpoint_url: str, share: float) -> Generator[str, None, None]:
    """The address of a proxy that throttles `share` of the requests; the engine's own for 0."""
    if not share:
        yield endpoint_url
        return
    options = ["--endpoint", endpoint_url, "--share", str(share)]
    with _listening("bench.throttling", options) as port:
        yield f"http://127.0.0.1:{port}"


@contextlib.contextmanager
def _listening(module: str, options: Sequence[str]) -> Generator[int, None, None]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    command = [sys.executable, "-m", module, *options, "--port", str(port)]
    with subprocess.Popen(command, cwd=ROOT) as process:
        try:
            _wait(process, port)
            yield port
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError("a process ended while starting; what it said stands above")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"a process did not listen within {START_SECONDS} s")
