"""Custom resolvers next to table fields: what they return is read on from there, together."""

import datetime

import strawberry

from tablefold import Connection, Gateway, Table, many, one
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.serving import data_of

table = Table("shop")


@table.entity("USER#{id}", "PROFILE")
class User:
    id: strawberry.ID
    name: str
    born: datetime.date | None = None
    boss_id: strawberry.Private[str | None] = None
    orders: Connection["Order"] = many(newest_first=True)
    addresses: list["Address"] = many(bounded=5)
    boss: "User" = one(id="boss_id")

    @strawberry.field
    def greeting(self, shout: bool = False) -> str:
        text = f"Hello {self.name}, born {self.born}"
        return text.upper() if shout else text

    @strawberry.field
    async def initial(self) -> str:
        return self.name[0]


@table.entity("USER#{user_id}", "ORDER#{id}")
class Order:
    user_id: strawberry.Private[str]
    id: strawberry.ID
    product_id: strawberry.Private[str]
    product: "Product" = one(id="product_id")


@table.entity("USER#{user_id}", "ADDR#{kind}")
class Address:
    user_id: strawberry.Private[str]
    kind: str


@table.entity("PRODUCT#{id}", "INFO")
class Product:
    id: strawberry.ID
    name: str


def user(number: int) -> User:
    return User(id=strawberry.ID(f"u{number}"), name=f"Ann {number}", boss_id="u9")


@strawberry.type
class Query:
    user: User = one()

    @strawberry.field
    def me(self) -> User:
        return user(1)

    @strawberry.field
    async def team(self) -> list[User]:
        return [user(number) for number in (1, 2, 3)]

    @strawberry.field
    def robot(self) -> User:
        return Robot(id=strawberry.ID("u1"), name="Beep")

    @strawberry.field
    def nobody(self) -> User | None:
        return None


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def promote(self, id: strawberry.ID) -> User:
        return User(id=id, name="Promoted", boss_id="u9")


class Robot(User):
    """A subclass that the schema knows nothing of is shown as what it extends."""


ROWS = (
    *(user(number) for number in (1, 2, 3, 9)),
    *(Address(user_id=f"u{number}", kind="home") for number in (1, 2, 3)),
    *(
        Order(user_id=f"u{number}", id=strawberry.ID(f"o{number}"), product_id=f"p{number % 2}")
        for number in (1, 2, 3)
    ),
    Product(id=strawberry.ID("p0"), name="Tea"),
    Product(id=strawberry.ID("p1"), name="Cup"),
)


def gateway() -> Gateway:
    return Gateway(table, query=Query, mutation=Mutation)


async def test_resolvers_see_all_attributes_of_their_object(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    query = '{ user(id: "u1") { greeting(shout: true) initial } }'
    assert data_of(await served.execute(query))["user"] == {
        "greeting": "HELLO ANN 1, BORN NONE",
        "initial": "A",
    }
    assert proxy.operations == ["GetItem"]


async def test_an_entity_made_by_hand_is_not_read_again(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    query = "{ me { nodeId name greeting nothing: __typename } nobody { name } }"
    assert data_of(await served.execute(query))["me"]["greeting"] == "Hello Ann 1, born None"
    assert proxy.sent == []


async def test_links_under_an_entity_made_by_hand_are_read(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    query = "{ me { orders(first: 3) { nodes { id product { name } } } } }"
    assert data_of(await served.execute(query))["me"]["orders"]["nodes"] == [
        {"id": "o1", "product": {"name": "Cup"}}
    ]
    assert proxy.operations == ["Query", "GetItem"]


async def test_siblings_under_an_entity_made_by_hand_fold(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    query = "{ me { addresses { kind } orders(first: 3, direction: ASCENDING) { nodes { id } } } }"
    assert data_of(await served.execute(query))["me"] == {
        "addresses": [{"kind": "home"}],
        "orders": {"nodes": [{"id": "o1"}]},
    }
    assert proxy.operations == ["Query"]


async def test_lookups_under_a_list_made_by_hand_are_one_batch(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    query = "{ team { id boss { name } orders(first: 1) { nodes { product { name } } } } }"
    answer = data_of(await served.execute(query))
    assert [one["boss"] for one in answer["team"]] == [{"name": "Ann 9"}] * 3
    assert [one["orders"]["nodes"][0]["product"]["name"] for one in answer["team"]] == [
        "Cup",
        "Tea",
        "Cup",
    ]
    assert sorted(proxy.operations) == ["BatchGetItem", "GetItem", "Query", "Query", "Query"]


async def test_hand_made_and_read_entities_stand_side_by_side(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    query = '{ me { name } user(id: "u2") { name addresses { kind } } }'
    assert data_of(await served.execute(query)) == {
        "me": {"name": "Ann 1"},
        "user": {"name": "Ann 2", "addresses": [{"kind": "home"}]},
    }
    assert sorted(proxy.operations) == ["GetItem", "Query"]


async def test_an_absent_reference_is_null_without_a_request(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS, User(id=strawberry.ID("u5"), name="Solo"))
    query = '{ user(id: "u5") { name boss { name } } }'
    assert data_of(await served.execute(query))["user"] == {"name": "Solo", "boss": None}
    assert proxy.operations == ["GetItem"]


async def test_what_a_mutation_returns_is_read_on_from_there(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    query = 'mutation { promote(id: "u2") { name boss { name } addresses { kind } } }'
    assert data_of(await served.execute(query))["promote"] == {
        "name": "Promoted",
        "boss": {"name": "Ann 9"},
        "addresses": [{"kind": "home"}],
    }
    assert sorted(proxy.operations) == ["GetItem", "Query"]


async def test_a_subclass_of_an_entity_is_that_entity(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    query = "{ robot { __typename nodeId greeting addresses { kind } } }"
    answer = data_of(await served.execute(query))["robot"]
    assert answer["__typename"] == "User"
    assert answer["addresses"] == [{"kind": "home"}]


async def test_one_link_under_two_names_keeps_its_arguments_apart(
    serve: Serve, proxy: Proxy
) -> None:
    served = serve(gateway(), *ROWS)
    query = """{ me { a: orders(first: 1, id: {eq: "o1"}) { nodes { id } }
      b: orders(first: 1, id: {from: "o2"}) { nodes { id } } } }"""
    assert data_of(await served.execute(query))["me"] == {
        "a": {"nodes": [{"id": "o1"}]},
        "b": {"nodes": []},
    }
