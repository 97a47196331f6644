"""Key templates such as `ORDER#{placed_on}#{id}`: they format, parse, compare and make spans."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from .errors import ModelError
from .spans import Span, successor
from .texts import KeyText, Misfit, Plain

PARTITION_KEY_MAX_BYTES = 2048
SORT_KEY_MAX_BYTES = 1024
CHARACTER_MAX_BYTES = 4  # in UTF-8

_PLACEHOLDER = re.compile(r"\{([^{}:]*)(?::([^{}]*))?\}")


class Symbol(str):
    """Stands for a value that only a later answer will tell; plans print it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Placeholder:
    """BadInput that begins with its name for a value that cannot stand there."""

    name: str
    spec: str = ""
    text: KeyText = field(default_factory=Plain)

    def write(self, value: object) -> str:
        return self._named(self.text.write, value)

    def at_least(self, value: object) -> str:
        return self._named(self.text.at_least, value)

    def at_most(self, value: object) -> str:
        return self._named(self.text.at_most, value)

    def _named(self, write: Callable[[object], str], value: object) -> str:
        if isinstance(value, Symbol):
            return value
        try:
            return write(value)
        except Misfit as misfit:
            raise misfit.under(self.name) from None


Part = str | Placeholder


@dataclass(frozen=True, slots=True)
class Template:
    """A key pattern. Its placeholders hold text until `typed` gives them their types."""

    source: str
    parts: tuple[Part, ...]
    separator: str = "#"
    max_bytes: int = SORT_KEY_MAX_BYTES
    placeholders: tuple[Placeholder, ...] = field(init=False, repr=False, compare=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Each name once, in the order of the key."""
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _readers: tuple[tuple[str, Callable[[str], object]], ...] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        placeholders = tuple(part for part in self.parts if isinstance(part, Placeholder))
        readers = {one.name: one.text.read for one in placeholders}
        pattern = re.compile("".join(_groups(self.parts, self.separator)))
        object.__setattr__(self, "placeholders", placeholders)
        object.__setattr__(self, "names", tuple(readers))
        object.__setattr__(self, "_readers", tuple(readers.items()))
        object.__setattr__(self, "_pattern", pattern)

    @classmethod
    def of(cls, source: str, *, separator: str = "#") -> Template:
        if len(separator) != 1 or separator.isalnum() or separator in "{}":
            raise ModelError(
                f"The separator {separator!r} cannot keep the parts of a key apart.\n"
                "  Use one character that is no letter, digit or brace, such as '#', '|' or ':'."
            )
        parts = tuple(_split(source, separator))
        _check_between(source, parts, separator)
        _check_repeated(source, parts)
        return cls(source, parts, separator)

    def typed(self, texts: Mapping[str, KeyText], *, max_bytes: int) -> Template:
        parts = tuple(
            part if isinstance(part, str) else replace(part, text=texts[part.name])
            for part in self.parts
        )
        return replace(self, parts=parts, max_bytes=max_bytes)

    def followed_by(self, placeholder: Placeholder) -> Template:
        """The same template with one more part."""
        *head, last = self.parts
        literal = last + self.separator if isinstance(last, str) else self.separator
        parts = (*head, literal) if isinstance(last, str) else (*self.parts, literal)
        source = f"{self.source}{self.separator}{{{placeholder.name}}}"
        return replace(self, source=source, parts=(*parts, placeholder))

    def __str__(self) -> str:
        return self.source

    # Values to text and back.

    def format(self, values: Mapping[str, object]) -> str:
        text = "".join(
            [
                part if isinstance(part, str) else part.write(values[part.name])
                for part in self.parts
            ]
        )
        return self.checked(text)

    def parse(self, text: str) -> dict[str, object] | None:
        """The placeholders' values, or None where `text` is no key of this template."""
        if not self.placeholders:
            return {} if text == self.source else None
        if (match := self._pattern.fullmatch(text)) is None:
            return None
        try:
            return {
                name: read(group)
                for (name, read), group in zip(self._readers, match.groups(), strict=True)
            }
        except ValueError:  # it looks like a date, and is none
            return None

    def checked(self, text: str) -> str:
        """`text`, or BadInput where it is too long for a key."""
        if len(text) * CHARACTER_MAX_BYTES > self.max_bytes:
            if len(text.encode()) <= self.max_bytes:
                return text
            raise Misfit(
                f"would make the key {self.source} longer than the {self.max_bytes:,} bytes that "
                "DynamoDB allows. Use a shorter value.",
                " and ".join(self.names),
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

        The order is that of the keys: before a separator, `Ann#` comes after `Ann Lee#`. A range
        that is upside down gives an empty span. `tight` uses the least and the greatest text of
        the next placeholder's type, where a plain prefix would take in keys of other entities.
        """
        prefix, ahead, after = self._leading(equal)
        self.checked(prefix)
        if ahead is None:
            return Span.exactly(prefix)
        text = ahead.text
        if low is None and high is None and not (tight and text.greatest):
            return Span.beginning(prefix)
        start = prefix + text.least
        if low is not None:
            start = self.checked(prefix + ahead.at_least(low) + ("" if text.even else after))
        if high is not None:
            end = self.checked(prefix + ahead.at_most(high) + after)
        elif tight and text.greatest:
            end = prefix + text.greatest + after
        else:
            return Span.between(start, successor(prefix), open=True)
        return Span.between(start, successor(end), open=True) if after else Span(start, end)

    def _leading(self, values: Mapping[str, object]) -> tuple[str, Placeholder | None, str]:
        """The text up to the first placeholder without a value, that one, and what follows it."""
        text = ""
        for at, part in enumerate(self.parts):
            if isinstance(part, str):
                text += part
            elif part.name in values:
                text += part.write(values[part.name])
            else:
                return text, part, "".join(map(str, self.parts[at + 1 : at + 2]))
        return text, None, ""

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
        """True where some text could be a key of both, and where that is hard to tell."""
        if not self.placeholders:
            return other._pattern.fullmatch(self.source) is not None
        if not other.placeholders:
            return other.collides(self)
        if self._segmented and other._segmented:
            mine, theirs = self._segments(), other._segments()
            return len(mine) == len(theirs) and all(
                _segments_meet(a, b, self.separator) for a, b in zip(mine, theirs, strict=True)
            )
        return _heads_meet(self.parts, other.parts)

    @property
    def _segmented(self) -> bool:
        """True where the separator stands only between values: a date may hold a '-' itself."""
        return not any(self.separator in one.text.punctuation for one in self.placeholders)

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


def _split(source: str, separator: str) -> Iterator[Part]:
    at = 0
    for match in _PLACEHOLDER.finditer(source):
        if literal := source[at : match.start()]:
            yield _literal(literal, source)
        name = match[1]
        if not name.isidentifier():
            raise ModelError(
                f"Template {source!r}: {match[0]} is no placeholder. "
                "Write an attribute's name in the braces, such as {id} or {n:08d}."
            )
        yield Placeholder(name, match[2] or "", Plain(separator))
        at = match.end()
    if literal := source[at:]:
        yield _literal(literal, source)
    if not source:
        raise ModelError("A template is empty; DynamoDB has no empty keys.")


def _literal(text: str, source: str) -> str:
    if "{" in text or "}" in text:
        raise ModelError(f"Template {source!r} has a brace without its partner.")
    return text


def _check_between(source: str, parts: tuple[Part, ...], separator: str) -> None:
    for before, after in itertools.pairwise(parts):
        if isinstance(before, Placeholder) and isinstance(after, Placeholder):
            raise ModelError(
                f"Template {source!r}: {{{before.name}}} and {{{after.name}}} touch, so a key "
                f"could not be taken apart again.\n  Write {separator!r} between them."
            )
    for part in parts[1:-1]:
        if isinstance(part, str) and separator not in part:
            raise ModelError(
                f"Template {source!r}: {part!r} stands between two placeholders without the "
                f"separator {separator!r}, so a value that contains {part!r} would be read "
                f"wrongly.\n  Put {separator!r} there; values may never contain it."
            )


def _check_repeated(source: str, parts: tuple[Part, ...]) -> None:
    specs: dict[str, str] = {}
    for part in parts:
        if isinstance(part, Placeholder) and specs.setdefault(part.name, part.spec) != part.spec:
            raise ModelError(
                f"Template {source!r}: {{{part.name}}} is written in two formats.\n"
                "  Write it the same way in both places."
            )


def _groups(parts: tuple[Part, ...], separator: str) -> Iterator[str]:
    """The pattern of each part; a name that comes again must stand for the same text."""
    seen: set[str] = set()
    for part in parts:
        if isinstance(part, str):
            yield re.escape(part)
        elif part.name in seen:
            yield f"(?P={part.name})"
        else:
            seen.add(part.name)
            yield f"(?P<{part.name}>{part.text.pattern(separator)})"


def _pair(left: tuple[Part, ...], right: tuple[Part, ...]) -> dict[str, str] | None:
    names: dict[str, str] = {}
    for a, b in zip(left, right, strict=True):
        if isinstance(a, str) or isinstance(b, str):
            if a != b:
                return None
        elif a.text != b.text or names.setdefault(a.name, b.name) != b.name:
            return None
    return names


def _heads_meet(a: tuple[Part, ...], b: tuple[Part, ...]) -> bool:
    """Whether what stands before the first placeholders can be the beginning of one text."""
    mine, theirs = (part if isinstance(part, str) else "" for part in (a[0], b[0]))
    return mine.startswith(theirs) or theirs.startswith(mine)


def _segments_meet(a: tuple[Part, ...], b: tuple[Part, ...], separator: str) -> bool:
    for one, other in ((a, b), (b, a)):
        if (texts := _texts_of(one)) is not None:
            pattern = _segment_pattern(other, separator)
            return any(pattern.fullmatch(text) for text in texts)
    if len(a) == len(b) == 1 and isinstance(a[0], Placeholder) and isinstance(b[0], Placeholder):
        return a[0].text.kind == b[0].text.kind or "text" in (a[0].text.kind, b[0].text.kind)
    return _heads_meet(a, b)


def _texts_of(segment: tuple[Part, ...]) -> list[str] | None:
    """All texts that a segment can be; None where they are too many to list."""
    choices = [(part,) if isinstance(part, str) else part.text.choices() for part in segment]
    return ["".join(texts) for texts in itertools.product(*choices)] if all(choices) else None


def _segment_pattern(segment: tuple[Part, ...], separator: str) -> re.Pattern[str]:
    return re.compile(
        "".join(
            re.escape(part) if isinstance(part, str) else f"(?:{part.text.pattern(separator)})"
            for part in segment
        )
    )
