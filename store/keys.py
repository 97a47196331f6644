"""Key templates such as `ORDER#{placed_on}#{id}`: they format, parse, compare and make spans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from .errors import BadInput, ModelError
from .spans import Span, successor
from .texts import KeyText, Plain

PARTITION_KEY_MAX_BYTES = 2048
SORT_KEY_MAX_BYTES = 1024

_PLACEHOLDER = re.compile(r"\{([^{}:]*)(?::([^{}]*))?\}")
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


class Symbol(str):
    """Stands for a value that only a later answer will tell; plans print it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Placeholder:
    name: str
    spec: str = ""
    text: KeyText = Plain()

    def write(self, value: object) -> str:
        if isinstance(value, Symbol):
            return value
        return self.text.write(value, self.name)


Part = str | Placeholder


@dataclass(frozen=True, slots=True)
class Template:
    """A key pattern; `typed` gives its placeholders their types before it formats or parses."""

    source: str
    parts: tuple[Part, ...]
    separator: str = "#"
    pattern: re.Pattern[str] | None = None
    max_bytes: int = SORT_KEY_MAX_BYTES

    @classmethod
    def of(cls, source: str, *, separator: str = "#") -> Template:
        parts = tuple(_split(source))
        for before, after in zip(parts, parts[1:], strict=False):
            if isinstance(before, Placeholder) and isinstance(after, Placeholder):
                raise ModelError(
                    f"Template {source!r}: {{{before.name}}} and {{{after.name}}} touch, so a key "
                    f"could not be taken apart again.\n  Write {separator!r} between them."
                )
        for at, part in enumerate(parts):
            inner = isinstance(part, str) and 0 < at < len(parts) - 1
            if inner and separator not in part:
                raise ModelError(
                    f"Template {source!r}: {part!r} stands between two placeholders without the "
                    f"separator {separator!r}, so a value that contains {part!r} would be read "
                    f"wrongly.\n  Put {separator!r} there; values may never contain it."
                )
        return cls(source, parts, separator)

    def typed(self, texts: Mapping[str, KeyText], *, max_bytes: int) -> Template:
        parts = tuple(
            part if isinstance(part, str) else replace(part, text=texts[part.name])
            for part in self.parts
        )
        body = "".join(
            re.escape(part) if isinstance(part, str) else f"({part.text.pattern(self.separator)})"
            for part in parts
        )
        return replace(self, parts=parts, pattern=re.compile(body, re.DOTALL), max_bytes=max_bytes)

    def suffixed(self, suffix: str) -> Template:
        """The same template with a literal at its end."""
        *body, last = self.parts
        parts = (*body, last + suffix) if isinstance(last, str) else (*self.parts, suffix)
        pattern = None
        if self.pattern is not None:
            pattern = re.compile(self.pattern.pattern + re.escape(suffix), re.DOTALL)
        return replace(self, source=self.source + suffix, parts=parts, pattern=pattern)

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        return tuple(part for part in self.parts if isinstance(part, Placeholder))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(placeholder.name for placeholder in self.placeholders)

    def __str__(self) -> str:
        return self.source

    # Values to text and back.

    def format(self, values: Mapping[str, object]) -> str:
        text = "".join(
            part if isinstance(part, str) else part.write(values[part.name]) for part in self.parts
        )
        return self._checked(text)

    def parse(self, text: str) -> dict[str, object] | None:
        """The placeholders' values, or None where `text` is no key of this template."""
        if self.pattern is None or (match := self.pattern.fullmatch(text)) is None:
            return None
        values: dict[str, object] = {}
        for placeholder, group in zip(self.placeholders, match.groups(), strict=True):
            try:
                value = placeholder.text.read(group)
            except ValueError:
                return None
            if values.setdefault(placeholder.name, value) != value:
                return None
        return values

    def _checked(self, text: str) -> str:
        if len(text) * 4 > self.max_bytes and len(text.encode()) > self.max_bytes:
            names = ", ".join(self.names)
            raise BadInput(
                f"{names}: the key {self.source} would be longer than the {self.max_bytes:,} bytes "
                f"that DynamoDB allows. Use a shorter value."
            )
        return text

    # Spans.

    def span(
        self,
        equal: Mapping[str, object],
        *,
        low: object = None,
        high: object = None,
        tight: bool = False,
    ) -> Span:
        """Keys whose leading placeholders equal `equal`, the next one from `low` to `high`.

        `tight` uses the least and the greatest text of the next placeholder's type, where a
        plain prefix would also take in keys of other entities.
        """
        prefix, rest = self._leading(equal)
        if not rest:
            return Span.exactly(self._checked(prefix))
        placeholder, follows = rest[0], len(rest) > 1
        if isinstance(placeholder, str):
            raise TypeError("a literal cannot begin the open part of a template")
        least, greatest = placeholder.text.least, placeholder.text.greatest
        if low is None and high is None and not (tight and (least or greatest)):
            return Span.beginning(prefix)
        start = prefix + (placeholder.text.at_least(low, placeholder.name) if low is not None else least)
        if high is not None:
            end = prefix + placeholder.text.at_most(high, placeholder.name)
        elif tight and greatest:
            end = prefix + greatest
        else:
            end, follows = prefix, False
            return Span.between(start, successor(end) if end else None, open=True)
        if follows:
            after = rest[1]
            end += after if isinstance(after, str) else self.separator
            return Span.between(start, successor(end), open=True)
        return Span.between(start, end)

    def _leading(self, values: Mapping[str, object]) -> tuple[str, tuple[Part, ...]]:
        text = ""
        for at, part in enumerate(self.parts):
            if isinstance(part, str):
                text += part
            elif part.name in values:
                text += part.write(values[part.name])
            else:
                return text, self.parts[at:]
        return text, ()

    # Templates next to each other.

    def unify(self, other: Template) -> dict[str, str] | None:
        """Names of `self` → names of `other`, where both are one template up to names."""
        if len(self.parts) != len(other.parts):
            return None
        return _pair(self.parts, other.parts)

    def unify_prefix(self, longer: Template) -> dict[str, str] | None:
        """Names of `longer` → names of `self`, where `longer` goes on after `self`."""
        count = len(self.parts)
        if not self.placeholders or len(longer.parts) <= count:
            return None
        head, after = longer.parts[:count], longer.parts[count]
        if isinstance(self.parts[-1], str) or not isinstance(after, str):
            return None
        return _pair(head, self.parts) if after.startswith(self.separator) else None

    def collides(self, other: Template) -> bool:
        """True where some text could be a key of both."""
        mine, theirs = self._segments(), other._segments()
        return len(mine) == len(theirs) and all(
            _segments_meet(a, b, self.separator) for a, b in zip(mine, theirs, strict=True)
        )

    def _segments(self) -> list[tuple[Part, ...]]:
        segments: list[list[Part]] = [[]]
        for part in self.parts:
            if isinstance(part, Placeholder):
                segments[-1].append(part)
                continue
            first, *others = part.split(self.separator)
            segments[-1].append(first)
            segments.extend([piece] for piece in others)
        return [tuple(part for part in segment if part != "") for segment in segments]


