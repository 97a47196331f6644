"""What stands in a key need not be stored twice: it is read back from the key."""

import datetime
import enum
from typing import Any

import strawberry

from tablefold import Connection, Gateway, Index, Table, lookup, many
from tests.gql.conftest import Serve
from tests.harness import tables
from tests.harness.proxy import Proxy
from tests.harness.serving import data_of

table = Table("log", indexes={"level": Index("Levels", "LP", "LS", projection="KEYS_ONLY")})


@strawberry.enum
class Level(enum.Enum):
    LOW = 1
    HIGH = 2


@table.entity(
    "HOST#{host}",
    "AT#{at}#{n:04d}",
    gsi1=lookup("TICKET#{ticket}", "{n:04d}"),
    level=("LEVEL#{level}", "{at}#{host}#{n:04d}"),
)
class Entry:
    host: str
    at: datetime.datetime
    n: int
    level: Level
    ticket: str | None = None
    text: str = "nothing said"


@table.entity("HOST#{name}", "INFO")
class Host:
    name: strawberry.ID
    entries: Connection[Entry] = many(newest_first=True)


BARE: dict[str, Any] = {
    "PK": {"S": "HOST#h1"},
    "SK": {"S": "AT#2024-01-31T12:00:00Z#0007"},
    "GSI1PK": {"S": "TICKET#t9"},
    "GSI1SK": {"S": "0007"},
    "LP": {"S": "LEVEL#2"},
    "LS": {"S": "2024-01-31T12:00:00Z#h1#0007"},
}
WHOLE = {
    "host": "h1",
    "at": "2024-01-31T12:00:00+00:00",
    "n": 7,
    "level": "HIGH",
    "ticket": "t9",
    "text": "nothing said",
}
FIELDS = "host at n level ticket text"


def put(gateway: Gateway, proxy: Proxy) -> None:
    client = tables.client(proxy.endpoint_url)
    client.put_item(TableName=gateway.table_name, Item=BARE)
    proxy.clear()


async def test_an_item_of_keys_alone_is_whole(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table))
    put(gateway, proxy)
    query = '{ entry(host: "h1", at: "2024-01-31T12:00:00Z", n: 7) {' + FIELDS + "} }"
    assert data_of(await gateway.execute(query)) == {"entry": WHOLE}


async def test_attributes_are_read_from_the_key_of_a_collection(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table))
    put(gateway, proxy)
    query = '{ host: entriesByHost(host: "h1") { nodes {' + FIELDS + "} } }"
    assert data_of(await gateway.execute(query)) == {"host": {"nodes": [WHOLE]}}
    assert proxy.operations == ["Query"]


async def test_attributes_are_read_from_an_index_key(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table))
    put(gateway, proxy)
    query = '{ entryByTicket(ticket: "t9") {' + FIELDS + "} }"
    assert data_of(await gateway.execute(query)) == {"entryByTicket": WHOLE}
    assert proxy.operations == ["Query"]


async def test_an_index_of_keys_alone_serves_what_stands_in_them(
    serve: Serve, proxy: Proxy
) -> None:
    gateway = serve(Gateway(table))
    put(gateway, proxy)
    query = "{ entriesByLevel(level: HIGH) { nodes { host at n level } } }"
    [node] = data_of(await gateway.execute(query))["entriesByLevel"]["nodes"]
    assert node == {name: WHOLE[name] for name in ("host", "at", "n", "level")}
    assert proxy.operations == ["Query"]


async def test_what_the_index_lacks_is_fetched_from_home(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table))
    put(gateway, proxy)
    query = "{ entriesByLevel(level: HIGH) { nodes {" + FIELDS + "} } }"
    [node] = data_of(await gateway.execute(query))["entriesByLevel"]["nodes"]
    assert node == WHOLE
    assert proxy.operations == ["Query", "GetItem"]
