"""The front door: what `tablefold` offers, and that opening it does nothing else."""

import subprocess
import sys
import textwrap

import pytest

import tablefold

PUBLIC = {
    "AlreadyThere",
    "BadInput",
    "Conflict",
    "Connection",
    "CreatedAt",
    "CursorInvalid",
    "Forbidden",
    "Gateway",
    "Index",
    "Limits",
    "ModelError",
    "NotFound",
    "Plan",
    "StoreError",
    "Table",
    "TablefoldError",
    "Transaction",
    "Unauthenticated",
    "UnknownOutcome",
    "UpdatedAt",
    "Version",
    "WriteRefused",
    "Writes",
    "attribute",
    "copy",
    "count_of",
    "kept_as",
    "key",
    "lookup",
    "many",
    "max_of",
    "min_of",
    "one",
    "sharded",
    "sum_of",
}

LOUD = """
import socket, threading, logging

def refuse(*_args, **_kwargs):
    raise AssertionError("importing tablefold opened a socket")

socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
import tablefold
assert threading.active_count() == 1, threading.enumerate()
assert not logging.getLogger().handlers, logging.getLogger().handlers
print("quiet", end="")
"""


def test_the_public_names_are_these() -> None:
    assert set(tablefold.__all__) == PUBLIC
    assert tablefold.__all__ == sorted(tablefold.__all__)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_is_documented(name: str) -> None:
    doc = getattr(tablefold, name).__doc__
    assert doc, "it has none of its own"
    assert not doc.startswith(f"{name}("), "this is the docstring that dataclasses write"


def test_importing_has_no_effects() -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LOUD)], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("quiet", "")
