import asyncio
import gc
import ipaddress
import socket
import threading
import weakref
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tablefold.store.deadline import Deadline
from tablefold.store.errors import DeadlineExceeded, StoreError, Unavailable
from tablefold.store.exchange import Connection, Endpoint, Exchange, Pool, Response
from tests.store.scripted import HALF, HANG_UP, RESET, Asked, Hang, Raw, Script, Server, ok, serving

HEADERS = {"x-amz-target": "DynamoDB_20120810.GetItem"}


def soon() -> Deadline:
    return Deadline.after(10)


@asynccontextmanager
async def exchanging(
    script: Script, *, pool_size: int = 4, response_seconds: float = 10, idle_seconds: float = 60
) -> AsyncGenerator[tuple[Server, Exchange]]:
    async with serving(script) as server:
        exchange = Exchange(
            Endpoint.parse(server.url),
            pool_size=pool_size,
            response_seconds=response_seconds,
            idle_seconds=idle_seconds,
        )
        try:
            yield server, exchange
        finally:
            await exchange.close()


async def ask(exchange: Exchange, body: bytes = b"{}", deadline: Deadline | None = None) -> bytes:
    return (await exchange.post(HEADERS, body, deadline=deadline or soon())).body


async def test_one_connection_serves_requests_in_a_row():
    async with exchanging([ok({"n": 1}), ok({"n": 2})]) as (server, exchange):
        assert [await ask(exchange), await ask(exchange)] == [b'{"n":1}', b'{"n":2}']
        assert [asked.connection for asked in server.asked] == [1, 1]


async def test_status_body_and_checksum_come_back():
    async with exchanging([ok(b"abc", x_amz_crc32="891568578")]) as (_, exchange):
        assert await exchange.post(HEADERS, b"{}", deadline=soon()) == Response(
            200, b"abc", 891568578
        )


async def test_the_request_arrives_as_it_was_sent():
    async with exchanging([ok({})]) as (server, exchange):
        await ask(exchange, b'{"Key":"\xc3\xa9"}')
        assert server.asked[0].body == {"Key": "é"}
        assert server.asked[0].headers == {**HEADERS, "content-length": "12"}


