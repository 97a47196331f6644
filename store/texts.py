"""How a typed value is written inside a key, so that the order of texts is the order of values."""

from __future__ import annotations

import datetime
import enum
import re
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from .errors import BadInput, ModelError


@dataclass(frozen=True, slots=True)
class KeyText:
    """The text form of one type; `least` and `greatest` bound every text it can write."""

    kind: ClassVar[str] = "text"
    least: ClassVar[str] = ""
    greatest: ClassVar[str] = ""

    def write(self, value: object, name: str) -> str:
        raise NotImplementedError

    def read(self, text: str) -> object:
        raise NotImplementedError

    def pattern(self, separator: str) -> str:
        return f"[^{re.escape(separator)}]+"

    def at_least(self, value: object, name: str) -> str:
        return self.write(value, name)

    def at_most(self, value: object, name: str) -> str:
        return self.write(value, name)


@dataclass(frozen=True, slots=True)
class Plain(KeyText):
    """Text as it is; the separator would let a value reach into another collection."""

    separator: str = "#"

    def write(self, value: object, name: str) -> str:
        text = str(value)
        if not text:
            raise BadInput(f"{name} is empty; it is part of a key and needs a value.")
        if self.separator in text:
            raise BadInput(
                f"{name} must not contain {self.separator!r}, which separates the parts of a key."
            )
        try:
            text.encode()
        except UnicodeEncodeError:
            raise BadInput(f"{name} is not valid Unicode text.") from None
        return text

    def read(self, text: str) -> object:
        return text


@dataclass(frozen=True, slots=True)
class Whole(KeyText):
    """A whole number, padded to `width` where it must sort."""

    kind: ClassVar[str] = "int"
    width: int = 0

    def write(self, value: object, name: str) -> str:
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadInput(f"{name} must be a whole number.")
        if value < 0 and self.width:
            raise BadInput(f"{name} must not be negative: its key sorts by the padded digits.")
        text = f"{value:0{self.width}d}"
        if self.width and len(text) > self.width:
            raise BadInput(f"{name} is too large for its key, which has {self.width} digits.")
        return text

    def read(self, text: str) -> object:
        return int(text)

    def pattern(self, separator: str) -> str:
        return rf"[0-9]{{{self.width}}}" if self.width else r"-?[0-9]+"


@dataclass(frozen=True, slots=True)
class Padded(Whole):
    """A padded number has a least and a greatest text."""

    least: ClassVar[str] = "0"
    greatest: ClassVar[str] = ":"  # the character after '9'


@dataclass(frozen=True, slots=True)
class Day(KeyText):
    kind: ClassVar[str] = "date"
    least: ClassVar[str] = "0001-01-01"
    greatest: ClassVar[str] = "9999-12-31"

    def write(self, value: object, name: str) -> str:
        if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
            raise BadInput(f"{name} must be a date such as 2024-01-31.")
        return value.isoformat()

    def read(self, text: str) -> object:
        return datetime.date.fromisoformat(text)

    def pattern(self, separator: str) -> str:
        return r"[0-9]{4}-[0-9]{2}-[0-9]{2}"


_UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1}


