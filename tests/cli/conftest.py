import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tablefold.cli import app

from .project import write

Tablefold = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path, None, None]:
    """The working directory: a project with a model."""
    monkeypatch.chdir(write(tmp_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def tablefold(folder: Path) -> Tablefold:
    return lambda *arguments, **options: CliRunner().invoke(app, list(arguments), **options)
