"""Faults between gateway and engine, as values.

Script([throttled(), reset_before()])           the first two requests, the rest passes
Script([unprocessed(), passed()], cycle=True)   every other one
Faults(throttle=0.05, reset=0.01, seed=7)       by chance, the same each time

with running(FaultyProxy(engine.endpoint_url, Script([throttled()]))) as proxy: ...
"""

import asyncio
import gzip
import json
import random
from binascii import crc32
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from .messages import Message
from .proxy import HangUp, Proxy, Upstream

Meet = Callable[[Message, Upstream], Awaitable[Message]]
Change = Callable[[Any], Any]

SERVED_OF_A_BATCH = 0.5


@dataclass(frozen=True, slots=True)
class Fault:
    """What becomes of one request; equal to another of the same name."""

    name: str
    meet: Meet = field(repr=False, compare=False)


class Course(Protocol):
    """Which fault meets which request."""

    def next(self, operation: str) -> Fault: ...


class Script:
    """One fault after another; then everything passes, or with `cycle` it begins again.

    With `only`, requests of other operations pass, and take no fault.
    """

    def __init__(self, faults: Iterable[Fault], *, only: str = "", cycle: bool = False) -> None:
        self._faults = list(faults)
        self._only = only
        self._cycle = cycle
        self._at = 0

    def next(self, operation: str) -> Fault:
        if self._only not in ("", operation):
            return passed()
        if self._at >= len(self._faults):
            if not self._cycle:
                return passed()
            self._at = 0
        self._at += 1
        return self._faults[self._at - 1]


@dataclass(frozen=True)
class Faults:
    """Each request's chance of each fault. Other requests pass."""

    throttle: float = 0
    error: float = 0
    reset: float = 0
    lose: float = 0
    half: float = 0
    corrupt: float = 0
    slow: float = 0
    unprocessed: float = 0
    expired: float = 0
    seed: int = 0
    delay: float = 0.05
    _random: random.Random = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_random", random.Random(self.seed))

    def next(self, operation: str) -> Fault:
        chance = self._random.random()
        for share, fault in (
            (self.throttle, throttled),
            (self.error, failed),
            (self.reset, reset_before),
            (self.lose, reset_after),
            (self.half, half),
            (self.corrupt, corrupt),
            (self.slow, lambda: slow(self.delay)),
            (self.unprocessed, unprocessed),
            (self.expired, expired),
        ):
            if chance < share:
                return fault()
            chance -= share
        return passed()


class FaultyProxy(Proxy):
    """`course` may be changed while it runs; `met` names what has met the requests so far."""

    def __init__(self, target: str, course: Course | None = None) -> None:
        super().__init__(target)
        self.course: Course = course or Script([])
        self.met: list[str] = []

    def clear(self) -> None:
        super().clear()
        self.met = []

    async def answer(self, request: Message, engine: Upstream) -> Message:
        fault = self.course.next(request.headers.get("x-amz-target", "").rpartition(".")[2])
        self.met.append(fault.name)
        return await fault.meet(request, engine)


# Answers.


def passed() -> Fault:
    return Fault("passed", lambda request, engine: engine.exchange(request))


def refused(code: str, message: str = "no", *, status: int = 400) -> Fault:
    """An error in DynamoDB's words; the engine never hears of the request."""
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": message}
    return answered(json.dumps(body).encode(), status=status, name=code)


def throttled(code: str = "ProvisionedThroughputExceededException") -> Fault:
    return refused(code, "Slow down.")


def failed() -> Fault:
    return refused("InternalServerError", "Oops.", status=500)


def expired() -> Fault:
    return refused("ExpiredTokenException", "The security token included is expired")


def answered(body: bytes, *, status: int = 200, name: str = "", **headers: str) -> Fault:
    """This body in place of the engine's; `headers` outrank those that it would have."""

    async def meet(request: Message, engine: Upstream) -> Message:
        return written(body, status=status, **headers)

    return Fault(name or f"answered {status}", meet)


def rewritten(change: Change, *, name: str = "rewritten") -> Fault:
    """The engine's answer as `change` makes it; a new one, or the one it is given and alters."""

    async def meet(request: Message, engine: Upstream) -> Message:
        content = json.loads((await engine.exchange(request)).content)
        altered = change(content)
        return written(json.dumps(content if altered is None else altered).encode())

    return Fault(name, meet)


