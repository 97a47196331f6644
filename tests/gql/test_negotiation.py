"""Content negotiation: which of two media types an Accept header asks for."""

import pytest

from tablefold.gql.negotiation import GRAPHQL, JSON, answer_type, is_json, prefers_page


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        (None, JSON),
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        (GRAPHQL, GRAPHQL),
        (JSON, JSON),
        (f"{GRAPHQL}, {JSON};q=0.9", GRAPHQL),
        (f"{JSON}, {GRAPHQL}", GRAPHQL),
        (f"{JSON}, {GRAPHQL};q=0.5", JSON),
        (f"{GRAPHQL};q=0, */*", JSON),
        (f"{JSON};q=0, */*", GRAPHQL),
        (f"{JSON}; charset=utf-8", JSON),
        (f'{JSON}; charset="UTF-8"', JSON),
        (f"{JSON}; charset=latin-1", None),
        ("text/plain, */*;q=0.1", JSON),
        ("APPLICATION/JSON", JSON),
        ("image/png", None),
        ("*/*;q=0", None),
        ("application/json;q=nonsense", None),
        (";;,,q=", None),
    ],
)
def test_an_answer_has_the_type_that_is_wanted_most(accept: str | None, media: str | None):
    assert answer_type(accept) == media


@pytest.mark.parametrize(
    ("accept", "page"),
    [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", True),
        ("*/*", False),
        (None, False),
        (f"{JSON}, text/html;q=0.5", False),
        ("text/html;q=0", False),
    ],
)
def test_a_browser_is_told_by_what_it_prefers(accept: str | None, page: bool):
    assert prefers_page(accept) is page


@pytest.mark.parametrize(
    ("content_type", "readable"),
    [
        ("application/json", True),
        ("Application/JSON; charset=UTF-8", True),
        ("application/json; charset=utf-16", False),
        ("text/plain", False),
        ("application/json, text/plain", False),
        ("text/plain, application/json", False),
        ("text/plain; application/json", False),
        ("application/json-patch+json", False),
        ("", False),
        (None, False),
    ],
)
def test_only_json_in_utf8_is_read(content_type: str | None, readable: bool):
    assert is_json(content_type) is readable
