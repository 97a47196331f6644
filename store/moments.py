"""Points in time as text: ISO 8601 in UTC, with a Z."""

from __future__ import annotations

import datetime


def moment_text(moment: datetime.datetime) -> str:
    """A naive datetime counts as UTC."""
    return in_utc(moment).replace(tzinfo=None).isoformat() + "Z"


def parse_moment(text: str) -> datetime.datetime:
    """ValueError where it is none; without an offset it counts as UTC."""
    return in_utc(datetime.datetime.fromisoformat(text))


def moment_texts(moment: datetime.datetime) -> tuple[str, ...]:
    """Every text that other writers may have stored for a moment, the shortest first."""
    bare = in_utc(moment).replace(tzinfo=None)
    digits = f"{bare.microsecond:06d}".rstrip("0")
    seconds = bare.isoformat(timespec="seconds")
    fractions = [f".{digits}" if digits else ""]
    fractions += [f".{digits:0<{width}}" for width in (3, 6) if len(digits) < width]
    return tuple(f"{seconds}{fraction}{zone}" for zone in ("Z", "+00:00") for fraction in fractions)


def texts_that_sort_late(moment: datetime.datetime) -> tuple[str, ...]:
    """Texts of earlier moments that sort after this one's, because they have fewer digits."""
    texts: dict[str, None] = {}
    for digits in range(6):
        unit = 10 ** (6 - digits)
        over = in_utc(moment).microsecond % unit
        if over:
            texts |= dict.fromkeys(moment_texts(moment - datetime.timedelta(microseconds=over)))
    return tuple(texts)


def in_utc(moment: datetime.datetime) -> datetime.datetime:
    """OverflowError where that leaves the years 1 to 9999."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=datetime.UTC)
    return moment.astimezone(datetime.UTC)
