"""How a typed value is written inside a key, so that the order of texts is the order of values."""

from __future__ import annotations

import abc
import datetime
import enum
import re
import typing
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar

from .errors import BadInput, ModelError
from .naming import camel
from .values import NUMBER_MAX_DIGITS


class Misfit(BadInput):
    """A value that its place cannot hold; `what` reads on after the name of the place."""

    def __init__(self, what: str, name: str = "") -> None:
        super().__init__(f"{camel(name)} {what}" if name else what)
        self.what = what
        self.name = name

    def under(self, name: str) -> Misfit:
        return Misfit(self.what, name + self.name)


@dataclass(frozen=True, slots=True)
class KeyText(abc.ABC):
    """The text form of one type. What `pattern` matches and `read` takes, `write` gives back.

    `least` and `greatest` bound every text it can write, where there are such bounds;
    `punctuation` is what stands in its texts beside letters and digits.
    """

    kind: ClassVar[str] = "text"
    least: ClassVar[str] = ""
    greatest: ClassVar[str] = ""
    punctuation: ClassVar[str] = ""
    even: ClassVar[bool] = True
    """All texts have one length, so that what follows them in a key cannot change their order."""

    @abc.abstractmethod
    def write(self, value: object) -> str: ...

    @abc.abstractmethod
    def read(self, text: str) -> object: ...

    @abc.abstractmethod
    def pattern(self, separator: str) -> str: ...

    def at_least(self, value: object) -> str:
        """The first text that is not before `value`."""
        return self.write(value)

    def at_most(self, value: object) -> str:
        return self.write(value)

    def choices(self) -> tuple[str, ...]:
        """All texts there are, where they are few."""
        return ()


@dataclass(frozen=True, slots=True)
class Plain(KeyText):
    """Text as it is; the separator would let a value reach into another collection."""

    even: ClassVar[bool] = False
    separator: str = "#"

    def write(self, value: object) -> str:
        if not isinstance(value, str):
            raise Misfit("must be text.")
        if not value:
            raise Misfit("is empty; it is part of a key and needs a value.")
        if self.separator in value:
            raise Misfit(
                f"must not contain {self.separator!r}, which separates the parts of a key."
            )
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise Misfit("holds half a surrogate pair, which is no Unicode text.") from None
        return str.__str__(value)  # a member of a `str` enum would print its name

    def read(self, text: str) -> object:
        return text

    def pattern(self, separator: str) -> str:
        return f"[^{re.escape(separator)}]+"


@dataclass(frozen=True, slots=True)
class Whole(KeyText):
    """A whole number as it is printed; it does not sort, so it stands in partition keys only."""

    kind: ClassVar[str] = "int"
    punctuation: ClassVar[str] = "-"
    even: ClassVar[bool] = False

    def write(self, value: object) -> str:
        number = _whole(value)
        if abs(number) >= 10**NUMBER_MAX_DIGITS:
            raise Misfit(f"is too large for its key, which has {NUMBER_MAX_DIGITS} digits.")
        return str(number)

    def read(self, text: str) -> object:
        return int(text)

    def pattern(self, separator: str) -> str:
        return r"0|-?[1-9][0-9]*"


@dataclass(frozen=True, slots=True)
class Padded(KeyText):
    """A whole number from zero on, with leading zeros up to `width` digits."""

    kind: ClassVar[str] = "int"
    least: ClassVar[str] = "0"
    greatest: ClassVar[str] = ":"  # the character after '9'
    width: int

    def write(self, value: object) -> str:
        number = _whole(value)
        if not 0 <= number < 10**self.width:
            raise Misfit(f"must be from 0 to {'9' * self.width}: its key has {self.width} digits.")
        return str(number).zfill(self.width)

    def read(self, text: str) -> object:
        return int(text)

    def pattern(self, separator: str) -> str:
        return rf"[0-9]{{{self.width}}}"


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Misfit("must be a whole number.")
    return int(value)


