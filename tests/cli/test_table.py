import uuid

import pytest

from tablefold.store.engines import Engine
from tests.harness import tables

from .conftest import Tablefold
from .project import free_port

TARGET = "notebook:gateway"


def test_a_table_is_created_once_and_then_verified(tablefold: Tablefold, engine: Engine):
    name = f"notes-{uuid.uuid4().hex[:8]}"
    where = ("--endpoint-url", engine.endpoint_url, "--table-name", name)
    made = tablefold("table", "create", TARGET, *where)
    assert made.exit_code == 0, made.stderr
    assert made.stdout == f"Created the table {name} at {engine.endpoint_url} with GSI1.\n"
    again = tablefold("table", "create", TARGET, *where)
    assert (again.exit_code, "already exists" in again.stdout) == (0, True)
    verified = tablefold("table", "verify", TARGET, *where)
    assert (verified.exit_code, verified.stdout) == (
        0,
        f"The table {name} is what the model says.\n",
    )
    tables.client(engine.endpoint_url).delete_table(TableName=name)


def test_each_difference_is_said_and_the_code_is_1(tablefold: Tablefold, engine: Engine):
    keys = [("PK", "HASH"), ("SK", "RANGE")]
    definition = {
        "TableName": "notes",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": k, "AttributeType": "S"} for k, _ in keys],
        "KeySchema": [{"AttributeName": k, "KeyType": kind} for k, kind in keys],
    }
    with tables.created(engine.endpoint_url, definition) as name:
        said = tablefold(
            *("table", "verify", TARGET, "--table-name", name),
            *("--endpoint-url", engine.endpoint_url),
        )
    assert said.exit_code == 1
    assert said.stdout == (
        f"- The table {name} has no index GSI1 (GSI1PK / GSI1SK), which Author needs.\n"
        "1 difference from the model.\n"
    )


@pytest.mark.engines("dynoxide")
def test_a_missing_table_is_said(tablefold: Tablefold, engine: Engine):
    said = tablefold("table", "verify", TARGET, "--endpoint-url", engine.endpoint_url)
    assert said.exit_code == 2
    assert said.stderr.startswith("Error: There is no table notes here.")


COMMANDS = [
    ("table", "create", TARGET),
    ("table", "verify", TARGET),
    ("load", TARGET, "--sample"),
    ("serve", TARGET),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unreachable_endpoint_is_said(tablefold: Tablefold, command: tuple[str, ...]):
    port = free_port()
    more = ("--port", str(free_port())) if command[0] == "serve" else ()
    said = tablefold(*command, *more, "--endpoint-url", f"http://127.0.0.1:{port}")
    assert said.exit_code == 2
    assert f"127.0.0.1:{port}" in said.stderr
    assert said.stderr.startswith("Error: ")
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_credentials_and_region_are_said(
    tablefold: Tablefold, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    for name in tables.CREDENTIALS:
        monkeypatch.delenv(name, raising=False)
    more = ("--port", str(free_port())) if command[0] == "serve" else ()
    said = tablefold(*command, *more)
    assert (said.exit_code, said.stderr[:32]) == (2, "Error: No AWS region is set. Pas")
    said = tablefold(*command, *more, "--region", "eu-central-1")
    assert (said.exit_code, said.stderr[:40]) == (2, "Error: No AWS credentials were found. Se")


def test_a_profile_that_is_not_there_is_said(tablefold: Tablefold, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    said = tablefold("table", "verify", TARGET)
    assert said.exit_code == 2
    assert "nobody" in said.stderr
    assert "Traceback" not in said.stderr
