"""What a client is told when something fails."""

import logging

import pytest
from graphql import GraphQLError, GraphQLSyntaxError, Source, parse

from tablefold.gql.errors import presentable
from tablefold.loaders.reading import CollectionTooLarge
from tablefold.store.errors import (
    AccessDenied,
    BadInput,
    ConditionFailed,
    CredentialsMissing,
    CursorInvalid,
    DeadlineExceeded,
    ItemInvalid,
    RequestRefused,
    StoreError,
    TablefoldError,
    TableMissing,
    Throttled,
    Unavailable,
)

INSIDE = "arn:aws:dynamodb:eu-central-1:123456789012:table/secret-name"


def shown(cause: Exception) -> tuple[str, str]:
    error = presentable(GraphQLError(str(cause), path=["user"], original_error=cause))
    assert error.path == ["user"]
    return (error.extensions or {})["code"], error.message


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (Throttled, "THROTTLED"),
        (DeadlineExceeded, "DEADLINE_EXCEEDED"),
        (Unavailable, "UNAVAILABLE"),
        (CollectionTooLarge, "LIMIT_EXCEEDED"),
        (ConditionFailed, "CONFLICT"),
        (TableMissing, "INTERNAL"),
        (CredentialsMissing, "INTERNAL"),
        (AccessDenied, "INTERNAL"),
        (RequestRefused, "INTERNAL"),
        (StoreError, "INTERNAL"),
    ],
)
def test_a_failing_table_is_said_by_its_code_and_nothing_of_the_inside(
    kind: type[StoreError], code: str, caplog: pytest.LogCaptureFixture
):
    with caplog.at_level(logging.WARNING, "tablefold"):
        said, message = shown(kind(INSIDE))

    assert said == code
    assert INSIDE not in message
    assert message.endswith(".")
    assert INSIDE in caplog.text, "whoever runs the gateway is told"


@pytest.mark.parametrize(
    ("cause", "code"),
    [
        (BadInput("first must be from 1 to 200; it is 0."), "BAD_USER_INPUT"),
        (CursorInvalid(), "CURSOR_INVALID"),
        (ItemInvalid("USER#1/PROFILE: User.name is missing."), "ITEM_INVALID"),
    ],
)
def test_what_a_client_can_mend_is_said_as_it_is(cause: TablefoldError, code: str):
    assert shown(cause) == (code, str(cause))


def test_a_permission_is_forbidden():
    assert shown(PermissionError("Only for editors.")) == ("FORBIDDEN", "Only for editors.")
    assert shown(PermissionError()) == ("FORBIDDEN", "Not allowed.")


def test_an_unexpected_error_is_an_incident(caplog: pytest.LogCaptureFixture):
    code, message = shown(ValueError(INSIDE))

    assert code == "INTERNAL"
    assert INSIDE not in message
    incident = message.split()[-1].rstrip(".")
    assert incident in caplog.text
    assert INSIDE in caplog.text


def test_each_incident_has_an_id_of_its_own():
    assert shown(ValueError("a"))[1] != shown(ValueError("a"))[1]


def test_an_error_with_a_code_keeps_it():
    error = GraphQLError("Sold out.", path=["buy"], extensions={"code": "SOLD_OUT", "left": 0})

    assert presentable(error).extensions == {"code": "SOLD_OUT", "left": 0}


def test_a_graphql_error_raised_in_a_resolver_keeps_its_code():
    raised = GraphQLError("Sold out.", extensions={"code": "SOLD_OUT"})
    located = GraphQLError(
        raised.message, path=["buy"], original_error=raised, extensions=raised.extensions
    )

    assert (presentable(located).extensions or {})["code"] == "SOLD_OUT"


def test_syntax_and_validation_have_codes():
    with pytest.raises(GraphQLSyntaxError) as caught:
        parse("{")
    assert (presentable(caught.value).extensions or {})["code"] == "GRAPHQL_PARSE_FAILED"

    invalid = GraphQLError("Cannot query field 'x' on type 'Query'.")
    assert (presentable(invalid).extensions or {})["code"] == "GRAPHQL_VALIDATION_FAILED"


def test_where_it_happened_is_kept():
    source = Source("{ user }")
    error = GraphQLError("x", source=source, positions=[2], original_error=BadInput("x"))

    [location] = presentable(error).locations or []
    assert (location.line, location.column) == (1, 3)
