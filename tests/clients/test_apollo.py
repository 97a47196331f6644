"""Apollo Client: its normalized cache, its pages, its errors and its persisted queries."""

from typing import Any

import pytest

from tests.clients.scripts import Saw, node_script

pytestmark = pytest.mark.engines("dynoxide")

MISSED = {"method": "GET", "query": False, "hash": True, "status": 400}
SENT = {"method": "POST", "query": True, "hash": True, "status": 200}
KNOWN = {"method": "GET", "query": False, "hash": True, "status": 200}


@pytest.fixture(scope="module")
def saw(address: str, sparse: str) -> Saw:
    return node_script("apollo.mjs", address=address, sparse=sparse)


def test_the_console_stays_silent(saw: Saw):
    assert saw["complained"] == []


def test_a_query_is_asked_once_and_then_read_from_the_cache(saw: Saw):
    cached = saw["cached"]
    assert cached["first"]["user"]["name"] == "Ada Moreau"
    assert cached["same"]
    assert [one["status"] for one in cached["asked"]] == [200, 200]  # the profile, then the node
    assert {one["type"] for one in cached["asked"]} == {
        "application/graphql-response+json; charset=utf-8"
    }


def test_the_cache_holds_each_object_once_by_its_node_id(saw: Saw):
    cached = saw["cached"]
    assert cached["kept"] == ["Address", "Address", "Address", "Query", "User"]
    [user] = cached["users"]
    assert (user["name"], user["email"]) == ("Ada Moreau", "ada.moreau@example.com")
    assert cached["node"]["nodeId"] == user["nodeId"]


def test_fetch_more_walks_a_list_without_loss_or_repetition(saw: Saw, orders: list[str]):
    walked = saw["walked"]
    assert walked["ids"] == orders
    assert walked["lengths"] == [4, 8, 12, 16, 20, 24, 25]
    assert len(walked["asked"]) == 7


def test_a_walk_goes_on_behind_pages_that_a_filter_left_empty(saw: Saw, cancelled: list[str]):
    filtered = saw["filtered"]
    assert filtered["ids"] == cancelled
    assert filtered["lengths"] == [1, 2, 2, 2, 2, 2]
    assert len(filtered["asked"]) == 6


def test_errors_have_their_codes(saw: Saw):
    failed = saw["failed"]
    assert failed["typed"]
    assert failed["codes"] == ["CURSOR_INVALID"]
    assert failed["refused"] == ["GRAPHQL_VALIDATION_FAILED"]


def test_what_did_not_fail_arrives_next_to_the_error(saw: Saw):
    assert saw["failed"]["partial"] == {
        "name": "Ada Moreau",
        "orders": [],  # relayStylePagination makes it of null
        "code": "CURSOR_INVALID",
    }


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_document_is_sent_once_and_then_known_by_its_hash(saw: Saw, method: str):
    persisted = saw["persisted"][method.lower()]
    assert persisted["names"] == ["Ada Moreau", "Bruno Lindqvist"]
    assert list(map(_summary, persisted["asked"])) == [
        {**MISSED, "method": method},
        SENT,
        {**KNOWN, "method": method},
    ]


def _summary(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name != "type"}
