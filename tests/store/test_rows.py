import datetime
import enum
import json
import uuid
from decimal import Decimal
from typing import Any

import pytest
import strawberry
from strawberry.scalars import JSON

from tablefold import BadInput, Gateway, Table, attribute, key
from tablefold.store.naming import Naming
from tablefold.store.rows import convert, items_of_line, items_of_object, parse, values_of

table = Table("people")


@strawberry.enum
class Mood(enum.Enum):
    GOOD = "good"
    BAD = "bad"


@strawberry.type
class Place:
    city: str
    zip_code: str | None = None
    since: datetime.date | None


@table.entity(
    "PERSON#{id}",
    "PROFILE",
    copies=[("CITY#{city}", "PERSON#{id}")],
    gsi1=key("ACTIVE", "{born_on}#{id}", when="active"),
)
class Person:
    id: strawberry.ID
    city: str
    born_on: datetime.date
    active: bool = True
    mood: Mood = Mood.GOOD
    seen: datetime.datetime | None = None
    wealth: Decimal | None = None
    tags: set[str] = strawberry.field(default_factory=set)
    places: list[Place] = strawberry.field(default_factory=list)
    extra: JSON | None = None
    kind: str | None = attribute("sort")


@table.entity("TICKET#{type}", "INFO")
class Ticket:
    type: str


LAYOUT = Gateway(table).layout
PERSON = LAYOUT.entities["Person"]
ADA = {"type": "Person", "id": "p1", "city": "Rome", "bornOn": "1990-01-31"}


def items(**changes: Any) -> list[dict[str, Any]]:
    return [dict(item) for item in items_of_line(LAYOUT, json.dumps({**ADA, **changes}))]


def refusal(line: str) -> str:
    with pytest.raises(BadInput) as caught:
        items_of_line(LAYOUT, line)
    return str(caught.value)


def told(**changes: Any) -> str:
    return refusal(json.dumps({**ADA, **changes}))


# Rows to items.


def test_a_row_becomes_the_home_item_with_its_index_keys_and_each_copy():
    home, copy = items()
    assert (home["PK"], home["SK"]) == ({"S": "PERSON#p1"}, {"S": "PROFILE"})
    assert (home["GSI1PK"], home["GSI1SK"]) == ({"S": "ACTIVE"}, {"S": "1990-01-31#p1"})
    assert (copy["PK"], copy["SK"]) == ({"S": "CITY#Rome"}, {"S": "PERSON#p1"})
    assert home["entityType"] == copy["entityType"] == {"S": "Person"}


def test_a_default_counts_when_index_keys_are_made():
    assert "GSI1PK" in items()[0]
    assert "GSI1PK" not in items(active=False)[0]


@pytest.mark.parametrize("spelling", ["bornOn", "born_on"])
def test_attributes_are_named_as_in_graphql_or_in_python(spelling: str):
    row = {name: value for name, value in ADA.items() if name != "bornOn"}
    [home, _] = items_of_line(LAYOUT, json.dumps({**row, spelling: "1990-01-31"}))
    assert home["bornOn"] == {"S": "1990-01-31"}


def test_attributes_may_have_the_name_that_the_table_gives_them():
    assert items(sort="b")[0]["sort"] == items(kind="b")[0]["sort"] == {"S": "b"}


def test_an_entity_with_an_attribute_called_type_is_named_by_typename():
    [item] = items_of_line(LAYOUT, '{"__typename": "Ticket", "type": "gold"}')
    assert item["PK"] == {"S": "TICKET#gold"}


def test_a_raw_item_is_taken_as_it_is():
    raw = {"PK": {"S": "X"}, "SK": {"S": "Y"}, "n": {"N": "1.50"}, "b": {"B": "aGk="}}
    assert items_of_line(LAYOUT, json.dumps({"Item": raw})) == (raw,)


def test_an_instance_gives_the_items_of_its_row():
    ada = Person(id=strawberry.ID("p1"), city="Rome", born_on=datetime.date(1990, 1, 31), kind=None)
    assert [dict(item) for item in items_of_object(LAYOUT, ada)] == items()


def test_an_object_that_is_no_entity_is_refused():
    with pytest.raises(BadInput, match="str is no entity of the table people, which has Person"):
        items_of_object(LAYOUT, "Ada")


# Values.


def test_numbers_stay_exact():
    assert parse('{"a": 0.1000000000000000055511151231257827}')["a"] == Decimal(
        "0.1000000000000000055511151231257827"
    )
    assert items(wealth="12345678901234567890.10")[0]["wealth"] == {"N": "12345678901234567890.10"}
    line = json.dumps(ADA)[:-1] + ', "wealth": 0.10}'
    assert items_of_line(LAYOUT, line)[0]["wealth"] == {"N": "0.10"}


