"""What a model that cannot be built is told."""

import pytest

from tablefold import Gateway, ModelError, Table


def refusal(table: Table, *, query: type | None = None) -> str:
    with pytest.raises(ModelError) as caught:
        Gateway(table, query=query)
    return str(caught.value)
