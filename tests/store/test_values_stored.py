"""Values of every type, written to an engine over the wire and read back as they were."""

import itertools
import os
from collections.abc import AsyncGenerator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tablefold.store.deadline import Deadline
from tablefold.store.engines import Engine
from tablefold.store.requests import Get, KeyNames
from tablefold.store.values import decode_item, encode
from tablefold.store.wire import Wire
from tablefold.store.writes import Put
from tests.harness import tables
from tests.store.test_key_order import DEFINITION

NAMES = KeyNames("PK", "SK")
EXAMPLES = int(os.environ.get("TABLEFOLD_EXAMPLES", "40"))
numbers = itertools.count()


@st.composite
def exact(draw: st.DrawFn) -> Decimal:
    """Up to 38 digits anywhere in DynamoDB's range."""
    digits = draw(st.integers(1, 10**38 - 1))
    length = len(str(digits))
    exponent = draw(st.integers(-130, 125 - length + 1))
    return Decimal(draw(st.sampled_from("-+")) + f"{digits}E{exponent}")


texts = st.text(min_size=1, max_size=20)
binaries = st.binary(min_size=1, max_size=20)
figures = exact() | st.integers(-(10**38) + 1, 10**38 - 1) | st.just(0)
scalars = st.none() | st.booleans() | texts | binaries | figures
sets = (
    st.frozensets(texts, min_size=1, max_size=4)
    | st.frozensets(binaries, min_size=1, max_size=4)
    | st.frozensets(exact(), min_size=1, max_size=4)
)
nested = st.recursive(
    scalars | sets,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
items = st.dictionaries(st.sampled_from(["a", "b", "size", "Ünï", "with space"]), nested)


@pytest.fixture
async def stored_in(engine: Engine) -> AsyncGenerator[tuple[Wire, str], None]:
    wire = Wire(region=tables.REGION, endpoint_url=engine.endpoint_url)
    with tables.created(engine.endpoint_url, DEFINITION) as table:
        yield wire, table
    await wire.close()


async def read_back(stored_in: tuple[Wire, str], values: dict[str, Any]) -> dict[str, object]:
    wire, table = stored_in
    key = (f"ITEM#{next(numbers)}", "INFO")
    item = {**NAMES.render(key), **{name: encode(value) for name, value in values.items()}}
    deadline = Deadline.after(30)
    await wire.send(Put(table, item), deadline=deadline)
    reply = await wire.send(Get(table, NAMES, key), deadline=deadline)
    found = decode_item(reply.body["Item"])
    assert (found.pop("PK"), found.pop("SK")) == key
    return found


EXTREMES: dict[str, Any] = {
    "a": int("9" * 38),
    "b": Decimal("-9.9999999999999999999999999999999999999E+125"),
    "size": [Decimal("1E-130"), Decimal("-1E-130"), 0, Decimal("0.1"), 10**37],
    "Ünï": {"🙂": {" ": None, "deep": [[[[{"x": frozenset({b"\0", b"\xff"})}]]]]}},
}


@pytest.mark.engines("dynoxide", "dynamodb-local")
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    print_blob=True,
)
@given(items)
@example(EXTREMES)
async def test_what_was_written_is_read_back(stored_in: tuple[Wire, str], values: dict[str, Any]):
    assert await read_back(stored_in, values) == values


@pytest.mark.engines("dynoxide", "moto")  # this DynamoDB Local is older than empty texts
async def test_empty_texts_and_bytes_are_read_back(stored_in: tuple[Wire, str]):
    values: dict[str, Any] = {"a": "", "b": b"", "size": ["", b"", {}, []]}
    assert await read_back(stored_in, values) == values
