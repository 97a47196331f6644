import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tablefold.store.conditions import Missing
from tablefold.store.deadline import Deadline
from tablefold.store.errors import (
    AccessDenied,
    ConditionFailed,
    DeadlineExceeded,
    RequestRefused,
    StoreError,
    TableMissing,
    Throttled,
    TransactionCancelled,
    Unavailable,
    Unprocessed,
)
from tablefold.store.requests import BatchGet, Get, Key, KeyNames
from tablefold.store.retries import RetryPolicy
from tablefold.store.wire import Reply, Wire
from tablefold.store.writes import BatchWrite, Put, TransactWrite
from tests.harness.roles import Role
from tests.store.scripted import (
    HALF,
    HANG_UP,
    RESET,
    THROTTLE,
    Asked,
    Hang,
    Raw,
    Script,
    Server,
    ok,
    refusal,
    serving,
    status,
)

NAMES = KeyNames("PK", "SK")
GET = Get("shop", NAMES, ("USER#1", "PROFILE"))
PUT = Put("shop", {"PK": {"S": "USER#1"}, "SK": {"S": "PROFILE"}}, condition=Missing("PK"))
FOUND = {"Item": {"name": {"S": "Ada"}}, "ConsumedCapacity": {"CapacityUnits": 0.5}}
QUICK = RetryPolicy(base=0.001, cap=0.002)


@asynccontextmanager
async def wired(script: Script, **options: Any) -> AsyncGenerator[tuple[Server, Wire]]:
    defaults: dict[str, Any] = {"region": "eu-west-1", "policy": QUICK}
    async with serving(script) as server:
        wire = Wire(endpoint_url=server.url, **(defaults | options))
        try:
            yield server, wire
        finally:
            await wire.close()


def soon() -> Deadline:
    return Deadline.after(10)


async def test_a_request_goes_out_signed_and_its_answer_comes_back():
    async with wired([ok(FOUND)]) as (server, wire):
        reply = await wire.send(GET, deadline=soon())
        assert reply.body == FOUND
        assert (reply.capacity, reply.retries, reply.unprocessed) == (0.5, 0, None)
        [asked] = server.asked
        assert asked.body == GET.render()
        assert asked.headers["x-amz-target"] == "DynamoDB_20120810.GetItem"
        assert "/eu-west-1/dynamodb/aws4_request" in asked.headers["authorization"]


@pytest.mark.parametrize(
    "failure",
    [
        THROTTLE,
        refusal("ThrottlingException"),
        refusal("RequestLimitExceeded"),
        refusal("TransactionConflictException"),
        refusal("InternalServerError", status_code=500),
        status(503, b"<html>busy</html>"),
        status(429, b"slow down"),
        RESET,
        HANG_UP,
        HALF,
        ok({"Item": {}}, x_amz_crc32="1"),
        ok(b'{"Item": '),
        ok(b"[]"),
    ],
)
async def test_a_read_is_repeated_after_a_failure_that_passes(failure: Raw):
    async with wired([failure, ok(FOUND)]) as (server, wire):
        reply = await wire.send(GET, deadline=soon())
        assert (reply.body, reply.retries) == (FOUND, 1)
        assert server.operations == ["GetItem", "GetItem"]


async def test_a_silent_attempt_is_repeated_on_another_connection():
    def silent_at_first(asked: Asked) -> Raw | Hang:
        return Hang() if asked.connection == 1 else ok(FOUND)

    async with wired(silent_at_first, response_seconds=0.25) as (server, wire):
        reply = await wire.send(GET, deadline=soon())
        assert reply.body == FOUND
        assert reply.retries >= 1
        assert server.asked[0].connection == 1


async def test_attempts_are_bounded():
    async with wired([THROTTLE], policy=RetryPolicy(base=0.001, attempts=3)) as (server, wire):
        with pytest.raises(Throttled) as caught:
            await wire.send(GET, deadline=soon())
        assert caught.value.aws_code == "ProvisionedThroughputExceededException"
        assert server.operations == ["GetItem"] * 3


async def test_silence_past_the_deadline_is_not_repeated():
    async with wired([Hang()]) as (server, wire):
        with pytest.raises(DeadlineExceeded):
            await wire.send(GET, deadline=Deadline.after(0.3))
        assert len(server.asked) <= 1


async def test_nothing_is_sent_after_the_deadline():
    async with wired([ok(FOUND)]) as (server, wire):
        with pytest.raises(DeadlineExceeded, match="was not sent"):
            await wire.send(GET, deadline=Deadline.after(0))
        assert server.asked == []


