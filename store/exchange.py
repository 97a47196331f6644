"""HTTP/1.1 to one endpoint: a bounded pool of kept-alive connections, one request at a time each.

Exchange     what the wire holds; may be built before any event loop runs
└── Pool     the connections of one event loop
    └── Connection
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass
from typing import Self, cast
from urllib.parse import urlsplit

import httptools

from .deadline import Deadline
from .errors import DeadlineExceeded, StoreError, Unavailable

CONNECT_SECONDS = 2.0
RESPONSE_SECONDS = 3.0
# Below the idle limits of the servers and gateways on the way, so that we hang up first.
IDLE_SECONDS = 20.0
# BatchGetItem returns up to 16 MB of items, and JSON may take six bytes for one of theirs.
ANSWER_MAX_BYTES = 6 * 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Endpoint:
    host: str
    port: int
    secure: bool
    path: str

    @classmethod
    def parse(cls, url: str) -> Self:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise StoreError(
                f"{url!r} is no endpoint. Write it with its scheme: http://localhost:8001"
            )
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        return cls(parts.hostname, port, secure, parts.path or "/")

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.secure else 80) else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    body: bytes
    crc32: int | None = None


class Exchange:
    def __init__(
        self,
        endpoint: Endpoint,
        *,
        pool_size: int = 64,
        response_seconds: float = RESPONSE_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._endpoint = endpoint
        self._pool_size = pool_size
        self._response_seconds = response_seconds
        self._idle_seconds = idle_seconds
        self._pools: dict[asyncio.AbstractEventLoop, Pool] = {}

    async def post(
        self, headers: Mapping[str, str], body: bytes, *, deadline: Deadline, fresh: bool = False
    ) -> Response:
        """DeadlineExceeded when the time is up; Unavailable for every other way to get nothing.

        `fresh` asks for a new connection: an idle one may be lost without anybody knowing yet.
        """
        pool = self._pool_here()
        try:
            async with asyncio.timeout(deadline.remaining()):
                connection = await pool.acquire(fresh=fresh)
        except TimeoutError as error:
            raise DeadlineExceeded(
                "No connection to DynamoDB came free, or could be opened, before the deadline."
            ) from error
        try:
            return await self._ask(pool, connection, self._message(headers, body), deadline)
        finally:
            # Half-read, timed-out and cancelled connections are not idle: the pool closes them.
            pool.release(connection)

    async def close(self) -> None:
        pools, self._pools = self._pools, {}
        here = pools.pop(asyncio.get_running_loop(), None)
        for pool in pools.values():
            pool.abandon()
        if here is not None:
            here.close()
            await asyncio.sleep(0)  # lets the transports say goodbye

    async def _ask(
        self, pool: Pool, connection: Connection, message: bytes, deadline: Deadline
    ) -> Response:
        remaining = deadline.remaining()
        seconds = min(self._response_seconds, remaining)
        try:
            async with asyncio.timeout(seconds):
                return await connection.ask(message)
        except TimeoutError as error:
            if seconds == remaining:
                raise DeadlineExceeded(
                    "DynamoDB did not answer before the deadline.", may_have_applied=True
                ) from error
            # A host that is gone without a word took the idle connections along.
            pool.drop_idle()
            raise Unavailable(
                f"DynamoDB did not answer within {seconds:.1f} s.", may_have_applied=True
            ) from error

    def _pool_here(self) -> Pool:
        loop = asyncio.get_running_loop()
        if (pool := self._pools.get(loop)) is None:
            for ended in [other for other in self._pools if other.is_closed()]:
                self._pools.pop(ended).abandon()
            pool = self._pools[loop] = Pool(
                self._endpoint, loop, size=self._pool_size, idle_seconds=self._idle_seconds
            )
        return pool

    def _message(self, headers: Mapping[str, str], body: bytes) -> bytes:
        lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
        head = (
            f"POST {self._endpoint.path} HTTP/1.1\r\n{''.join(lines)}"
            f"content-length: {len(body)}\r\n\r\n"
        )
        return head.encode("latin-1") + body


class Pool:
    """Connections of one loop. A free place goes to whoever has waited longest."""

    def __init__(
        self,
        endpoint: Endpoint,
        loop: asyncio.AbstractEventLoop,
        *,
        size: int,
        idle_seconds: float,
    ) -> None:
        self.loop = loop
        self._endpoint = endpoint
        self._size = size
        self._idle_seconds = idle_seconds
        self._taken = 0
        self._idle: deque[Connection] = deque()  # the one used last stands at the right
        # What a waiter is handed: a connection, or None for leave to open one.
        self._waiters: deque[asyncio.Future[Connection | None]] = deque()
        self._sweep: asyncio.TimerHandle | None = None
        self._tls: ssl.SSLContext | None = None
        self._closed = False

    async def acquire(self, *, fresh: bool = False) -> Connection:
        """`fresh` passes over the idle ones; what another has just handed on is known to live."""
        if not fresh and (connection := self._pop_idle()) is not None:
            self._taken += 1
            return connection
        if self._taken < self._size:
            self._taken += 1
        elif (connection := await self._wait()) is not None and connection.reusable:
            return connection
        return await self._connect()

    def release(self, connection: Connection) -> None:
        """Takes back what `acquire` gave; closes it unless it is between two requests."""
        if not connection.reusable or self._closed:
            connection.abort()
            self._pass_on(None)
        else:
            connection.idle_since = self.loop.time()
            self._pass_on(connection)

    def close(self) -> None:
        """Requests under way finish on their connections, which then close."""
        self._closed = True
        if self._sweep is not None:
            self._sweep.cancel()
        self.drop_idle()

    def drop_idle(self) -> None:
        while self._idle:
            self._idle.pop().abort()

    def abandon(self) -> None:
        """Close from outside the loop, which may run in another thread or be gone."""
        try:
            self.loop.call_soon_threadsafe(self.close)
        except RuntimeError:  # a closed loop closes nothing any more
            while self._idle:
                self._idle.pop().hang_up()

    def _pass_on(self, connection: Connection | None) -> None:
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(connection)
                return
        self._taken -= 1
        if connection is not None:
            self._idle.append(connection)
            self._schedule_sweep()

    async def _wait(self) -> Connection | None:
        waiter: asyncio.Future[Connection | None] = self.loop.create_future()
        self._waiters.append(waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            # Handed a place and cancelled in the same turn of the loop: the next one gets it.
            if waiter.done() and not waiter.cancelled():
                self._pass_on(waiter.result())
            raise

    async def _connect(self) -> Connection:
        # In a context of its own: a connection outlives the operation that first needed it, and
        # must not keep that alive.
        opening = self.loop.create_task(self._open(), context=Context())
        try:
            return await opening
        except BaseException as error:
            # Opened and cancelled in the same turn of the loop: nobody else would close it.
            if opening.done() and not opening.cancelled() and opening.exception() is None:
                opening.result().abort()
            self._pass_on(None)
            if not isinstance(error, (OSError, TimeoutError)):
                raise
            reason = str(error) or type(error).__name__
            raise Unavailable(
                f"No connection to DynamoDB at {self._endpoint.authority}: {reason}"
            ) from error

    async def _open(self) -> Connection:
        if self._taken + len(self._idle) > self._size:
            self._idle.popleft().abort()
            await asyncio.sleep(0)  # the loop closes its socket, and its place is free
        host, port = self._endpoint.host, self._endpoint.port
        async with asyncio.timeout(CONNECT_SECONDS):
            _, connection = await self.loop.create_connection(
                lambda: Connection(self.loop), host, port, ssl=self._context()
            )
        return connection

    def _context(self) -> ssl.SSLContext | None:
        if self._endpoint.secure and self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls

    def _pop_idle(self) -> Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if connection.reusable and not self._stale(connection):
                return connection
            connection.abort()
        return None

    def _stale(self, connection: Connection) -> bool:
        return self.loop.time() - connection.idle_since >= self._idle_seconds

    def _schedule_sweep(self) -> None:
        if self._sweep is None:
            self._sweep = self.loop.call_later(
                self._idle_seconds, self._sweep_idle, context=Context()
            )

    def _sweep_idle(self) -> None:
        self._sweep = None
        while self._idle and (self._stale(self._idle[0]) or not self._idle[0].reusable):
            self._idle.popleft().abort()
        if self._idle:
            self._schedule_sweep()


class Connection(asyncio.Protocol):
    """One request at a time. Anything but a clean exchange leaves it not reusable."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.idle_since = loop.time()
        self.reusable = False
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._answer: asyncio.Future[Response] | None = None
        self._received = 0
        self._chunks: list[bytes] = []
        self._crc32: int | None = None

    async def ask(self, message: bytes) -> Response:
        if self._transport is None or not self.reusable:
            raise Unavailable("The connection to DynamoDB is closed.")
        self.reusable = False
        self._received = 0
        self._answer = self._loop.create_future()
        self._transport.write(message)
        return await self._answer

    def abort(self) -> None:
        self.reusable = False
        if self._transport is not None:
            self._transport.abort()

    def hang_up(self) -> None:
        """Without the loop: the server learns of the end now, the socket goes with its owner."""
        held = self._transport.get_extra_info("socket") if self._transport is not None else None
        if held is not None:
            with suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)

    # What the transport calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self.reusable = True

    def data_received(self, data: bytes) -> None:
        if self._answer is None:
            # Nobody asked: whatever this is, it is not the answer to the next request.
            self.abort()
            return
        self._received += len(data)
        if self._received > ANSWER_MAX_BYTES:
            # It would be as long the next time: this is not Unavailable.
            said = f"DynamoDB's answer is longer than {ANSWER_MAX_BYTES:,} bytes."
            self._fail(StoreError(said, may_have_applied=True))
            self.abort()
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._lose(f"DynamoDB's answer is not HTTP: {error}")
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.reusable = False
        self._transport = None
        self._lose(f"The connection to DynamoDB was lost: {exc or 'closed by the server'}")

    # What the parser calls.

    def on_message_begin(self) -> None:
        if self._answer is None:
            self.abort()  # bytes behind the answer
        self._chunks = []
        self._crc32 = None

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == b"x-amz-crc32" and value.isdigit():
            self._crc32 = int(value)

    def on_body(self, body: bytes) -> None:
        self._chunks.append(body)

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200:
            return  # "100 Continue" and its like precede the answer
        answer, self._answer = self._answer, None
        if answer is None or answer.done():
            self.abort()
            return
        self.reusable = self._parser.should_keep_alive()
        answer.set_result(Response(status, b"".join(self._chunks), self._crc32))

    def _lose(self, message: str) -> None:
        self._fail(Unavailable(message, may_have_applied=True))

    def _fail(self, error: StoreError) -> None:
        answer, self._answer = self._answer, None
        self._chunks = []
        if answer is not None and not answer.done():
            answer.set_exception(error)
