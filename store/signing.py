"""AWS Signature Version 4 over the fixed set of headers that a DynamoDB request has."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import digest

CONTENT_TYPE = "application/x-amz-json-1.0"
SERVICE = "dynamodb"
API_VERSION = "DynamoDB_20120810"


@dataclass(frozen=True, slots=True)
class Credentials:
    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)


class Signer:
    """Signs for one host, path and region. Keeps the key derived for the current day."""

    def __init__(self, *, region: str, host: str, path: str = "/") -> None:
        self._region = region
        self._host = host
        self._path = path
        self._derived_for: tuple[str, str] | None = None
        self._derived = b""

    def headers(
        self, operation: str, body: bytes, credentials: Credentials, *, now: float
    ) -> dict[str, str]:
        """The headers to send besides Content-Length, signed; `now` is a Unix time."""
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
        signed = _signed_headers(self._host, operation, moment, credentials.token)
        names = ";".join(signed)
        scope = f"{moment[:8]}/{self._region}/{SERVICE}/aws4_request"
        canonical = "\n".join(
            (
                "POST",
                self._path,
                "",
                *(f"{name}:{value}" for name, value in signed.items()),
                "",
                names,
                sha256(body).hexdigest(),
            )
        )
        to_sign = "\n".join(
            ("AWS4-HMAC-SHA256", moment, scope, sha256(canonical.encode()).hexdigest())
        )
        key = self._day_key(credentials.secret_key, moment[:8])
        signature = digest(key, to_sign.encode(), "sha256").hex()
        signed["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={credentials.access_key}/{scope}, "
            f"SignedHeaders={names}, Signature={signature}"
        )
        return signed

    def _day_key(self, secret: str, day: str) -> bytes:
        if self._derived_for != (secret, day):
            key = f"AWS4{secret}".encode()
            for part in (day, self._region, SERVICE, "aws4_request"):
                key = digest(key, part.encode(), "sha256")
            self._derived, self._derived_for = key, (secret, day)
        return self._derived


def _signed_headers(host: str, operation: str, moment: str, token: str | None) -> dict[str, str]:
    # The signature wants them sorted by name.
    headers = {"content-type": CONTENT_TYPE, "host": host, "x-amz-date": moment}
    if token is not None:
        headers["x-amz-security-token"] = token
    headers["x-amz-target"] = f"{API_VERSION}.{operation}"
    return headers
