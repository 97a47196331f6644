"""Sample operations: a folder of `*.graphql`, each with its `*.variables.json` if it takes any."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Sample:
    """`name` is that of the file, such as `S3_profile_and_newest_orders`."""

    name: str
    query: str
    variables: str | None = None


def read_samples(folder: Path | None) -> list[Sample]:
    """In the order of their names, S2 before S10."""
    files = folder.glob("*.graphql") if folder is not None else ()
    return [_read(file) for file in sorted(files, key=_natural)]


def _read(file: Path) -> Sample:
    variables = file.with_suffix(".variables.json")
    return Sample(
        file.stem,
        file.read_text(encoding="utf-8").strip(),
        variables.read_text(encoding="utf-8").strip() if variables.exists() else None,
    )


def _natural(file: Path) -> list[tuple[int, str]]:
    return [(int(digits or 0), text) for text, digits in re.findall(r"(\D*)(\d*)", file.name)]
