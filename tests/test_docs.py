"""Documentation is cut from running code, or run as it stands."""

import dataclasses
import inspect
import json
import re
import sys
import types
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from strawberry.types import ExecutionResult

from examples.shop import gateway as shop
from tablefold import Gateway, Limits, TablefoldError
from tablefold.store.engines import Engine
from tests.harness.proxy import Proxy
from tests.harness.serving import data_of, served

ROOT = Path(__file__).parent.parent


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def blocks(path: str, language: str) -> list[str]:
    pattern = rf"^```{language}\n(.*?)^```$"
    return re.findall(pattern, text_of(path), re.MULTILINE | re.DOTALL)


@pytest.fixture
def module() -> Generator[types.ModuleType, None, None]:
    """A module of its own for the code of a document, as annotations look names up in one."""
    made = types.ModuleType("documented")
    sys.modules["documented"] = made
    yield made
    del sys.modules["documented"]


def run(module: types.ModuleType, path: str) -> dict[str, Any]:
    """The names that a document's code leaves behind."""
    for code in blocks(path, "python"):
        exec(compile(code, path, "exec"), vars(module))
    return vars(module)


def test_the_readme_s_code_runs(module: types.ModuleType) -> None:
    gateway = run(module, "README.md")["gateway"]
    assert isinstance(gateway, Gateway)
    assert "userByEmail(email: String!): User" in gateway.sdl()


def test_the_readme_s_model_has_no_more_than_thirty_lines_of_code() -> None:
    model = blocks("README.md", "python")[0]
    assert len([line for line in model.splitlines() if line.strip()]) <= 32


def test_the_modelling_guide_s_code_runs(module: types.ModuleType) -> None:
    gateway: Gateway = run(module, "docs/modelling.md")["full"]
    sdl = gateway.sdl()
    for root in (
        "users(",
        "usersByCity(",
        "userByEmail(",
        "ordersByStatus(",
        "ordersByUserId(",
        "activeUsers(",
        "node(",
    ):
        assert root in sdl


async def test_the_modelling_guide_s_period_costs_what_it_says(module: types.ModuleType) -> None:
    ledger = Gateway(run(module, "docs/modelling.md")["ledger"])
    plan = await ledger.plan(
        '{ account(id: "a") { periods { period credited debits { amount } } } }'
    )
    assert [planned.request.operation for wave in plan.waves for planned in wave] == ["Query"]


def test_every_argument_of_the_gateway_is_documented(module: types.ModuleType) -> None:
    assert isinstance(run(module, "docs/gateway.md")["gateway"], Gateway)
    documented = first_cells("docs/gateway.md", r"[a-z]\w*")
    taken = [name for name in inspect.signature(Gateway).parameters if name != "table"]
    assert sorted(documented) == sorted(taken)


def test_every_code_that_a_client_may_see_is_documented() -> None:
    documented = first_cells("docs/errors.md", "[A-Z_]+")
    raised = {error.code for error in _below(TablefoldError)}
    assert set(documented) == raised | {"GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED"}
    assert len(documented) == len(set(documented))


def test_every_reason_of_a_refusal_is_documented() -> None:
    told = [path.read_text(encoding="utf-8") for path in (ROOT / "resolvers").glob("*.py")]
    raised = {reason for text in told for reason in re.findall(r'"reason": "([A-Z_]+)"', text)}
    assert set(first_cells("docs/writing.md", "[A-Z_]+")) == raised - {"CHANGED"}


@pytest.mark.engines("dynoxide")
async def test_the_writing_guide_s_mutations_do_what_it_says(
    module: types.ModuleType, engine: Engine, proxy: Proxy
) -> None:
    """Each is followed by its answer, and by a line on what DynamoDB gets."""
    gateway: Gateway = run(module, "docs/writing.md")["gateway"]
    answers = [json.loads(block) for block in blocks("docs/writing.md", "json")]
    requests = [
        re.findall(r"`(\w+Items?)`", line)
        for line in re.findall(r"^(DynamoDB gets .*)$", text_of("docs/writing.md"), re.MULTILINE)
    ]
    with served(gateway, engine_url=engine.endpoint_url, gateway_url=proxy.endpoint_url):
        for mutation in blocks("docs/writing.md", "graphql"):
            proxy.clear()
            result = await gateway.execute(mutation)
            assert _shown(result) == answers.pop(0)
            assert proxy.operations == requests.pop(0), mutation
        await gateway.close()
    assert answers == requests == []


def _shown(result: ExecutionResult) -> object:
    """The data; of what failed, the message and the extensions."""
    if result.errors is None:
        return result.data
    return {
        "errors": [
            {"message": error.message, "extensions": error.extensions} for error in result.errors
        ]
    }


def first_cells(document: str, what: str) -> list[str]:
    return re.findall(rf"^\| `({what})` \|", text_of(document), re.MULTILINE)


def _below(error: type[TablefoldError]) -> Iterator[type[TablefoldError]]:
    yield error
    for one in error.__subclasses__():
        yield from _below(one)


async def test_the_pages_guide_s_code_runs_and_turns_them_off(module: types.ModuleType) -> None:
    app: Starlette = run(module, "docs/graphiql.md")["app"]
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://test"
    ) as client:
        for path, status in (("/graphql", 406), ("/table", 404)):
            page = await client.get(path, headers={"accept": "text/html"})
            assert page.status_code == status


def test_what_is_shown_of_clients_is_cut_from_their_tests() -> None:
    folder = ROOT / "tests" / "clients"
    used = [folder, folder / "relay", folder / "codegen", folder / "python"]
    texts = [
        _on_one_line(path.read_text(encoding="utf-8"))
        for part in used
        for path in part.iterdir()
        if path.suffix in (".mjs", ".js", ".json", ".ts", ".py")
    ]
    shown = [
        _on_one_line(part)
        for language in ("js", "json", "graphql", "ts", "python")
        for block in blocks("docs/clients.md", language)
        for part in block.split("\n\n")
    ]
    assert len(shown) >= 10
    assert [part for part in shown if not any(part in text for text in texts)] == []


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def test_every_limit_is_documented_with_its_default() -> None:
    table = re.findall(
        r"^\| `(\w+)` \|.*\| ([\d,]+) \|$", (ROOT / "docs/limits.md").read_text(), re.MULTILINE
    )
    shown = {name: int(value.replace(",", "")) for name, value in table}
    assert shown == dataclasses.asdict(Limits())


@pytest.mark.engines("dynoxide", "dynamodb-local")
async def test_the_readme_s_operations_give_the_answers_that_it_shows(engine: Engine) -> None:
    assert shop.sample is not None
    query, mutation = blocks("README.md", "graphql")
    answers = [json.loads(block) for block in blocks("README.md", "json")]
    plan, written = blocks("README.md", "text")
    url = engine.endpoint_url
    with served(shop, engine_url=url, gateway_url=url, rows=shop.sample()) as gateway:
        assert data_of(await gateway.execute(query)) == answers[0]
        assert str(await gateway.plan(query)) == plan.strip()
        result = await gateway.execute(mutation, explain=True)
        assert data_of(result) == answers[1]
        [wave] = (result.extensions or {})["explain"]["waves"]
        assert [one["summary"] for one in wave["requests"]] == [_on_one_line(written)]
