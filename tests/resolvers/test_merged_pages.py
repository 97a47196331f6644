"""One page from several shards: what it shows, where it ends, and where each shard goes on."""

import pytest

from tablefold.loaders.asks import Answer, Found
from tablefold.resolvers.paging import Cursors, Position, Stretched, assemble, resume
from tablefold.resolvers.paths import Path
from tablefold.store.cursors import Sealer
from tablefold.store.keys import SORT_KEY_MAX_BYTES
from tablefold.store.requests import StartKey
from tablefold.store.spans import Span
from tests.loaders.plain import GSI1, HOME, item, member

TIED = member("Tied", "{day}", index=GSI1)
PATH = Path(("DAY#0", "DAY#1"), Span(), descending=False)
CURSORS = Cursors(Sealer.ephemeral(), GSI1, HOME, PATH, b"")


def found(sort: str) -> Found:
    return Found(item("x", GSI1PK="DAY#?", GSI1SK=sort), TIED, {})


def answer(sorts: str, *, exhausted: bool = False, stopped: str | None = None) -> Answer:
    keys = {"GSI1PK": "DAY#?", "GSI1SK": stopped or "", "PK": "p", "SK": "s"}
    start = None if stopped is None else StartKey(tuple(keys.items()))
    return Answer(tuple(map(found, sorts)), exhausted, start)


def page(*answers: Answer, count: int = 2) -> Stretched:
    return assemble(CURSORS, answers, count=count, descending=False, backward=False)


def shown(stretched: Stretched) -> str:
    return "".join(placed.sort for placed in stretched.items)


def test_a_page_ends_where_the_first_shard_gave_up():
    stretched = page(answer("a", stopped="c"), answer("be", exhausted=True), count=9)

    assert shown(stretched) == "ab"
    assert stretched.stopped == Position("c", "p", "s", shard=0)
    assert stretched.more


def test_a_page_that_is_just_full_goes_on_where_a_shard_gave_up():
    stretched = page(answer("a", stopped="d"), answer("b", exhausted=True))

    assert shown(stretched) == "ab"
    assert stretched.stopped == Position("d", "p", "s", shard=0)


def test_an_item_that_finds_no_room_is_not_passed_over():
    stretched = page(answer("ac", stopped="d"), answer("b", exhausted=True))

    assert shown(stretched) == "ab"
    assert stretched.stopped is None
    assert stretched.more


def test_what_a_full_shard_has_not_read_yet_is_not_passed_over():
    stretched = page(answer("ab"), answer("", stopped="z"))

    assert shown(stretched) == "ab"
    assert stretched.stopped is None, "the first shard may hold a c"


@pytest.mark.parametrize("descending", [False, True])
def test_a_shard_goes_on_beyond_the_longest_key_without_a_longer_one(descending: bool):
    longest = "k" * SORT_KEY_MAX_BYTES
    position = Position(longest, "p", "s", shard=1)

    other, _ = resume(CURSORS, position, descending=descending, backward=False)

    assert longest not in other.span
    assert len(other.span.low) <= SORT_KEY_MAX_BYTES
    assert ("l" in other.span, "j" in other.span) == (not descending, descending)
