"""Sections: whole operations through the gateway, and through resolvers written by hand."""

from __future__ import annotations

from tests.harness.proxy import Proxy, running

from . import contest
from .contest import Call, Peer
from .effort import Effort
from .figures import table
from .stage import Stage

BY_HAND = "resolvers, DataLoaders and boto3"
OURS = "Tablefold"

SCREEN = Call("Screen query", {})
USER = Call("New user", {})


def measure(stage: Stage, effort: Effort, *, shop: str) -> str:
    stage.say("operation: the screen query, gateway and resolvers by hand")
    modules = {OURS: "bench.peers.folded", BY_HAND: "bench.peers.resolvers"}
    return _compared(stage, effort, SCREEN, modules, shop=shop, by_hand=BY_HAND)


def measure_writing(stage: Stage, effort: Effort, *, shop: str) -> str:
    stage.say("writing: a new user with a unique e-mail, gateway and a resolver by hand")
    by_hand = "resolver and boto3"
    modules = {OURS: "bench.peers.created", by_hand: "bench.peers.creating"}
    return _compared(stage, effort, USER, modules, shop=shop, by_hand=by_hand)


def _compared(
    stage: Stage,
    effort: Effort,
    call: Call,
    modules: dict[str, str],
    *,
    shop: str,
    by_hand: str,
) -> str:
    peers = [
        Peer(name, module, loop)
        for loop in ("asyncio", "uvloop")
        for name, module in modules.items()
    ]
    outcomes = contest.hold(
        peers,
        [call],
        endpoint_url=stage.endpoint_url,
        table=shop,
        effort=effort,
        count=effort.operations,
        say=stage.say,
    )
    asked = {
        peer.name: requests(stage, peer, call, shop) for peer in peers if peer.loop == "asyncio"
    }
    rows: list[list[object]] = []
    for peer in peers:
        outcome = outcomes[peer, call.name]
        measure = next(one for one in peers if one.name == by_hand and one.loop == peer.loop)
        ratio = outcome.cpu.over(outcomes[measure, call.name].cpu)
        rows.append(
            [peer, asked[peer.name], outcome.cpu * 1_000, f"{1 / outcome.wall.median:,.0f}", ratio]
        )
    head = (call.name, "requests", "CPU ms", "operations per s", "CPU, of that by hand")
    return table(head, rows)


def requests(stage: Stage, peer: Peer, call: Call, shop: str) -> int:
    """What the engine sees for one operation of a peer that is warm."""
    with (
        running(Proxy(stage.endpoint_url)) as proxy,
        contest.started(peer, proxy.endpoint_url, shop, 1) as process,
    ):
        process.work(call, count=1, concurrency=1)
        proxy.clear()
        process.work(call, count=1, concurrency=1)
        return len(proxy.sent)
