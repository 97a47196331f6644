"""What attributes may be: stored under the table's names, shown as GraphQL, read back unchanged."""

import datetime
import enum
import uuid
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
import strawberry
from strawberry.scalars import JSON

from tablefold import Gateway, Table, attribute
from tests.gql.conftest import Serve
from tests.harness.schemas import types_of
from tests.harness.serving import data_of


@strawberry.enum
class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@strawberry.type
class Size:
    width_cm: int
    note: str | None = None


table = Table("things")


@table.entity("THING#{id}", "INFO")
class Thing:
    id: strawberry.ID
    text: str
    whole: int
    real: float
    exact: Decimal
    flag: bool
    day: datetime.date
    moment: datetime.datetime
    unique: uuid.UUID
    colour: Colour
    raw: bytes
    loose: JSON
    texts: list[str]
    tags: set[str]
    numbers: set[int]
    size: Size
    sizes: list[Size]


@table.entity("MAYBE#{id}", "INFO")
class Maybe:
    id: strawberry.ID
    text: str | None = None
    whole: int | None = None
    real: float | None = None
    exact: Decimal | None = None
    flag: bool | None = None
    day: datetime.date | None = None
    moment: datetime.datetime | None = None
    unique: uuid.UUID | None = None
    colour: Colour | None = None
    raw: bytes | None = None
    loose: JSON | None = None
    texts: list[str | None] | None = None
    tags: set[str] | None = None
    size: Size | None = None


TWO_HOURS_EAST = datetime.timezone(datetime.timedelta(hours=2))
THING = Thing(
    id=strawberry.ID("t1"),
    text="günstig",
    whole=7,
    real=0.5,
    exact=Decimal("12.3456789012345678901234567891"),
    flag=True,
    day=datetime.date(2024, 2, 29),
    moment=datetime.datetime(2024, 2, 29, 12, 30, tzinfo=TWO_HOURS_EAST),
    unique=uuid.UUID(int=7),
    colour=Colour.BLUE,
    raw=b"\x00\xff",
    loose={"a": [1, 2.5, None, "x"]},  # type: ignore[arg-type]
    texts=["b", "a"],
    tags={"only"},
    numbers={3},
    size=Size(width_cm=4, note="wide"),
    sizes=[Size(width_cm=1), Size(width_cm=2)],
)

FIELDS = """
  text whole real exact flag day moment unique colour raw loose texts tags numbers
  size { widthCm note } sizes { widthCm note }
"""


async def test_every_type_comes_back_as_it_was(serve: Serve) -> None:
    gateway = serve(Gateway(table), THING)
    answer = data_of(await gateway.execute('{ thing(id: "t1") {' + FIELDS + "} }"))
    assert answer["thing"] == {
        "text": "günstig",
        "whole": 7,
        "real": 0.5,
        "exact": "12.3456789012345678901234567891",
        "flag": True,
        "day": "2024-02-29",
        "moment": "2024-02-29T10:30:00+00:00",
        "unique": "00000000-0000-0000-0000-000000000007",
        "colour": "BLUE",
        "raw": "AP8=",
        "loose": {"a": [1, 2.5, None, "x"]},
        "texts": ["b", "a"],
        "tags": ["only"],
        "numbers": [3],
        "size": {"widthCm": 4, "note": "wide"},
        "sizes": [{"widthCm": 1, "note": None}, {"widthCm": 2, "note": None}],
    }


async def test_every_type_may_be_absent(serve: Serve) -> None:
    gateway = serve(Gateway(table), Maybe(id=strawberry.ID("m1")))
    fields = "text whole real exact flag day moment unique colour raw loose texts tags"
    answer = data_of(
        await gateway.execute('{ maybe(id: "m1") {' + fields + " size { widthCm } } }")
    )
    assert answer["maybe"] == dict.fromkeys([*fields.split(), "size"])


def test_every_type_has_its_word_in_graphql() -> None:
    assert types_of(Gateway(table), "Thing") == {
        "nodeId": "ID!",
        "id": "ID!",
        "text": "String!",
        "whole": "Int!",
        "real": "Float!",
        "exact": "Decimal!",
        "flag": "Boolean!",
        "day": "Date!",
        "moment": "DateTime!",
        "unique": "UUID!",
        "colour": "Colour!",
        "raw": "Base64!",
        "loose": "JSON!",
        "texts": "[String!]!",
        "tags": "[String!]!",
        "numbers": "[Int!]!",
        "size": "Size!",
        "sizes": "[Size!]!",
    }


def test_what_may_be_absent_may_be_null() -> None:
    nullable = {
        name: type_ for name, type_ in types_of(Gateway(table), "Maybe").items() if "Id" not in name
    }
    del nullable["id"]
    assert not [name for name, type_ in nullable.items() if type_.endswith("!")]
    assert nullable["texts"] == "[String]"
    assert nullable["tags"] == "[String!]"


@pytest.mark.parametrize(
    ("naming", "stored"),
    [
        ("camelCase", {"fullName", "eMail", "Born"}),
        ("PascalCase", {"FullName", "EMail", "Born"}),
        ("snake_case", {"full_name", "e_mail", "Born"}),
        ("as is", {"full_name", "e_mail", "Born"}),
    ],
)
def test_stored_names_follow_the_table_s_convention(naming: Any, stored: set[str]) -> None:
    assert stored == _person(naming=naming, type_attribute=None).keys() - {"PK", "SK", "d"}


@pytest.mark.parametrize("name", ["entityType", "EntityType", "Type", "type"])
def test_the_type_attribute_has_the_table_s_name(name: str) -> None:
    assert _person(type_attribute=name)[name] == {"S": "Person"}


def _person(**options: Any) -> Mapping[str, Any]:
    """A person's item in a table with these options."""
    people = Table("people", **options)

    @people.entity("PERSON#{i}", "INFO")
    class Person:
        i: str = attribute("d")
        full_name: str
        e_mail: str
        born: int = attribute("Born")

    person = Gateway(people).layout.entities["Person"]
    [item] = person.items({"i": "1", "full_name": "Ada", "e_mail": "a@b", "born": 1815})
    return item
