"""Folding changes nothing that is answered, however the collections of a partition lie."""

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from tablefold.store.engines import Engine
from tests.harness.proxy import Proxy
from tests.properties.drawn_models import POOLS, Drawn, models
from tests.properties.effort import effort
from tests.properties.operations import operations
from tests.properties.twins import Judged, filled, twins

pytestmark = pytest.mark.engines("dynoxide")


@effort(12, 600)
@given(model=models(), data=st.data())
async def test_folded_or_not_an_operation_of_any_model_has_one_answer(
    model: Drawn, engine: Engine, proxy: Proxy, data: st.DataObject
):
    folded, plain = model.gateway(folding=True), model.gateway(folding=False)
    asked = operations(folded.graphql_schema, POOLS, size=25)
    with filled(engine, folded.layout, model.items) as table:
        async with twins(folded, plain, proxy=proxy, table=table) as both:
            for operation in data.draw(st.lists(asked, min_size=2, max_size=4)):
                judged = Judged(both, bounded=model.bounded)
                outcome = await judged.same(operation)
                again = operation.followed(outcome.data)
                if again is not None:
                    note(f"followed by {again}")
                    await judged.same(again)
