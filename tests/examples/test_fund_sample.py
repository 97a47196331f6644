"""The fund's sample is the document's table, row by row, with the index keys it lists."""

from examples.fund import gateway
from examples.fund.sample import sample
from tablefold.store.rows import items_of_object
from tablefold.store.values import decode_item

COLUMNS = ("PK", "SK", "EntityType", "Amount", "Status", "Version", "PositionId")
ROWS = """
DOC001 | DOCUMENT#LATEST                | Document           | -       | Active     | Latest     | -
DOC001 | DOCUMENT#2025-09-01            | Document           | -       | Historical | Historical | -
DOC001 | CAPITAL_ACTIVITY#LATEST        | CapitalActivity    | 500000  | Pending    | Latest     | -
DOC001 | CAPITAL_ACTIVITY#2025-08-15    | CapitalActivity    | 450000  | Completed  | Historical | -
DOC001 | CAPITAL_CALL#POSITION_1        | CapitalCall        | 500000  | Pending    | Latest     | POSITION_1
DOC001 | DISTRIBUTION#POSITION_1        | Distribution       | 75000   | Completed  | Latest     | POSITION_1
DOC001 | UNFUNDED_COMMITMENT#POSITION_1 | UnfundedCommitment | 1500000 | Active     | Latest     | POSITION_1
DOC001 | CAPITAL_CALL#POSITION_2        | CapitalCall        | 300000  | Pending    | Latest     | POSITION_2
DOC001 | DISTRIBUTION#POSITION_2        | Distribution       | 45000   | Completed  | Latest     | POSITION_2
DOC001 | UNFUNDED_COMMITMENT#POSITION_2 | UnfundedCommitment | 850000  | Active     | Latest     | POSITION_2
DOC002 | DOCUMENT#LATEST                | Document           | -       | Active     | Latest     | -
DOC002 | CAPITAL_CALL#POSITION_1        | CapitalCall        | 750000  | Completed  | Latest     | POSITION_1
DOC002 | DISTRIBUTION#POSITION_1        | Distribution       | 120000  | Pending    | Latest     | POSITION_1
DOC002 | CAPITAL_CALL#POSITION_2        | CapitalCall        | 400000  | Pending    | Latest     | POSITION_2
"""  # noqa: E501

ENTITY_INDEX = """
DOCUMENT#LATEST#DOC001         | METADATA | DOC001 | DOCUMENT#LATEST
DOCUMENT#LATEST#DOC002         | METADATA | DOC002 | DOCUMENT#LATEST
CAPITAL_CALL#POSITION_1#DOC001 | LATEST   | DOC001 | CAPITAL_CALL#POSITION_1
CAPITAL_CALL#POSITION_2#DOC001 | LATEST   | DOC001 | CAPITAL_CALL#POSITION_2
DISTRIBUTION#POSITION_1#DOC001 | LATEST   | DOC001 | DISTRIBUTION#POSITION_1
"""

POSITION_INDEX = """
POSITION_1 | CAPITAL_CALL#DOC001 | DOC001 | CAPITAL_CALL#POSITION_1
POSITION_1 | DISTRIBUTION#DOC001 | DOC001 | DISTRIBUTION#POSITION_1
POSITION_1 | CAPITAL_CALL#DOC002 | DOC002 | CAPITAL_CALL#POSITION_1
POSITION_2 | CAPITAL_CALL#DOC001 | DOC001 | CAPITAL_CALL#POSITION_2
"""


def test_the_items_are_the_fourteen_rows_of_the_document():
    assert [shown(item, COLUMNS) for item in items()] == cells(ROWS)


def test_the_entity_index_has_the_keys_that_the_document_lists():
    held = [shown(item, ("GSI_PK", "GSI_SK", "PK", "SK")) for item in items()]
    assert [row for row in cells(ENTITY_INDEX) if row not in held] == []


def test_the_position_index_has_the_keys_that_the_document_lists():
    held = [shown(item, ("GSI2_PK", "GSI2_SK", "PK", "SK")) for item in items()]
    assert [row for row in cells(POSITION_INDEX) if row not in held] == []


def test_only_latest_items_stand_in_the_indexes_and_only_positions_in_theirs():
    for item in items():
        latest_document = item["SK"] == "DOCUMENT#LATEST"
        of_position = "PositionId" in item
        assert ("GSI_PK" in item) == (latest_document or of_position)
        assert ("GSI2_PK" in item) == of_position


def items() -> list[dict[str, object]]:
    return [
        decode_item(item) for thing in sample() for item in items_of_object(gateway.layout, thing)
    ]


def shown(item: dict[str, object], columns: tuple[str, ...]) -> list[str]:
    return [str(item.get(column, "-")) for column in columns]


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in row.split("|")] for row in table.strip().splitlines()]
