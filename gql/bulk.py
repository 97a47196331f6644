"""Bulk."""

from __future__ import annotations

from typing import Any


def bulk_field(*args: Any) -> Any: ...