@dataclass(frozen=True, slots=True)
class Day(KeyText):
    kind: ClassVar[str] = "date"
    least: ClassVar[str] = "0001-01-01"
    greatest: ClassVar[str] = "9999-12-31"
    punctuation: ClassVar[str] = "-"

    def write(self, value: object) -> str:
        if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
            raise Misfit("must be a date such as 2024-01-31.")
        return value.isoformat()

    def read(self, text: str) -> object:
        return datetime.date.fromisoformat(text)

    def pattern(self, separator: str) -> str:
        return _DAY


_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
# Python reads 24:00 as the next day's midnight, which would not be written back as it was.
_TIME = r"(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}"


@dataclass(frozen=True, slots=True)
class _Precision:
    """How fine a datetime is kept."""

    timespec: str
    microseconds: int
    fraction: str
    shown: str


_PRECISIONS: Mapping[str, _Precision] = {
    "s": _Precision("seconds", 1_000_000, "", "seconds"),
    "ms": _Precision("milliseconds", 1_000, r"\.[0-9]{3}", "milliseconds"),
    "us": _Precision("microseconds", 1, r"\.[0-9]{6}", "microseconds"),
}


@dataclass(frozen=True, slots=True)
class Moment(KeyText):
    """A datetime in UTC with a fixed number of digits, because `…00.5Z` sorts before `…00Z`.

    A datetime without a zone counts as UTC.
    """

    kind: ClassVar[str] = "datetime"
    least: ClassVar[str] = "0001-01-01T"
    greatest: ClassVar[str] = "9999-12-31U"  # the character after 'T'
    punctuation: ClassVar[str] = "-:."
    precision: str = "s"

    def write(self, value: object) -> str:
        moment, over = self._split(value)
        if over:
            shown = _PRECISIONS[self.precision].shown
            raise Misfit(
                f"is finer than its key, which keeps {shown}. Give whole {shown}, or keep "
                "microseconds in the template: {…:us}."
            )
        return self._text(moment)

    def at_least(self, value: object) -> str:
        moment, over = self._split(value)
        if not over:
            return self._text(moment)
        step = datetime.timedelta(microseconds=_PRECISIONS[self.precision].microseconds)
        if moment > _LAST_MOMENT - step:
            return self.greatest
        return self._text(moment + step)

    def at_most(self, value: object) -> str:
        return self._text(self._split(value)[0])

    def cut(self, moment: datetime.datetime) -> datetime.datetime:
        """As much of it as the key keeps, in UTC."""
        return self._split(moment)[0].replace(tzinfo=datetime.UTC)

    def read(self, text: str) -> object:
        return datetime.datetime.fromisoformat(text)

    def pattern(self, separator: str) -> str:
        return f"{_DAY}T{_TIME}{_PRECISIONS[self.precision].fraction}Z"

    def _split(self, value: object) -> tuple[datetime.datetime, int]:
        """In UTC, cut to the precision, and the microseconds that were cut off."""
        if not isinstance(value, datetime.datetime):
            raise Misfit("must be a date and time such as 2024-01-31T12:00:00Z.")
        moment = value
        if value.tzinfo is not None:
            try:
                moment = value.astimezone(datetime.UTC).replace(tzinfo=None)
            except OverflowError:
                raise Misfit("lies outside the years 1 to 9999 in UTC.") from None
        over = moment.microsecond % _PRECISIONS[self.precision].microseconds
        return moment.replace(microsecond=moment.microsecond - over), over

    def _text(self, moment: datetime.datetime) -> str:
        return moment.isoformat(timespec=_PRECISIONS[self.precision].timespec) + "Z"


_LAST_MOMENT = datetime.datetime.max


@dataclass(frozen=True, slots=True)
class Unique(KeyText):
    kind: ClassVar[str] = "uuid"
    least: ClassVar[str] = str(uuid.UUID(int=0))
    greatest: ClassVar[str] = str(uuid.UUID(int=2**128 - 1))
    punctuation: ClassVar[str] = "-"

    def write(self, value: object) -> str:
        if not isinstance(value, uuid.UUID):
            raise Misfit("must be a UUID.")
        return str(value)

    def read(self, text: str) -> object:
        return uuid.UUID(text)

    def pattern(self, separator: str) -> str:
        return r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@dataclass(frozen=True, slots=True)
