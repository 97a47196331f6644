"""HTTP/1.1 messages, read whole and kept byte for byte."""

import asyncio
import gzip
from dataclasses import dataclass
from functools import cached_property

HEAD_END = b"\r\n\r\n"
BODILESS_STATUSES = frozenset({204, 304})


@dataclass(frozen=True)
class Message:
    head: bytes
    body: bytes  # as sent, chunk framing included

    @property
    def raw(self) -> bytes:
        return self.head + self.body

    @cached_property
    def start_line(self) -> list[str]:
        return self.head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)

    @cached_property
    def headers(self) -> dict[str, str]:
        """By lower-case name."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        pairs = (line.partition(":") for line in lines if line)
        return {name.lower(): value.strip() for name, _, value in pairs}

    @property
    def status(self) -> int:
        """Of a response."""
        return int(self.start_line[1])

    @property
    def last(self) -> bool:
        """Whether its sender closes the connection after it."""
        return self.headers.get("connection", "").lower() == "close" or (
            "HTTP/1.0" in self.start_line
        )

    @property
    def content(self) -> bytes:
        """The body without chunk framing and compression."""
        plain = _unchunked(self.body) if _is_chunked(self.headers) else self.body
        return gzip.decompress(plain) if self.headers.get("content-encoding") == "gzip" else plain


async def read_request(reader: asyncio.StreamReader) -> Message | None:
    """None when the client has closed its connection between requests."""
    try:
        head = await reader.readuntil(HEAD_END)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    return Message(head, await _framed_body(reader, Message(head, b"").headers) or b"")


async def read_response(reader: asyncio.StreamReader) -> Message:
    head = await reader.readuntil(HEAD_END)
    bare = Message(head, b"")
    if bare.status in BODILESS_STATUSES:
        return bare
    body = await _framed_body(reader, bare.headers)
    return Message(head, await reader.read() if body is None else body)


async def _framed_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes | None:
    """None where the headers do not say how long the body is."""
    if _is_chunked(headers):
        return await _chunked_body(reader)
    if "content-length" in headers:
        return await reader.readexactly(int(headers["content-length"]))
    return None


def _is_chunked(headers: dict[str, str]) -> bool:
    return "chunked" in headers.get("transfer-encoding", "").lower()


async def _chunked_body(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    while True:
        line = await reader.readuntil(b"\r\n")
        size = int(line.split(b";")[0], 16)
        body += line + await reader.readexactly(size + 2)
        if size == 0:
            return bytes(body)


def _unchunked(body: bytes) -> bytes:
    content = bytearray()
    while body:
        line, _, body = body.partition(b"\r\n")
        size = int(line.split(b";")[0], 16)
        content += body[:size]
        body = body[size + 2 :]
    return bytes(content)
