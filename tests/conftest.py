"""Fixtures for integration tests.

A test that asks for `engine`, `proxy` or `make_table` runs once per local engine;
`@pytest.mark.engines("dynoxide", "dynamodb-local")` narrows that. An absent engine is skipped.
"""

import contextlib
import os
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tablefold.store.engines import ENGINES, Engine, EngineUnavailable
from tests.harness import tables
from tests.harness.engines import EngineRack
from tests.harness.examples import Examples
from tests.harness.proxy import Proxy

RACK = pytest.StashKey[EngineRack]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write tests/golden anew from what dynoxide is sent and answers",
    )


def pytest_configure(config: pytest.Config) -> None:
    directory = Path(os.environ.get("TABLEFOLD_ENGINES", ".engines"))
    config.stash[RACK] = EngineRack(config.rootpath / directory)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ.update(tables.CREDENTIALS)
    os.environ["AWS_CONFIG_FILE"] = os.environ["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"


def pytest_report_header(config: pytest.Config) -> list[str]:
    reasons = config.stash[RACK].reasons()
    present = [name for name, reason in reasons.items() if reason is None]
    absent = [f"no {name}: {reason}" for name, reason in reasons.items() if reason]
    return [f"engines: {', '.join(present) or 'none'}", *absent]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    rack = config.stash[RACK]
    if rack.started:
        terminalreporter.write_line(f"integration tests ran on: {', '.join(rack.started)}")
    for name, reason in rack.reasons().items():
        if reason is not None:
            terminalreporter.write_line(f"integration tests did not run on {name}: {reason}")


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[RACK].stop()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine_name" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("engines")
    wanted = set(marker.args if marker else ENGINES)
    if unknown := wanted.difference(ENGINES):
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: no engines {sorted(unknown)}")
    names = [name for name in ENGINES if name in wanted]
    metafunc.parametrize("engine_name", names, scope="session")


@pytest.fixture(scope="session")
def engine(engine_name: str, pytestconfig: pytest.Config) -> Engine:
    rack = pytestconfig.stash[RACK]
    if reason := rack.reasons()[engine_name]:
        pytest.skip(reason)
    try:
        return rack.engine(engine_name)
    except EngineUnavailable as error:
        pytest.fail(f"{engine_name} should run here, but: {error}", pytrace=False)


@pytest.fixture
def proxy(engine: Engine, pytestconfig: pytest.Config) -> Proxy:
    """In front of the engine, with nothing recorded yet."""
    proxy = pytestconfig.stash[RACK].proxy(engine.name)
    proxy.clear()
    return proxy


@pytest.fixture(scope="module")
def make_table(engine: Engine) -> Generator[Callable[[Mapping[str, Any]], str], None, None]:
    """Creates a table from a CreateTable request under a fresh name, for this module's time."""
    with contextlib.ExitStack() as stack:
        yield lambda definition: stack.enter_context(
            tables.created(engine.endpoint_url, definition)
        )


@pytest.fixture(scope="session")
def examples(engine: Engine) -> Generator[Examples, None, None]:
    """The examples with their sample data, in the engine."""
    with contextlib.ExitStack() as stack:
        yield Examples(engine, stack)
