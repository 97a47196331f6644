"""Peers side by side: each in its process, given the same orders in turn, round after round."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .effort import Effort
from .environments import OURS, ROOT
from .figures import Figure
from .stage import Say


@dataclass(frozen=True, slots=True)
class Peer:
    name: str
    module: str
    loop: str = "asyncio"
    python: Path = OURS
    alone: bool = False
    """One call after the other, whatever the concurrency of the rest."""

    def __str__(self) -> str:
        return f"{self.name}, {'one at a time' if self.alone else self.loop}"


@dataclass(frozen=True, slots=True)
class Call:
    """What a peer is to do; `body` is the request as DynamoDB gets it."""

    name: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Seconds for one call, as often as there were rounds."""

    cpu: Figure
    wall: Figure
    items: int


Outcomes = Mapping[tuple[Peer, str], Outcome]


@dataclass(frozen=True, slots=True)
class Process:
    peer: Peer
    process: subprocess.Popen[str]

    def work(self, call: Call, *, count: int, concurrency: int) -> dict[str, Any]:
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("a peer is started with pipes")
        order = {
            "name": call.name,
            "body": call.body,
            "count": count,
            "concurrency": concurrency,
        }
        stdin.write(json.dumps(order) + "\n")
        stdin.flush()
        if not (line := stdout.readline()):
            raise RuntimeError(f"{self.peer} ended; what it said stands above")
        return json.loads(line)


def hold(
    peers: Sequence[Peer],
    calls: Sequence[Call],
    *,
    endpoint_url: str,
    table: str,
    effort: Effort,
    count: int,
    say: Say,
) -> Outcomes:
    """Runs all peers in turn in each round; RuntimeError where they did not get the same."""
    samples: dict[tuple[Peer, str], list[dict[str, Any]]] = {}
    with contextlib.ExitStack() as stack:
        processes = [
            stack.enter_context(started(peer, endpoint_url, table, effort.concurrency))
            for peer in peers
        ]
        # The first round warms up: connections, caches, day keys.
        for number in range(effort.rounds + 1):
            say(f"  round {number} of {effort.rounds}" if number else "  warming up")
            for call in calls:
                for one in processes:
                    callers = 1 if one.peer.alone else effort.concurrency
                    sample = one.work(call, count=count, concurrency=callers)
                    if number:
                        samples.setdefault((one.peer, call.name), []).append(sample)
    for call in calls:
        got = {sample["items"] for peer in peers for sample in samples[peer, call.name]}
        if len(got) > 1:
            raise RuntimeError(f"{call.name}: the peers got different numbers of items: {got}")
    return {
        place: Outcome(
            Figure.of([one["cpu"] for one in held]),
            Figure.of([one["wall"] for one in held]),
            held[0]["items"],
        )
        for place, held in samples.items()
    }


@contextlib.contextmanager
def started(
    peer: Peer, endpoint_url: str, table: str, concurrency: int
) -> Generator[Process, None, None]:
    command = [str(peer.python), "-m", peer.module, "--endpoint", endpoint_url]
    options = ["--table", table, "--concurrency", str(concurrency), "--loop", peer.loop]
    environment = {name: text for name, text in os.environ.items() if not name.startswith("AWS_")}
    with subprocess.Popen(
        [*command, *options],
        cwd=ROOT,
        env={**environment, "AWS_EC2_METADATA_DISABLED": "true"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Process(peer, process)
        if process.stdin is not None:
            process.stdin.close()
