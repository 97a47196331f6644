"""Relay: its compiler takes our schema, and its runtime walks a list with what it made."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from examples.shop import gateway as shop
from tablefold import Gateway
from tests.clients.scripts import HERE, MODULES, Saw, node, node_script, output_of

pytestmark = pytest.mark.engines("dynoxide")


def compiled(project: Path, **more: Any) -> Path:
    """A project of `relay/`, with what the compiler makes of its fragment; `more` configures it."""
    program = node()
    shutil.copytree(HERE / "relay", project)
    (project / "schema.graphql").write_text(shop.sdl(), encoding="utf-8")
    (project / "artifacts").mkdir()
    (project / "persisted.json").write_text("{}")  # the compiler adds to it
    config = project / "relay.config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), **more}))
    output_of(program, str(MODULES / "relay-compiler" / "cli.js"), config.name, cwd=project)
    return project


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("relay") / "project") / "artifacts"


@pytest.fixture(scope="module")
def saw(address: str, sparse: str, artifacts: Path) -> Saw:
    return node_script("relay.mjs", address=address, sparse=sparse, artifacts=str(artifacts))


def test_the_compiler_makes_a_query_for_further_pages_of_a_node(artifacts: Path):
    assert sorted(path.name for path in artifacts.iterdir()) == [
        "ordersOfUserQuery.graphql.js",
        "ordersPageQuery.graphql.js",
        "orders_user.graphql.js",
    ]
    assert "node(nodeId: $nodeId)" in (artifacts / "ordersPageQuery.graphql.js").read_text()


def test_the_console_stays_silent(saw: Saw):
    assert saw["complained"] == []


def test_pages_become_one_list_without_loss_or_repetition(saw: Saw, orders: list[str]):
    walked = saw["walked"]
    assert walked["ids"] == orders
    assert walked["lengths"] == [4, 8, 12, 16, 20, 24, 25]
    assert [one["status"] for one in walked["asked"]] == [200] * 7


def test_a_walk_goes_on_behind_pages_that_a_filter_left_empty(saw: Saw, cancelled: list[str]):
    filtered = saw["filtered"]
    assert filtered["ids"] == cancelled
    assert filtered["lengths"] == [1, 2, 2, 2, 2, 2]
    assert len(filtered["asked"]) == 6


def test_the_store_holds_the_user_once(saw: Saw):
    assert (saw["walked"]["name"], saw["walked"]["users"]) == ("Ada Moreau", 1)


def test_the_documents_it_writes_are_trusted_by_a_gateway(tmp_path: Path):
    persisted = {"file": "./persisted.json", "algorithm": "SHA256"}
    project = compiled(tmp_path / "project", persistConfig=persisted)
    gateway = Gateway(shop.table, documents=project / "persisted.json")
    names = sorted(text.split("(")[0] for text in gateway.trusted.known.values())
    assert names == ["query ordersOfUserQuery", "query ordersPageQuery"]
