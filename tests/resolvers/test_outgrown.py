"""A list longer than it was declared is read all the same, and told of once."""

import pytest
import strawberry

from tablefold import Gateway, Table, many
from tablefold.store.engines import Engine
from tests.harness.serving import SECRET, data_of, served

pytestmark = pytest.mark.engines("dynoxide")


async def test_a_list_that_outgrew_its_bound_is_told_of_once(
    engine: Engine, caplog: pytest.LogCaptureFixture
):
    table = Table("outgrown")

    @table.entity("BOX#{id}", "BOX")
    class Box:
        id: strawberry.ID
        things: list["Thing"] = many(bounded=2)

    @table.entity("BOX#{box_id}", "THING#{n:02d}")
    class Thing:
        box_id: strawberry.ID
        n: int

    rows = [
        Box(id=strawberry.ID("b")),
        *(Thing(box_id=strawberry.ID("b"), n=n) for n in range(3)),
    ]
    url = engine.endpoint_url
    with served(
        Gateway(table, cursor_secret=SECRET), engine_url=url, gateway_url=url, rows=rows
    ) as gateway:
        for _ in range(2):
            data = data_of(await gateway.execute('{ box(id: "b") { things { n } } }'))
            assert [thing["n"] for thing in data["box"]["things"]] == [0, 1, 2]
        await gateway.close()
    said = [one for one in caplog.messages if "declared bounded=2" in one]
    assert len(said) == 1
    assert said[0].startswith("Box.things holds 3 items")
