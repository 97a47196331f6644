"""The report: docs/benchmarks.md, whose tables stand between marks that a run may fill."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tablefold.store.engines import DYNOXIDE_VERSION

from . import environments

DOCUMENT = environments.ROOT / "docs" / "benchmarks.md"
SHOWN = ("boto3", "strawberry-graphql", "graphql-core", "uvloop")


def filled(document: str, sections: Mapping[str, str]) -> str:
    """The document with the text of each named section replaced; ValueError for one it lacks."""
    for name, text in sections.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
        document, found = re.subn(
            pattern,
            lambda match, text=text: f"{match[1]}\n{text}\n\n{match[2]}",
            document,
            flags=re.S,
        )
        if found != 1:
            raise ValueError(f"The document has no section <!-- {name} --> … <!-- /{name} -->.")
    return document


def write(path: Path, sections: Mapping[str, str]) -> None:
    """All sections or none of them: the file changes in one step."""
    text = filled(path.read_text(encoding="utf-8"), sections)
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
    ) as temporary:
        temporary.write(text)
    os.chmod(temporary.name, 0o644)
    os.replace(temporary.name, path)


def machine(load: tuple[float, float, float], *, aiobotocore: bool = False) -> str:
    """Where and when: one line, with the load that others had put on the machine."""
    today = datetime.datetime.now(datetime.UTC).date()
    versions = [f"{name} {importlib.metadata.version(name)}" for name in SHOWN]
    others = [environments.versions()] if aiobotocore else []
    return (
        f"Measured {today} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"load average {load[0]:.1f} before the run; Python {platform.python_version()}, "
        f"dynoxide {DYNOXIDE_VERSION}, {', '.join(versions)}"
        f"{'; the other environment has ' + others[0] if others else ''}."
    )
