"""A proxy before the engine that throttles a share of all requests; a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.harness.messages import read_request, read_response

READ_LIMIT = 32 * 1024 * 1024
BODY = (
    b'{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",'
    b'"message":"The level of configured provisioned throughput for the table was exceeded."}'
)
THROTTLED = (
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/x-amz-json-1.0\r\n"
    b"content-length: %d\r\n\r\n" % len(BODY)
) + BODY


@dataclass(frozen=True, slots=True)
class Throttle:
    """Forwards what it reads byte for byte, and keeps nothing."""

    host: str
    port: int
    share: float
    dice: random.Random

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Either side may hang up at any point; then so do we.
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            back, forth = await asyncio.open_connection(self.host, self.port, limit=READ_LIMIT)
            while (request := await read_request(reader)) is not None:
                if self.dice.random() < self.share:
                    writer.write(THROTTLED)
                else:
                    forth.write(request.raw)
                    writer.write((await read_response(back)).raw)
                await writer.drain()
            forth.close()
        writer.close()


async def _run(target: str, port: int, share: float) -> None:
    parts = urlsplit(target)
    throttle = Throttle(parts.hostname or "", parts.port or 80, share, random.Random(1))
    server = await asyncio.start_server(throttle.serve, "127.0.0.1", port, limit=READ_LIMIT)
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--share", type=float, required=True)
    given = parser.parse_args()
    asyncio.run(_run(given.endpoint, given.port, given.share))


if __name__ == "__main__":
    main()
