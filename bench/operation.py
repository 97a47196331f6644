"""Section: a whole operation through the gateway, and through resolvers written by hand."""

from __future__ import annotations

from tests.harness.proxy import Proxy, running

from . import contest
from .contest import Call, Peer
from .effort import Effort
from .figures import table
from .stage import Stage

SCREEN = Call("screen", {})
BY_HAND = "resolvers, DataLoaders and boto3"
OURS = "Tablefold"


def measure(stage: Stage, effort: Effort, *, shop: str) -> str:
    stage.say("operation: the screen query, gateway and resolvers by hand")
    peers = [
        Peer(name, module, loop)
        for loop in ("asyncio", "uvloop")
        for name, module in (
            (OURS, "bench.peers.folded"),
            (BY_HAND, "bench.peers.resolvers"),
        )
    ]
    outcomes = contest.hold(
        peers,
        [SCREEN],
        endpoint_url=stage.endpoint_url,
        table=shop,
        effort=effort,
        count=effort.operations,
        say=stage.say,
    )
    asked = {peer.name: requests(stage, peer, shop) for peer in peers if peer.loop == "asyncio"}
    rows: list[list[object]] = []
    for peer in peers:
        outcome = outcomes[peer, SCREEN.name]
        measure = next(one for one in peers if one.name == BY_HAND and one.loop == peer.loop)
        ratio = outcome.cpu.over(outcomes[measure, SCREEN.name].cpu)
        rows.append(
            [peer, asked[peer.name], outcome.cpu * 1_000, f"{1 / outcome.wall.median:,.0f}", ratio]
        )
    head = ("Screen query", "requests", "CPU ms", "operations per s", "CPU, of that by hand")
    return table(head, rows)


def requests(stage: Stage, peer: Peer, shop: str) -> int:
    """What the engine sees for one operation of a peer that is warm."""
    with (
        running(Proxy(stage.endpoint_url)) as proxy,
        contest.started(peer, proxy.endpoint_url, shop, 1) as process,
    ):
        process.work(SCREEN, count=1, concurrency=1)
        proxy.clear()
        process.work(SCREEN, count=1, concurrency=1)
        return len(proxy.sent)
