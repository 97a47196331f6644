"""Credentials that expire under way, and renewals that fail or hang."""

import asyncio
import logging
import threading

import pytest
from botocore.exceptions import ClientError

from tests.faults.asking import ALL, PROFILE, OpenShop, errors_of
from tests.harness.faults import FaultyProxy, Script, expired, passed, refused
from tests.harness.roles import Role
from tests.harness.serving import data_of

pytestmark = pytest.mark.engines("dynoxide")

ADA = {"user": {"name": "Ada Moreau"}}
BOTH = [("user", "INTERNAL"), ("order", "INTERNAL")]


async def test_an_expired_credential_is_renewed_once_for_all(
    open_shop: OpenShop, faulty: FaultyProxy
):
    role = Role()
    shop = open_shop(session=role.session)
    faulty.course = Script([expired()] * 4)

    answers = await asyncio.gather(*(shop.execute(PROFILE) for _ in range(4)))

    assert [data_of(answer) for answer in answers] == [ADA] * 4
    assert role.issued == 2
    assert sorted(faulty.met) == ["ExpiredTokenException"] * 4 + ["passed"] * 4


async def test_a_credential_may_expire_between_two_waves(open_shop: OpenShop, faulty: FaultyProxy):
    role = Role()
    shop = open_shop(session=role.session)
    faulty.course = Script([passed(), expired()])

    data = data_of(await shop.execute('{ order(id: "o_0065") { user { name } } }'))

    assert data["order"]["user"] is not None
    assert role.issued == 2


async def test_a_credential_that_stays_expired_is_tried_twice(
    open_shop: OpenShop, faulty: FaultyProxy, caplog: pytest.LogCaptureFixture
):
    shop = open_shop(session=Role().session)
    faulty.course = Script([expired()], cycle=True)

    result = await shop.execute(PROFILE)

    assert result.data == {"user": None}
    assert errors_of(result) == [("user", "INTERNAL")]
    assert len(faulty.sent) == 2
    assert "log in again" in caplog.text


async def test_a_key_that_cannot_be_renewed_is_not_tried_again(
    open_shop: OpenShop, faulty: FaultyProxy
):
    shop = open_shop()  # the keys of the environment, which nobody can renew
    faulty.course = Script([expired()], cycle=True)

    assert errors_of(await shop.execute(PROFILE)) == [("user", "INTERNAL")]
    assert len(faulty.sent) == 1


@pytest.mark.parametrize(
    "failure",
    [
        ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "AssumeRole"),
        OSError("the host is gone"),
        TimeoutError(),
    ],
    ids=lambda failure: type(failure).__name__,
)
async def test_a_renewal_that_fails_is_an_error_and_tried_anew(
    open_shop: OpenShop, faulty: FaultyProxy, failure: Exception, caplog: pytest.LogCaptureFixture
):
    def fail() -> None:
        raise failure

    role = Role()
    role.before = fail
    shop = open_shop(session=role.session)
    faulty.course = Script([expired()] * 2)

    with caplog.at_level(logging.WARNING, "tablefold"):
        result = await shop.execute(ALL)

    assert result.data == {"user": None, "order": None}
    assert errors_of(result) == BOTH
    assert "CredentialsMissing: The AWS credentials could not be renewed" in caplog.text

    role.before = lambda: None
    faulty.course = Script([expired()])
    assert data_of(await shop.execute(PROFILE)) == ADA


async def test_a_renewal_that_hangs_ends_with_the_deadline_and_is_then_used(
    open_shop: OpenShop, faulty: FaultyProxy
):
    role, go_on = Role(), threading.Event()
    role.before = go_on.wait
    shop = open_shop(session=role.session, deadline=0.5)
    faulty.course = Script([expired()] * 2)

    result = await shop.execute(PROFILE)
    assert errors_of(result) == [("user", "DEADLINE_EXCEEDED")]

    waiting = asyncio.create_task(shop.execute(PROFILE))
    await asyncio.sleep(0.1)
    go_on.set()
    assert data_of(await waiting) == ADA
    assert role.issued == 2, "both waited for the same renewal"


@pytest.mark.parametrize(
    ("code", "message", "advice"),
    [
        ("InvalidSignatureException", "Signature expired: 20260101 is now earlier", "clock"),
        ("InvalidSignatureException", "Signature not yet current: 20260101", "clock"),
        ("RequestExpired", "Request has expired", "clock"),
        ("ResourceNotFoundException", "Requested resource not found", "region and the account"),
        ("AccessDeniedException", "User x may not dynamodb:GetItem", "may not dynamodb:GetItem"),
    ],
)
async def test_whoever_runs_the_gateway_is_told_what_to_look_at(
    open_shop: OpenShop,
    faulty: FaultyProxy,
    caplog: pytest.LogCaptureFixture,
    code: str,
    message: str,
    advice: str,
):
    shop = open_shop()
    faulty.course = Script([refused(code, message)], cycle=True)

    result = await shop.execute(PROFILE)

    assert errors_of(result) == [("user", "INTERNAL")]
    assert advice in caplog.text and code in caplog.text
    assert message not in str(result.errors)
