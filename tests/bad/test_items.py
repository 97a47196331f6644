"""Items that do not fit their model: an error in their own place, never a failed response."""

import datetime
import enum
from collections.abc import AsyncGenerator, Generator, Mapping
from decimal import Decimal
from typing import Any

import pytest
import strawberry
from strawberry.types import ExecutionResult

from tablefold import Connection, Gateway, Index, Table, copy, count_of, key, many, one, sum_of
from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET, codes_of, for_boto3
from tests.resolvers.asked import Asked, asking, stored

table = Table(
    "depot",
    indexes={"by_day": Index("ByDay", pk="DayPK", sk="DaySK", projection="KEYS_ONLY")},
)


@strawberry.enum
class State(enum.Enum):
    OPEN = "open"
    SHUT = "shut"


@strawberry.type
class Size:
    width: int
    height: int

    def __post_init__(self) -> None:
        if self.width == 13:
            raise LookupError("an accident of the model's own")


@table.entity("DEPOT#{id}", "INFO")
class Depot:
    id: strawberry.ID
    name: str
    crates: list["Crate"] = many(bounded=50)
    crate_page: Connection["Crate"] = many()
    crate_count: int = count_of("crates")
    pieces: int = sum_of("crates", "pieces")
    worth: Decimal = sum_of("crates", "worth")
    loads: Connection["Load"] = many()


@table.entity("DEPOT#{depot_id}", "CRATE#{day}#{n:03d}")
class Crate:
    depot_id: strawberry.Private[str]
    day: datetime.date
    n: int
    label: str
    pieces: int
    worth: Decimal
    state: State
    at: datetime.datetime
    size: Size | None = None
    tags: set[str] = strawberry.field(default_factory=set)
    parts: list[str] = strawberry.field(default_factory=list)
    raw: bytes | None = None
    sound: bool = True


@table.entity(
    "LOAD#{id}",
    "INFO",
    copies=[copy("DEPOT#{depot_id}", "LOAD#{n:03d}#{id}", carries=["weight"])],
    by_day=key("DAY#{day}", "{n:03d}#{id}", name="loads_by_day"),
)
class Load:
    id: strawberry.ID
    depot_id: str
    n: int
    day: datetime.date
    weight: int
    driver: str
    depot: Depot = one()


DAY = datetime.date(2024, 1, 1)
NOON = datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.UTC)


def crate(n: int, depot_id: str) -> Crate:
    return Crate(
        depot_id=depot_id,
        day=DAY,
        n=n,
        label=f"crate {n}",
        pieces=n,
        worth=Decimal("0.5"),
        state=State.OPEN,
        at=NOON,
        size=Size(width=1, height=2),
        tags={"a", "b"},
        parts=["x"],
        raw=b"r",
    )


def load(n: int) -> Load:
    id = strawberry.ID(f"l{n}")
    return Load(id=id, depot_id="loads", n=n, day=DAY, weight=n, driver=f"driver {n}")