@dataclass(frozen=True, slots=True)
class Moment(KeyText):
    """A datetime in UTC with a fixed number of digits, because `…00.5Z` sorts before `…00Z`."""

    kind: ClassVar[str] = "datetime"
    least: ClassVar[str] = "0001-01-01T"
    greatest: ClassVar[str] = "9999-12-31U"  # the character after 'T'
    precision: str = "s"

    def write(self, value: object, name: str) -> str:
        moment = self._utc(value, name)
        if moment.microsecond % _UNITS[self.precision]:
            raise BadInput(
                f"{name} is finer than its key, which keeps {self.precision}. "
                f"Write the template as {{{name}:us}} to keep microseconds."
            )
        return self._text(moment)

    def at_least(self, value: object, name: str) -> str:
        moment = self._utc(value, name)
        if over := moment.microsecond % _UNITS[self.precision]:
            moment += datetime.timedelta(microseconds=_UNITS[self.precision] - over)
        return self._text(moment)

    def at_most(self, value: object, name: str) -> str:
        moment = self._utc(value, name)
        over = moment.microsecond % _UNITS[self.precision]
        return self._text(moment - datetime.timedelta(microseconds=over))

    def read(self, text: str) -> object:
        return datetime.datetime.fromisoformat(text)

    def pattern(self, separator: str) -> str:
        fraction = {"s": "", "ms": r"\.[0-9]{3}", "us": r"\.[0-9]{6}"}[self.precision]
        return rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}{fraction}Z"

    def _utc(self, value: object, name: str) -> datetime.datetime:
        if not isinstance(value, datetime.datetime):
            raise BadInput(f"{name} must be a date and time such as 2024-01-31T12:00:00Z.")
        if value.tzinfo is None:
            return value.replace(tzinfo=datetime.UTC)
        try:
            return value.astimezone(datetime.UTC)
        except OverflowError:
            raise BadInput(f"{name} is out of range.") from None

    def _text(self, moment: datetime.datetime) -> str:
        timespec = {"s": "seconds", "ms": "milliseconds", "us": "microseconds"}[self.precision]
        return moment.replace(tzinfo=None).isoformat(timespec=timespec) + "Z"


@dataclass(frozen=True, slots=True)
class Unique(KeyText):
    kind: ClassVar[str] = "uuid"

    def write(self, value: object, name: str) -> str:
        if not isinstance(value, uuid.UUID):
            raise BadInput(f"{name} must be a UUID.")
        return str(value)

    def read(self, text: str) -> object:
        return uuid.UUID(text)

    def pattern(self, separator: str) -> str:
        return r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"


@dataclass(frozen=True, slots=True)
class Choice(KeyText):
    """An enum member, by its value."""

    kind: ClassVar[str] = "enum"
    members: type[enum.Enum]

    def write(self, value: object, name: str) -> str:
        if isinstance(value, self.members):
            return str(value.value)
        try:
            return str(self.members(value).value)
        except ValueError:
            raise BadInput(f"{name} must be one of {self._values()}.") from None

    def read(self, text: str) -> object:
        for member in self.members:
            if str(member.value) == text:
                return member
        raise ValueError(text)

    def pattern(self, separator: str) -> str:
        return "|".join(re.escape(str(member.value)) for member in self.members)

    def _values(self) -> str:
        return ", ".join(str(member.value) for member in self.members)


@dataclass(frozen=True, slots=True)
class Flag(KeyText):
    kind: ClassVar[str] = "bool"

    def write(self, value: object, name: str) -> str:
        if not isinstance(value, bool):
            raise BadInput(f"{name} must be true or false.")
        return "true" if value else "false"

    def read(self, text: str) -> object:
        return text == "true"

    def pattern(self, separator: str) -> str:
        return "true|false"


def text_for(annotation: object, spec: str, *, separator: str, sorts: bool, where: str) -> KeyText:
    """The text form of an attribute's type in a key; `sorts` where it stands in a sort key."""
    if annotation is int:
        return _whole(spec, sorts=sorts, where=where)
    if annotation is datetime.datetime:
        if spec not in ("", *_UNITS):
            raise ModelError(f"{where}: {spec!r} is no precision. Write s, ms or us.")
        return Moment(spec or "s")
    if spec:
        raise ModelError(
            f"{where}: the format {spec!r} is for whole numbers ({{n:08d}}) and datetimes "
            "({at:ms}); other types have one form."
        )
    if annotation is str:
        return Plain(separator)
    if annotation is datetime.date:
        return Day()
    if annotation is uuid.UUID:
        return Unique()
    if annotation is bool:
        return Flag()
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        for member in annotation:
            if separator in str(member.value) or str(member.value) == "":
                raise ModelError(
                    f"{where}: {annotation.__name__}.{member.name} is stored as "
                    f"{member.value!r}, which is empty or contains the separator {separator!r}."
                )
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


def _whole(spec: str, *, sorts: bool, where: str) -> KeyText:
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
