"""Groups have no item of their own: they come from the items that share what they group by."""

from collections.abc import Generator
from decimal import Decimal

import pytest
import strawberry

from tablefold import Gateway, Table, count_of, many, max_of, min_of, sum_of
from tablefold.store.engines import Engine
from tests.harness.serving import SECRET
from tests.resolvers.asked import Asked, stored

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")

table = Table("grouping")


@table.entity("TRIP#{id}", "ABOUT")
class Trip:
    id: strawberry.ID
    name: str
    expenses: list["Expense"] = many(bounded=50)
    travellers: list["Traveller"] = many(bounded=50)
    expense_count: int = count_of("expenses")
    spent: Decimal = sum_of("expenses", "amount")
    cheapest: Decimal | None = min_of("expenses", "amount")
    dearest: Decimal | None = max_of("expenses", "amount")
    most_guests: int | None = max_of("expenses", "guests")


@table.entity("TRIP#{trip_id}", "EXPENSE#{person}#{n:03d}")
class Expense:
    trip_id: strawberry.ID
    person: str
    n: int
    amount: Decimal
    guests: int | None = None


@table.entity("TRIP#{trip_id}", "PHOTO#{person}#{n:03d}")
class Photo:
    trip_id: strawberry.ID
    person: str
    n: int


@table.group("TRIP#{trip_id}", by="{person}")
class Traveller:
    """Somebody who paid for something, or took a photo."""

    trip_id: strawberry.ID
    person: str
    expenses: list[Expense] = many(bounded=20)
    photos: list[Photo] = many(bounded=20)
    spent: Decimal = sum_of("expenses", "amount")
    photo_count: int = count_of("photos")


def expense(trip: str, person: str, n: int, amount: str, guests: int | None = None) -> Expense:
    return Expense(
        trip_id=strawberry.ID(trip), person=person, n=n, amount=Decimal(amount), guests=guests
    )


ROWS = [
    Trip(id=strawberry.ID("alps"), name="Alps"),
    Trip(id=strawberry.ID("empty"), name="Empty"),
    expense("alps", "bo", 1, "0.10", 4),
    expense("alps", "bo", 2, "0.20"),
    expense("alps", "ann", 3, "12345678901234567890.01", 2),
    Photo(trip_id=strawberry.ID("alps"), person="cy", n=1),
    Photo(trip_id=strawberry.ID("alps"), person="bo", n=2),
]


@pytest.fixture(scope="module")
def gateway(engine: Engine) -> Generator[Gateway, None, None]:
    with stored(Gateway(table, cursor_secret=SECRET), engine, ROWS) as made:
        yield made


async def test_a_trip_with_its_travellers_and_what_is_theirs_is_one_query(ask: Asked):
    data = await ask(
        """{ trip(id: "alps") {
          name
          travellers { person expenses { n } photos { n } }
        } }"""
    )

    assert ask.operations == ["Query"]
    assert data["trip"] == {
        "name": "Alps",
        "travellers": [
            {"person": "ann", "expenses": [{"n": 3}], "photos": []},
            {"person": "bo", "expenses": [{"n": 1}, {"n": 2}], "photos": [{"n": 2}]},
            {"person": "cy", "expenses": [], "photos": [{"n": 1}]},
        ],
    }


async def test_a_trip_nobody_went_on_has_no_travellers(ask: Asked):
    data = await ask('{ trip(id: "empty") { travellers { person } } }')

    assert data == {"trip": {"travellers": []}}


async def test_a_group_is_there_as_soon_as_somebody_names_it(ask: Asked):
    data = await ask('{ traveller(tripId: "alps", person: "zoe") { person spent photoCount } }')

    assert data == {"traveller": {"person": "zoe", "spent": "0", "photoCount": 0}}


async def test_a_group_by_name_has_what_is_its_own(ask: Asked):
    data = await ask('{ traveller(tripId: "alps", person: "bo") { spent expenses { n } } }')

    assert data == {"traveller": {"spent": "0.3", "expenses": [{"n": 1}, {"n": 2}]}}
    assert ask.operations == ["Query"]
