import json
from pathlib import Path

import pytest

from .conftest import Tablefold
from .project import QUERY

TARGET = "notebook:gateway"


@pytest.fixture
def query(folder: Path) -> str:
    (folder / "author.graphql").write_text(
        "query One($id: ID!) { author(id: $id) { name } }\n"
        'query Two { author(id: "a2") { name } }\n'
    )
    (folder / "unnamed.graphql").write_text(QUERY)
    return "author.graphql"


def test_the_schema_is_printed(tablefold: Tablefold):
    said = tablefold("schema", TARGET)
    assert said.exit_code == 0
    assert "type Author" in said.stdout


def test_the_schema_is_written_to_a_file(tablefold: Tablefold, folder: Path):
    assert tablefold("schema", TARGET, "--output", "schema.graphql").stdout == ""
    assert "type Author" in (folder / "schema.graphql").read_text()
    said = tablefold("schema", TARGET, "--output", "no/where.graphql")
    assert (said.exit_code, "cannot be written" in said.stderr) == (2, True)


def test_a_plan_is_printed_without_a_table(tablefold: Tablefold, query: str):
    said = tablefold(
        *("explain", TARGET, query, "--operation", "One", "--variables", '{"id": "a7"}')
    )
    assert said.exit_code == 0, said.stderr
    assert 'GetItem PK = "AUTHOR#a7", SK = "PROFILE"' in said.stdout
    assert said.stderr == ""


def test_an_operation_is_read_from_standard_input(tablefold: Tablefold):
    said = tablefold("explain", TARGET, "-", input=QUERY)
    assert said.exit_code == 0, said.stderr
    assert "requests in 1 wave" in said.stdout


def test_a_plan_is_printed_as_json(tablefold: Tablefold, query: str):
    said = tablefold("explain", TARGET, query, "--operation", "Two", "--json")
    plan = json.loads(said.stdout)
    assert plan["requests"] == 1
    assert plan["waves"][0]["requests"][0]["operation"] == "GetItem"


def test_variables_beside_the_file_are_used(tablefold: Tablefold, folder: Path, query: str):
    (folder / "author.variables.json").write_text('{"id": "beside"}')
    said = tablefold("explain", TARGET, query, "--operation", "One")
    assert "AUTHOR#beside" in said.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nowhere.graphql",), "nowhere.graphql cannot be read: No such file"),
        (
            ("author.graphql",),
            "Say which operation to run; it can be One, Two.\n",
        ),
        (
            ("author.graphql", "--operation", "C"),
            "No operation is called C; it can be One, Two.\n",
        ),
        (
            ("unnamed.graphql", "--operation", "C"),
            "No operation is called C; the only one has no name.\n",
        ),
        (("author.graphql", "--variables", "{"), "--variables is not JSON"),
        (("author.graphql", "--variables", "[]"), "--variables must be a JSON object"),
        (("author.graphql", "--operation", "One"), "Variable '$id'"),
    ],
)
def test_what_cannot_be_explained_is_said(
    tablefold: Tablefold, query: str, arguments: tuple[str, ...], told: str
):
    said = tablefold("explain", TARGET, *arguments)
    assert said.exit_code == 2
    assert said.stderr.startswith(f"Error: {told}")


@pytest.mark.parametrize("text", ["{ author", "{ nobody { name } }", ""])
def test_an_invalid_query_is_said(tablefold: Tablefold, text: str):
    said = tablefold("explain", TARGET, "-", input=text)
    assert said.exit_code == 2
    assert said.stderr.startswith("Error: ")
    assert "Traceback" not in said.stderr


def test_a_plan_needs_nobody_who_asks(tablefold: Tablefold, folder: Path, query: str):
    (folder / "viewed.py").write_text(
        "from notebook import gateway as other\n"
        "from tablefold import Gateway\n"
        "gateway = Gateway(other.table, viewer=lambda context: context['user'])\n"
    )
    said = tablefold("explain", "viewed:gateway", query, "--operation", "Two")
    assert said.exit_code == 0, said.stderr
