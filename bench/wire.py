"""Section: what one request costs through our wire, boto3 and aiobotocore."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from . import contest
from .calls import calls
from .contest import Call, Outcomes, Peer
from .effort import Effort
from .figures import table
from .stage import Stage

OURS = "Tablefold's wire"
BOTO3 = "boto3 in threads"


def measure(stage: Stage, effort: Effort, *, shop: str, aiobotocore: Path | None) -> str:
    stage.say("wire: one request, client by client")
    peers = _peers(aiobotocore)
    asked = [Call(name, request.render()) for name, request in calls(shop).items()]
    outcomes = contest.hold(
        peers,
        asked,
        endpoint_url=stage.endpoint_url,
        table=shop,
        effort=effort,
        count=effort.requests,
        say=stage.say,
    )
    return "\n\n".join(_table(call, peers, outcomes) for call in asked)


def _peers(aiobotocore: Path | None) -> list[Peer]:
    peers: list[Peer] = []
    for loop in ("asyncio", "uvloop"):
        peers.append(Peer(OURS, "bench.peers.wired", loop))
        peers.append(Peer(BOTO3, "bench.peers.threaded", loop))
        if aiobotocore is not None:
            peers.append(Peer("aiobotocore", "bench.peers.aio", loop, aiobotocore))
    peers.append(Peer(OURS, "bench.peers.wired", alone=True))
    return [*peers, Peer("boto3", "bench.peers.blocking", alone=True)]


def _table(call: Call, peers: list[Peer], outcomes: Outcomes) -> str:
    head = (call.name, "CPU ms", "requests per s", "CPU, of boto3's in threads")
    return table(head, list(_rows(call, peers, outcomes)))


def _rows(call: Call, peers: list[Peer], outcomes: Outcomes) -> Iterator[list[object]]:
    for peer in peers:
        outcome = outcomes[peer, call.name]
        measure = next(one for one in peers if one.name == BOTO3 and one.loop == peer.loop)
        ratio = outcome.cpu.over(outcomes[measure, call.name].cpu)
        milliseconds = outcome.cpu * 1_000
        yield [peer, milliseconds, f"{1 / outcome.wall.median:,.0f}", ratio]
