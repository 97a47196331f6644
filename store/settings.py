"""Settings: the one place where the environment is read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

VARIABLES: Mapping[str, str] = {
    "TABLEFOLD_TABLE": "name of the table, in place of the model's",
    "TABLEFOLD_ENDPOINT_URL": "address of DynamoDB, for a local engine",
    "TABLEFOLD_REGION": "AWS region, in place of the one boto3 finds",
    "TABLEFOLD_CURSOR_SECRET": "secret that seals cursors; several with commas, the newest first",
    "TABLEFOLD_ENGINES": "folder of the local engines",
}

DEFAULT_ENGINES = Path("~/.cache/tablefold/engines").expanduser()


@dataclass(frozen=True, slots=True)
class Settings:
    table: str | None = None
    endpoint_url: str | None = None
    region: str | None = None
    cursor_secret: str | None = field(default=None, repr=False)
    engines: Path = DEFAULT_ENGINES

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """A variable that is empty counts as not set."""
        cache = environment.get("XDG_CACHE_HOME") or "~/.cache"
        engines = environment.get("TABLEFOLD_ENGINES") or f"{cache}/tablefold/engines"
        return cls(
            table=environment.get("TABLEFOLD_TABLE") or None,
            endpoint_url=environment.get("TABLEFOLD_ENDPOINT_URL") or None,
            region=environment.get("TABLEFOLD_REGION") or None,
            cursor_secret=environment.get("TABLEFOLD_CURSOR_SECRET") or None,
            engines=Path(engines).expanduser(),
        )

    def to_environment(self) -> dict[str, str]:
        """The variables that carry these settings to a worker process."""
        held = {
            "TABLEFOLD_TABLE": self.table,
            "TABLEFOLD_ENDPOINT_URL": self.endpoint_url,
            "TABLEFOLD_REGION": self.region,
            "TABLEFOLD_CURSOR_SECRET": self.cursor_secret,
            "TABLEFOLD_ENGINES": str(self.engines),
        }
        return {name: value for name, value in held.items() if value is not None}
