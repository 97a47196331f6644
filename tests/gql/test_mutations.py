"""What a mutation shows was read after it had written."""

import pytest
import strawberry

from tablefold import Gateway, Table, many
from tests.gql.conftest import Serve
from tests.harness import tables
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET, data_of

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")

table = Table("mutations")


@table.entity("BOX#{id}", "INFO")
class Box:
    id: strawberry.ID
    things: list["Thing"] = many(bounded=9)

    @strawberry.field
    def itself(self) -> "Box":
        return self


@table.entity("BOX#{box_id}", "THING#{n:02d}")
class Thing:
    box_id: strawberry.ID
    n: int
    colour: str


ROWS = [
    Box(id=strawberry.ID("b")),
    Thing(box_id=strawberry.ID("b"), n=1, colour="white"),
]


def painting(gateways: list[Gateway], proxy: Proxy) -> type:
    @strawberry.type
    class Mutation:
        @strawberry.mutation
        async def paint(self, colour: str) -> Box | None:
            [gateway] = gateways
            before = await gateway.get(Thing, box_id="b", n=1)
            assert before is not None
            before.colour = colour
            [item] = gateway.layout.entities["Thing"].items(vars(before))
            tables.client(proxy.endpoint_url).put_item(TableName=gateway.table_name, Item=item)
            after = await gateway.get(Thing, box_id="b", n=1)
            assert after is not None and after.colour == colour
            return await gateway.get(Box, id="b")

    return Mutation


async def test_each_field_of_a_mutation_shows_what_it_wrote(serve: Serve, proxy: Proxy) -> None:
    gateways: list[Gateway] = []
    gateway = Gateway(table, mutation=painting(gateways, proxy), cursor_secret=SECRET)
    gateways.append(serve(gateway, *ROWS))
    result = await gateway.execute(
        'mutation { a: paint(colour: "red") { things { colour } }'
        ' b: paint(colour: "blue") { things { colour } } }'
    )
    assert data_of(result) == {
        "a": {"things": [{"colour": "red"}]},
        "b": {"things": [{"colour": "blue"}]},
    }


async def test_a_resolver_that_returns_its_own_object_may_select_more(serve: Serve) -> None:
    gateway = serve(Gateway(table, cursor_secret=SECRET), *ROWS)
    result = await gateway.execute(
        '{ box(id: "b") { ...F itself { ...F things { colour } } } }'
        " fragment F on Box { things { n } }"
    )
    assert data_of(result)["box"] == {
        "things": [{"n": 1}],
        "itself": {"things": [{"n": 1, "colour": "white"}]},
    }