@pytest.mark.parametrize(
    ("answer", "error", "code"),
    [
        (refusal("ValidationException", "bad key"), RequestRefused, "INTERNAL"),
        (refusal("NeverHeardOfException"), RequestRefused, "INTERNAL"),
        (status(404, b"<html>"), RequestRefused, "INTERNAL"),
        (refusal("ResourceNotFoundException"), TableMissing, "INTERNAL"),
        (refusal("AccessDeniedException"), AccessDenied, "INTERNAL"),
        (refusal("UnrecognizedClientException"), AccessDenied, "INTERNAL"),
        (refusal("ConditionalCheckFailedException"), ConditionFailed, "CONFLICT"),
    ],
)
async def test_a_refusal_is_translated_and_not_repeated(
    answer: Raw, error: type[StoreError], code: str
):
    async with wired([answer]) as (server, wire):
        with pytest.raises(error) as caught:
            await wire.send(GET, deadline=soon())
        assert type(caught.value) is error
        assert (caught.value.code, caught.value.operation) == (code, "GetItem")
        assert len(server.asked) == 1


async def test_a_failed_condition_shows_the_standing_item():
    item = {"PK": {"S": "USER#1"}, "version": {"N": "7"}}
    async with wired([refusal("ConditionalCheckFailedException", Item=item)]) as (_, wire):
        with pytest.raises(ConditionFailed) as caught:
            await wire.send(PUT, deadline=soon())
        assert caught.value.item == item


async def test_a_cancelled_transaction_tells_the_reason_of_each_action():
    reasons = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Message": "no"}]
    refused = refusal("TransactionCanceledException", CancellationReasons=reasons)
    async with wired([refused]) as (server, wire):
        with pytest.raises(TransactionCancelled) as caught:
            await wire.send(TransactWrite((PUT,)), deadline=soon())
        assert [reason.code for reason in caught.value.reasons] == [
            "None",
            "ConditionalCheckFailed",
        ]
        assert len(server.asked) == 1


async def test_a_transaction_cancelled_by_another_one_is_repeated():
    reasons = [{"Code": "None"}, {"Code": "TransactionConflict"}]
    refused = refusal("TransactionCanceledException", CancellationReasons=reasons)
    async with wired([refused, ok({})]) as (server, wire):
        await wire.send(TransactWrite((PUT,)), deadline=soon())
        assert len(server.asked) == 2


@pytest.mark.parametrize(
    "loss", [RESET, HALF, refusal("InternalServerError", status_code=500), ok(b"{", x="y")]
)
async def test_a_write_that_may_have_applied_is_not_repeated(loss: Raw):
    async with wired([loss, ok({})]) as (server, wire):
        with pytest.raises(Unavailable) as caught:
            await wire.send(PUT, deadline=soon())
        assert caught.value.may_have_applied
        assert server.operations == ["PutItem"]


async def test_a_throttled_write_is_repeated():
    async with wired([THROTTLE, ok({})]) as (server, wire):
        assert (await wire.send(PUT, deadline=soon())).retries == 1
        assert server.operations == ["PutItem", "PutItem"]


async def test_a_transaction_with_a_token_is_repeated_after_a_lost_answer():
    async with wired([RESET, ok({})]) as (server, wire):
        await wire.send(TransactWrite((PUT,), token="once"), deadline=soon())
        assert [asked.body["ClientRequestToken"] for asked in server.asked] == ["once", "once"]


def keys(*numbers: int) -> tuple[Key, ...]:
    return tuple((f"USER#{number}", "PROFILE") for number in numbers)


def some_of(limit: int):
    """Serves at most `limit` keys of a batch at a time."""

    def answer(asked: Asked) -> Raw:
        wanted = asked.body["RequestItems"]["shop"]["Keys"]
        left = {"shop": {"Keys": wanted[limit:]}} if wanted[limit:] else {}
        return ok(
            {
                "Responses": {"shop": wanted[:limit]},
                "UnprocessedKeys": left,
                "ConsumedCapacity": [{"CapacityUnits": 0.5 * len(wanted[:limit])}],
            }
        )

    return answer


async def test_only_unprocessed_keys_are_asked_for_again_and_answers_are_merged():
    async with wired(some_of(2)) as (server, wire):
        reply = await wire.send(BatchGet("shop", NAMES, keys(1, 2, 3, 4, 5)), deadline=soon())
        sent = [asked.body["RequestItems"]["shop"]["Keys"] for asked in server.asked]
        assert [len(wanted) for wanted in sent] == [5, 3, 1]
        assert tuple(map(NAMES.key_of, reply.body["Responses"]["shop"])) == keys(1, 2, 3, 4, 5)
        assert (reply.capacity, reply.retries, reply.unprocessed) == (2.5, 2, None)
        assert not reply.body["UnprocessedKeys"]


