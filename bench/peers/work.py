"""The inner side of a peer: takes orders from standard input, works, tells what it cost.

It needs nothing beyond the standard library, because aiobotocore lives in an environment of
its own.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

METHODS = {"GetItem": "get_item", "Query": "query", "BatchGetItem": "batch_get_item"}
"""What boto3 and aiobotocore call the operations; a call's name begins with its operation."""


class Worker(Protocol):
    async def call(self, name: str, body: dict[str, Any]) -> int:
        """Does it once; the answer is how many items came, as a check that peers do the same."""
        ...


@dataclass(frozen=True)
class Place:
    """Where a peer works, and for how many callers at a time."""

    endpoint: str
    table: str
    concurrency: int


Opening = Callable[[Place], AbstractAsyncContextManager[Worker]]


def items_in(body: Any) -> int:
    """How many items a reply has; they are DynamoDB JSON for every client."""
    if "Item" in body:
        return 1
    lists = [body["Items"]] if "Items" in body else body["Responses"].values()
    return sum(map(len, lists))


async def _work(worker: Worker, order: dict[str, Any]) -> dict[str, Any]:
    name, body, callers = order["name"], order["body"], order["concurrency"]
    share = order["count"] // callers
    items = 0

    async def caller() -> None:
        nonlocal items
        for _ in range(share):
            items = await worker.call(name, body)

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    done = share * callers
    return {
        "cpu": (time.process_time() - cpu) / done,
        "wall": (time.perf_counter() - wall) / done,
        "items": items,
    }


async def _orders() -> AsyncGenerator[dict[str, Any], None]:
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield json.loads(line)


async def _serve(opening: Opening, place: Place) -> None:
    async with opening(place) as worker:
        async for order in _orders():
            print(json.dumps(await _work(worker, order)), flush=True)


def main(opening: Opening) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--table", required=True)
    parser.add_argument("--concurrency", type=int, required=True)
    parser.add_argument("--loop", choices=("asyncio", "uvloop"), default="asyncio")
    given = parser.parse_args()
    factory = None
    if given.loop == "uvloop":
        factory = importlib.import_module("uvloop").new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        place = Place(given.endpoint, given.table, given.concurrency)
        runner.run(_serve(opening, place))