@pytest.mark.parametrize(
    ("annotation", "plain", "value"),
    [
        (str, "x", "x"),
        (strawberry.ID, 7, "7"),
        (int, 3, 3),
        (int, Decimal("3.0"), 3),
        (float, Decimal("0.5"), 0.5),
        (Decimal, "1.10", Decimal("1.10")),
        (bool, False, False),
        (datetime.date, "2024-02-29", datetime.date(2024, 2, 29)),
        (
            datetime.datetime,
            "2024-01-31T14:00:00+02:00",
            datetime.datetime(2024, 1, 31, 12, tzinfo=datetime.UTC),
        ),
        (
            datetime.datetime,
            "2024-01-31T12:00:00",
            datetime.datetime(2024, 1, 31, 12, tzinfo=datetime.UTC),
        ),
        (uuid.UUID, "0" * 31 + "7", uuid.UUID(int=7)),
        (bytes, "aGk=", b"hi"),
        (Mood, "good", Mood.GOOD),
        (Mood, "BAD", Mood.BAD),
        (set[int], [1, 2, 2], {1, 2}),
        (list[datetime.date], ["2024-01-31"], [datetime.date(2024, 1, 31)]),
        (list[str | None], ["a", None], ["a", None]),
        (JSON, {"a": [1, None, Decimal("0.5")]}, {"a": [1, None, Decimal("0.5")]}),
        (Place, {"city": "Rome", "zipCode": "1"}, Place(city="Rome", zip_code="1", since=None)),
    ],
)
def test_json_becomes_the_declared_type(annotation: object, plain: Any, value: object):
    made = convert(annotation, plain, "it", Naming.CAMEL_CASE)
    assert made == value
    assert type(made) is type(value)


@pytest.mark.parametrize(
    ("annotation", "plain", "wanted"),
    [
        (str, 1, "a text"),
        (int, True, "a whole number"),
        (int, "3", "a whole number"),
        (int, Decimal("3.5"), "a whole number"),
        (int, Decimal("1E+999999999"), "a whole number"),
        (float, "x", "a number"),
        (Decimal, "one", "a number, or a text that is one"),
        (Decimal, "NaN", "a number, or a text that is one"),
        (Decimal, True, "a number, or a text that is one"),
        (bool, 1, "true or false"),
        (datetime.date, "2023-02-29", "a date such as 2024-01-31"),
        (datetime.datetime, 5, "a datetime such as 2024-01-31T12:00:00Z"),
        (uuid.UUID, "x", "a UUID"),
        (bytes, "%", "bytes written in base64"),
        (Mood, "fair", "one of good, bad"),
        (set[str], "a", "a list"),
        (Place, [], "an object, the fields of Place"),
    ],
)
def test_json_of_another_type_is_refused(annotation: object, plain: Any, wanted: str):
    with pytest.raises(BadInput) as caught:
        convert(annotation, plain, "Person.it", Naming.CAMEL_CASE)
    assert str(caught.value).startswith(f"Person.it must be {wanted}, not ")


def test_what_is_inside_is_named_by_its_place():
    assert told(places=[{"city": "Rome"}, {"city": 1}]) == (
        "Person.places[1].city must be a text, not 1."
    )
    assert told(places=[{}]) == "Person.places[0].city is missing."
    assert told(places=[{"town": "Rome"}]).startswith("Person.places[0] has no attribute 'town'.")


# What a row must not be.


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            "{",
            "This is not JSON: Expecting property name enclosed in double quotes, at column 2.",
        ),
        ('{"id": "u1" "n": 1}\n', "This is not JSON: Expecting ',' delimiter, at column 13."),
        ('{"id":\n', "This is not JSON: Expecting value, at column 7."),
        ("[]", "A row is an object such as "),
        ('{"a": NaN}', "This is not JSON: NaN is no number"),
        ('{"id": "u1"}', "A row names its entity"),
        ('{"type": "Dog"}', "'Dog' is no entity of the table people, which has Person, Ticket."),
        ('{"type": 1}', "1 is no entity"),
        ('{"Item": []}', "A raw item is an object"),
        ('{"Item": {"PK": {"S": "X"}}}', "The item has no key SK"),
        ('{"Item": {"PK": "X", "SK": {"S": "Y"}}}', "The item's PK is no DynamoDB value"),
        (
            '{"Item": {"PK": {"S": "X"}, "SK": {"S": "Y"}, "n": {"N": 1}}}',
            "The item's n is no DynamoDB value",
        ),
    ],
)
def test_a_line_that_is_no_row_is_refused(line: str, why: str):
    assert refusal(line).startswith(why)


def test_a_row_is_refused_for_what_it_lacks_or_has_too_much():
    assert told(city=None) == "Person.city is null."
    assert refusal('{"type": "Person", "id": "p1", "city": "R"}') == "Person.born_on is missing."
    assert told(bron_on="x") == "Person has no attribute 'bron_on'. Did you mean born_on?"
    assert told(born_on="1990-01-31") == "Person.born_on is given twice."


def test_a_value_that_would_break_a_key_is_refused():
    assert told(id="a#b").startswith("Person.id must not contain '#'")
    assert told(id="").startswith("Person.id is empty")


def test_half_a_character_is_refused():
    line = json.dumps(ADA)[:-1] + r', "kind": "\ud800"}'
    assert (
        refusal(line)
        == "Person.kind cannot be stored: it holds half a surrogate pair, which is no Unicode text."
    )
    line = r'{"Item": {"PK": {"S": "X"}, "SK": {"S": "Y"}, "a": {"S": "\ud800"}}}'
    assert refusal(line).startswith("This row cannot be sent: ")


def test_values_are_given_by_python_names_with_defaults_filled_in():
    row = {"id": "p1", "city": "Rome", "bornOn": "1990-01-31"}
    values = values_of(PERSON, row, Naming.CAMEL_CASE)
    assert values["born_on"] == datetime.date(1990, 1, 31)
    assert (values["active"], values["mood"], values["seen"]) == (True, Mood.GOOD, None)
