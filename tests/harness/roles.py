"""A boto3 session with the credentials of a role, which end and are renewed."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import boto3
import botocore.session
from botocore.credentials import RefreshableCredentials


class Role:
    """Numbered credentials, KEY1 with token1 at first, that end after `minutes`.

    `before` runs in the thread that renews them: it may wait, or fail.
    """

    def __init__(self, minutes: int = 60) -> None:
        self.minutes = minutes
        self.threads: list[str] = []
        self.before: Callable[[], object] = lambda: None
        core = botocore.session.get_session()
        core._credentials = RefreshableCredentials.create_from_metadata(  # pyright: ignore
            self.issue(), self.issue, "test"
        )
        self.session = boto3.Session(botocore_session=core)

    @property
    def issued(self) -> int:
        return len(self.threads)

    def issue(self) -> dict[str, str]:
        self.before()
        self.threads.append(threading.current_thread().name)
        ends = datetime.now(UTC) + timedelta(minutes=self.minutes)
        return {
            "access_key": f"KEY{self.issued}",
            "secret_key": "secret",
            "token": f"token{self.issued}",
            "expiry_time": ends.isoformat(),
        }
