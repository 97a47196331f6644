"""urql with Graphcache: its normalized cache, its pages, its errors and its persisted queries."""

import pytest

from tests.clients.scripts import Saw, node_script

pytestmark = pytest.mark.engines("dynoxide")


@pytest.fixture(scope="module")
def saw(address: str, sparse: str) -> Saw:
    return node_script("urql.mjs", address=address, sparse=sparse)


def test_the_console_stays_silent(saw: Saw):
    assert saw["complained"] == []


def test_a_query_is_asked_once_and_then_read_from_the_cache(saw: Saw):
    cached = saw["cached"]
    assert cached["first"]["user"]["name"] == "Ada Moreau"
    assert [one["city"] for one in cached["second"]["user"]["addresses"]] == (
        ["Lisbon", "Ghent", "Bergen"]
    )
    assert cached["first"] == cached["second"]
    assert len(cached["asked"]) == 1


def test_pages_become_one_list_without_loss_or_repetition(saw: Saw, orders: list[str]):
    walked = saw["walked"]
    assert walked["pages"][-1] == orders
    assert [len(page) for page in walked["pages"]] == [4, 8, 12, 16, 20, 24, 25]
    assert len(walked["asked"]) == 7


def test_a_walk_goes_on_behind_pages_that_a_filter_left_empty(saw: Saw, cancelled: list[str]):
    filtered = saw["filtered"]
    assert [id for page in filtered["pages"] for id in page] == cancelled
    assert [len(page) for page in filtered["pages"]] == [1, 1, 0, 0, 0, 0]
    assert len(filtered["asked"]) == 6


def test_an_error_arrives_with_its_code_next_to_what_did_not_fail(saw: Saw):
    assert saw["failed"] == {
        "user": True,
        "errors": [{"path": ["user", "orders"], "code": "CURSOR_INVALID"}],
    }


def test_a_document_is_sent_once_and_then_known_by_its_hash(saw: Saw):
    persisted = saw["persisted"]
    assert persisted["names"] == ["Ada Moreau", "Bruno Lindqvist"]
    assert all(one["hash"] and one["method"] == "GET" for one in persisted["asked"])
    assert [(one["query"], one["status"]) for one in persisted["asked"]] == [
        (False, 400),
        (True, 200),
        (False, 200),
    ]