# One attribute of an item that is otherwise right, and what its node is told.
SPOILT: dict[str, tuple[str, Mapping[str, Any] | None, str]] = {
    "a text that is missing": ("label", None, "label is missing."),
    "a text that is null": ("label", {"NULL": True}, "label is null."),
    "a number for a text": ("label", {"N": "5"}, "label holds N where S is expected."),
    "bytes for a text": ("label", {"B": "AA=="}, "label holds B where S is expected."),
    "a map for a text": ("label", {"M": {"S": {"S": "x"}}}, "label holds M where S is expected."),
    "a list for a text": ("label", {"L": []}, "label holds L where S is expected."),
    "a text for a number": ("pieces", {"S": "5"}, "pieces holds S where N is expected."),
    "a fraction for a whole number": (
        "pieces",
        {"N": "1.5"},
        "pieces holds '1.5' where a whole number is expected.",
    ),
    "an unknown member": (
        "state",
        {"S": "lost"},
        "state holds 'lost' where one of open, shut is expected.",
    ),
    "a number for a member": (
        "state",
        {"N": "1"},
        "state holds '1' where one of open, shut is expected.",
    ),
    "a moment that is none": (
        "at",
        {"S": "yesterday"},
        "at holds 'yesterday' where a date and time such as 2024-01-31T12:00:00Z is expected.",
    ),
    "a moment beyond the years": (
        "at",
        {"S": "0001-01-01T00:00:00+23:00"},
        "at holds '0001-01-01T00:00:00+23:00' where a date and time such as 2024-01-31T12:00:00Z "
        "is expected.",
    ),
    "a text for a set": ("tags", {"S": "a"}, "tags holds S where L is expected."),
    "a set of numbers for one of texts": (
        "tags",
        {"NS": ["1"]},
        "tags holds NS where L is expected.",
    ),
    "a text for a list": ("parts", {"S": "x"}, "parts holds S where L is expected."),
    "a list with a number": (
        "parts",
        {"L": [{"S": "x"}, {"N": "1"}]},
        "parts[1] holds N where S is expected.",
    ),
    "a map without its entry": (
        "size",
        {"M": {"width": {"N": "1"}}},
        "size.height is missing.",
    ),
    "a map with a wrong entry": (
        "size",
        {"M": {"width": {"S": "1"}, "height": {"N": "1"}}},
        "size.width holds S where N is expected.",
    ),
    "a text for a map": ("size", {"S": "1x2"}, "size holds S where M is expected."),
    "a text for bytes": ("raw", {"S": "r"}, "raw holds S where B is expected."),
    "a text for a flag": ("sound", {"S": "true"}, "sound holds S where BOOL is expected."),
    "a day that is none": (
        "day",
        {"S": "2024-02-30"},
        "day holds '2024-02-30' where a date such as 2024-01-31 is expected.",
    ),
}

ACCIDENT = {"M": {"width": {"N": "13"}, "height": {"N": "1"}}}
SELECTED = "day n label pieces worth state at size { width height } tags parts raw sound"


def raw(row: object, gateway: Gateway) -> dict[str, Any]:
    return dict(gateway.layout.entities[type(row).__name__].items(vars(row))[0])


@pytest.fixture(scope="module")
def depot(engine: Engine) -> Generator[Gateway, None, None]:
    gateway = Gateway(table, cursor_secret=SECRET)
    rows = [
        *(Depot(id=strawberry.ID(name), name=name) for name in (*SPOILT, "accident", "loads")),
        *(load(n) for n in range(1, 6)),
    ]
    with stored(gateway, engine, rows) as made:
        client = tables.client(engine.endpoint_url)
        for name, (attribute, held, _) in SPOILT.items():
            for n in (1, 2, 3):
                item = raw(crate(n, name), gateway)
                if n == 2:
                    item.pop(attribute, None)
                    if held is not None:
                        item[attribute] = held
                client.put_item(TableName=made.table_name, Item=for_boto3(item))
        for n in (1, 2, 3):
            item = raw(crate(n, "accident"), gateway)
            if n == 2:
                item["size"] = ACCIDENT
            client.put_item(TableName=made.table_name, Item=for_boto3(item))
        yield made


@pytest.fixture
async def ask(depot: Gateway, proxy: Proxy) -> AsyncGenerator[Asked, None]:
    async with asking(depot, proxy) as asked:
        yield asked


def messages(result: ExecutionResult) -> list[str]:
    return [error.message for error in result.errors or []]


@pytest.mark.parametrize("name", SPOILT)
async def test_an_item_that_does_not_fit_is_an_error_in_its_place(ask: Asked, name: str):
    result = await ask.result(
        f"""query ($id: ID!) {{ depot(id: $id) {{
            name
            cratePage(first: 3) {{ nodes {{ {SELECTED} }} pageInfo {{ hasNextPage }} }}
            crates {{ {SELECTED} }}
        }} }}""",
        id=name,
    )
    said = f"The item DEPOT#{name} / CRATE#2024-01-01#002 is no valid Crate: {SPOILT[name][2]}"
    assert messages(result) == [said, said]
    assert set(codes_of(result)) == {"ITEM_INVALID"}
    paths = sorted(str(error.path) for error in result.errors or [])
    assert paths == ["['depot', 'cratePage', 'nodes', 1]", "['depot', 'crates', 1]"]
    found: Any = (result.data or {})["depot"]
    assert found["name"] == name
    assert found["cratePage"]["pageInfo"] == {"hasNextPage": False}
    for nodes in (found["crates"], found["cratePage"]["nodes"]):
        assert [node and node["n"] for node in nodes] == [1, None, 3]


