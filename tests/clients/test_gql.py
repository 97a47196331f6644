"""Python's `gql`, with its httpx transport."""

import pytest

from tests.clients.scripts import Saw, python_script

pytestmark = pytest.mark.engines("dynoxide")


@pytest.fixture(scope="module")
def saw(address: str) -> Saw:
    return python_script("ask.py", address=address)


def test_a_query_takes_variables(saw: Saw):
    assert saw["profile"] == {"user": {"name": "Ada Moreau", "joinedOn": "2024-02-14"}}


def test_a_list_is_walked_without_loss_or_repetition(saw: Saw, orders: list[str]):
    assert [id for page in saw["pages"] for id in page] == orders
    assert [len(page) for page in saw["pages"]] == [4, 4, 4, 4, 4, 4, 1]


def test_an_error_arrives_with_its_code_and_path(saw: Saw):
    [error] = saw["error"]["errors"]
    assert error["extensions"]["code"] == "CURSOR_INVALID"
    assert error["path"] == ["user", "orders"]
    assert saw["error"]["data"] == {"user": {"orders": None}}


def test_the_schema_is_fetched_by_introspection(saw: Saw):
    assert saw["schema"] == {
        "nodes": ["Address", "Order", "OrderItem", "Product", "Shipment", "User"],
        "arguments": [
            *("placedOn", "id", "where"),
            *("first", "after", "last", "before", "direction"),
        ],
    }
