from pathlib import Path

import pytest

from .conftest import Tablefold


def refusal(tablefold: Tablefold, target: str) -> str:
    said = tablefold("schema", target)
    assert said.exit_code == 2
    assert said.stdout == ""
    assert "Traceback" not in said.stderr
    assert said.stderr.startswith("Error: ")
    return said.stderr.removeprefix("Error: ").rstrip("\n")


@pytest.mark.parametrize("target", ["notebook", "notebook:", ":gateway", ""])
def test_a_target_without_its_two_parts_is_refused(tablefold: Tablefold, target: str):
    assert refusal(tablefold, target).startswith(f"{target!r} is not MODULE:ATTR; write it as")


@pytest.mark.parametrize(
    ("target", "written"),
    [
        ("", "shop:gateway"),
        ("notebook", "notebook:gateway"),
        ("notebook.py", "notebook:gateway"),
        (":other", "shop:other"),
    ],
)
def test_a_target_without_its_two_parts_is_shown_whole(
    tablefold: Tablefold, target: str, written: str
):
    assert refusal(tablefold, target).endswith(f"write it as {written}.")


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("./bees:gateway", "./bees is a path, not a module: write bees:gateway."),
        ("bees.py:gateway", "bees.py is a path, not a module: write bees:gateway."),
        ("farm/bees.py:hive", "farm/bees.py is a path, not a module: write farm.bees:hive."),
        ("farm\\bees.py:hive", "farm\\bees.py is a path, not a module: write farm.bees:hive."),
        (
            "../bees.py:gateway",
            "../bees.py is a path, not a module: write bees:gateway, in the folder ...",
        ),
        (
            "/srv/bees:gateway",
            "/srv/bees is a path, not a module: write bees:gateway, in the folder /srv.",
        ),
    ],
)
def test_a_path_is_answered_with_the_module_to_write(tablefold: Tablefold, target: str, told: str):
    assert refusal(tablefold, target) == told


@pytest.mark.parametrize("module", ["nowhere", "notebook.inner", "examples.nowhere.model"])
def test_a_wrong_module_is_refused(tablefold: Tablefold, module: str):
    assert refusal(tablefold, f"{module}:gateway").startswith(f"There is no module {module}.")


def test_a_missing_attribute_suggests_the_gateways(tablefold: Tablefold):
    assert refusal(tablefold, "notebook:gatewya") == (
        "notebook has no 'gatewya'; write notebook:gateway or notebook:other."
    )


def test_an_attribute_that_is_no_gateway_suggests_the_gateways(tablefold: Tablefold):
    assert refusal(tablefold, "notebook:table") == (
        "notebook:table is a Table, not a Gateway; write notebook:gateway or notebook:other."
    )


def test_a_module_without_a_gateway_says_so(tablefold: Tablefold):
    assert refusal(tablefold, "json:gateway") == "json has no 'gateway'; json has no gateway."


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import nonsense_that_is_not_there", "imports nonsense_that_is_not_there, which is not"),
        ("x = 1 / 0", "cannot be imported: ZeroDivisionError: division by zero ("),
        ("def broken(", "cannot be imported: SyntaxError: "),
    ],
)
def test_a_module_that_cannot_be_imported_says_why(
    tablefold: Tablefold, folder: Path, source: str, told: str
):
    (folder / "broken.py").write_text(source)
    assert refusal(tablefold, "broken:gateway").startswith(f"broken {told}")


def test_a_model_that_cannot_be_built_says_what_to_write(tablefold: Tablefold, folder: Path):
    (folder / "wrong.py").write_text(
        "from tablefold import Gateway, Table\n"
        "import strawberry\n"
        "table = Table('t')\n"
        "@table.entity('USER#{nobody}', 'PROFILE')\n"
        "class User:\n"
        "    id: strawberry.ID\n"
        "gateway = Gateway(table)\n"
    )
    told = refusal(tablefold, "wrong:gateway")
    assert told.startswith("The model in wrong cannot be built. User")
    assert "nobody" in told
