"""Relay: its compiler takes our schema, and its runtime walks a list with what it made."""

import shutil
from pathlib import Path

import pytest

from examples.shop import gateway as shop
from tests.clients.scripts import HERE, MODULES, Saw, node, node_script, output_of

pytestmark = pytest.mark.engines("dynoxide")


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the compiler makes of `relay/orders.js`, a fragment with pages of a user's orders."""
    project = tmp_path_factory.mktemp("project") / "relay"
    shutil.copytree(HERE / "relay", project)
    (project / "schema.graphql").write_text(shop.sdl(), encoding="utf-8")
    made = project / "artifacts"
    made.mkdir()
    compiler = MODULES / "relay-compiler" / "cli.js"
    output_of(node(), str(compiler), "relay.config.json", cwd=project)
    return made


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
