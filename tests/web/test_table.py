"""The Table page in Chromium: the model as a picture."""

from typing import Any

import pytest

from tests.harness.examples import MODELS

pytestmark = pytest.mark.engines("dynoxide")

Found = dict[str, Any]


@pytest.mark.parametrize("example", MODELS)
def test_every_entity_of_an_example_is_shown(found: Found, example: str):
    layout = MODELS[example].gateway.layout
    shown = found["tables"][example]

    assert sorted(shown["entities"]) == sorted(layout.entities)
    assert [one["name"] for one in shown["collections"]] == [
        "Table",
        *(index.name for index in layout.indexes.values()),
    ]
    rows = sum(len(one["rows"]) for one in shown["collections"])
    assert rows == sum(len(entity.keys) for entity in layout.entities.values())


def test_entities_stand_in_the_order_of_their_sort_keys(found: Found):
    [table, *_] = found["tables"]["shop"]["collections"]

    assert table["rows"][:3] == [
        ["ADDR#kind", "Address"],
        ["ORDER#placed_on#id", "Order"],
        ["PROFILE", "User"],
    ]


def test_each_access_pattern_stands_with_its_key_condition(found: Found):
    conditions = found["tables"]["shop"]["conditions"]

    assert conditions["User.orders"] == "PK = 'USER#{id}' AND begins_with(SK, 'ORDER#')"
    assert conditions["Query.ordersByStatus"] == "GSI1PK = 'STATUS#{status}#{0…7}'"
    assert [name for name, one in conditions.items() if one is None] == ["Query.node"]


def test_an_entity_opens_with_its_keys_and_attributes(found: Found):
    layout = MODELS["fund"].gateway.layout
    details = found["tables"]["fund"]["details"]
    entity = layout.entities[details["entity"]]

    assert details["heading"] == entity.name
    assert details["keys"] == len(entity.keys)
    assert details["attributes"] == len(entity.attributes) + 1  # and the type attribute
    assert details["address"] == f"#{entity.name}"


def test_pointing_at_a_field_lights_up_what_it_reads(found: Found):
    assert found["lighting"] == [["Order", "ORDER#placed_on#id"]]


def test_an_entity_opens_and_closes_by_keyboard(found: Found):
    assert found["keyboard"]["opened"] == "Order"
    assert found["keyboard"]["closed"] == [0, "Order"]
