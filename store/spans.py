"""Spans of sort keys: what the sort-key condition of one Query can say."""

from __future__ import annotations

from dataclasses import dataclass

_LAST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


def successor(prefix: str) -> str | None:
    """The first text after everything that begins with `prefix`; None where nothing follows."""
    for end in range(len(prefix), 0, -1):
        point = ord(prefix[end - 1]) + 1
        if point in _SURROGATES:
            point = _SURROGATES.stop
        if point <= _LAST:
            return prefix[: end - 1] + chr(point)
    return None


def following(text: str, *, max_bytes: int) -> str | None:
    """The first text after `text` that is no longer than a key may be."""
    after: str | None = text + "\0"
    while after is not None and len(after.encode()) > max_bytes:
        text = text[: len(after) - 1]
        after = successor(text)
    return after


@dataclass(frozen=True, slots=True)
class Span:
    """Sort keys from `low` to `high`; `open` leaves `high` itself out.

    Python compares text by code point, which is the order of UTF-8 bytes that DynamoDB sorts by.
    BETWEEN takes both ends in, so a reader drops what is not `in` an open span.
    """

    low: str = ""
    high: str | None = None
    begins: bool = False
    open: bool = False

    @classmethod
    def exactly(cls, text: str) -> Span:
        return cls(text, text)

    @classmethod
    def beginning(cls, prefix: str) -> Span:
        if not prefix:
            return cls()
        high = successor(prefix)
        return cls(prefix, high, begins=True, open=high is not None)

    @classmethod
    def between(cls, low: str, high: str | None, *, open: bool = False) -> Span:
        return cls(low, high, open=open and high is not None)

    @property
    def single(self) -> bool:
        return self.low == self.high and not self.open

    @property
    def empty(self) -> bool:
        if self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and self.open)

    def __contains__(self, text: str) -> bool:
        if text < self.low:
            return False
        return self.high is None or text < self.high or (text == self.high and not self.open)

    def _end(self) -> tuple[bool, str]:
        """The first text behind the span, in an order that puts a span without end last."""
        if self.high is None:
            return True, ""
        return False, self.high if self.open else self.high + "\0"

    def covers(self, other: Span) -> bool:
        return other.empty or (self.low <= other.low and other._end() <= self._end())

    def meets(self, other: Span) -> bool:
        """True where some text could lie in both."""
        return (
            not (self.empty or other.empty)
            and (False, self.low) < other._end()
            and (False, other.low) < self._end()
        )

    def hull(self, other: Span) -> Span:
        """The smallest span over both, and over whatever lies between them."""
        if self.covers(other):
            return self
        if other.covers(self):
            return other
        last = self if self._end() >= other._end() else other
        return Span(min(self.low, other.low), last.high, open=last.open)

    def clip(self, other: Span) -> Span:
        """What lies in both; may be empty."""
        if self.covers(other):
            return other
        if other.covers(self):
            return self
        first = self if self._end() <= other._end() else other
        return Span(max(self.low, other.low), first.high, open=first.open)

    def above(self, text: str) -> Span:
        """What of it follows `text`."""
        return self.clip(Span(text + "\0"))

    def below(self, text: str) -> Span:
        """What of it comes before `text`."""
        return self.clip(Span("", text, open=True))

    def gap(self, other: Span) -> Span | None:
        """What lies strictly between two spans; None where they meet, touch, or one is empty."""
        first, second = (self, other) if self.low <= other.low else (other, self)
        if first.empty or second.empty or first.high is None or first.meets(second):
            return None
        _, after = first._end()
        between = Span(after, second.low, open=True)
        return None if between.empty else between
