"""Credentials out of a boto3 session, without ever blocking the event loop on their renewal."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import boto3
import botocore.session

from .errors import CredentialsMissing
from .signing import Credentials

if TYPE_CHECKING:
    from botocore.credentials import Credentials as SessionCredentials

T = TypeVar("T")

LOCAL_CREDENTIALS = Credentials("local", "local")
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})

# botocore renews from 15 minutes before the end; up to here the old ones may still be used.
SAFE_SECONDS = 120
CHECK_SECONDS = 5.0

# Where a person or a process may have written new keys since they were read.
REREAD_METHODS = frozenset({"shared-credentials-file", "config-file", "custom-process"})

MISSING = (
    "No AWS credentials were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a "
    "profile in AWS_PROFILE, run where a role is attached, or pass Gateway a boto3 session."
)


class InThread(Generic[T]):
    """A blocking call, in a thread; those who ask while it runs share its answer.

    The thread is a daemon of its own: a call that hangs keeps neither the process from ending
    nor other threads' work from beginning, and whoever stops waiting disturbs nobody.
    """

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._running: Future[T] | None = None
        self._lock = threading.Lock()

    def start(self) -> Future[T]:
        with self._lock:
            running = self._running
            if running is None or running.done():
                running = self._running = Future[T]()
                running.set_running_or_notify_cancel()  # from here on nobody can cancel it
                threading.Thread(target=self._run, args=(running,), daemon=True).start()
            return running

    async def result(self) -> T:
        return await asyncio.wrap_future(self.start())

    def _run(self, running: Future[T]) -> None:
        try:
            running.set_result(self._call())
        except BaseException as error:
            running.set_exception(error)


class Keyring(Protocol):
    """What gives the wire its credentials."""

    async def current(self) -> Credentials: ...

    async def renewed(self, refused: Credentials) -> Credentials: ...


class SessionKeyring:
    """The credentials of a boto3 session: static, from a profile, or renewed for a role."""

    def __init__(self, session: boto3.Session, *, local: bool = False) -> None:
        self._session = session
        self._local = local
        self._source: SessionCredentials | None = None
        self._snapshot: Credentials | None = None
        self._check_at = 0.0
        self._reading = InThread(self._read)
        self._renewing = InThread(self._renew)

    async def current(self) -> Credentials:
        """A cached snapshot; waits for the session only when that is about to end."""
        if self._snapshot is not None and time.monotonic() < self._check_at:
            return self._snapshot
        if self._snapshot is None or _ends_within(self._source, SAFE_SECONDS):
            return await self._reading.result()
        self._check_at = time.monotonic() + CHECK_SECONDS
        if _ends_within(self._source, None):
            self._reading.start()
        return self._snapshot

    async def renewed(self, refused: Credentials) -> Credentials:
        """New ones in place of those that DynamoDB called expired."""
        if self._snapshot is not None and self._snapshot != refused:
            return self._snapshot
        return await self._renewing.result()

    def _read(self) -> Credentials:
        try:
            if self._source is None:
                self._source = self._session.get_credentials()
            frozen = self._source.get_frozen_credentials() if self._source is not None else None
        except Exception as error:  # providers raise what their files, processes and hosts do
            raise CredentialsMissing(f"{MISSING} (The session said: {error})") from error
        self._check_at = time.monotonic() + CHECK_SECONDS
        if frozen is not None and frozen.access_key and frozen.secret_key:
            self._snapshot = Credentials(frozen.access_key, frozen.secret_key, frozen.token)
        elif self._local:
            self._snapshot = LOCAL_CREDENTIALS
        else:
            raise CredentialsMissing(MISSING)
        return self._snapshot

    def _renew(self) -> Credentials:
        source = self._source
        # botocore has no public way to renew before the stated end; this one is as old as roles.
        renew = getattr(source, "_protected_refresh", None)
        try:
            if renew is not None:
                renew(is_mandatory=True)
            elif source is not None and source.method in REREAD_METHODS:
                fresh = boto3.Session(profile_name=self._session.profile_name).get_credentials()
                if fresh is not None and fresh.method == source.method:
                    self._source = fresh
        except Exception as error:
            raise CredentialsMissing(
                f"The AWS credentials could not be renewed: {error}"
            ) from error
        return self._read()


def is_local(endpoint_url: str, host: str) -> bool:
    """Engines on this machine, and any without TLS, take whatever credentials they are given."""
    return host in LOCAL_HOSTS or endpoint_url.lower().startswith("http://")


def local_session() -> boto3.Session:
    """A session that finds keys in the environment and files, but asks no instance for a role.

    Off EC2 that question is answered by seconds of silence.
    """
    core = botocore.session.get_session()
    core.get_component("credential_provider").remove("iam-role")
    return boto3.Session(botocore_session=core)


def _ends_within(source: SessionCredentials | None, seconds: int | None) -> bool:
    """Whether renewal is due at `seconds` before the end (botocore's own choice if None)."""
    due = getattr(source, "refresh_needed", None)
    return bool(due(seconds)) if due is not None else False
