"""Models are values: several gateways over one, several tables in one process."""

import strawberry

from tablefold import Connection, Gateway, Table, many, one
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.schemas import fields_of
from tests.harness.serving import data_of


def blog(name: str, **options: object) -> Table:
    """A model declared inside a function, with references forward and back."""
    table = Table(name, **options)  # type: ignore[arg-type]

    @table.entity("POST#{id}", "META")
    class Post:
        id: strawberry.ID
        title: str
        remarks: Connection["Remark"] = many()

    @table.entity("POST#{post_id}", "REMARK#{id}")
    class Remark:
        post_id: strawberry.Private[str]
        id: strawberry.ID
        post: Post = one()

    return table


POSTS = '{ post(id: "1") { title remarks(first: 1) { nodes { id post { title } } } } }'


def rows(table: Table, title: str) -> list[object]:
    post, remark = table.entities["Post"].cls, table.entities["Remark"].cls
    return [post(id="1", title=title), remark(post_id="1", id="r1")]


def answered(title: str) -> dict[str, object]:
    remarks = {"nodes": [{"id": "r1", "post": {"title": title}}]}
    return {"post": {"title": title, "remarks": remarks}}


async def test_two_gateways_over_one_model_answer_each_for_itself(
    serve: Serve, proxy: Proxy
) -> None:
    table = blog("blog")
    first = serve(Gateway(table), *rows(table, "One"))
    second = serve(Gateway(table), *rows(table, "Two"))
    assert data_of(await first.execute(POSTS)) == answered("One")
    assert data_of(await second.execute(POSTS)) == answered("Two")
    assert data_of(await first.execute(POSTS)) == answered("One")


async def test_a_resolver_reaches_the_gateway_that_runs_it() -> None:
    @strawberry.type
    class Query:
        @strawberry.field
        def here(self, info: strawberry.Info) -> str:
            return Gateway.of(info).table_name

    table = blog("blog")
    both = [Gateway(table, query=Query, table_name=name) for name in ("one", "two")]
    answers = [data_of(await gateway.execute("{ here }")) for gateway in both]
    assert answers == [{"here": "one"}, {"here": "two"}]


async def test_a_resolver_of_another_schema_has_no_gateway() -> None:
    @strawberry.type
    class Query:
        @strawberry.field
        def here(self, info: strawberry.Info) -> str:
            return Gateway.of(info).table_name

    result = await strawberry.Schema(Query).execute("{ here }")
    assert [error.message for error in result.errors or []] == [
        "This resolver was not called by a schema of a gateway."
    ]


def test_a_second_gateway_leaves_the_first_one_s_links_alone() -> None:
    table = blog("blog")
    first = Gateway(table)
    before = [id(link.key) for link in first.model.links if link.reaches]
    layout = first.layout
    Gateway(table)
    assert [id(link.key) for link in first.model.links if link.reaches] == before
    definition = fields_of(first, "Post")["remarks"].extensions["strawberry-definition"]
    assert definition.link.reaches[0].member.entity is layout.entities["Remark"]


async def test_two_tables_live_in_one_process(serve: Serve, proxy: Proxy) -> None:
    here, there = blog("here"), blog("there", naming="PascalCase", type_attribute="Type")
    first = serve(Gateway(here), *rows(here, "Here"))
    second = serve(Gateway(there), *rows(there, "There"))
    assert data_of(await first.execute(POSTS)) == answered("Here")
    assert data_of(await second.execute(POSTS)) == answered("There")


async def test_one_query_class_serves_two_gateways(serve: Serve, proxy: Proxy) -> None:
    table = blog("blog")

    body = {"__annotations__": {"article": "Post"}, "article": one()}
    own = strawberry.type(type("Query", (), body))
    query = '{ article(id: "1") { title } }'
    alone = serve(Gateway(table, query=own), *rows(table, "Alone"))
    among = serve(Gateway(table, query=own, generated=True), *rows(table, "Among"))
    assert data_of(await alone.execute(query)) == {"article": {"title": "Alone"}}
    assert data_of(await among.execute(query)) == {"article": {"title": "Among"}}


def test_an_entity_declared_later_is_in_the_next_gateway() -> None:
    table = blog("blog")
    before = Gateway(table).sdl()

    @table.entity("TAG#{id}", "INFO")
    class Tag:
        id: strawberry.ID

    assert "tag(id: ID!): Tag" not in before
    assert "tag(id: ID!): Tag" in Gateway(table).sdl()
