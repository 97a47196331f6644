"""An HTTP server that answers as its script says, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import socket
import ssl
from binascii import crc32
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import orjson


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived; `connection` counts the connections from 1."""

    connection: int
    headers: dict[str, str]
    body: Any = field(hash=False)

    @property
    def operation(self) -> str:
        return self.headers["x-amz-target"].rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Hang:
    """Never answers."""


@dataclass(frozen=True, slots=True)
class Raw:
    """These bytes, as they are; then the connection closes, or is reset."""

    data: bytes
    close: bool = True
    reset: bool = False


Answer: TypeAlias = Raw | Hang
Script: TypeAlias = Sequence[Answer] | Callable[[Asked], Answer]


def ok(body: object, **headers: str) -> Raw:
    return status(200, body, **headers)


def status(code: int, body: object, **headers: str) -> Raw:
    data = body if isinstance(body, bytes) else orjson.dumps(body)
    lines = {"Content-Length": str(len(data)), "x-amz-crc32": str(crc32(data))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    closing = lines.get("Connection") == "close"
    return Raw(f"HTTP/1.1 {code} X\r\n{head}\r\n".encode() + data, close=closing)


def refusal(code: str, message: str = "no", status_code: int = 400, **more: object) -> Raw:
    name = f"com.amazonaws.dynamodb.v20120810#{code}"
    return status(status_code, {"__type": name, "message": message, **more})


THROTTLE = refusal("ProvisionedThroughputExceededException")
RESET = Raw(b"", reset=True)
HANG_UP = Raw(b"")
HALF = Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")


class Server:
    def __init__(self, script: Script) -> None:
        self.asked: list[Asked] = []
        self.connections = 0
        self.open = 0
        self.url = ""
        self._script = script
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def operations(self) -> list[str]:
        return [asked.operation for asked in self.asked]

    def hang_up(self) -> None:
        """Closes every connection, as a server does with idle ones."""
        for writer in list(self._writers):
            writer.close()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Waits for a fact, not for a time."""
        for _ in range(10_000):
            if condition():
                return
            await asyncio.sleep(0.001)
        raise AssertionError("What the test waits for did not happen.")

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        number = self.connections
        self._writers.add(writer)
        try:
            while True:
                asked = await _read(reader, number)
                self.asked.append(asked)
                answer = self._answer(asked)
                if isinstance(answer, Hang):
                    await reader.read()
                    return
                if answer.reset:
                    writer.transport.abort()
                    return
                writer.write(answer.data)
                await writer.drain()
                if answer.close:
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            self.open -= 1
            self._writers.discard(writer)
            writer.close()

    def _answer(self, asked: Asked) -> Answer:
        if callable(self._script):
            return self._script(asked)
        return self._script[min(len(self.asked), len(self._script)) - 1]


@asynccontextmanager
async def serving(
    script: Script, *, sock: socket.socket | None = None, tls: Path | None = None
) -> AsyncGenerator[Server]:
    """A server for the script; the last answer of a list goes on for ever.

    `tls` is a file with a key and its certificate.
    """
    server = Server(script)
    context = None
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls)
    sock = sock or socket.create_server(("127.0.0.1", 0))
    listening = await asyncio.start_server(server.serve, sock=sock, ssl=context)
    scheme = "https" if context else "http"
    server.url = f"{scheme}://127.0.0.1:{sock.getsockname()[1]}"
    try:
        yield server
    finally:
        listening.close()
        server.hang_up()
        await server.until(lambda: server.open == 0)


async def _read(reader: asyncio.StreamReader, number: int) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    pairs = (line.partition(": ") for line in head.split("\r\n")[1:] if line)
    headers = {name: value for name, _, value in pairs}
    body = await reader.readexactly(int(headers["content-length"]))
    return Asked(number, headers, orjson.loads(body))
