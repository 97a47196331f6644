"""Values that are not of their type: refused with the document, at their place."""

from decimal import Decimal
from typing import Any

import pytest

from tests.bad.refusing import request_refusal
from tests.harness.serving import codes_of, data_of
from tests.resolvers.asked import Asked

pytestmark = pytest.mark.engines("dynoxide")

DATE = 'Write a Date such as "2024-01-31", not'
MOMENT = 'Write a DateTime such as "2024-01-31T12:00:00Z", to the microsecond at most, not'
DECIMAL = 'Write a Decimal such as "12.50", not'
UUID = 'Write a UUID such as "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", not'
BASE64 = 'Write Base64 such as "AP8=", with its padding, not'
INT = "Int cannot represent non-integer value:"

DAYS = 'entriesByAccountId(accountId: "a", day: {from: %s}) { nodes { n } }'
MOMENTS = "entriesByKind(kind: CREDIT, at: {from: %s}) { nodes { n } }"
REFS = 'byRef(accountId: "a", ref: {eq: %s}) { nodes { n } }'
NUMBERS = "byNumber(n: %s) { nodes { n } }"
KINDS = "entriesByKind(kind: %s) { nodes { n } }"
ACCOUNT = "account(id: %s) { email }"
FIRST = 'entriesByAccountId(accountId: "a", first: %s) { nodes { n } }'


def where(name: str) -> str:
    return f'account(id: "a") {{ entries(where: {{{name}: {{eq: %s}}}}) {{ nodes {{ n }} }} }}'


LITERALS: list[tuple[str, str, str]] = [
    *((DAYS, f'"{text}"', f'{DATE} "{text}".') for text in (
        "", "nope", "2024-02-30", "0000-01-01", "10000-01-01", "2024-1-1", "2024-01-01T00:00:00Z",
        " 2024-01-01", "２０２４-01-01",
    )),
    (DAYS, "20240101", f"{DATE} 20240101."),
    (DAYS, "true", f"{DATE} true."),
    (DAYS, "[]", f"{DATE} []."),
    *((MOMENTS, f'"{text}"', f'{MOMENT} "{text}".') for text in (
        "", "nope", "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "2024-06-30T23:59:60Z",
        "2024-01-01T25:00:00Z", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00.1234567Z",
        "2024-01-01T00:00:00Z[UTC]", "2024",
    )),
    (MOMENTS, "1704067200", f"{MOMENT} 1704067200."),
    *((REFS, f'"{text}"', f'{UUID} "{text}".') for text in ("", "x", "0" * 31 + "g")),
    (REFS, "5", f"{UUID} 5."),
    *((where("amount"), f'"{text}"', f'{DECIMAL} "{text}".') for text in (
        "", "x", "NaN", "-sNaN1", "Infinity", "1_000", " 1 ", "１", "1e99999999999999999999",
        "1,5", "0x10",
    )),
    (where("amount"), "true", f"{DECIMAL} true."),
    *((where("raw"), f'"{text}"', f'{BASE64} "{text}".') for text in ("*", "Aw", "A-8=", "A w==")),
    (where("raw"), "5", f"{BASE64} 5."),
    (where("due"), '"x"', f'{DATE} "x".'),
    (NUMBERS, "2147483648", "Int cannot represent non 32-bit signed integer value: 2147483648"),
    (NUMBERS, "1.5", f"{INT} 1.5"),
    (NUMBERS, '"1"', f'{INT} "1"'),
    (NUMBERS, "true", f"{INT} true"),
    (FIRST, "2147483648", "Int cannot represent non 32-bit signed integer value: 2147483648"),
    (KINDS, "GIFT", "Value 'GIFT' does not exist in 'Kind' enum. It has CREDIT, DEBIT."),
    (
        KINDS,
        '"CREDIT"',
        "Enum 'Kind' cannot represent non-enum value: \"CREDIT\". Did you mean the enum value "
        "'CREDIT'? It has CREDIT, DEBIT.",
    ),
    (where("kind"), "5", "Enum 'Kind' cannot represent non-enum value: 5. It has CREDIT, DEBIT."),
    (KINDS, "null", "Expected value of non-null type 'Kind!' not to be None."),
    (ACCOUNT, "[1]", "ID cannot represent a non-string and non-integer value: [1]"),
    (ACCOUNT, "null", "Expected value of non-null type 'ID!' not to be None."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "literal", "says"), LITERALS, ids=lambda case: str(case).partition("(")[0][:30]
)
async def test_a_literal_of_another_type_is_refused_at_its_place(
    ask: Asked, field: str, literal: str, says: str
):
    said, column = await request_refusal(ask, field % literal)
    assert said == says
    assert column == len("query  { ") + field.index("%s") + 1


