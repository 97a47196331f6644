"""Sealed positions: text that only this gateway can make, and only for the list it was made for.

The text is base64url of one key-id byte and an AES-SIV ciphertext. SIV needs no nonce, so equal
positions give equal cursors; the context is authenticated with it and takes no room.
"""

from __future__ import annotations

import base64
import binascii
import secrets as randomness
from collections.abc import Sequence
from typing import Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from .errors import CursorInvalid

CURSOR_MAX_LENGTH = 12_288  # four key attributes of the greatest length, in base64, fit
KEY_ID_MAX = 255
SECRET_MIN_BYTES = 16
_SIV_KEY_BYTES = 64
_TAG_BYTES = 16


class Sealer:
    """The first secret seals; all of them open, so that a secret can be replaced in peace."""

    def __init__(self, secrets: Sequence[tuple[int, bytes]]) -> None:
        if not secrets:
            raise ValueError("A sealer needs at least one secret.")
        self._ciphers: dict[int, AESSIV] = {}
        for key_id, secret in secrets:
            if not 0 <= key_id <= KEY_ID_MAX or key_id in self._ciphers:
                raise ValueError(f"Key id {key_id} must be from 0 to {KEY_ID_MAX} and unique.")
            self._ciphers[key_id] = _cipher(key_id, secret)
        self._sealing_id = secrets[0][0]

    @classmethod
    def parse(cls, text: str) -> Self:
        """From a setting such as "2:new secret,1:old secret", the sealing one first."""
        pairs = [part.strip().partition(":") for part in text.split(",")]
        if not all(key_id.isdecimal() for key_id, _, _ in pairs):
            raise ValueError('Write cursor secrets as "<number>:<secret>", separated by commas.')
        return cls([(int(key_id), secret.encode()) for key_id, _, secret in pairs])

    @classmethod
    def ephemeral(cls) -> Self:
        """For development: its cursors end with the process."""
        return cls([(0, randomness.token_bytes(_SIV_KEY_BYTES))])

    def seal(self, payload: bytes, context: bytes) -> str:
        sealed = self._ciphers[self._sealing_id].encrypt(payload, [context])
        return _text(bytes((self._sealing_id,)) + sealed)

    def open(self, text: str, context: bytes) -> bytes:
        """The payload; CursorInvalid for every text but the one that `seal` gave."""
        raw = _raw(text)
        cipher = self._ciphers.get(raw[0])
        if cipher is None:
            raise CursorInvalid
        try:
            return cipher.decrypt(raw[1:], [context])
        except InvalidTag as error:
            raise CursorInvalid from error


def _cipher(key_id: int, secret: bytes) -> AESSIV:
    if len(secret) < SECRET_MIN_BYTES:
        raise ValueError(
            f"The cursor secret {key_id} has {len(secret)} bytes; "
            f"give at least {SECRET_MIN_BYTES}, drawn at random."
        )
    # The id takes part in the key, so that a cursor cannot be moved to another id.
    info = b"tablefold cursor %d" % key_id
    return AESSIV(HKDF(SHA256(), _SIV_KEY_BYTES, salt=None, info=info).derive(secret))


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _raw(text: str) -> bytes:
    if len(text) > CURSOR_MAX_LENGTH:
        raise CursorInvalid
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError) as error:
        raise CursorInvalid from error
    # The decoder overlooks foreign characters and spare bits; only one spelling is ours.
    if len(raw) <= 1 + _TAG_BYTES or _text(raw) != text:
        raise CursorInvalid
    return raw
