"""graphql-request: a query with variables, and its typed error."""

import pytest

from tests.clients.scripts import Saw, node_script

pytestmark = pytest.mark.engines("dynoxide")


@pytest.fixture(scope="module")
def saw(address: str) -> Saw:
    return node_script("request.mjs", address=address)


def test_a_query_takes_variables(saw: Saw, orders: list[str]):
    user = saw["newest"]["user"]
    assert user["name"] == "Ada Moreau"
    assert [one["id"] for one in user["orders"]["nodes"]] == orders[:3]


def test_a_field_that_fails_is_a_typed_error_with_its_code_and_the_rest(saw: Saw):
    assert saw["altered"] == {
        "typed": True,
        "status": 200,
        "codes": ["CURSOR_INVALID"],
        "data": {"user": {"name": "Ada Moreau", "orders": None}},
    }


def test_a_document_that_is_refused_is_a_typed_error_with_its_status(saw: Saw):
    assert saw["unknown"] == {
        "typed": True,
        "status": 400,
        "codes": ["GRAPHQL_VALIDATION_FAILED"],
    }
