"""Each sample operation beside its plan, the requests it caused and its result.

A mutation has a table of its own, and no plan; what was refused has its errors for a result.

The operations stand in `examples/*/operations`, what became of them in `tests/golden`. After a
change that is meant, `pytest tests/test_golden.py --update-golden` writes the files anew: read
the diff.
"""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from strawberry.types import ExecutionResult

from tablefold.gql.answers import result_body
from tests.harness.examples import OPERATIONS, READS, WRITES, Examples, Operation
from tests.harness.proxy import Proxy, Recorded

GOLDEN = Path(__file__).parent / "golden"
SUFFIXES = (".plan.txt", ".requests.json", ".result.json")
UPDATE = "pytest tests/test_golden.py --update-golden"

Compare = Callable[[Operation, str, str], None]


@pytest.fixture
def compare(engine_name: str, pytestconfig: pytest.Config) -> Compare:
    """Holds a text against the golden one, which dynoxide may write anew."""
    updating = pytestconfig.getoption("update_golden") and engine_name == "dynoxide"

    def compare(operation: Operation, suffix: str, text: str) -> None:
        path = golden(operation, suffix)
        if updating:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == kept(path), f"{path.name} says otherwise; if this is meant, run {UPDATE}"

    return compare


@pytest.mark.parametrize("operation", READS, ids=lambda one: one.name)
async def test_an_operation_has_its_golden_plan_requests_and_result(
    operation: Operation, examples: Examples, proxy: Proxy, compare: Compare
):
    async with examples.gateway(operation.example, proxy) as gateway:
        proxy.clear()
        plan = str(await gateway.plan(operation.text, operation.variables))
        assert proxy.sent == [], "a plan must not touch the table"
        result = await gateway.execute(operation.text, operation.variables)

    assert result.errors is None
    table, name = gateway.table_name, gateway.table.name
    compare(operation, ".plan.txt", plan.replace(table, name) + "\n")
    compare(operation, ".requests.json", requests_text(proxy.sent, table, name))
    compare(operation, ".result.json", result_text(result))


# DynamoDB Local of 2020 does not show what a refused UpdateItem met, so that it is read besides.
@pytest.mark.engines("dynoxide")
@pytest.mark.parametrize("operation", WRITES, ids=lambda one: one.name)
async def test_a_mutation_has_its_golden_requests_and_result(
    operation: Operation, examples: Examples, proxy: Proxy, compare: Compare
):
    async with examples.fresh(operation.example, proxy) as gateway:
        result = await gateway.execute(operation.text, operation.variables)

    requests = requests_text(proxy.sent, gateway.table_name, gateway.table.name)
    compare(operation, ".requests.json", without_moments(requests))
    compare(operation, ".result.json", result_text(result))


def test_no_golden_file_has_lost_its_operation():
    expected = {
        golden(operation, suffix)
        for operation in OPERATIONS
        for suffix in SUFFIXES
        if suffix != ".plan.txt" or not operation.writes
    }
    assert {path for path in GOLDEN.rglob("*") if path.is_file()} <= expected


def golden(operation: Operation, suffix: str) -> Path:
    return GOLDEN / operation.example / f"{operation.name}{suffix}"


def kept(path: Path) -> str:
    if not path.exists():
        shown = path.relative_to(GOLDEN.parents[1])
        pytest.fail(f"There is no {shown}: run {UPDATE} to make it.", pytrace=False)
    return path.read_text(encoding="utf-8")


def result_text(result: ExecutionResult) -> str:
    """Without cursors: they are sealed for one table, and its name is another in each run."""
    shown = result.data if result.errors is None else result_body(result)
    text = json.dumps(shown, indent=2, ensure_ascii=False) + "\n"
    return re.sub(r'("\w*[cC]ursor"): "[\w-]+"', r'\1: "…"', text)


def requests_text(sent: Sequence[Recorded], table: str, name: str) -> str:
    """A line for each member of a request; sorted, because concurrent requests have no order."""
    shown = sorted(_request_text(one.operation, renamed(one.body, table, name)) for one in sent)
    return "[\n" + ",\n".join(shown) + "\n]\n"


def without_moments(requests: str) -> str:
    """Without what each run draws anew: a transaction's token, and the seconds of now."""
    requests = re.sub(r'("ClientRequestToken"): "[\w-]+"', r'\1: "…"', requests)
    return re.sub(r'{"N": "\d{10}"}', '{"N": "…"}', requests)


def _request_text(operation: str, body: dict[str, Any]) -> str:
    members = {"Operation": operation, **body}
    lines = [f"    {json.dumps(member)}: {_spelled(value)}" for member, value in members.items()]
    return "  {\n" + ",\n".join(lines) + "\n  }"


def _spelled(value: Any) -> str:
    """On one line, but for the actions of a transaction."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in cast("Any", value)):
        return json.dumps(value, ensure_ascii=False)
    entries = [json.dumps(one, ensure_ascii=False) for one in cast("list[Any]", value)]
    return "[\n      " + ",\n      ".join(entries) + "\n    ]"


def renamed(value: Any, table: str, name: str) -> Any:
    """The engine's table has a name of its own for each run."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {renamed(k, table, name): renamed(v, table, name) for k, v in members.items()}
    if isinstance(value, list):
        return [renamed(one, table, name) for one in cast("list[Any]", value)]
    return name if value == table else value
