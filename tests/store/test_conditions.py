import pytest

from tablefold.store.conditions import (
    ONE_OF_MAX_VALUES,
    All,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    Either,
    Exists,
    Missing,
    Not,
    OneOf,
)
from tablefold.store.errors import BadInput
from tablefold.store.expressions import Aliases, Literals
from tablefold.store.values import encode

ONE, TWO = encode(1), encode(2)
A, B, C = Compare("a", "=", ONE), Exists("b"), Missing("c")


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Compare("a", "<>", encode("x")), 'a <> "x"'),
        (Between("a", ONE, TWO), "a BETWEEN 1 AND 2"),
        (OneOf("a", (ONE, TWO)), "a IN (1, 2)"),
        (BeginsWith("a", encode("x")), 'begins_with(a, "x")'),
        (Contains("a", encode("x")), 'contains(a, "x")'),
        (B, "attribute_exists(b)"),
        (C, "attribute_not_exists(c)"),
        (Not(A), "NOT a = 1"),
        (All((A, B)), "a = 1 AND attribute_exists(b)"),
        (
            All((A, Either((B, C)))),
            "a = 1 AND (attribute_exists(b) OR attribute_not_exists(c))",
        ),
        (Not(All((A, B))), "NOT (a = 1 AND attribute_exists(b))"),
        (All((Either((Either((A, B)),)), C)), "(a = 1 OR attribute_exists(b)) AND "
         "attribute_not_exists(c)"),
        (All((A,)), "a = 1"),
    ],
)  # fmt: skip
def test_conditions_read_as_dynamodb_writes_them(condition: Condition, text: str):
    assert condition.render(Literals()) == text


def test_every_name_is_aliased_once_and_every_value_has_its_own_place():
    aliases = Aliases()
    condition = All((Compare("status", "=", ONE), Compare("status", "<", TWO), Exists("name")))
    assert condition.render(aliases) == "#n0 = :v0 AND #n0 < :v1 AND attribute_exists(#n1)"
    assert aliases.render() == {
        "ExpressionAttributeNames": {"#n0": "status", "#n1": "name"},
        "ExpressionAttributeValues": {":v0": ONE, ":v1": TWO},
    }


def test_conditions_hash_and_compare():
    assert hash(Compare("a", "=", {"N": "1"})) == hash(A)
    assert Compare("a", "=", {"N": "1"}) == A
    assert Compare("a", "=", TWO) != A


@pytest.mark.parametrize("count", [0, ONE_OF_MAX_VALUES + 1])
def test_a_list_has_dynamodbs_length(count: int):
    with pytest.raises(BadInput, match=f"{count} values"):
        OneOf("a", (ONE,) * count)


def test_no_conditions_are_no_condition():
    with pytest.raises(BadInput):
        All(())
    with pytest.raises(BadInput):
        Either(())
