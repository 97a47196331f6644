"""Answers that are lost where a repetition would do harm, and other corners of a write."""

import datetime
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
import strawberry

from tablefold import Gateway, Table, UnknownOutcome, attribute, kept_as
from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.faults import FaultyProxy, Script, reset_after
from tests.harness.serving import SECRET, codes_of, data_of, served

pytestmark = pytest.mark.engines("dynoxide")

table = Table("lost")


@table.entity("TAG#{id}", "INFO", writes=("create", "delete", "create_many"))
class Tag:
    id: strawberry.ID
    n: int = attribute(default=0)


@table.entity("PAGE#{id}", "LATEST", writes="publish", history=kept_as("Past"))
class Page:
    id: strawberry.ID
    text: str


@table.entity("PAGE#{id}", "PAST#{until}", unique=["text"])
class Past:
    id: strawberry.ID
    until: datetime.date
    text: str


@pytest_asyncio.fixture
async def gateway(engine: Engine, faulty: FaultyProxy) -> AsyncGenerator[Gateway, None]:
    made = Gateway(table, cursor_secret=SECRET)
    urls = {"engine_url": engine.endpoint_url, "gateway_url": faulty.endpoint_url}
    with served(made, **urls, rows=[Tag(id=strawberry.ID("t"))]):
        faulty.clear()
        yield made
        await made.close()


async def test_a_lost_deletion_is_not_sent_again(gateway: Gateway, faulty: FaultyProxy) -> None:
    faulty.course = Script([reset_after()], only="DeleteItem")
    with pytest.raises(UnknownOutcome):
        async with gateway.transaction() as tx:
            tx.delete(Tag, "t")

    assert faulty.operations == ["DeleteItem"]


MANY = """
    mutation ($inputs: [CreateTagInput!]!) {
      createTags(inputs: $inputs, overwrite: true) { results { error { code } } }
    }
"""


async def test_a_lost_batch_is_unknown_and_not_failed(
    gateway: Gateway, faulty: FaultyProxy
) -> None:
    faulty.course = Script([reset_after()] * 100, only="BatchWriteItem")
    result = await gateway.execute(MANY, {"inputs": [{"id": "x"}]})

    [one] = data_of(result)["createTags"]["results"]
    assert one["error"] == {"code": "UNKNOWN_OUTCOME"}


async def test_what_a_past_version_holds_stays_unique(gateway: Gateway) -> None:
    async def publish(id: str, text: str, day: int) -> list[str]:
        result = await gateway.execute(
            "mutation ($id: ID!, $text: String!, $until: Date!) {"
            " publishPage(input: {id: $id, text: $text}, until: $until) { changed } }",
            {"id": id, "text": text, "until": f"2024-01-0{day}"},
        )
        return codes_of(result)

    assert await publish("a", "same", 1) == await publish("a", "other", 2) == []
    assert await publish("b", "same", 1) == []
    assert await publish("b", "other", 2) == ["CONFLICT"]


async def test_what_is_no_number_is_said_and_not_repeated(
    gateway: Gateway, faulty: FaultyProxy
) -> None:
    tables.client(faulty.endpoint_url).put_item(
        TableName=gateway.table_name,
        Item={"PK": {"S": "TAG#s"}, "SK": {"S": "INFO"}, "id": {"S": "s"}, "n": {"S": "text"}},
    )
    faulty.clear()
    with pytest.raises(Exception, match="n holds no number"):
        async with gateway.transaction() as tx:
            tx.update(Tag, "s", add={"n": 1})
    assert len(faulty.operations) == 1
