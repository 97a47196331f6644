"""Folding changes what an operation costs, and nothing that it answers."""

from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strawberry.types import ExecutionResult

from tablefold import Gateway
from tablefold.store.engines import Engine
from tests.harness.serving import SECRET, UNLIMITED, served
from tests.resolvers.test_running import ROWS, table

pytestmark = pytest.mark.engines("dynoxide")

DEPTH = 4
ORGANISATIONS, DEPARTMENTS, ACCOUNTS = (
    ("acme", "ghost"),
    ("eng", "ops", "none"),
    ("ann", "bob", "x"),
)


@pytest.fixture(scope="module")
def gateways(engine: Engine) -> Generator[tuple[Gateway, Gateway], None, None]:
    folded, plain = (
        Gateway(table, cursor_secret=SECRET, folding=on, limits=UNLIMITED) for on in (True, False)
    )
    url = engine.endpoint_url
    with served(folded, engine_url=url, gateway_url=url, rows=ROWS):
        plain.configure(table_name=folded.table_name, endpoint_url=url, region="us-east-1")
        yield folded, plain


@st.composite
def selections(draw: st.DrawFn, kind: str, depth: int) -> str:
    """Some fields of a type, each under an alias of its own."""
    options = FIELDS[kind]
    chosen = draw(st.lists(st.sampled_from(options), min_size=1, max_size=3))
    parts: list[str] = []
    for at, (name, below) in enumerate(chosen):
        if below is None:
            parts.append(name)
        elif depth > 0:
            parts.append(f"f{at}: {draw(_called(name))} {draw(_body(below, depth - 1))}")
    return "{ __typename " + " ".join(dict.fromkeys(parts)) + " }"


def _called(name: str) -> st.SearchStrategy[str]:
    if name != "logins":
        return st.just(name)
    arguments = st.tuples(st.sampled_from(["first", "last"]), st.integers(1, 5))
    return arguments.map(lambda pair: f"logins({pair[0]}: {pair[1]})")


@st.composite
def _body(draw: st.DrawFn, kind: str, depth: int) -> str:
    if kind != "Logins":
        return draw(selections(kind, depth))
    info = draw(st.sampled_from(["", "pageInfo { hasNextPage hasPreviousPage endCursor }"]))
    shape = draw(st.sampled_from(["nodes %s", "edges { cursor node %s }"]))
    return "{ " + shape.replace("%s", draw(selections("Login", depth))) + f" {info} }}"


FIELDS: dict[str, list[tuple[str, str | None]]] = {
    "Organisation": [("name", None), ("departments", "Department"), ("people", "Person")],
    "Department": [("dept", None), ("people", "Person"), ("lead", "Account")],
    "Person": [("id", None), ("account", "Account")],
    "Account": [("mail", None), ("logins", "Logins"), ("id", None)],
    "Login": [("n", None), ("account", "Account")],
}


@st.composite
def operations(draw: st.DrawFn) -> str:
    roots: list[str] = []
    for at in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["Organisation", "Department", "Account", "Accounts"]))
        one, two = draw(st.sampled_from(ORGANISATIONS)), draw(st.sampled_from(DEPARTMENTS))
        three = draw(st.sampled_from(ACCOUNTS))
        call = {
            "Organisation": f'organisation(id: "{one}")',
            "Department": f'department(org: "{one}", dept: "{two}")',
            "Account": f'account(id: "{three}")',
            "Accounts": f'accounts(ids: ["ann", "{three}"])',
        }[kind]
        roots.append(f"r{at}: {call} {draw(selections(kind.removesuffix('s'), DEPTH))}")
    return "{ " + " ".join(roots) + " }"


def cost(result: ExecutionResult) -> dict[str, Any]:
    return (result.extensions or {})["explain"]


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(operation=operations())
async def test_folded_or_not_an_operation_has_one_answer(
    gateways: tuple[Gateway, Gateway], operation: str
):
    folded, plain = [await one.execute(operation, explain=True) for one in gateways]

    assert folded.errors is None
    assert plain.errors is None
    assert folded.data == plain.data
    assert cost(folded)["requests"] <= cost(plain)["requests"]
    assert len(cost(folded)["waves"]) <= len(cost(plain)["waves"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(operation=operations())
async def test_an_operation_costs_no_more_than_its_plan(
    gateways: tuple[Gateway, Gateway], operation: str
):
    folded, _ = gateways
    plan = await folded.plan(operation)
    result = await folded.execute(operation, explain=True)

    assert plan.errors == ()
    assert cost(result)["requests"] <= plan.requests
    assert len(cost(result)["waves"]) <= len(plan.waves)
