"""What is shipped: the wheel, the container files, the entry of continuous integration."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ROOMS = ("gql", "resolvers", "loaders", "store")
MADE = (".venv/.installed", "gql/web/graphiql.html")
PAGES = ROOT / "gql" / "web"


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The files of a wheel built from a source distribution, as an index builds it."""
    output = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(output), str(ROOT)],
        check=True,
        capture_output=True,
    )
    [wheel] = output.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.parametrize("room", ROOMS)
def test_the_wheel_contains_each_module_of_the_room(shipped: set[str], room: str):
    modules = {f"tablefold/{path.relative_to(ROOT)}" for path in (ROOT / room).rglob("*.py")}
    assert f"tablefold/{room}/__init__.py" in modules
    assert modules <= shipped


def test_the_wheel_is_typed_and_carries_its_data(shipped: set[str]):
    assert {"tablefold/py.typed", "tablefold/store/dynamodb_local.xml"} <= shipped


def test_the_wheel_carries_the_pages_as_they_were_built(shipped: set[str]):
    if not PAGES.exists():
        pytest.skip("the pages are not built here")
    built = {f"tablefold/{path.relative_to(ROOT)}" for path in PAGES.rglob("*") if path.is_file()}
    assert {"tablefold/gql/web/graphiql.html", "tablefold/gql/web/table.html"} <= built
    assert built <= shipped


@pytest.mark.parametrize("folder", ["web", "tests/clients"])
def test_packages_of_node_are_locked_without_addresses(folder: str):
    locked = (ROOT / folder / "package-lock.json").read_text()
    assert '"resolved"' not in locked
    assert '"integrity"' in locked


def test_the_wheel_installs_one_package_only(shipped: set[str]):
    assert {name.split("/")[0] for name in shipped if ".dist-info" not in name} == {"tablefold"}


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_is_linked_relatively(room: str):
    assert os.readlink(ROOT / "tablefold" / room) == f"../{room}"


def test_ci_has_a_browser_and_calls_make_test():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "make test" in script.read_text().splitlines()
    assert "chromium" in script.read_text()


def test_constraints_are_exact_versions_without_addresses():
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line), line


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


def test_compose_starts_dynamodb_then_seeds_then_serves(services: dict[str, Any]):
    assert set(services) == {"dynamodb", "seed", "gateway"}
    assert {"-sharedDb", "-inMemory"} <= set(services["dynamodb"]["command"])
    assert services["dynamodb"]["healthcheck"]["test"][0] == "CMD-SHELL"
    assert services["seed"]["depends_on"] == {"dynamodb": {"condition": "service_healthy"}}
    assert services["gateway"]["depends_on"] == {
        "dynamodb": {"condition": "service_healthy"},
        "seed": {"condition": "service_completed_successfully"},
    }


def test_compose_points_at_its_own_dynamodb_with_dummy_credentials(services: dict[str, Any]):
    for name in ("seed", "gateway"):
        environment = services[name]["environment"]
        assert environment["AWS_ENDPOINT_URL_DYNAMODB"] == "http://dynamodb:8000"
        assert environment["AWS_ACCESS_KEY_ID"] == environment["AWS_SECRET_ACCESS_KEY"] == "local"
        assert environment["AWS_REGION"] == "us-east-1"


def test_compose_publishes_gateway_and_engine_on_loopback_only(services: dict[str, Any]):
    assert services["gateway"]["ports"] == ["127.0.0.1:8000:8000"]
    assert services["dynamodb"]["ports"] == ["127.0.0.1:8001:8000"]


def test_the_demo_takes_a_port_and_waits_for_no_engine_but_its_own():
    # The tests may run under a make of their own, whose flags are not this one's.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}

    def recipe(*arguments: str) -> str:
        return subprocess.run(
            ["make", "--dry-run", *(f"--old-file={one}" for one in MADE), *arguments],
            cwd=ROOT,
            env={**alone, "NAME": "a-host", "PORT": "1"},
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    assert recipe("demo").split() == [".venv/bin/tablefold", "demo"]
    assert recipe("demo", "NAME=fund", "PORT=8080").split() == (
        [".venv/bin/tablefold", "demo", "fund", "--port", "8080"]
    )
    assert "tablefold.store.engines install .engines" in recipe("test", "-W", "store/engines.py")


def test_the_image_runs_as_a_plain_user_with_a_health_check():
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    page, build, final = (stage.splitlines() for stage in re.split(r"\n(?=FROM )", text))
    assert page[0] == "FROM node:22-slim AS page"
    assert build[0] == "FROM python:3.12-slim AS build"
    assert "COPY --from=page /source/gql/web ./gql/web" in build
    assert final[0] == "FROM python:3.12-slim"
    instructions = {word: rest for word, _, rest in (line.partition(" ") for line in final)}
    assert instructions["USER"] == "tablefold"
    assert "/healthz" in instructions["HEALTHCHECK"]
    assert '"serve", "examples.shop:gateway"' in instructions["CMD"]
