"""A long walk: every item of one collection, page by page, and the server's memory on the way."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator

from . import model, workers
from .figures import table
from .stage import Stage
from .workers import Server

PAGE = 200
WALKER = "walker"
LOOKS = 10
QUERY = """query Walk($after: String) {
  person(id: "walker") {
    entries(first: 200, after: $after) { nodes { n text } pageInfo { hasNextPage endCursor } }
  }
}"""


def sample(count: int) -> Iterator[object]:
    yield model.person(WALKER, model.NOBODY)
    yield from model.entries(WALKER, count)


def measure(stage: Stage, count: int) -> str:
    stage.say(f"walk: {count:,} items in pages of {PAGE}")
    with workers.server(stage.endpoint_url) as port:
        return asyncio.run(_walk(port, count))


async def _walk(port: int, count: int) -> str:
    """RuntimeError unless each item comes once, in order."""
    server = Server(port, clients=1)
    rows: list[list[object]] = []
    seen, cursor, more = 0, None, True
    usage, began = await server.usage(), time.perf_counter()
    rows.append([0, f"{usage.megabytes:.1f}", "", ""])
    while more:
        asked = json.dumps({"query": QUERY, "variables": {"after": cursor}}).encode()
        status, answer = await server.ask("staff", asked)
        if status != 200 or "errors" in answer:
            raise RuntimeError(f"the walk ended after {seen:,} items: {answer}")
        entries = answer["data"]["person"]["entries"]
        for node in entries["nodes"]:
            if node["n"] != count - 1 - seen:  # the newest first
                raise RuntimeError(f"item {node['n']} came after {seen:,} items")
            seen += 1
        cursor, more = entries["pageInfo"]["endCursor"], entries["pageInfo"]["hasNextPage"]
        if seen * LOOKS // count > (seen - len(entries["nodes"])) * LOOKS // count:
            after, now = await server.usage(), time.perf_counter()
            items = max(1, seen - int(str(rows[-1][0]).replace(",", "")))
            rows.append(
                [
                    f"{seen:,}",
                    f"{after.megabytes:.1f}",
                    f"{(after.cpu - usage.cpu) / items * 1_000_000:.0f}",
                    f"{(now - began) / items * 1_000_000:.0f}",
                ]
            )
            usage, began = after, now
    await server.close()
    if seen != count:
        raise RuntimeError(f"{seen:,} items came of {count:,}")
    head = ("items walked", "server memory MB", "server CPU µs per item", "time µs per item")
    return table(head, rows)
