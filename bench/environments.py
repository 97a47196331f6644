"""The environment that aiobotocore lives in: it pins a botocore that ours need not be."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

from .stage import Say

ROOT = Path(__file__).parent.parent
HOME = ROOT / ".bench" / "aiobotocore"
PINS = Path(__file__).with_name("aiobotocore.txt")


def aiobotocore(say: Say) -> Path:
    """The Python that has the pinned aiobotocore; made on first use, and when the pins change."""
    python, stamp = HOME / "bin" / "python", HOME / ".installed"
    pins = PINS.read_text()
    if not stamp.exists() or stamp.read_text() != pins:
        say(f"Installing aiobotocore into {HOME.relative_to(ROOT)} ...")
        venv.create(HOME, clear=True, with_pip=True)
        installing = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        done = subprocess.run(
            [*installing, "-r", str(PINS)], check=False, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise SystemExit(
                f"aiobotocore cannot be installed: {done.stderr.strip().splitlines()[-1]}\n"
                "Leave it out with --no-aiobotocore."
            )
        stamp.write_text(pins)
    return python


def versions() -> str:
    """The pinned versions, for the report."""
    return ", ".join(line.replace("==", " ") for line in PINS.read_text().split())


OURS = Path(sys.executable)
