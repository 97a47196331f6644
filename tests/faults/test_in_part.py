"""A list completed from home items, of which some could not be had; and what is logged of it."""

import logging
from collections.abc import AsyncGenerator

import pytest
import strawberry

from tablefold import Gateway, Index, Table
from tablefold.store.engines import Engine
from tests.faults.asking import PRODUCTS, errors_of
from tests.harness.faults import FaultyProxy, Script, answered, throttled, unprocessed
from tests.harness.serving import SECRET, served

pytestmark = pytest.mark.engines("dynoxide")

table = Table(
    "part", indexes={"day": Index("ByDay", pk="DayPK", sk="DaySK", projection="KEYS_ONLY")}
)


@table.entity("DOC#{id}", "INFO", day=("DAY#{day}", "{id}"))
class Document:
    id: strawberry.ID
    day: str
    title: str


@pytest.fixture
async def documents(engine: Engine, faulty: FaultyProxy) -> AsyncGenerator[Gateway, None]:
    rows = [Document(id=strawberry.ID(n), day="monday", title=f"Title {n}") for n in "1234"]
    gateway = Gateway(table, cursor_secret=SECRET)
    where = {"engine_url": engine.endpoint_url, "gateway_url": faulty.endpoint_url}
    with served(gateway, **where, rows=rows):
        yield gateway
        await gateway.close()


async def test_what_could_not_be_completed_is_an_error_in_its_own_place(
    documents: Gateway, faulty: FaultyProxy
):
    faulty.course = Script([unprocessed(), *[throttled()] * 8], only="BatchGetItem")

    result = await documents.execute(
        '{ documentsByDay(day: "monday") { nodes { title } pageInfo { hasNextPage } } }'
    )

    assert result.data == {
        "documentsByDay": {
            "nodes": [{"title": "Title 1"}, {"title": "Title 2"}, None, None],
            "pageInfo": {"hasNextPage": False},
        }
    }
    assert errors_of(result) == [
        ("documentsByDay.nodes.2", "THROTTLED"),
        ("documentsByDay.nodes.3", "THROTTLED"),
    ]


async def test_a_failure_of_many_fields_is_logged_once(
    shop: Gateway, faulty: FaultyProxy, caplog: pytest.LogCaptureFixture
):
    faulty.course = Script([throttled()], cycle=True)
    with caplog.at_level(logging.WARNING, "tablefold"):
        result = await shop.execute(PRODUCTS)

    assert len(errors_of(result)) == 4
    assert len(caplog.records) == 1


async def test_an_incident_of_many_fields_is_one_incident(
    shop: Gateway, faulty: FaultyProxy, caplog: pytest.LogCaptureFixture
):
    faulty.course = Script([answered(b'{"Responses": 7}')], cycle=True)
    with caplog.at_level(logging.WARNING, "tablefold"):
        result = await shop.execute(PRODUCTS)

    assert {code for _, code in errors_of(result)} == {"INTERNAL"}
    assert len({error.message for error in result.errors or []}) == 1
    assert len(caplog.records) == 1