def unprocessed() -> Fault:
    """Half of a batch is served, rounded down, and the rest handed back; other requests pass."""

    async def meet(request: Message, engine: Upstream) -> Message:
        asked = json.loads(request.content)
        if not request.headers.get("x-amz-target", "").endswith(".BatchGetItem"):
            return await engine.exchange(request)
        [(table, entry)] = asked["RequestItems"].items()
        keys = entry["Keys"]
        served = int(len(keys) * SERVED_OF_A_BATCH)
        left = {table: {**entry, "Keys": keys[served:]}}
        if not served:
            return written(json.dumps({"Responses": {}, "UnprocessedKeys": left}).encode())
        asked["RequestItems"] = {table: {**entry, "Keys": keys[:served]}}
        answer = await engine.exchange(_with_body(request, json.dumps(asked).encode()))
        if answer.status != 200:
            return answer
        body = {**json.loads(answer.content), "UnprocessedKeys": left}
        return written(json.dumps(body).encode())

    return Fault("unprocessed", meet)


def corrupt() -> Fault:
    """One byte in the middle of the answer has changed, so its checksum does not fit."""

    async def meet(request: Message, engine: Upstream) -> Message:
        content = bytearray((await engine.exchange(request)).content)
        checksum = crc32(content)
        content[len(content) // 2] ^= 1
        return written(bytes(content), x_amz_crc32=str(checksum))

    return Fault("corrupt", meet)


def compressed() -> Fault:
    """Though nobody asked for it."""

    async def meet(request: Message, engine: Upstream) -> Message:
        content = gzip.compress((await engine.exchange(request)).content)
        return written(content, Content_Encoding="gzip")

    return Fault("compressed", meet)


def chunked(size: int = 7) -> Fault:
    async def meet(request: Message, engine: Upstream) -> Message:
        content = (await engine.exchange(request)).content
        parts = [content[at : at + size] for at in range(0, len(content), size)]
        body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in [*parts, b""])
        return Message(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", body)

    return Fault("chunked", meet)


def preceded(interim: bytes = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n") -> Fault:
    """An interim answer comes first."""

    async def meet(request: Message, engine: Upstream) -> Message:
        answer = await engine.exchange(request)
        return Message(interim + answer.head, answer.body)

    return Fault("preceded", meet)


# Connections.


def reset_before() -> Fault:
    """The engine never hears of the request."""

    async def meet(request: Message, engine: Upstream) -> Message:
        raise HangUp(reset=True)

    return Fault("reset before", meet)


def reset_after() -> Fault:
    """The engine has done what it was asked; nobody is told."""

    async def meet(request: Message, engine: Upstream) -> Message:
        await engine.exchange(request)
        raise HangUp(reset=True)

    return Fault("reset after", meet)


def hung_up(data: bytes = b"") -> Fault:
    """The connection is closed in good order, after these bytes."""

    async def meet(request: Message, engine: Upstream) -> Message:
        raise HangUp(data)

    return Fault("hung up", meet)


def half() -> Fault:
    async def meet(request: Message, engine: Upstream) -> Message:
        raw = (await engine.exchange(request)).raw
        raise HangUp(raw[: len(raw) // 2])

    return Fault("half", meet)


def slow(seconds: float) -> Fault:
    async def meet(request: Message, engine: Upstream) -> Message:
        answer = await engine.exchange(request)
        await asyncio.sleep(seconds)
        return answer

    return Fault("slow", meet)


def silent() -> Fault:
    """Never answers; ends when the client leaves."""

    async def meet(request: Message, engine: Upstream) -> Message:
        return await asyncio.get_running_loop().create_future()

    return Fault("silent", meet)


def written(body: bytes, *, status: int = 200, **headers: str) -> Message:
    """A response around a body, with the checksum that DynamoDB sends along."""
    lines = {"Content-Length": str(len(body)), "x-amz-crc32": str(crc32(body))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return Message(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode(), body)


def _with_body(request: Message, body: bytes) -> Message:
    [start, *lines] = request.head.decode("latin-1").rstrip("\r\n").split("\r\n")
    kept = [line for line in lines if not line.lower().startswith("content-length:")]
    head = "\r\n".join([start, *kept, f"Content-Length: {len(body)}"])
    return Message(f"{head}\r\n\r\n".encode("latin-1"), body)
