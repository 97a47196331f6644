"""Documents: prepared once, kept within bounds, refused before they cost anything."""

import pytest
from graphql import GraphQLSyntaxError, build_schema

from tablefold import Limits
from tablefold.gql import documents as module
from tablefold.gql.documents import Documents
from tablefold.store.errors import BadInput

SCHEMA = build_schema("type Query { a: Int b(of: Int): Int }")


@pytest.fixture
def documents() -> Documents:
    return Documents(SCHEMA, Limits())


def test_a_document_is_prepared_once(documents: Documents):
    assert documents.prepare("{ a }") is documents.prepare("{ a }")
    assert documents.prepare("{ a }") is not documents.prepare("{ b }")


def test_what_has_errors_is_not_kept(documents: Documents):
    assert documents.prepare("{ c }").errors
    assert documents.prepare("{ c }") is not documents.prepare("{ c }")
    with pytest.raises(GraphQLSyntaxError):
        documents.prepare("{ a")


def test_no_more_than_a_few_errors_are_shown(documents: Documents):
    errors = documents.prepare("{ " + " ".join(f"c{n}" for n in range(100)) + " }").errors
    assert len(errors) == module.ERRORS_SHOWN + 1


def test_fields_that_cannot_be_merged_are_an_error(documents: Documents):
    [error] = documents.prepare("{ a: b(of: 1) a: b(of: 2) }").errors
    assert "differing arguments" in error.message
    assert error.locations is not None and len(error.locations) == 2


def test_the_documents_used_last_are_kept(documents: Documents, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "KEPT", 2)
    first = documents.prepare("{ a }")
    documents.prepare("{ b }")
    assert documents.prepare("{ a }") is first
    documents.prepare("{ a b }")  # drops { b }
    assert documents.prepare("{ a }") is first
    assert list(documents._kept) == ["{ a b }", "{ a }"]  # pyright: ignore[reportPrivateUsage]


def test_long_documents_do_not_fill_the_memory(
    documents: Documents, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "KEPT_CHARACTERS", 50)
    for n in range(10):
        documents.prepare("{ a }" + " " * (20 + n))
    kept = documents._kept  # pyright: ignore[reportPrivateUsage]
    assert sum(map(len, kept)) <= 50 and len(kept) == 1


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("query A { a } query B { b }", None, "Say which operation to run; it can be A, B."),
        ("query A { a } query B { b }", "C", "No operation is called C; it can be A, B."),
        ("{ a }", "C", "No operation is called C; the only one has no name."),
    ],
)
def test_an_operation_is_chosen_by_its_name(
    documents: Documents, text: str, name: str | None, message: str
):
    with pytest.raises(BadInput) as refused:
        documents.prepare(text).operation(name)
    assert str(refused.value) == message
