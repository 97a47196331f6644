"""A plan says what will be sent, before anything is."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tablefold.resolvers.explaining import described
from tablefold.resolvers.planning import Plan
from tests.harness.examples import READS, Examples, Operation
from tests.harness.proxy import Proxy, Recorded
from tests.resolvers.asked import Asked

SHOP = [operation for operation in READS if operation.example == "shop"]
pytestmark = pytest.mark.engines("dynoxide")


@pytest.fixture
async def shop(examples: Examples, proxy: Proxy) -> AsyncGenerator[Asked, None]:
    async with examples.gateway("shop", proxy) as gateway:
        yield Asked(gateway, proxy)


def sent_bodies(sent: list[Recorded]) -> list[dict[str, Any]]:
    return sorted((one.body for one in sent), key=repr)


def planned_bodies(plan: Plan, wave: int) -> list[dict[str, Any]]:
    return sorted((planned.request.render() for planned in plan.waves[wave]), key=repr)


@pytest.mark.parametrize("operation", SHOP, ids=lambda one: one.name)
async def test_the_first_wave_is_sent_as_it_was_planned(shop: Asked, operation: Operation):
    plan = await shop.gateway.plan(operation.text, operation.variables)
    result = await shop.result(operation.text, **operation.variables)

    explained = (result.extensions or {})["explain"]
    first = len(explained["waves"][0]["requests"])
    assert sent_bodies(shop.sent[:first]) == planned_bodies(plan, 0)
    assert len(explained["waves"]) == len(plan.waves)
    assert explained["requests"] <= plan.requests
    assert explained["capacity"] <= plan.capacity


async def test_a_plan_touches_no_table(shop: Asked, proxy: Proxy):
    await shop.gateway.plan('{ user(id: "u_001") { name } }')

    assert proxy.sent == []


async def test_an_equal_operation_has_an_equal_plan(shop: Asked):
    query = "query ($id: ID!) { user(id: $id) { name orders(first: 3) { nodes { id } } } }"

    plans = [await shop.gateway.plan(query, {"id": id}) for id in ("u_001", "u_001", "u_002")]

    assert plans[0] == plans[1]
    assert hash(plans[0]) == hash(plans[1])
    assert plans[0] != plans[2]


async def test_what_only_an_answer_will_tell_is_a_symbol(shop: Asked):
    plan = await shop.gateway.plan('{ order(id: "o_1") { items { product { name } } } }')

    assert [[planned.request.operation for planned in wave] for wave in plan.waves] == [
        ["Query"],
        ["BatchGetItem"],
    ]
    [batch] = plan.waves[1]
    assert described(batch.request)["keys"] == [["PRODUCT#‹OrderItem.product_id›", "INFO"]]
    assert batch.times == 1
    assert batch.items == 100


async def test_an_argument_that_makes_no_plan_is_said(shop: Asked):
    plan = await shop.gateway.plan('{ user(id: "a#b") { name } }')

    assert plan.requests == 0
    [error] = plan.errors
    assert "#" in error


async def test_equal_asks_of_two_fields_are_planned_once_for_both(shop: Asked):
    plan = await shop.gateway.plan(
        '{ a: user(id: "u_001") { name } b: user(id: "u_001") { email } }'
    )

    [[planned]] = plan.waves
    assert planned.serves == ("a", "b")


async def test_a_plan_prints_as_a_tree(shop: Asked):
    plan = await shop.gateway.plan(
        '{ user(id: "u_001") { name orders(first: 10) { nodes { id } } } }'
    )

    [first, wave, request, serves, items] = str(plan).splitlines()
    assert first.startswith("1 request in 1 wave, at most 1 capacity unit")
    assert wave == "wave 1"
    assert request.startswith('└─ Query PK = "USER#u_001", SK BETWEEN "ORDER#" AND "PROFILE"')
    assert request.endswith("descending, limit 11")
    assert serves == "     for user, user.orders"
    assert items.startswith("     up to 11 items")
