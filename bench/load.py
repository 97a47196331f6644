"""`python -m bench.load`: many clients for minutes, the same with throttles, and a long walk."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import time
from collections.abc import Sequence
from pathlib import Path

from . import model, report, slices, traffic, walk, workers
from .slices import Slice
from .stage import Say, Stage, set_up
from .traffic import PAGES_WALKED, Operation, body, next_cursor
from .workers import Server

WARMING = 300
"""Documents of each example that are sent once before the clock starts, and differ: the server
keeps the last 256 of each, and its memory grows until it has them."""


class Clients:
    """Each asks one operation after the other until the time is up."""

    def __init__(self, server: Server, *, count: int, seconds: float) -> None:
        self.slice = Slice()
        self._server = server
        self._count = count
        self._operations = traffic.operations()
        self._seconds = seconds
        self._ends = 0.0

    async def warm(self) -> None:
        dice = random.Random(self._count)
        first = {one.example: one for one in reversed(self._operations)}
        for number in range(WARMING):
            for operation in first.values():
                text, variables = operation.drawn(dice)
                await self._ask(operation, body(f"{text}# {number}", variables))
        if self.slice.errors:
            raise RuntimeError(self.slice.errors[0])
        self.slice = Slice()

    async def run(self) -> None:
        self._ends = time.monotonic() + self._seconds
        await asyncio.gather(*(self._client(random.Random(seed)) for seed in range(self._count)))

    async def _client(self, dice: random.Random) -> None:
        while time.monotonic() < self._ends:
            await self._visit(dice.choice(self._operations), dice)

    async def _visit(self, operation: Operation, dice: random.Random) -> None:
        """An operation; where it has pages, a few of them."""
        text, variables = operation.drawn(dice)
        for _ in range(PAGES_WALKED):
            cursor = await self._ask(operation, body(text, variables))
            if cursor is None or "$after" not in text or time.monotonic() >= self._ends:
                return
            variables["after"] = cursor

    async def _ask(self, operation: Operation, request: bytes) -> str | None:
        began = time.perf_counter()
        try:
            status, answer = await self._server.ask(operation.example, request)
        except Exception as error:
            self.slice.errors.append(f"{operation.row}: {error!r}")
            return None
        self.slice.latencies.append(time.perf_counter() - began)
        if status != 200 or "errors" in answer:
            self.slice.errors.append(f"{operation.row}: HTTP {status}, {answer.get('errors')}")
            return None
        return next_cursor(answer["data"])


async def _run(port: int, *, clients: int, seconds: float, every: float, say: Say) -> list[Slice]:
    server = Server(port, clients=clients)
    asking = Clients(server, count=clients, seconds=seconds)
    await asking.warm()
    running = asyncio.create_task(asking.run())
    done: list[Slice] = []
    usage, began = await server.usage(), time.monotonic()
    while not running.done():
        # The last slice waits for what is still under way, however little that is.
        last = len(done) + 1 >= seconds / every
        await asyncio.wait([running], timeout=None if last else every)
        one, asking.slice = asking.slice, Slice()
        after, now = await server.usage(), time.monotonic()
        one.close(now - began, usage, after)
        usage, began = after, now
        done.append(one)
        errors = f"{len(one.errors)} errors ({one.errors[0]})" if one.errors else "no error"
        say(f"  {len(one.latencies):,} operations, {errors}, {one.megabytes:.1f} MB")
    await running
    await server.close()
    return done


def loaded(
    stage: Stage, *, clients: int, seconds: float, every: float, throttle: float
) -> tuple[str, list[str]]:
    """The table of a run, and its verdicts."""
    share = f", {throttle:.0%} of the requests throttled" if throttle else ""
    stage.say(f"load: {clients} clients, {seconds:.0f} s{share}")
    with (
        workers.throttled(stage.endpoint_url, throttle) as endpoint_url,
        workers.server(endpoint_url) as port,
    ):
        done = asyncio.run(_run(port, clients=clients, seconds=seconds, every=every, say=stage.say))
    verdicts = slices.verdicts(done)
    told = "\n".join(f"- {line}" for line in verdicts)
    return f"{clients} clients{share}.\n\n{slices.shown(done)}\n\n{told}", verdicts


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.load",
        description="Puts one worker process under load: for minutes, for minutes with "
        "throttles, and through one long walk over pages.",
    )
    parser.add_argument("--clients", type=int, default=64, help="at a time (64)")
    parser.add_argument("--seconds", type=float, default=300, help="for each of two runs (300)")
    parser.add_argument("--every", type=float, default=30, help="seconds of a slice (30)")
    parser.add_argument("--throttle", type=float, default=0.05, help="share of requests (0.05)")
    parser.add_argument("--walk", type=int, default=100_000, help="items to walk over (100000)")
    parser.add_argument("--output", type=Path, help="document to fill, such as docs/benchmarks.md")
    given = parser.parse_args(arguments)
    before = os.getloadavg()
    with set_up(lambda line: print(line, flush=True)) as stage:
        for gateway in traffic.GATEWAYS.values():
            stage.fill(gateway, gateway.sample() if gateway.sample is not None else ())
        options = {"clients": given.clients, "seconds": given.seconds, "every": given.every}
        plain, plain_verdicts = loaded(stage, throttle=0, **options)
        throttled, throttled_verdicts = loaded(stage, throttle=given.throttle, **options)
        stage.fill(model.gateway(endpoint_url=stage.endpoint_url), walk.sample(given.walk))
        walked = walk.measure(stage, given.walk)
    sections = {
        "load-machine": report.machine(before),
        "load": plain,
        "throttled": throttled,
        "walk": walked,
    }
    print("\n\n".join(sections.values()))
    if given.output is not None:
        report.write(given.output, sections)
        print(f"Wrote {given.output}")
    failed = [line for line in (*plain_verdicts, *throttled_verdicts) if " ERRORS " in line]
    if failed:
        raise SystemExit(failed[0])


if __name__ == "__main__":
    main()
