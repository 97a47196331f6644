import asyncio
import threading
from pathlib import Path

import boto3
import pytest

from tablefold.store.credentials import (
    LOCAL_CREDENTIALS,
    InThread,
    SessionKeyring,
    is_local,
    local_session,
)
from tablefold.store.errors import CredentialsMissing
from tablefold.store.signing import Credentials
from tests.harness.roles import Role


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # pyright: ignore
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))


async def test_static_keys_come_from_the_session():
    session = boto3.Session(aws_access_key_id="AKID", aws_secret_access_key="secret")
    assert await SessionKeyring(session).current() == Credentials("AKID", "secret")


async def test_no_credentials_is_an_error_that_says_where_to_put_them():
    with pytest.raises(CredentialsMissing, match="AWS_ACCESS_KEY_ID"):
        await SessionKeyring(boto3.Session()).current()


async def test_a_local_engine_needs_no_credentials():
    assert await SessionKeyring(local_session(), local=True).current() == LOCAL_CREDENTIALS


async def test_a_local_engine_gets_the_sessions_keys_if_there_are_any():
    session = boto3.Session(aws_access_key_id="AKID", aws_secret_access_key="secret")
    keyring = SessionKeyring(session, local=True)
    assert await keyring.current() == Credentials("AKID", "secret")


async def test_a_session_that_fails_is_credentials_missing(monkeypatch: pytest.MonkeyPatch):
    session = boto3.Session()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "half of a pair")
    with pytest.raises(CredentialsMissing):
        await SessionKeyring(session).current()


async def test_lasting_credentials_are_fetched_once():
    role = Role(minutes=60)
    keyring = SessionKeyring(role.session)
    found = await asyncio.gather(*(keyring.current() for _ in range(20)))
    assert {credentials.access_key for credentials in found} == {"KEY1"}
    assert len(role.threads) == 1


async def test_ending_credentials_are_renewed_in_one_thread_for_all():
    role = Role(minutes=1)
    role.minutes = 60
    keyring = SessionKeyring(role.session)
    found = await asyncio.gather(*(keyring.current() for _ in range(20)))
    assert {credentials.access_key for credentials in found} == {"KEY2"}
    assert len(role.threads) == 2
    assert role.threads[1] != threading.main_thread().name


async def test_renewal_replaces_what_was_refused_once():
    role = Role(minutes=60)
    keyring = SessionKeyring(role.session)
    old = await keyring.current()
    found = await asyncio.gather(*(keyring.renewed(old) for _ in range(5)))
    assert {credentials.access_key for credentials in found} == {"KEY2"}
    assert (await keyring.renewed(old)).access_key == "KEY2"


async def test_renewal_reads_a_credentials_file_again(tmp_path: Path):
    file = tmp_path / "credentials"
    file.write_text("[default]\naws_access_key_id=OLD\naws_secret_access_key=s\n")
    keyring = SessionKeyring(boto3.Session())
    old = await keyring.current()
    file.write_text("[default]\naws_access_key_id=NEW\naws_secret_access_key=s\n")
    assert (old.access_key, (await keyring.renewed(old)).access_key) == ("OLD", "NEW")


async def test_one_who_gives_up_does_not_cancel_the_others():
    role = Role(minutes=1)
    role.minutes = 60
    keyring = SessionKeyring(role.session)
    first, second = (asyncio.create_task(keyring.current()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).access_key == "KEY2"


def test_a_call_in_a_thread_is_shared_by_several_loops():
    go_on, calls = threading.Event(), list[int]()

    def call() -> int:
        go_on.wait()
        calls.append(1)
        return len(calls)

    shared, found = InThread(call), list[int]()
    threads = [
        threading.Thread(target=lambda: found.append(asyncio.run(shared.result())))
        for _ in range(3)
    ]
    shared.start()
    for thread in threads:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert shared.start().result() == len(calls), "an answer that is there is not kept for ever"


async def test_a_call_that_hangs_does_not_keep_the_process_from_ending():
    hanging = threading.Event()
    InThread(hanging.wait).start()
    running = [thread for thread in threading.enumerate() if thread.name.endswith("(_run)")]
    assert running and all(thread.daemon for thread in running)
    hanging.set()


@pytest.mark.parametrize(
    ("url", "host", "local"),
    [
        ("http://localhost:8000", "localhost", True),
        ("https://127.0.0.1:8000", "127.0.0.1", True),
        ("http://dynamodb:8000", "dynamodb", True),
        ("https://dynamodb.eu-west-1.amazonaws.com", "dynamodb.eu-west-1.amazonaws.com", False),
    ],
)
def test_which_endpoints_are_local(url: str, host: str, local: bool):
    assert is_local(url, host) is local
