from datetime import UTC, datetime

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotocoreCredentials

from tablefold.store import signing
from tablefold.store.signing import Credentials, Signer

NOW = 1_700_000_000.25  # 2023-11-14T22:13:20Z
NEXT_DAY = NOW + 86_400
BODIES = [b"{}", b'{"TableName":"shop"}', '{"S":"é ✓"}'.encode(), b"x" * 100_000]


def botocore_authorization(
    credentials: Credentials,
    headers: dict[str, str],
    body: bytes,
    now: float,
    *,
    url: str,
    region: str,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    def frozen(remove_tzinfo: bool = True) -> datetime:
        moment = datetime.fromtimestamp(now, UTC)
        return moment.replace(tzinfo=None) if remove_tzinfo else moment

    monkeypatch.setattr("botocore.auth.get_current_datetime", frozen)
    unsigned = {
        name: value
        for name, value in headers.items()
        if name not in ("authorization", "x-amz-date", "x-amz-security-token")
    }
    request = AWSRequest(method="POST", url=url, data=body, headers=unsigned)
    keys = BotocoreCredentials(credentials.access_key, credentials.secret_key, credentials.token)
    SigV4Auth(keys, "dynamodb", region).add_auth(request)
    return request.headers["Authorization"]


@pytest.mark.parametrize("body", BODIES, ids=["empty", "ascii", "unicode", "long"])
@pytest.mark.parametrize("token", [None, "a/session+token=="])
@pytest.mark.parametrize(
    ("host", "url", "region"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:8000/", "us-east-1"),
        (
            "dynamodb.eu-west-1.amazonaws.com",
            "https://dynamodb.eu-west-1.amazonaws.com/",
            "eu-west-1",
        ),
    ],
)
def test_the_signature_is_botocores(
    body: bytes,
    token: str | None,
    host: str,
    url: str,
    region: str,
    monkeypatch: pytest.MonkeyPatch,
):
    credentials = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token)
    signer = Signer(region=region, host=host)
    for now in (NOW, NOW + 1, NEXT_DAY):
        headers = signer.headers("BatchGetItem", body, credentials, now=now)
        expected = botocore_authorization(
            credentials, headers, body, now, url=url, region=region, monkeypatch=monkeypatch
        )
        assert headers["authorization"] == expected


def test_the_derived_key_follows_secret_and_day(monkeypatch: pytest.MonkeyPatch):
    derivations = 0
    digest = signing.digest

    def counting(key: bytes, message: bytes, name: str) -> bytes:
        nonlocal derivations
        derivations += message == b"aws4_request"
        return digest(key, message, name)

    monkeypatch.setattr(signing, "digest", counting)
    signer = Signer(region="eu-west-1", host="h")
    one, other = Credentials("A", "one"), Credentials("B", "other")
    for credentials, now in ((one, NOW), (one, NOW + 1), (one, NEXT_DAY), (other, NEXT_DAY)):
        signer.headers("GetItem", b"{}", credentials, now=now)
    assert derivations == 3


def test_secrets_do_not_print():
    printed = repr(Credentials("AKID", "very-secret", "very-token"))
    assert "AKID" in printed
    assert "very" not in printed
