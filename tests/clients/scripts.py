"""Scripts that use a client, and print as JSON what they saw."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
SCRIPT_SECONDS = 120  # a machine may be busy

Saw = dict[str, Any]


def node() -> str:
    """The program; skips the test where it, or a client's package, is not installed."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed")
    if not (MODULES / ".package-lock.json").exists():
        pytest.skip("the clients' packages are not installed: make setup")
    return found


def node_script(name: str, **asked: Any) -> Saw:
    return json.loads(output_of(node(), str(HERE / name), json.dumps(asked)))


def python_script(name: str, **asked: Any) -> Saw:
    """In a process of its own: at the top of this repository, `gql` is our room, not the client."""
    return json.loads(output_of(sys.executable, str(HERE / "python" / name), json.dumps(asked)))


def output_of(*command: str, cwd: Path | None = None) -> str:
    ended = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=SCRIPT_SECONDS, check=False
    )
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
    return ended.stdout
