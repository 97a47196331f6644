"""A proxy between the gateway and an engine that records every DynamoDB operation.

It forwards what it reads byte for byte and runs on a loop of its own in a thread of its own,
so that a test that blocks its loop cannot stall it.
"""

import asyncio
import contextlib
import itertools
import json
import threading
from collections.abc import Coroutine, Generator
from dataclasses import dataclass, replace
from typing import Any
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


class Proxy:
    def __init__(self, target: str) -> None:
        """`target` is the engine's endpoint URL."""
        address = urlsplit(target)
        self._host, self._port = address.hostname or "127.0.0.1", address.port or 80
        self._numbers = itertools.count()
        self._records: dict[int, Recorded] = {}
        self._connections: set[asyncio.Task[None]] = set()
        self.endpoint_url = ""

    @property
    def sent(self) -> list[Recorded]:
        """In the order in which the requests arrived."""
        return [record for _, record in sorted(self._records.copy().items())]

    @property
    def operations(self) -> list[str]:
        return [record.operation for record in self.sent]

    def clear(self) -> None:
        self._records = {}

    async def answer(self, request: Message, engine: "Upstream") -> Message:
        """The one place where a request meets its response: override it to inject faults."""
        return await engine.exchange(request)

    async def open(self) -> asyncio.Server:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=READ_LIMIT)
        port: int = server.sockets[0].getsockname()[1]
        self.endpoint_url = f"http://127.0.0.1:{port}"
        return server

    async def close(self, server: asyncio.Server) -> None:
        server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        engine = Upstream(self._host, self._port)
        # Either side may hang up at any point; that is the other side's business, not ours.
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while (request := await read_request(reader)) is not None:
                records, number = self._records, next(self._numbers)
                records[number] = _asked(request)
                response = await self.answer(request, engine)
                # Before the client has it, so that a test that has its answer sees the record.
                records[number] = _answered(records[number], response)
                writer.write(response.raw)
                await writer.drain()
                if request.last or response.last:
                    break
        engine.close()
        writer.close()


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


@contextlib.contextmanager
def running(proxy: Proxy) -> Generator[Proxy, None, None]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="recording proxy", daemon=True)
    thread.start()

    def call(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(timeout=10)

    server = call(proxy.open())
    try:
        yield proxy
    finally:
        call(proxy.close(server))
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
