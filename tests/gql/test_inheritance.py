"""Entities that share a base class, or extend each other."""

import strawberry

from tablefold import Connection, Gateway, Table, many, one
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.serving import data_of

table = Table("zoo")


@strawberry.type
class Dated:
    """A plain base class: its attributes belong to each entity."""

    zoo_id: strawberry.ID
    since: str = "1844"
    zoo: "Zoo" = one()


@table.entity("ZOO#{zoo_id}", "CAGE#{id}")
class Cage(Dated):
    id: strawberry.ID


@table.entity("ZOO#{zoo_id}", "KEEPER#{id}")
class Keeper(Dated):
    id: strawberry.ID


@table.entity("ZOO#{zoo_id}", "CHIEF#{id}")
class Chief(Keeper):
    """An entity that extends another; neither is the other in the table."""

    title: str


@table.entity("ZOO#{id}", "INFO")
class Zoo:
    id: strawberry.ID
    name: str
    keepers: Connection[Keeper] = many()
    chiefs: list[Chief] = many(bounded=5)
    staff: list[Keeper | Chief] = many(bounded=50)


Z1 = strawberry.ID("z1")
ROWS = (
    Zoo(id=Z1, name="Tiergarten"),
    Cage(zoo_id=Z1, id=strawberry.ID("c1")),
    Keeper(zoo_id=Z1, id=strawberry.ID("k1"), since="1900"),
    Chief(zoo_id=Z1, id=strawberry.ID("h1"), title="Dr."),
)


def test_attributes_of_the_base_are_shown_on_each() -> None:
    sdl = Gateway(table).sdl()
    for name in ("Cage", "Keeper", "Chief"):
        body = sdl.partition(f"type {name} implements Node {{")[2].partition("}")[0]
        assert "  since: String!\n  zoo: Zoo\n" in body


def test_a_link_of_the_base_is_each_entity_s_own() -> None:
    links = {one.name: one for one in Gateway(table).model.links}
    for name in ("Cage", "Keeper", "Chief"):
        source = links[f"{name}.zoo"].source
        assert source is not None
        assert source.name == name


async def test_an_entity_is_not_what_it_extends(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table), *ROWS)
    query = """{ zoo(id: "z1") { keepers { nodes { id since } } chiefs { id title since }
      staff { __typename ... on Keeper { id } ... on Chief { title } } } }"""
    assert data_of(await gateway.execute(query))["zoo"] == {
        "keepers": {"nodes": [{"id": "k1", "since": "1900"}]},
        "chiefs": [{"id": "h1", "title": "Dr.", "since": "1844"}],
        "staff": [
            {"__typename": "Chief", "title": "Dr."},
            {"__typename": "Keeper", "id": "k1"},
        ],
    }


async def test_a_link_of_the_base_is_followed(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table), *ROWS)
    query = """{ chief(zooId: "z1", id: "h1") { zoo { name } }
      cage(zooId: "z1", id: "c1") { id zoo { name } } }"""
    assert data_of(await gateway.execute(query)) == {
        "chief": {"zoo": {"name": "Tiergarten"}},
        "cage": {"id": "c1", "zoo": {"name": "Tiergarten"}},
    }


async def test_any_of_them_is_found_by_its_node_id(serve: Serve, proxy: Proxy) -> None:
    gateway = serve(Gateway(table), *ROWS)
    found = data_of(await gateway.execute('{ chief(zooId: "z1", id: "h1") { nodeId } }'))
    answer = await gateway.execute(
        "query ($id: ID!) { node(nodeId: $id) { __typename ... on Chief { title } } }",
        {"id": found["chief"]["nodeId"]},
    )
    assert data_of(answer)["node"] == {"__typename": "Chief", "title": "Dr."}


async def test_an_entity_may_extend_another_after_a_gateway_was_made(
    serve: Serve, proxy: Proxy
) -> None:
    later = Table("zoo")

    @later.entity("A#{id}", "INFO")
    class Animal:
        id: strawberry.ID

    Gateway(later)

    @later.entity("B#{id}", "INFO")
    class Bird(Animal):
        wings: int = 2

    gateway = serve(Gateway(later), Bird(id=strawberry.ID("b1")))
    found = data_of(await gateway.execute('{ bird(id: "b1") { nodeId } }'))["bird"]["nodeId"]
    query = "query ($id: ID!) { node(nodeId: $id) { __typename ... on Bird { wings } } }"
    answer = data_of(await gateway.execute(query, {"id": found}))
    assert answer["node"] == {"__typename": "Bird", "wings": 2}