@pytest.mark.parametrize("name", SPOILT)
async def test_what_is_not_selected_cannot_be_at_fault(ask: Asked, name: str):
    others = [one for one in ("n", "worth", "sound") if one != SPOILT[name][0]]
    query = f"query ($id: ID!) {{ depot(id: $id) {{ crates {{ {' '.join(others)} }} }} }}"
    assert len((await ask(query, id=name))["depot"]["crates"]) == 3


async def test_a_single_item_that_does_not_fit_is_an_error_on_its_field(ask: Asked):
    name = "a text that is missing"
    query = (
        'query ($id: String!) { crate(depotId: $id, day: "2024-01-01", n: 2) { label } '
        'depot(id: "loads") { name } }'
    )
    result = await ask.result(query, id=name)
    assert codes_of(result) == ["ITEM_INVALID"]
    assert result.data == {"crate": None, "depot": {"name": "loads"}}


async def test_an_accident_of_the_model_s_own_is_an_error_in_its_place(ask: Asked):
    query = '{ depot(id: "accident") { name crates { n size { width } } } }'
    result = await ask.result(query)
    assert codes_of(result) == ["INTERNAL"]
    assert [error.path for error in result.errors or []] == [["depot", "crates", 1]]
    found: Any = (result.data or {})["depot"]
    assert [node and node["n"] for node in found["crates"]] == [1, None, 3]


# Numbers over items that do not fit.


@pytest.mark.parametrize(
    ("name", "failing"),
    [
        ("a text for a number", ["pieces"]),
        ("a fraction for a whole number", ["pieces"]),
        ("a text that is missing", []),
    ],
)
async def test_a_number_over_a_bad_item_is_an_error_on_that_number_alone(
    ask: Asked, name: str, failing: list[str]
):
    query = "query ($id: ID!) { depot(id: $id) { name crateCount pieces worth } }"
    result = await ask.result(query, id=name)
    assert [error.path for error in result.errors or []] == [["depot", one] for one in failing]
    assert set(codes_of(result)) <= {"ITEM_INVALID"}
    found: Any = (result.data or {}).get("depot")
    assert found["name"] == name and found["crateCount"] == 3 and found["worth"] == "1.5"
    assert ask.operations == ["Query"]


# Copies and indexes that lead home.

PAGE = "first: 4) { nodes { n weight driver } pageInfo { hasNextPage } }"
BY_COPY = f'depot(id: "loads") {{ name list: loads({PAGE} }}'
BY_INDEX = f'list: loadsByDay(day: "2024-01-01", {PAGE}'


def put(ask: Asked, engine: Engine, item: Mapping[str, Any]) -> None:
    client = tables.client(engine.endpoint_url)
    client.put_item(TableName=ask.gateway.table_name, Item=for_boto3(item))


@pytest.fixture
def loads(ask: Asked, engine: Engine) -> Generator[list[dict[str, Any]], None, None]:
    """The home item and the copy of load 2, to be spoilt and put; they are mended at the end."""
    entity = ask.gateway.layout.entities["Load"]
    items = entity.items(vars(load(2)))
    yield [dict(item) for item in items]
    for item in items:
        put(ask, engine, item)


async def listed(ask: Asked, by: str) -> tuple[ExecutionResult, list[int | None], bool]:
    result = await ask.result(f"{{ {by} }}")
    data: Any = result.data
    found = data.get("list") or data["depot"]["list"]
    nodes = [node and node["n"] for node in found["nodes"]]
    return result, nodes, found["pageInfo"]["hasNextPage"]


@pytest.mark.parametrize("by", [BY_COPY, BY_INDEX], ids=["copy", "index"])
async def test_a_home_item_that_does_not_fit_is_an_error_in_its_place(
    ask: Asked, engine: Engine, loads: list[dict[str, Any]], by: str
):
    home, _ = loads
    put(ask, engine, {**home, "driver": {"N": "5"}})
    result, nodes, more = await listed(ask, by)
    assert messages(result)[0].endswith("is no valid Load: driver holds N where S is expected.")
    assert (nodes, more) == ([1, None, 3, 4], True)


