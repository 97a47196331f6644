"""Ranges and filters for each type: as the schema shows them, and as the table answers them."""

import datetime
import enum
import uuid
from decimal import Decimal

import pytest
import strawberry

from tablefold import Connection, Gateway, Table, key, many
from tests.gql.conftest import Serve
from tests.harness.schemas import types_of
from tests.harness.serving import data_of

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")


@strawberry.enum(name="Hue")
class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


NAMES = ["text", "whole", "exact", "flag", "day", "moment", "unique", "colour", "raw", "other_id"]

table = Table("things")


@table.entity("BOX#{id}", "INFO")
class Box:
    id: strawberry.ID
    things: Connection["Thing"] = many(filters=NAMES)


@table.entity(
    "BOX#{box_id}",
    "THING#{n:03d}",
    gsi1=key("BY_COLOUR#{box_id}", "{colour}#{n:03d}", name="by_colour"),
    gsi2=key("BY_MOMENT#{box_id}", "{moment:ms}", name="by_moment"),
    gsi3=key("BY_UNIQUE#{box_id}", "{unique}", name="by_unique"),
    gsi4=key("BY_FLAG#{box_id}", "{flag}#{day}", name="by_flag"),
    gsi5=key("BY_TEXT#{box_id}", "{text}", name="by_text"),
)
class Thing:
    box_id: strawberry.Private[str]
    n: int
    text: str
    whole: int
    exact: Decimal
    flag: bool
    day: datetime.date
    moment: datetime.datetime
    unique: uuid.UUID
    colour: Colour
    raw: bytes
    other_id: strawberry.ID | None = None


def thing(n: int) -> Thing:
    return Thing(
        box_id="b",
        n=n,
        text=f"text {n}",
        whole=n - 2,
        exact=Decimal(n) / 4,
        flag=n % 2 == 0,
        day=datetime.date(2024, 1, n),
        moment=datetime.datetime(2024, 1, 1, n, 0, 0, 500_000, tzinfo=datetime.UTC),
        unique=uuid.UUID(int=n),
        colour=Colour.RED if n < 3 else Colour.BLUE,
        raw=bytes([n]),
        other_id=strawberry.ID("x") if n == 1 else None,
    )


ROWS = (Box(id=strawberry.ID("b")), *(thing(n) for n in (1, 2, 3, 4)))
UNIQUE_2 = str(uuid.UUID(int=2))


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ('{text: {beginsWith: "text"}}', [1, 2, 3, 4]),
        ('{text: {contains: "3"}}', [3]),
        ("{whole: {le: 0}}", [1, 2]),
        ('{exact: {eq: "0.75"}}', [3]),
        ('{exact: {in: ["0.25", "1"]}}', [1, 4]),
        ("{flag: {eq: true}}", [2, 4]),
        ("{flag: {ne: true}}", [1, 3]),
        ('{day: {ge: "2024-01-03"}}', [3, 4]),
        ('{moment: {lt: "2024-01-01T02:00:00Z"}}', [1]),
        ('{moment: {lt: "2024-01-01T02:00:00.5Z"}}', [1]),
        ('{moment: {le: "2024-01-01T02:00:00.5Z"}}', [1, 2]),
        ('{moment: {gt: "2024-01-01T03:00:00.5Z"}}', [4]),
        ('{moment: {ge: "2024-01-01T03:00:00.500Z"}}', [3, 4]),
        ('{moment: {lt: "2024-01-01T02:00:00.500001Z"}}', [1, 2]),
        ('{moment: {eq: "2024-01-01T04:00:00.5+02:00"}}', [2]),
        (f'{{unique: {{eq: "{UNIQUE_2}"}}}}', [2]),
        ("{colour: {eq: BLUE}}", [3, 4]),
        ("{colour: {in: [RED]}}", [1, 2]),
        ('{raw: {eq: "Aw=="}}', [3]),
        ('{otherId: {eq: "x"}}', [1]),
        ("{otherId: {exists: false}}", [2, 3, 4]),
        ("{flag: {eq: true}, whole: {gt: 0}}", [4]),
        ("{}", [1, 2, 3, 4]),
        ("{whole: null}", [1, 2, 3, 4]),
    ],
)
async def test_filters_compare_every_type(serve: Serve, where: str, found: list[int]) -> None:
    gateway = serve(Gateway(table), *ROWS)
    query = f'{{ box(id: "b") {{ things(where: {where}) {{ nodes {{ n }} }} }} }}'
    nodes = data_of(await gateway.execute(query))["box"]["things"]["nodes"]
    assert [node["n"] for node in nodes] == found


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ('one: thingsByBoxId(boxId: "b", n: {from: 2, to: 3})', [2, 3]),
        ('one: byColour(boxId: "b", colour: {eq: RED})', [1, 2]),
        ('one: byColour(boxId: "b", colour: {eq: BLUE}, n: {to: 3})', [3]),
        ('one: byMoment(boxId: "b", moment: {from: "2024-01-01T02:30:00Z"})', [3, 4]),
        ('one: byMoment(boxId: "b", moment: {to: "2024-01-01T02:00:00.5009Z"})', [1, 2]),
        (f'one: byUnique(boxId: "b", unique: {{to: "{UNIQUE_2}"}})', [1, 2]),
        ('one: byFlag(boxId: "b", flag: {eq: true}, day: {from: "2024-01-03"})', [4]),
        ('one: byText(boxId: "b", text: {from: "text 2", to: "text 3"})', [2, 3]),
    ],
)
async def test_ranges_narrow_every_type(serve: Serve, call: str, found: list[int]) -> None:
    gateway = serve(Gateway(table), *ROWS)
    nodes = data_of(await gateway.execute(f"{{ {call} {{ nodes {{ n }} }} }}"))["one"]["nodes"]
    assert [node["n"] for node in nodes] == found


def test_a_filter_has_what_its_type_can_compare() -> None:
    gateway = Gateway(table)
    common = {"eq", "ne", "in", "exists"}
    ordered = common | {"lt", "le", "gt", "ge"}
    assert types_of(gateway, "IntFilter").keys() == ordered
    assert types_of(gateway, "DateTimeFilter").keys() == ordered
    assert types_of(gateway, "StringFilter").keys() == common | {"beginsWith", "contains"}
    assert types_of(gateway, "HueFilter") == {
        "eq": "Hue",
        "ne": "Hue",
        "in": "[Hue!]",
        "exists": "Boolean",
    }


def test_a_range_has_both_ends_where_there_is_an_order() -> None:
    gateway = Gateway(table)
    assert types_of(gateway, "IntRange") == {"eq": "Int", "from": "Int", "to": "Int"}
    assert types_of(gateway, "HueMatch") == {"eq": "Hue"}
