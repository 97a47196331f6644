"""Numbers over a bounded collection: exact, from the same read as the collection itself."""

from collections.abc import AsyncGenerator
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tablefold import Gateway
from tablefold.resolvers.aggregating import aggregate
from tablefold.resolvers.links import Aggregate
from tablefold.store.engines import Engine
from tablefold.store.errors import BadInput
from tablefold.store.values import number
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET
from tests.resolvers.asked import Asked, asking, stored
from tests.resolvers.test_grouping import ROWS, table


def storable(amount: Decimal) -> bool:
    try:
        return bool(number(amount))
    except BadInput:
        return False


ROWS_OF = [{"amount": Decimal("0.1")}, {"amount": None}, {"amount": Decimal("0.2")}]


def test_a_count_counts_rows_and_everything_else_leaves_out_what_has_no_value():
    assert aggregate(Aggregate("count", None), ROWS_OF) == 3
    assert aggregate(Aggregate("sum", "amount"), ROWS_OF) == Decimal("0.3")
    assert aggregate(Aggregate("min", "amount"), ROWS_OF) == Decimal("0.1")
    assert aggregate(Aggregate("max", "amount"), ROWS_OF) == Decimal("0.2")


def test_nothing_sums_up_to_zero_and_has_neither_lowest_nor_highest():
    assert aggregate(Aggregate("count", None), []) == 0
    assert aggregate(Aggregate("sum", "amount"), []) == 0
    assert aggregate(Aggregate("min", "amount"), []) is None
    assert aggregate(Aggregate("max", "amount"), []) is None


@given(st.lists(st.decimals(-(10**125), 10**125, allow_nan=False).filter(storable), min_size=1))
@example([Decimal("9" * 38), Decimal("1E-130")])
@example([Decimal("9.9E+125")] * 100)
def test_a_sum_is_exact_whatever_dynamodb_can_hold(amounts: list[Decimal]):
    rows = [{"amount": amount} for amount in amounts]
    total = aggregate(Aggregate("sum", "amount"), rows)
    assert isinstance(total, Decimal)
    assert Fraction(total) == sum(map(Fraction, amounts))


@pytest.fixture
async def ask(engine: Engine, proxy: Proxy) -> AsyncGenerator[Asked, None]:
    with stored(Gateway(table, cursor_secret=SECRET), engine, ROWS) as gateway:
        async with asking(gateway, proxy) as asked:
            yield asked


pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")
NUMBERS = "expenseCount spent cheapest dearest mostGuests"


async def test_numbers_cost_one_query_and_are_exact(ask: Asked):
    data = await ask(f'{{ trip(id: "alps") {{ {NUMBERS} }} }}')

    assert data["trip"] == {
        "expenseCount": 3,
        "spent": "12345678901234567890.31",
        "cheapest": "0.1",
        "dearest": "12345678901234567890.01",
        "mostGuests": 4,
    }
    assert ask.operations == ["Query"]


async def test_numbers_next_to_their_list_cost_nothing_more(ask: Asked):
    data = await ask('{ trip(id: "alps") { name expenseCount spent expenses { n } } }')

    assert len(data["trip"]["expenses"]) == data["trip"]["expenseCount"]
    assert ask.operations == ["Query"]


async def test_numbers_over_nothing(ask: Asked):
    data = await ask(f'{{ trip(id: "empty") {{ {NUMBERS} }} }}')

    assert data["trip"] == {
        "expenseCount": 0,
        "spent": "0",
        "cheapest": None,
        "dearest": None,
        "mostGuests": None,
    }


async def test_numbers_of_a_trip_that_is_not_there_are_not_shown(ask: Asked):
    assert await ask(f'{{ trip(id: "none") {{ {NUMBERS} }} }}') == {"trip": None}
