"""How a model writes its keys: pairs of templates, with what else holds for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..store.errors import ModelError


@dataclass(frozen=True, slots=True)
class KeySpec:
    pk: str
    sk: str
    shards: int = 0
    unique: bool = False
    when: str | None = None
    name: str | None = None
    newest_first: bool = False
    carries: tuple[str, ...] | None = None


KeyLike = KeySpec | tuple[str, str]


def key(
    pk: str,
    sk: str,
    *,
    name: str | None = None,
    when: str | None = None,
    newest_first: bool = False,
) -> KeySpec:
    """A key in an index. `name` is its root field; `when` leaves out items where it is not true."""
    return KeySpec(pk, sk, name=name, when=when, newest_first=newest_first)


def lookup(pk: str, sk: str, *, name: str | None = None, when: str | None = None) -> KeySpec:
    """A key in an index whose partition never holds more than one item, such as an e-mail's."""
    return KeySpec(pk, sk, unique=True, name=name, when=when)


def sharded(
    pk: str,
    sk: str,
    *,
    shards: int,
    name: str | None = None,
    when: str | None = None,
    newest_first: bool = False,
) -> KeySpec:
    """A key whose partition would be hot, spread over `shards` partitions `pk#0`, `pk#1`, …"""
    if not 2 <= shards <= 200:
        raise ModelError(f"sharded({pk!r}, …): shards must be from 2 to 200; it is {shards}.")
    return KeySpec(pk, sk, shards, name=name, when=when, newest_first=newest_first)


def copy(
    pk: str, sk: str, *, carries: Sequence[str] | None = None, name: str | None = None
) -> KeySpec:
    """A second item of the entity in another partition; `carries` names what it holds of it."""
    return KeySpec(pk, sk, name=name, carries=None if carries is None else tuple(carries))


def spec_of(given: KeyLike, where: str) -> KeySpec:
    if isinstance(given, KeySpec):
        return given
    match given:
        case (str() as pk, str() as sk):
            return KeySpec(pk, sk)
        case _:
            raise ModelError(
                f'{where}: a key is a pair of templates such as ("STATUS#{{status}}", "{{id}}"), '
                f"or key(…), sharded(…), lookup(…); not {given!r}."
            )