async def test_progress_is_not_counted_against_a_batch():
    policy = RetryPolicy(base=0.001, cap=0.001, attempts=2)
    async with wired(some_of(1), policy=policy) as (server, wire):
        await wire.send(BatchGet("shop", NAMES, keys(*range(6))), deadline=soon())
        assert len(server.asked) == 6


async def test_a_batch_that_is_never_served_in_full_says_what_is_left():
    first = BatchGet("shop", NAMES, keys(1, 2, 3))
    stuck = {"shop": {"Keys": [NAMES.render(key) for key in keys(3)]}}
    served = {"Responses": {"shop": [{"name": {"S": "Ada"}}]}, "UnprocessedKeys": stuck}
    nothing = {"Responses": {}, "UnprocessedKeys": stuck}
    policy = RetryPolicy(base=0.001, cap=0.001, attempts=3)
    async with wired([ok(served), ok(nothing)], policy=policy) as (_, wire):
        with pytest.raises(Unprocessed) as caught:
            await wire.send(first, deadline=soon())
        assert caught.value.code == "THROTTLED"
        assert caught.value.reply.body["Responses"] == served["Responses"]
        assert caught.value.reply.unprocessed == BatchGet("shop", NAMES, keys(3))
        assert isinstance(caught.value.__cause__, Throttled)


async def test_unprocessed_writes_are_sent_again():
    item = {"PK": {"S": "a"}, "SK": {"S": "b"}}
    rest = {"shop": [{"DeleteRequest": {"Key": NAMES.render(("c", "d"))}}]}
    script = [ok({"UnprocessedItems": rest}), ok({"UnprocessedItems": {}})]
    async with wired(script) as (server, wire):
        batch = BatchWrite("shop", NAMES, puts=(item,), deletes=(("c", "d"),))
        await wire.send(batch, deadline=soon())
        assert server.asked[1].body["RequestItems"] == rest


def refusing(expired: str):
    def answer(asked: Asked) -> Raw:
        refused = asked.headers["x-amz-security-token"] == expired
        return refusal("ExpiredTokenException") if refused else ok({})

    return answer


async def test_an_expired_token_is_renewed_once_for_all_requests():
    role = Role()
    async with wired(refusing("token1"), session=role.session) as (server, wire):
        await asyncio.gather(*(wire.send(PUT, deadline=soon()) for _ in range(5)))
        tokens = [asked.headers["x-amz-security-token"] for asked in server.asked]
        assert role.issued == 2
        assert tokens.count("token2") == 5


async def test_a_token_that_stays_expired_is_renewed_only_once():
    async with wired([refusal("ExpiredTokenException")], session=Role().session) as (server, wire):
        with pytest.raises(AccessDenied):
            await wire.send(GET, deadline=soon())
        assert len(server.asked) == 2


async def test_a_cancelled_send_leaves_the_pool_clean():
    async with wired([Hang(), ok(FOUND)], pool_size=1) as (server, wire):
        task = asyncio.create_task(wire.send(GET, deadline=soon()))
        await server.until(lambda: len(server.asked) == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await wire.send(GET, deadline=soon())).body == FOUND


async def test_without_an_endpoint_the_session_names_it(monkeypatch: pytest.MonkeyPatch):
    async with serving([ok(FOUND)]) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", server.url)
        wire = Wire(region="eu-west-1")
        assert (await wire.send(GET, deadline=soon())).body == FOUND
        await wire.close()


async def test_a_session_that_cannot_be_used_says_why(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AWS_PROFILE", "no-such-profile")
    with pytest.raises(StoreError, match="no-such-profile"):
        await Wire(region="eu-west-1").send(GET, deadline=soon())


async def test_without_a_region_the_error_says_where_to_set_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    with pytest.raises(StoreError, match="AWS_REGION"):
        await Wire().send(GET, deadline=soon())


def test_a_wire_can_be_built_without_an_event_loop_and_used_in_several():
    async def once(wire: Wire) -> Reply:
        return await wire.send(GET, deadline=Deadline.after(0))

    wire = Wire(endpoint_url="http://127.0.0.1:9", region="eu-west-1")
    for _ in range(2):
        with pytest.raises(DeadlineExceeded):
            asyncio.run(once(wire))
