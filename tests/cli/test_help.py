"""Everything that can be typed is shown with an example, and documented."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import tablefold as package
from tablefold.cli import app
from tablefold.store.settings import VARIABLES

from .conftest import Tablefold

DOCUMENTED = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(commands(typer.main.get_command(app)))


def test_the_commands_are_these():
    assert sorted(COMMANDS) == [
        "demo",
        "engine",
        "explain",
        "load",
        "schema",
        "serve",
        "table create",
        "table verify",
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_shows_examples_in_its_help(tablefold: Tablefold, name: str):
    said = tablefold(*name.split(), "--help")
    assert said.exit_code == 0
    _, _, examples = said.stdout.partition("Examples:\n")
    assert f"tablefold {name} " in examples or f"tablefold {name}\n" in examples


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_and_each_of_its_options_is_documented(name: str):
    [section] = re.findall(rf"^## tablefold {name}\b.*?(?=^## |\Z)", DOCUMENTED, re.M | re.S)
    tables = DOCUMENTED[DOCUMENTED.index("## Which table") :]
    for parameter in COMMANDS[name].params:
        for option in parameter.opts:
            if option.startswith("--") and option != "--help":
                assert f"`{option}`" in section + tables


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_work_after_pip_install_and_keep_off_the_port_of_serve(
    tablefold: Tablefold, name: str
):
    for text in (tablefold(*name.split(), "--help").stdout, tablefold("--help").stdout, DOCUMENTED):
        assert not re.search(r"(?<!tablefold\.)examples\.|localhost:8000", text)
    assert DOCUMENTED.count("tablefold.examples.shop:gateway") == 1


@pytest.mark.parametrize("variable", VARIABLES)
def test_each_variable_is_documented(variable: str):
    assert f"| `{variable}` |" in DOCUMENTED


def test_the_version_is_told(tablefold: Tablefold):
    said = tablefold("--version")
    assert (said.exit_code, said.stdout) == (0, f"tablefold {package.__version__}\n")


def test_without_a_command_the_help_is_shown(tablefold: Tablefold):
    assert "Usage: tablefold" in tablefold().output


def test_an_unknown_option_is_refused_with_code_2(tablefold: Tablefold):
    assert tablefold("serve", "--prot", "1").exit_code == 2