def _split(source: str) -> Iterator[Part]:
    at = 0
    for match in _PLACEHOLDER.finditer(source):
        if literal := source[at : match.start()]:
            yield _literal(literal, source)
        name = match[1]
        if not _NAME.fullmatch(name):
            raise ModelError(
                f"Template {source!r}: {match[0]} is no placeholder. "
                "Write an attribute's name in the braces, such as {id} or {n:08d}."
            )
        yield Placeholder(name, match[2] or "")
        at = match.end()
    if literal := source[at:]:
        yield _literal(literal, source)
    if not source:
        raise ModelError("A template is empty; DynamoDB has no empty keys.")


def _literal(text: str, source: str) -> str:
    if "{" in text or "}" in text:
        raise ModelError(f"Template {source!r} has a brace without its partner.")
    return text


def _pair(left: tuple[Part, ...], right: tuple[Part, ...]) -> dict[str, str] | None:
    names: dict[str, str] = {}
    for a, b in zip(left, right, strict=True):
        if isinstance(a, str) or isinstance(b, str):
            if a != b:
                return None
        elif a.text.kind != b.text.kind or names.setdefault(a.name, b.name) != b.name:
            return None
    return names


def _segments_meet(a: tuple[Part, ...], b: tuple[Part, ...], separator: str) -> bool:
    literal_a, literal_b = _literal_of(a), _literal_of(b)
    if literal_a is not None and literal_b is not None:
        return literal_a == literal_b
    if literal_a is not None:
        return _segment_pattern(b, separator).fullmatch(literal_a) is not None
    if literal_b is not None:
        return _segment_pattern(a, separator).fullmatch(literal_b) is not None
    if len(a) == len(b) == 1 and isinstance(a[0], Placeholder) and isinstance(b[0], Placeholder):
        return a[0].text.kind == b[0].text.kind or "text" in (a[0].text.kind, b[0].text.kind)
    if isinstance(a[0], str) and isinstance(b[0], str):
        return a[0].startswith(b[0]) or b[0].startswith(a[0])
    return True


def _literal_of(segment: tuple[Part, ...]) -> str | None:
    if any(isinstance(part, Placeholder) for part in segment):
        return None
    return "".join(part for part in segment if isinstance(part, str))


def _segment_pattern(segment: tuple[Part, ...], separator: str) -> re.Pattern[str]:
    return re.compile(
        "".join(
            re.escape(part) if isinstance(part, str) else f"(?:{part.text.pattern(separator)})"
            for part in segment
        ),
        re.DOTALL,
    )