VARIABLES: list[tuple[str, str, Any, str]] = [
    (DAYS, "Date", "nope", f'{DATE} "nope".'),
    (DAYS, "Date", 5, f"{DATE} 5."),
    (DAYS, "Date", True, f"{DATE} true."),
    (DAYS, "Date", ["2024-01-01"], f'{DATE} ["2024-01-01"].'),
    (DAYS, "Date", {"day": 1}, f'{DATE} {{"day": 1}}.'),
    (DAYS, "Date", "\ud800", f'{DATE} "\\ud800".'),
    (DAYS, "Date", "x" * 1_000_000, f'{DATE} "{"x" * 59}….'),
    (MOMENTS, "DateTime", "2024-06-30T23:59:60Z", f'{MOMENT} "2024-06-30T23:59:60Z".'),
    (MOMENTS, "DateTime", 0, f"{MOMENT} 0."),
    (REFS, "UUID", "x", f'{UUID} "x".'),
    (where("amount"), "Decimal", float("nan"), f"{DECIMAL} NaN."),
    (where("amount"), "Decimal", float("inf"), f"{DECIMAL} Infinity."),
    (where("amount"), "Decimal", True, f"{DECIMAL} true."),
    (where("amount"), "Decimal", [], f"{DECIMAL} []."),
    (where("amount"), "Decimal", 10**5000, f"{DECIMAL} that."),
    (where("raw"), "Base64", "Aw", f'{BASE64} "Aw".'),
    (where("raw"), "Base64", 5, f"{BASE64} 5."),
    (where("share"), "Float", float("nan"), "Float cannot represent non numeric value: nan"),
    (NUMBERS, "Int!", True, f"{INT} True"),
    (NUMBERS, "Int!", "1", f"{INT} '1'"),
    (NUMBERS, "Int!", 2**31, f"Int cannot represent non 32-bit signed integer value: {2**31}"),
    (NUMBERS, "Int!", float("nan"), f"{INT} nan"),
    (KINDS, "Kind!", "GIFT", "Value 'GIFT' does not exist in 'Kind' enum. It has CREDIT, DEBIT."),
    (
        KINDS,
        "Kind!",
        5,
        "Enum 'Kind' cannot represent non-string value: 5. It has CREDIT, DEBIT.",
    ),
    (ACCOUNT, "ID!", 5.5, "ID cannot represent value: 5.5"),
    (ACCOUNT, "ID!", None, "Expected value of non-null type 'ID!' not to be None."),
]


@pytest.mark.parametrize(
    ("field", "type", "value", "says"),
    VARIABLES,
    ids=lambda case: str(case)[:30] if not isinstance(case, int) else "int",
)
async def test_a_variable_of_another_type_is_refused_where_it_is_declared(
    ask: Asked, field: str, type: str, value: Any, says: str
):
    said, column = await request_refusal(ask, field % "$v", f"($v: {type})", v=value)
    assert said == f"Variable '$v' has invalid value: {says}"
    assert column == len("query (") + 1


async def test_variables_nested_without_end_are_refused(ask: Asked):
    deep: Any = "1"
    for _ in range(100_000):
        deep = [deep]
    deep = {"amount": {"in": deep}}
    field = 'account(id: "a") { entries(where: $v) { nodes { n } } }'
    result = await ask.result(f"query ($v: AccountEntriesFilter) {{ {field} }}", v=deep)
    assert codes_of(result) == ["BAD_USER_INPUT"]
    assert ask.sent == []


async def test_literals_nested_without_end_are_refused(ask: Asked):
    deep = "{amount: " * 10_000 + "1" + "}" * 10_000
    result = await ask.result(
        f'{{ account(id: "a") {{ entries(where: {deep}) {{ nodes {{ n }} }} }} }}'
    )
    assert (result.errors or [])[0].extensions == {"code": "GRAPHQL_PARSE_FAILED"}
    assert ask.sent == []


async def test_a_decimal_is_exact_however_it_is_written(ask: Asked):
    exact = "12345678901234567890.123456789012345678"
    for written in (exact, f'"{exact}"'):
        data_of(await ask.result(f"{{ {where('amount') % written} }}"))
        [query] = [one for one in ask.sent if one.operation == "Query"]
        values = query.body["ExpressionAttributeValues"].values()
        assert [Decimal(value["N"]) for value in values if "N" in value] == [Decimal(exact)]


@pytest.mark.parametrize(
    "written", ["2024-01-02T12:00:00Z", "2024-01-02T13:00:00+01:00", "2024-01-02T12:00:00"]
)
async def test_a_moment_is_the_same_however_it_is_written(ask: Asked, written: str):
    query = f'{{ entriesByKind(kind: DEBIT, at: {{eq: "{written}"}}) {{ nodes {{ n }} }} }}'
    nodes = (await ask(query))["entriesByKind"]["nodes"]
    assert nodes == [{"n": 2}, {"n": 2}]


@pytest.mark.parametrize(
    "document",
    [
        'query ($v: Int) { account(id: "a") { email } }',
        "query { account(id: $v) { email } }",
        "query ($v: Int) { account(id: $v) { email } }",
        "{ account { email } }",
        "{ nobody }",
    ],
)
async def test_a_document_that_is_wrong_is_no_matter_of_values(ask: Asked, document: str):
    result = await ask.result(document)
    assert set(codes_of(result)) == {"GRAPHQL_VALIDATION_FAILED"}
    assert ask.sent == []
