import uuid

from tablefold.store.engines import Engine
from tests.harness import tables

from .conftest import Tablefold

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
