"""The one place that talks to DynamoDB: signs, sends, repeats what may be repeated, translates."""

from __future__ import annotations

import asyncio
import random
import time
from binascii import crc32
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar, cast

import boto3
import orjson
from botocore.exceptions import BotoCoreError

from .credentials import InThread, Keyring, SessionKeyring, is_local, local_session
from .deadline import Deadline
from .errors import (
    BY_AWS_CODE,
    EXPIRED_TOKEN_CODES,
    AccessDenied,
    CancellationReason,
    ConditionFailed,
    DeadlineExceeded,
    ItemTooLarge,
    RequestRefused,
    StoreError,
    TableMissing,
    Throttled,
    TransactionCancelled,
    Unavailable,
    Unprocessed,
)
from .exchange import RESPONSE_SECONDS, Endpoint, Exchange, Response
from .requests import BatchGet, ReadRequest
from .retries import RetryBudget, RetryPolicy, conclusive, may_repeat
from .signing import SERVICE, Credentials, Signer
from .values import JsonObject
from .writes import BatchWrite, WriteRequest

T = TypeVar("T")

Request: TypeAlias = ReadRequest | WriteRequest

REQUEST_TIMEOUT: Final = 408  # said by gateways on the way

LOCAL_REGION: Final = "us-east-1"

REGION_MISSING = (
    "No AWS region is set. Pass region=, set AWS_REGION or AWS_DEFAULT_REGION, "
    "or write one in the AWS profile."
)


@dataclass(frozen=True, slots=True)
class Reply:
    """`capacity` and `retries` cover all that was sent for it; `unprocessed` is None when whole."""

    body: Mapping[str, Any] = field(hash=False)
    capacity: float
    retries: int
    milliseconds: float
    unprocessed: BatchGet | BatchWrite | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """What is known once the session has been asked for region and endpoint."""

    exchange: Exchange
    signer: Signer
    keyring: Keyring