async def test_a_chunked_answer_is_put_together():
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunked = Raw(head + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", close=False)
    async with exchanging([chunked]) as (server, exchange):
        assert [await ask(exchange), await ask(exchange)] == [b"abcde", b"abcde"]
        assert server.connections == 1


async def test_an_interim_answer_is_passed_over():
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    async with exchanging([Raw(interim + ok({"n": 1}).data, close=False)]) as (server, exchange):
        assert [await ask(exchange), await ask(exchange)] == [b'{"n":1}', b'{"n":1}']
        assert server.connections == 1


async def test_a_connection_that_the_server_closes_is_not_used_again():
    async with exchanging([ok({}, Connection="close"), ok({})]) as (server, exchange):
        await ask(exchange)
        await ask(exchange)
        assert [asked.connection for asked in server.asked] == [1, 2]


async def test_an_idle_connection_that_was_hung_up_is_not_used_again():
    async with exchanging([ok({})]) as (server, exchange):
        await ask(exchange)
        server.hang_up()
        await server.until(lambda: server.open == 0)
        for _ in range(10):
            await asyncio.sleep(0.001)  # turns of the loop, in which the news arrives
        await ask(exchange)
        assert [asked.connection for asked in server.asked] == [1, 2]


async def test_idle_connections_are_closed():
    async with exchanging([ok({})], idle_seconds=0.01) as (server, exchange):
        await ask(exchange)
        await server.until(lambda: server.open == 0)


@pytest.mark.parametrize("loss", [RESET, HANG_UP, HALF, Raw(b"SMTP ready\r\n")])
async def test_a_lost_answer_is_unavailable_and_may_have_applied(loss: Raw):
    async with exchanging([loss, ok({"n": 1})]) as (server, exchange):
        with pytest.raises(Unavailable) as caught:
            await ask(exchange)
        assert caught.value.may_have_applied
        assert await ask(exchange) == b'{"n":1}'
        assert server.connections == 2


async def test_a_refused_connection_is_unavailable_and_did_not_apply():
    async with serving([ok({})]) as server:
        url = server.url
    exchange = Exchange(Endpoint.parse(url))
    with pytest.raises(Unavailable, match="No connection to DynamoDB at") as caught:
        await ask(exchange)
    assert not caught.value.may_have_applied


async def test_bytes_behind_an_answer_do_not_become_the_next_one():
    forged = ok({"n": 1}).data + ok({"forged": True}).data
    async with exchanging([Raw(forged, close=False), ok({"n": 2})]) as (server, exchange):
        assert [await ask(exchange), await ask(exchange)] == [b'{"n":1}', b'{"n":2}']
        assert server.connections == 2


def hanging(asked: Asked) -> Raw | Hang:
    return Hang() if asked.body == "hang" else ok(asked.body)


async def test_silence_past_the_deadline_is_deadline_exceeded():
    async with exchanging(hanging) as (server, exchange):
        await ask(exchange, b"1")
        with pytest.raises(DeadlineExceeded) as caught:
            await ask(exchange, b'"hang"', deadline=Deadline.after(0.05))
        assert caught.value.may_have_applied
        assert await ask(exchange, b"2") == b"2"
        assert server.connections == 2


async def test_silence_of_one_attempt_leaves_the_rest_of_the_deadline():
    async with exchanging([Hang(), ok({})], response_seconds=0.05) as (_, exchange):
        with pytest.raises(Unavailable, match="did not answer within"):
            await ask(exchange)


async def test_a_cancelled_request_takes_its_connection_along():
    async with exchanging([Hang(), ok({"n": 1})], pool_size=1) as (server, exchange):
        task = asyncio.create_task(ask(exchange))
        await server.until(lambda: len(server.asked) == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await ask(exchange) == b'{"n":1}'
        await server.until(lambda: server.open == 1)


async def test_the_pool_is_bounded():
    async with exchanging(lambda asked: ok(asked.body), pool_size=2) as (server, exchange):
        bodies = [b"%d" % number for number in range(40)]
        assert await asyncio.gather(*(ask(exchange, body) for body in bodies)) == bodies
        assert server.connections == 2


async def test_who_waits_is_served_in_order():
    async with exchanging(lambda asked: ok(asked.body), pool_size=1) as (server, exchange):
        await asyncio.gather(*(ask(exchange, b"%d" % number) for number in range(20)))
        assert [asked.body for asked in server.asked] == list(range(20))


async def test_waiting_for_a_place_ends_at_the_deadline():
    async with exchanging([Hang()], pool_size=1) as (server, exchange):
        holder = asyncio.create_task(ask(exchange))
        await server.until(lambda: len(server.asked) == 1)
        with pytest.raises(DeadlineExceeded, match="came free") as caught:
            await ask(exchange, deadline=Deadline.after(0.02))
        assert not caught.value.may_have_applied
        holder.cancel()


async def test_a_waiter_that_is_cancelled_loses_no_place():
    def answer(asked: Asked) -> Raw:
        return ok(asked.body)

    async with exchanging(answer, pool_size=1) as (server, exchange):
        tasks = [asyncio.create_task(ask(exchange, b"%d" % number)) for number in range(12)]
        await server.until(lambda: len(server.asked) >= 1)
        for task in tasks[1::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert await ask(exchange, b"99") == b"99"


@pytest.mark.parametrize("turns", range(12))
async def test_cancelling_at_any_turn_of_the_loop_leaves_the_pool_usable(turns: int):
    async with exchanging(lambda asked: ok(asked.body), pool_size=1) as (_, exchange):
        tasks = [asyncio.create_task(ask(exchange, b"%d" % number)) for number in range(3)]
        for _ in range(turns):
            await asyncio.sleep(0)
        tasks[0].cancel()
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert tasks[2].result() == b"2"
        assert await ask(exchange, b"9") == b"9"


async def test_closing_lets_the_running_request_finish():
    async with exchanging(lambda asked: ok(asked.body)) as (server, exchange):
        task = asyncio.create_task(ask(exchange, b"1"))
        await server.until(lambda: server.connections == 1)
        await exchange.close()
        assert await task == b"1"
        await server.until(lambda: server.open == 0)


def test_an_exchange_outlives_its_event_loop():
    listening = socket.create_server(("127.0.0.1", 0))
    exchange = Exchange(Endpoint.parse(f"http://127.0.0.1:{listening.getsockname()[1]}"))

    async def once() -> tuple[bytes, int]:
        async with serving([ok({"n": 1})], sock=listening.dup()) as server:
            return await ask(exchange), server.connections

    with listening:
        assert [asyncio.run(once()), asyncio.run(once())] == [(b'{"n":1}', 1)] * 2


async def test_a_fresh_connection_passes_over_the_idle_ones_and_keeps_to_the_size():
    async with exchanging(lambda asked: ok(asked.body), pool_size=2) as (server, exchange):
        await asyncio.gather(ask(exchange, b"1"), ask(exchange, b"2"))
        await exchange.post(HEADERS, b"3", deadline=soon(), fresh=True)
        assert [asked.connection for asked in server.asked] == [1, 2, 3]
        await server.until(lambda: server.open == 2)


async def test_what_is_handed_on_is_as_good_as_fresh():
    async with exchanging(lambda asked: ok(asked.body), pool_size=1) as (server, exchange):
        await asyncio.gather(
            *(exchange.post(HEADERS, b"1", deadline=soon(), fresh=True) for _ in range(5))
        )
        assert server.connections == 1


async def test_a_connection_that_opens_as_its_asker_leaves_is_closed(
    monkeypatch: pytest.MonkeyPatch,
):
    async with exchanging([ok({})], pool_size=1) as (server, exchange):
        open_one = Pool._open  # pyright: ignore[reportPrivateUsage]

        async def opened(pool: Pool) -> Connection:
            connection = await open_one(pool)
            pool.loop.call_soon(asker.cancel)  # just before the asker hears of it
            return connection

        monkeypatch.setattr(Pool, "_open", opened)
        asker = asyncio.create_task(ask(exchange))
        await asyncio.gather(asker, return_exceptions=True)
        assert asker.cancelled()
        await server.until(lambda: (server.connections, server.open) == (1, 0))
        monkeypatch.undo()
        await ask(exchange)


async def test_a_connection_keeps_nothing_of_who_opened_it():
    held: ContextVar[Held] = ContextVar("held")
    async with exchanging(lambda asked: ok(asked.body)) as (server, exchange):

        async def hold() -> weakref.ref[Held]:
            held.set(Held())
            await ask(exchange)
            return weakref.ref(held.get())

        kept = await asyncio.create_task(hold())
        await asyncio.sleep(0.01)
        gc.collect()
        assert kept() is None
        assert server.open == 1


class Held:
    pass


@pytest.mark.parametrize("part", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 100 X\r\n\r\n"])
async def test_an_answer_may_not_go_on_for_ever(part: bytes, monkeypatch: pytest.MonkeyPatch):
    """Neither in its head, nor in what precedes it."""
    monkeypatch.setattr("tablefold.store.exchange.ANSWER_MAX_BYTES", 1_000)
    endless = part * 100 if part.endswith(b"\n") else part + b"x" * 2_000
    async with exchanging([Raw(endless, close=False)]) as (_, exchange):
        with pytest.raises(StoreError, match="longer than") as caught:
            await ask(exchange)
        assert not isinstance(caught.value, Unavailable)


async def test_closing_closes_the_connections_of_every_loop():
    async with exchanging(lambda asked: ok(asked.body)) as (server, exchange):
        other = asyncio.new_event_loop()
        thread = threading.Thread(target=other.run_forever)
        thread.start()
        asking = asyncio.run_coroutine_threadsafe(ask(exchange), other)
        await asyncio.gather(ask(exchange), asyncio.wrap_future(asking))
        assert server.open == 2
        await exchange.close()
        await server.until(lambda: server.open == 0)
        other.call_soon_threadsafe(other.stop)
        thread.join()
        other.close()


async def test_tls_trusts_known_authorities_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    certificate = self_signed(tmp_path)
    async with serving([ok({"n": 1})], tls=certificate) as server:
        with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED"):
            await ask(Exchange(Endpoint.parse(server.url)))
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        exchange = Exchange(Endpoint.parse(server.url))
        assert [await ask(exchange), await ask(exchange)] == [b'{"n":1}', b'{"n":1}']
        assert [asked.connection for asked in server.asked] == [1, 1]
        await exchange.close()


def self_signed(directory: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, SHA256())
    )
    file = directory / "server.pem"
    file.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        + certificate.public_bytes(Encoding.PEM)
    )
    return file


@pytest.mark.parametrize(
    ("url", "authority", "path"),
    [
        ("http://localhost:8000", "localhost:8000", "/"),
        ("https://dynamodb.eu-west-1.amazonaws.com", "dynamodb.eu-west-1.amazonaws.com", "/"),
        ("https://example.org:443/base", "example.org", "/base"),
        ("http://[::1]:8000/", "[::1]:8000", "/"),
    ],
)
def test_an_endpoint_knows_its_host_header(url: str, authority: str, path: str):
    endpoint = Endpoint.parse(url)
    assert (endpoint.authority, endpoint.path) == (authority, path)


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://x", "", "http://"])
def test_an_endpoint_needs_scheme_and_host(url: str):
    with pytest.raises(StoreError, match="no endpoint"):
        Endpoint.parse(url)
