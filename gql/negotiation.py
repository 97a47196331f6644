"""Content negotiation: what a client takes, and what it sends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

JSON = "application/json"
GRAPHQL = "application/graphql-response+json"
HTML = "text/html"


@dataclass(frozen=True, slots=True)
class Range:
    """One part of an Accept header, or all of a Content-Type."""

    media: str
    quality: float = 1.0
    charset: str = "utf-8"

    @property
    def readable(self) -> bool:
        return self.charset in ("utf-8", "utf8", "*")


def answer_type(accept: str | None) -> str | None:
    """The media type to answer with; None where the client takes neither of ours.

    Whoever takes anything gets plain JSON, which clients of any age understand.
    """
    ranges = list(_ranges(accept or "*/*"))
    graphql, plain = _quality(ranges, GRAPHQL), _quality(ranges, JSON)
    named = any(one.media == GRAPHQL for one in ranges)
    if graphql > plain or (named and graphql == plain > 0):
        return GRAPHQL
    return JSON if plain > 0 else None


def prefers_page(accept: str | None) -> bool:
    """True for a browser: it names HTML, and wants it no less than JSON."""
    ranges = list(_ranges(accept or ""))
    page = max((one.quality for one in ranges if one.media == HTML), default=0.0)
    named = max((one.quality for one in ranges if one.media in (JSON, GRAPHQL)), default=0.0)
    return page > 0 and page >= named


def is_json(content_type: str | None) -> bool:
    """Browsers send other types to other sites without asking first, so only this one is read."""
    sent = list(_ranges(content_type or ""))
    return len(sent) == 1 and sent[0].media == JSON and sent[0].readable


def _quality(ranges: list[Range], media: str) -> float:
    """By the most specific of the ranges that match."""
    kind = media.partition("/")[0]
    for match in (media, f"{kind}/*", "*/*"):
        found = [one.quality if one.readable else 0.0 for one in ranges if one.media == match]
        if found:
            return max(found)
    return 0.0


def _ranges(header: str) -> Iterator[Range]:
    for part in header.lower().split(","):
        media, *parameters = (piece.strip() for piece in part.split(";"))
        if media:
            named = dict(_parameter(one) for one in parameters)
            yield Range(media, _number(named.get("q", "1")), named.get("charset", "utf-8"))


def _parameter(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip(), value.strip().strip('"')


def _number(text: str) -> float:
    try:
        return min(max(float(text), 0.0), 1.0)
    except ValueError:
        return 0.0