class Wire:
    """May be built before any event loop runs; connects on first use."""

    def __init__(
        self,
        *,
        session: boto3.Session | None = None,
        region: str | None = None,
        endpoint_url: str | None = None,
        pool_size: int = 64,
        policy: RetryPolicy | None = None,
        budget: RetryBudget | None = None,
        response_seconds: float = RESPONSE_SECONDS,
    ) -> None:
        self._session = session
        self._region = region
        self._endpoint_url = endpoint_url
        self._pool_size = pool_size
        self._policy = policy or RetryPolicy()
        self._budget = budget or RetryBudget()
        self._response_seconds = response_seconds
        self._line: Line | None = None
        self._opening = InThread(self._open)

    async def send(self, request: Request, *, deadline: Deadline) -> Reply:
        """The whole answer, or a StoreError; Unprocessed carries the part of a batch that came."""
        started = time.perf_counter()
        tally = _Tally()
        body = await self._ask(request, deadline, tally)
        rest = _remainder(request, body)
        stopped: StoreError | None = None
        while rest is not None:
            try:
                await self._rest_before(rest, deadline, tally)
                answer = await self._ask(rest, deadline, tally)
            except StoreError as error:
                stopped = error
                break
            left = _remainder(rest, answer)
            if left is None or len(left) < len(rest):
                tally.fruitless = 0
                self._budget.succeeded(retried=True)
            rest = left
            body = _merged(body, answer)
        milliseconds = (time.perf_counter() - started) * 1000
        reply = Reply(body, tally.capacity, tally.retries, milliseconds, rest)
        if stopped is not None:
            raise _unprocessed(request, reply) from stopped
        return reply

    async def close(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.exchange.close()

    async def _ask(self, request: Request, deadline: Deadline, tally: _Tally) -> JsonObject:
        """One answered request, whatever it takes within the policy and the deadline."""
        payload = orjson.dumps(request.render())
        attempt, fresh, left_open = 1, False, False
        while True:
            try:
                body = await self._attempt(request, payload, deadline, fresh=fresh)
            except StoreError as error:
                # Of several attempts each may have been the one that was applied.
                left_open = left_open or error.may_have_applied
                error.may_have_applied = left_open and not conclusive(error)
                if not may_repeat(error, repeatable=request.repeatable):
                    raise
                pause = self._pause(attempt, deadline)
                if pause is None:
                    raise
                await asyncio.sleep(pause)
                attempt += 1
                tally.retries += 1
                # However many idle connections the server has closed, only one is tried.
                fresh = isinstance(error, Unavailable)
            else:
                self._budget.succeeded(retried=attempt > 1)
                tally.capacity += _capacity(body)
                return body

    async def _attempt(
        self, request: Request, payload: bytes, deadline: Deadline, *, fresh: bool
    ) -> JsonObject:
        if deadline.expired:
            raise DeadlineExceeded(
                f"{request.operation} was not sent: the deadline had passed.",
                operation=request.operation,
            )
        line = await self._ready(deadline)
        credentials = await _in_time(line.keyring.current(), deadline)
        try:
            return await _exchange(line, request, payload, credentials, deadline, fresh=fresh)
        except AccessDenied as error:
            if error.aws_code not in EXPIRED_TOKEN_CODES:
                raise
            renewed = await _in_time(line.keyring.renewed(credentials), deadline)
            if renewed == credentials:
                raise
        # The signature was refused, so nothing was done: even a write may be sent once more.
        return await _exchange(line, request, payload, renewed, deadline)

    async def _rest_before(self, rest: Request, deadline: Deadline, tally: _Tally) -> None:
        """The pause before unprocessed entries are asked for again."""
        tally.fruitless += 1
        tally.retries += 1
        pause = self._pause(tally.fruitless, deadline)
        if pause is None:
            raise Throttled(
                f"{rest.operation} left entries unprocessed {tally.fruitless} times in a row.",
                operation=rest.operation,
            )
        await asyncio.sleep(pause)

    def _pause(self, attempt: int, deadline: Deadline) -> float | None:
        pause = self._policy.pause(attempt, chance=random.random(), remaining=deadline.remaining())
        return pause if pause is not None and self._budget.take(now=time.monotonic()) else None

    async def _ready(self, deadline: Deadline) -> Line:
        return self._line or await _in_time(self._opening.result(), deadline)

    def _open(self) -> Line:
        """Asks the session for region and endpoint: reads files, so it runs in a thread.

        The line is kept here, because nobody may be waiting for it any longer.
        """
        if self._line is None:
            try:
                self._line = self._new_line()
            except BotoCoreError as error:
                raise StoreError(f"The AWS session cannot be used: {error}") from error
        return self._line

    def _new_line(self) -> Line:
        given = self._endpoint_url
        local = given is not None and is_local(given, Endpoint.parse(given).host)
        session = self._session or (local_session() if local else boto3.Session())
        region = self._region or session.region_name or (LOCAL_REGION if local else None)
        if region is None:
            raise StoreError(REGION_MISSING)
        url = given or _aws_endpoint(session, region)
        endpoint = Endpoint.parse(url)
        return Line(
            Exchange(endpoint, pool_size=self._pool_size, response_seconds=self._response_seconds),
            Signer(region=region, host=endpoint.authority, path=endpoint.path),
            SessionKeyring(session, local=is_local(url, endpoint.host)),
        )


class _Tally:
    """What one `send` has cost so far."""

    __slots__ = ("capacity", "fruitless", "retries")

    def __init__(self) -> None:
        self.capacity = 0.0
        self.retries = 0
        self.fruitless = 0


async def _exchange(
    line: Line,
    request: Request,
    payload: bytes,
    credentials: Credentials,
    deadline: Deadline,
    *,
    fresh: bool = False,
) -> JsonObject:
    headers = line.signer.headers(request.operation, payload, credentials, now=time.time())
    response = await line.exchange.post(headers, payload, deadline=deadline, fresh=fresh)
    return _understood(request, response)


async def _in_time(waiting: Awaitable[T], deadline: Deadline) -> T:
    try:
        async with asyncio.timeout(deadline.remaining()):
            return await waiting
    except TimeoutError as error:
        raise DeadlineExceeded(
            "The AWS session gave no region or credentials before the deadline."
        ) from error


def _aws_endpoint(session: boto3.Session, region: str) -> str:
    """botocore knows partitions, FIPS and dual-stack settings, and endpoints set in profiles."""
    make_client: Any = cast("Any", session).client
    return make_client(SERVICE, region_name=region).meta.endpoint_url


def _understood(request: Request, response: Response) -> JsonObject:
    """The body of a good answer; of any other, the StoreError that it means."""
    status = response.status
    if response.crc32 is not None and response.crc32 != crc32(response.body):
        raise _unavailable(request, "a damaged body")
    try:
        body = orjson.loads(response.body)
    except orjson.JSONDecodeError:
        body = None
    if isinstance(body, dict):
        if status == 200:
            return cast("JsonObject", body)
        raise _translated(request, status, cast("JsonObject", body))
    if status == 429:
        raise Throttled(f"{request.operation} was throttled.", operation=request.operation)
    if status == 200:
        raise _unavailable(request, "a damaged body")
    if status >= 500 or status == REQUEST_TIMEOUT:
        raise _unavailable(request, f"HTTP {status}")
    raise RequestRefused(
        f"{request.operation}: the endpoint answered HTTP {status}, and not in DynamoDB's words. "
        "Is it a DynamoDB endpoint?",
        operation=request.operation,
    )


def _unavailable(request: Request, what: str) -> Unavailable:
    return Unavailable(
        f"{request.operation}: DynamoDB answered with {what}.",
        operation=request.operation,
        may_have_applied=True,
    )


def _translated(request: Request, status: int, body: JsonObject) -> StoreError:
    operation = request.operation
    code = str(body.get("__type", "")).rpartition("#")[2]
    said = str(body.get("message") or body.get("Message") or f"HTTP {status}")
    kind = BY_AWS_CODE.get(code, _kind_of(status))
    if kind is ConditionFailed:
        return ConditionFailed(
            f"{operation}: the condition does not hold. {said}",
            operation=operation,
            aws_code=code,
            item=body.get("Item"),
        )
    if kind is TransactionCancelled:
        return TransactionCancelled(
            f"{operation}: {said}",
            operation=operation,
            aws_code=code,
            reasons=_reasons(body),
        )
    if kind is RequestRefused and "Item size" in said:
        kind = ItemTooLarge
    if (next_step := _next_step(kind, code, said)) is not None:
        said = f"{said.rstrip('.')}. {next_step}"
    return kind(
        f"{operation}: {code or 'refused'}: {said}",
        operation=operation,
        aws_code=code,
        may_have_applied=kind is Unavailable,
    )


def _kind_of(status: int) -> type[StoreError]:
    """What an answer means whose code nobody here knows."""
    if status == 429:
        return Throttled
    return Unavailable if status >= 500 or status == REQUEST_TIMEOUT else RequestRefused


def _next_step(kind: type[StoreError], code: str, said: str) -> str | None:
    if kind is TableMissing:
        return "Check the table's name, the region and the account."
    if code == "RequestExpired" or said.startswith(("Signature expired", "Signature not yet")):
        return "Check this machine's clock: a signature is good for five minutes."
    if code in EXPIRED_TOKEN_CODES:
        return "The session gave no newer credentials: log in again, or renew them."
    return None


def _reasons(body: JsonObject) -> tuple[CancellationReason, ...]:
    return tuple(
        CancellationReason(
            reason.get("Code") or "None", reason.get("Message") or "", reason.get("Item")
        )
        for reason in body.get("CancellationReasons") or ()
    )


def _capacity(body: JsonObject) -> float:
    # One table's figure for an item or a Query, a list of them for batches and transactions.
    consumed: JsonObject | list[JsonObject] = body.get("ConsumedCapacity") or []
    entries = consumed if isinstance(consumed, list) else [consumed]
    return sum(float(entry.get("CapacityUnits", 0)) for entry in entries)


def _remainder(request: Request, body: JsonObject) -> BatchGet | BatchWrite | None:
    return request.remainder(body) if isinstance(request, (BatchGet, BatchWrite)) else None


def _merged(body: JsonObject, more: JsonObject) -> JsonObject:
    """Both answers' items together, with what the later one left unprocessed."""
    responses: dict[str, list[Any]] = {**body.get("Responses", {})}
    for table, items in more.get("Responses", {}).items():
        responses[table] = [*responses.get(table, ()), *items]
    return {**body, **more, "Responses": responses} if responses else {**body, **more}


def _unprocessed(request: Request, reply: Reply) -> Unprocessed:
    return Unprocessed(
        f"{request.operation}: DynamoDB left a part unprocessed and the time or the attempts "
        "ran out. The table or one of its partitions is short of capacity.",
        operation=request.operation,
        reply=reply,
    )
