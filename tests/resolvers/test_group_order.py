"""Groups come in the order of their values, not of their printed texts."""

from decimal import Decimal

import pytest
import strawberry

from tablefold import Gateway, Table, many, sum_of
from tablefold.store.engines import Engine
from tests.harness.serving import SECRET, data_of, served

table = Table("group-order")


@table.entity("SHIFT#{id}", "INFO")
class Shift:
    id: strawberry.ID
    hours: list["Hour"] = many(bounded=24)


@table.entity("SHIFT#{shift_id}", "WORK#{hour:03d}#{who}")
class Work:
    shift_id: strawberry.ID
    hour: int
    who: str
    pay: Decimal


@table.group("SHIFT#{shift_id}", by="{hour}")
class Hour:
    shift_id: strawberry.ID
    hour: int
    work: list[Work] = many(bounded=9)
    pay: Decimal = sum_of("work", "pay")


ROWS = [
    Shift(id=strawberry.ID("s")),
    *(
        Work(shift_id=strawberry.ID("s"), hour=hour, who=who, pay=Decimal(hour))
        for hour in (9, 10, 1, 11, 2)
        for who in ("ann", "bob")
    ),
]


@pytest.mark.engines("dynoxide", "dynamodb-local")
async def test_nine_comes_before_ten(engine: Engine) -> None:
    url = engine.endpoint_url
    made = Gateway(table, cursor_secret=SECRET)
    with served(made, engine_url=url, gateway_url=url, rows=ROWS) as gateway:
        result = await gateway.execute('{ shift(id: "s") { hours { hour pay work { who } } } }')
    hours = data_of(result)["shift"]["hours"]
    assert [(one["hour"], one["pay"]) for one in hours] == [
        (1, "2"),
        (2, "4"),
        (9, "18"),
        (10, "20"),
        (11, "22"),
    ]
    assert [worker["who"] for worker in hours[0]["work"]] == ["ann", "bob"]
