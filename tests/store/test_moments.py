"""Moments as text."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefold.store.moments import (
    moment_text,
    moment_texts,
    parse_moment,
    texts_that_sort_late,
)

NOON = datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.UTC)
HALF = NOON.replace(microsecond=500_000)


def test_a_moment_is_written_in_utc_with_a_z():
    east = datetime.timezone(datetime.timedelta(hours=2))
    assert moment_text(NOON) == "2024-01-01T12:00:00Z"
    assert moment_text(datetime.datetime(2024, 1, 1, 14, tzinfo=east)) == "2024-01-01T12:00:00Z"
    assert moment_text(datetime.datetime(2024, 1, 1, 12)) == "2024-01-01T12:00:00Z"


@pytest.mark.parametrize("moment", [NOON, HALF, NOON.replace(microsecond=123_456)])
def test_every_way_to_write_a_moment_is_read_as_that_moment(moment: datetime.datetime):
    assert {parse_moment(text) for text in moment_texts(moment)} == {moment}


def test_other_writers_use_none_three_or_six_digits():
    assert moment_texts(NOON)[:3] == (
        "2024-01-01T12:00:00Z",
        "2024-01-01T12:00:00.000Z",
        "2024-01-01T12:00:00.000000Z",
    )
    assert moment_texts(HALF)[:3] == (
        "2024-01-01T12:00:00.5Z",
        "2024-01-01T12:00:00.500Z",
        "2024-01-01T12:00:00.500000Z",
    )


@given(st.datetimes(min_value=datetime.datetime(2024, 1, 1)), st.datetimes())
def test_a_bound_and_its_lookalikes_part_earlier_from_later_moments(
    bound: datetime.datetime, other: datetime.datetime
):
    for near in (other, bound, bound.replace(microsecond=bound.microsecond // 1000 * 1000)):
        for text in moment_texts(near):
            text_says = text < moment_texts(bound)[0].removesuffix("Z")
            assert (text_says or text in texts_that_sort_late(bound)) == (near < bound)
