"""A proxy between the gateway and an engine that records every DynamoDB operation.

It forwards what it reads byte for byte and runs on a loop of its own in a thread of its own,
so that a test that blocks its loop cannot stall it.
"""

import asyncio
import contextlib
import itertools
import json
import socket
import struct
import threading
from collections.abc import Coroutine, Generator
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

from .messages import Message, read_request, read_response

READ_LIMIT = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Recorded:
    """One operation; status 0 until the engine has answered."""

    operation: str
    body: dict[str, Any]
    response: dict[str, Any]
    status: int

    @property
    def index(self) -> str | None:
        return self.body.get("IndexName")

    @property
    def limit(self) -> int | None:
        return self.body.get("Limit")

    @property
    def descending(self) -> bool:
        return self.body.get("ScanIndexForward") is False


class HangUp(Exception):
    """Raised in place of an answer: these bytes, and then the end of the connection."""

    def __init__(self, data: bytes = b"", *, reset: bool = False) -> None:
        super().__init__()
        self.data = data
        self.reset = reset


class Proxy:
    def __init__(self, target: str) -> None:
        """`target` is the engine's endpoint URL."""
        address = urlsplit(target)
        self._host, self._port = address.hostname or "127.0.0.1", address.port or 80
        self._numbers = itertools.count()
        self._records: dict[int, Recorded] = {}
        self._visits: set[Visit] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: asyncio.Server | None = None
        self.endpoint_url = ""
        self.opened = 0
        self.most_open = 0

    @property
    def sent(self) -> list[Recorded]:
        """In the order in which the requests arrived."""
        return [record for _, record in sorted(self._records.copy().items())]

    @property
    def operations(self) -> list[str]:
        return [record.operation for record in self.sent]

    @property
    def open(self) -> int:
        """How many connections its clients hold."""
        return len(self._visits)

    def clear(self) -> None:
        """Forgets what was recorded and counted; connections stay."""
        self._records = {}
        self.opened = self.most_open = self.open

    @contextlib.contextmanager
    def gone(self) -> Generator[None, None, None]:
        """Nobody listens, and every connection is lost; then it is back at its old address."""
        self._call(self.close())
        try:
            yield
        finally:
            self._call(self.start())

    async def answer(self, request: Message, engine: "Upstream") -> Message:
        """The one place where a request meets its response: override it to inject faults."""
        return await engine.exchange(request)

    async def start(self) -> None:
        """At a port of the system's choice at first, then always at that one."""
        self._loop = asyncio.get_running_loop()
        port = urlsplit(self.endpoint_url).port or 0
        self._server = await self._loop.create_server(lambda: Visit(self), "127.0.0.1", port)
        port = self._server.sockets[0].getsockname()[1]
        self.endpoint_url = f"http://127.0.0.1:{port}"

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        await asyncio.gather(*(visit.end() for visit in tuple(self._visits)))

    def _call(self, work: Coroutine[Any, Any, Any]) -> Any:
        """From the thread of a test."""
        if self._loop is None:
            raise RuntimeError("This proxy does not run.")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=10)

    def begun(self, visit: "Visit") -> None:
        self._visits.add(visit)
        self.opened += 1
        self.most_open = max(self.most_open, self.open)

    def ended(self, visit: "Visit") -> None:
        self._visits.discard(visit)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        engine = Upstream(self._host, self._port)
        # Either side may hang up at any point; that is the other side's business, not ours.
        try:
            while (request := await read_request(reader)) is not None:
                response = await self._answer(request, engine)
                writer.write(response.raw)
                await writer.drain()
                if request.last or response.last:
                    break
        except HangUp as hang_up:
            writer.write(hang_up.data)
            if hang_up.reset:
                _reset(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            engine.close()
            writer.close()

    async def _answer(self, request: Message, engine: "Upstream") -> Message:
        records, number = self._records, next(self._numbers)
        records[number] = _asked(request)
        response = await self.answer(request, engine)
        # Before the client has it, so that a test that has its answer sees the record.
        records[number] = _answered(records[number], response)
        return response


class Visit(asyncio.StreamReaderProtocol):
    """One client's connection. When the client leaves, what was done for it is given up."""

    def __init__(self, proxy: Proxy) -> None:
        super().__init__(asyncio.StreamReader(limit=READ_LIMIT), self._accept)
        self._proxy = proxy
        self._serving: asyncio.Task[None] | None = None

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving = asyncio.create_task(self._proxy.serve(reader, writer))

    async def end(self) -> None:
        self._leave()
        if self._serving is not None:
            await asyncio.gather(self._serving, return_exceptions=True)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._proxy.begun(self)
        super().connection_made(transport)

    def eof_received(self) -> bool:
        self._leave()
        super().eof_received()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def _leave(self) -> None:
        self._proxy.ended(self)
        if self._serving is not None:
            self._serving.cancel()


def _reset(writer: asyncio.StreamWriter) -> None:
    """A closed socket that does not linger says RST in place of FIN."""
    connected: socket.socket = writer.get_extra_info("socket")
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


class Upstream:
    """One connection to the engine, opened when first needed and again when it was lost."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def exchange(self, request: Message) -> Message:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port, limit=READ_LIMIT)
        reader, writer = self._streams
        writer.write(request.raw)
        await writer.drain()
        response = await read_response(reader)
        if response.last:
            self.close()
        return response

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


P = TypeVar("P", bound=Proxy)


@contextlib.contextmanager
def running(proxy: P) -> Generator[P, None, None]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="recording proxy", daemon=True)
    thread.start()

    def call(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(timeout=10)

    call(proxy.start())
    try:
        yield proxy
    finally:
        call(proxy.close())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _asked(request: Message) -> Recorded:
    operation = request.headers.get("x-amz-target", "").rpartition(".")[2]
    return Recorded(operation, _json(request), {}, 0)


def _answered(record: Recorded, response: Message) -> Recorded:
    return replace(record, response=_json(response), status=response.status)


def _json(message: Message) -> dict[str, Any]:
    try:
        return json.loads(message.content)
    except ValueError:
        return {}