class Choice(KeyText):
    """An enum member, by its value."""

    kind: ClassVar[str] = "enum"
    even: ClassVar[bool] = False
    members: type[enum.Enum]
    _by_text: dict[str, enum.Enum] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_text = {str(member.value): member for member in self.members}
        object.__setattr__(self, "_by_text", by_text)

    def write(self, value: object) -> str:
        if isinstance(value, self.members):
            return str(value.value)
        try:
            return str(self.members(value).value)
        except ValueError:
            raise Misfit(f"must be one of {', '.join(self._by_text)}.") from None

    def read(self, text: str) -> object:
        try:
            return self._by_text[text]
        except KeyError:
            raise ValueError(text) from None

    def pattern(self, separator: str) -> str:
        return "|".join(map(re.escape, self._by_text))

    def choices(self) -> tuple[str, ...]:
        return tuple(self._by_text)


@dataclass(frozen=True, slots=True)
class Flag(KeyText):
    kind: ClassVar[str] = "bool"
    least: ClassVar[str] = "false"
    greatest: ClassVar[str] = "true"

    def write(self, value: object) -> str:
        if not isinstance(value, bool):
            raise Misfit("must be true or false.")
        return "true" if value else "false"

    def read(self, text: str) -> object:
        if text not in self.choices():
            raise ValueError(text)
        return text == "true"

    def pattern(self, separator: str) -> str:
        return "true|false"

    def choices(self) -> tuple[str, ...]:
        return "true", "false"


_SIMPLE: Mapping[object, type[KeyText]] = {
    datetime.date: Day,
    uuid.UUID: Unique,
    bool: Flag,
}


def text_for(annotation: object, spec: str, *, separator: str, sorts: bool, where: str) -> KeyText:
    """The text form of an attribute's type in a key; `sorts` where it stands in a sort key."""
    while isinstance(annotation, typing.NewType):
        annotation = annotation.__supertype__
    if annotation is int:
        return _number(spec, sorts=sorts, where=where)
    if annotation is datetime.datetime:
        if spec not in ("", *_PRECISIONS):
            raise ModelError(f"{where}: {spec!r} is no precision. Write s, ms or us.")
        return Moment(spec or "s")
    if spec:
        raise ModelError(
            f"{where}: the format {spec!r} is for whole numbers ({{n:08d}}) and datetimes "
            "({at:ms}); other types have one form."
        )
    if annotation is str:
        return Plain(separator)
    if (simple := _SIMPLE.get(annotation)) is not None:
        return simple()
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        _check_members(annotation, separator, where)
        return Choice(annotation)
    if annotation in (float, Decimal):
        raise ModelError(
            f"{where}: a decimal number has no text form that sorts by its value. "
            "Keep a whole number in the key, such as cents with a width: {cents:012d}."
        )
    raise ModelError(
        f"{where}: this type cannot stand in a key. Keys hold text, ids, whole numbers, dates, "
        "datetimes, UUIDs, enums and booleans."
    )


def _number(spec: str, *, sorts: bool, where: str) -> KeyText:
    if not spec:
        if sorts:
            raise ModelError(
                f"{where}: a whole number in a sort key needs a width, because '9' sorts after "
                "'10'.\n  Write {name:08d} with as many digits as the largest value has."
            )
        return Whole()
    if not re.fullmatch(r"0[1-9][0-9]?d", spec):
        raise ModelError(f"{where}: {spec!r} is no width. Write it as 08d.")
    return Padded(int(spec[1:-1]))


def _check_members(members: type[enum.Enum], separator: str, where: str) -> None:
    texts: dict[str, enum.Enum] = {}
    for member in members:
        text = str(member.value)
        if separator in text or text == "":
            raise ModelError(
                f"{where}: {members.__name__}.{member.name} is stored as "
                f"{member.value!r}, which is empty or contains the separator {separator!r}."
            )
        if (other := texts.setdefault(text, member)) is not member:
            raise ModelError(
                f"{where}: {members.__name__}.{other.name} and {members.__name__}.{member.name} "
                f"would both be written as {text!r} in a key.\n  Give one of them another value."
            )
    if not texts:
        raise ModelError(f"{where}: {members.__name__} has no members to stand in a key.")
