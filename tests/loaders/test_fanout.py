"""Shards merge into one list, whichever way it is walked."""

from hypothesis import given
from hypothesis import strategies as st

from tablefold.loaders.asks import Answer, Found
from tablefold.loaders.fanout import merge
from tests.loaders.plain import HOME, ORDER, item


def shard(*sorts: str) -> Answer:
    return Answer(tuple(Found(item(sort), ORDER, {}) for sort in sorts))


def merged(*shards: Answer, descending: bool = False, backward: bool = False) -> list[str]:
    placed = merge(shards, index=HOME, descending=descending, backward=backward)
    return [f"{one.sort}@{one.shard}" for one in placed]


def test_shards_merge_in_the_order_of_their_sort_keys():
    assert merged(shard("a", "d"), shard("b"), shard(), shard("c")) == ["a@0", "b@1", "c@3", "d@0"]


def test_descending_shards_merge_in_descending_order():
    assert merged(shard("d", "a"), shard("b"), descending=True) == ["d@0", "b@1", "a@0"]


def test_equal_sort_keys_go_by_shard():
    assert merged(shard("a", "b"), shard("a", "b")) == ["a@0", "a@1", "b@0", "b@1"]


def test_one_shard_is_the_list_itself():
    assert merged(shard("b", "a")) == ["b@0", "a@0"]


SHARDS = st.lists(st.lists(st.text("abc", max_size=2)), min_size=1, max_size=4)


@given(SHARDS)
def test_a_backward_walk_sees_the_forward_walk_from_its_end(shards: list[list[str]]):
    forward = merged(*(shard(*sorted(one)) for one in shards))
    backward = merged(
        *(shard(*sorted(one, reverse=True)) for one in shards), descending=True, backward=True
    )

    assert backward == forward[::-1]