@pytest.mark.parametrize(
    "id",
    [{"N": "2"}, {"S": "another#one"}, {"S": "x" * 3000}],
    ids=["a number", "a separator", "too long"],
)
async def test_a_copy_that_does_not_lead_home_is_an_error_in_its_place(
    ask: Asked, engine: Engine, loads: list[dict[str, Any]], id: dict[str, Any]
):
    _, copied = loads
    put(ask, engine, {**copied, "id": id})
    result, nodes, more = await listed(ask, BY_COPY)
    assert set(codes_of(result)) == {"ITEM_INVALID"}
    assert [error.path for error in result.errors or []] == [["depot", "list", "nodes", 1]]
    assert (nodes, more) == ([1, None, 3, 4], True)


async def test_a_copy_whose_id_is_null_leads_home_by_its_key(
    ask: Asked, engine: Engine, loads: list[dict[str, Any]]
):
    _, copied = loads
    put(ask, engine, {**copied, "id": {"NULL": True}})
    result, nodes, _ = await listed(ask, BY_COPY)
    assert result.errors is None and nodes == [1, 2, 3, 4]


async def test_a_copy_without_a_home_is_an_error_where_home_is_needed(
    ask: Asked, engine: Engine, loads: list[dict[str, Any]]
):
    home, _ = loads
    tables.client(engine.endpoint_url).delete_item(
        TableName=ask.gateway.table_name, Key={"PK": home["PK"], "SK": home["SK"]}
    )
    result, nodes, more = await listed(ask, BY_COPY)
    assert messages(result) == [
        "The item DEPOT#loads / LOAD#002#l2 is no valid Load: driver is missing."
    ]
    assert (nodes, more) == ([1, None, 3, 4], True)
    whole: Any = await ask('{ depot(id: "loads") { loads { nodes { n weight } } } }')
    assert whole["depot"]["loads"]["nodes"][1] == {"n": 2, "weight": 2}


async def test_a_home_of_another_type_is_no_home(
    ask: Asked, engine: Engine, loads: list[dict[str, Any]]
):
    home, _ = loads
    put(ask, engine, {**home, "entityType": {"S": "Lorry"}})
    result, nodes, _ = await listed(ask, BY_COPY)
    assert messages(result)[0].endswith("driver is missing.")
    assert nodes == [1, None, 3, 4]
    assert await ask('{ load(id: "l2") { n } }') == {"load": None}


async def test_a_copy_that_differs_from_its_home_shows_what_it_carries(
    ask: Asked, engine: Engine, loads: list[dict[str, Any]]
):
    _, copied = loads
    put(ask, engine, {**copied, "weight": {"N": "99"}})
    answer: Any = await ask(f"{{ {BY_COPY} }}")
    assert answer["depot"]["list"]["nodes"][1] == {"n": 2, "weight": 99, "driver": "driver 2"}


async def test_an_item_with_half_an_index_key_is_not_in_the_index(
    ask: Asked, engine: Engine, loads: list[dict[str, Any]]
):
    home, _ = loads
    put(ask, engine, {name: held for name, held in home.items() if name != "DaySK"})
    answer: Any = await ask(f"{{ {BY_INDEX} }}")
    assert [node["n"] for node in answer["list"]["nodes"]] == [1, 3, 4, 5]
    assert (await ask('{ load(id: "l2") { day } }'))["load"] == {"day": "2024-01-01"}


@pytest.mark.parametrize(
    ("held", "says"),
    [
        ("a#b", "depotId must not contain '#', which separates the parts of a key."),
        (
            "x" * 3000,
            "depotId would make the key DEPOT#{id} longer than the 2,048 bytes that DynamoDB "
            "allows. Use a shorter value.",
        ),
    ],
    ids=["a separator", "too long"],
)
async def test_an_item_that_leads_nowhere_is_no_fault_of_the_caller(
    ask: Asked, engine: Engine, loads: list[dict[str, Any]], held: str, says: str
):
    home, _ = loads
    put(ask, engine, {**home, "depotId": {"S": held}})
    result = await ask.result('{ loads(ids: ["l1", "l2"]) { n depot { name } } }')
    assert codes_of(result) == ["ITEM_INVALID"]
    [message] = messages(result)
    assert message.startswith(f"The item LOAD#l2 / INFO is no valid Load: {says}")
    assert result.data == {"loads": [{"n": 1, "depot": {"name": "loads"}}, {"n": 2, "depot": None}]}
