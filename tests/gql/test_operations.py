"""An operation under way: fields that no plan has seen, and an end that leaves nothing behind."""

import asyncio
from typing import Any, cast

import pytest
import strawberry

from tablefold import Gateway, Table, many, one
from tablefold.gql import documents
from tablefold.gql.operations import OUTLINES_KEPT, current
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET, data_of

pytestmark = pytest.mark.engines("dynoxide")


def model() -> tuple[Gateway, list[object]]:
    table = Table("operations")

    @table.entity("KEEPER#{id}", "KEEPER")
    class Keeper:
        id: strawberry.ID
        name: str
        age: int

    @table.entity("ANIMAL#{id}", "ANIMAL")
    class Animal:
        id: strawberry.ID
        keeper_id: strawberry.ID
        keeper: Keeper = one(id="keeper_id")
        toys: list["Toy"] = many(bounded=9)

    @table.entity("ANIMAL#{animal_id}", "TOY#{n:02d}")
    class Toy:
        animal_id: strawberry.ID
        n: int
        colour: str

    def animal(id: str, keeper: str) -> Animal:
        return Animal(id=strawberry.ID(id), keeper_id=strawberry.ID(keeper))

    rows: list[object] = [
        Keeper(id=strawberry.ID("kim"), name="Kim", age=40),
        Keeper(id=strawberry.ID("lee"), name="Lee", age=50),
        animal("cat", "kim"),
        animal("dog", "lee"),
        *(Toy(animal_id=strawberry.ID("cat"), n=n, colour="red") for n in range(2)),
    ]

    @strawberry.type
    class Query:
        @strawberry.field
        def favourite(self) -> Animal:
            return animal("cat", "kim")

        @strawberry.field
        def pets(self) -> list[Animal]:
            return [animal("cat", "kim"), animal("dog", "lee")]

        @strawberry.field
        async def slow(self) -> str:
            await asyncio.sleep(60)
            return "never"

        @strawberry.field
        async def broken(self) -> str:
            """Fails while others read; as it cannot be null, it leaves nothing to answer."""
            await asyncio.sleep(0.01)
            raise ValueError("broken")

        @strawberry.field
        async def lost(self) -> str:
            """Asks the table for something, and does not wait for it."""
            asyncio.ensure_future(gateway.get(Keeper, id="kim"))  # noqa: RUF006
            await asyncio.sleep(0.01)
            return "asked"

    gateway = Gateway(table, query=Query, generated=True, cursor_secret=SECRET)
    return gateway, rows


async def test_what_a_custom_resolver_returns_is_planned_from_there(serve: Serve, proxy: Proxy):
    gateway, rows = model()
    serve(gateway, *rows)

    data = data_of(
        await gateway.execute(
            "{ favourite { id keeper { name } toys { n colour } } }", explain=True
        )
    )

    assert data["favourite"] == {
        "id": "cat",
        "keeper": {"name": "Kim"},
        "toys": [{"n": 0, "colour": "red"}, {"n": 1, "colour": "red"}],
    }
    assert sorted(proxy.operations) == ["GetItem", "Query"]


async def test_the_objects_of_a_custom_list_are_served_by_one_batch(serve: Serve, proxy: Proxy):
    gateway, rows = model()
    serve(gateway, *rows)

    data = data_of(await gateway.execute("{ pets { keeper { name } } }"))

    assert data["pets"] == [{"keeper": {"name": "Kim"}}, {"keeper": {"name": "Lee"}}]
    assert proxy.operations == ["BatchGetItem"]


async def test_one_fragment_under_two_custom_fields_is_filled_as_each_selects_it(serve: Serve):
    """The fragment's field is one node; beside another selection of it, more is wanted."""
    gateway, rows = model()
    serve(gateway, *rows)

    data = data_of(
        await gateway.execute(
            """
            fragment F on Animal { keeper { name } }
            { a: favourite { ...F } b: favourite { ...F keeper { age } } }
            """
        )
    )

    assert data == {
        "a": {"keeper": {"name": "Kim"}},
        "b": {"keeper": {"name": "Kim", "age": 40}},
    }


async def test_a_document_is_outlined_once(serve: Serve):
    gateway, rows = model()
    serve(gateway, *rows)
    query = "query ($id: ID!) { animal(id: $id) { id } }"

    answers = [data_of(await gateway.execute(query, {"id": id})) for id in ("cat", "dog", "owl")]

    assert [answer["animal"] for answer in answers] == [{"id": "cat"}, {"id": "dog"}, None]
    assert len(gateway.outlines._kept) == 1  # pyright: ignore[reportPrivateUsage]


async def test_an_operation_that_comes_again_is_neither_parsed_nor_validated_nor_limited(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
):
    done: list[str] = []
    for name in ("refuse_long", "parse", "validate", "overlaps", "refuse_large"):
        work = getattr(documents, name)

        def noted(*given: Any, name: str = name, work: Any = work, **options: Any) -> Any:
            done.append(name)
            return work(*given, **options)

        monkeypatch.setattr(documents, name, noted)
    gateway, rows = model()
    serve(gateway, *rows)

    for id in ("cat", "dog", "owl"):
        data_of(await gateway.execute("query ($id: ID!) { animal(id: $id) { id } }", {"id": id}))

    assert done == ["refuse_long", "parse", "validate", "overlaps", "refuse_large"]


async def test_no_more_outlines_are_kept_than_there_is_room_for(serve: Serve):
    gateway, rows = model()
    serve(gateway, *rows)

    for n in range(OUTLINES_KEPT + 5):
        await gateway.execute(f'{{ a{n}: animal(id: "cat") {{ id }} }}')

    assert len(gateway.outlines._kept) == OUTLINES_KEPT  # pyright: ignore[reportPrivateUsage]


async def test_a_cancelled_operation_leaves_no_task_behind(serve: Serve):
    gateway, rows = model()
    serve(gateway, *rows)
    await gateway.execute('{ animal(id: "cat") { id } }')  # the wire is open
    before = asyncio.all_tasks()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await gateway.execute('{ slow animal(id: "cat") { toys { n } keeper { name } } }')
    for _ in range(10):
        await asyncio.sleep(0)

    assert asyncio.all_tasks() - before == set()


class Stuck:
    """A wire that never answers, and knows what waits for it."""

    def __init__(self) -> None:
        self.sent = 0
        self.waiting = 0
        self.reached = asyncio.Event()

    async def send(self, request: object, *, deadline: object) -> Any:
        self.sent += 1
        self.waiting += 1
        self.reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.waiting -= 1

    async def close(self) -> None: ...


def stuck(gateway: Gateway) -> Stuck:
    wire = Stuck()
    gateway._wire = cast("Any", wire)  # pyright: ignore[reportPrivateUsage]
    return wire


async def settled() -> set[asyncio.Task[Any]]:
    for _ in range(20):
        await asyncio.sleep(0)
    return asyncio.all_tasks()


@pytest.mark.parametrize(
    "query",
    [
        '{ animal(id: "cat") { toys { n } keeper { name } } }',
        "{ favourite { keeper { name } } pets { keeper { age } } }",
        "{ slow lost }",
    ],
)
async def test_requests_of_a_cancelled_operation_are_given_up(query: str):
    gateway, _ = model()
    wire, before = stuck(gateway), asyncio.all_tasks()
    operation = asyncio.create_task(gateway.execute(query))
    await wire.reached.wait()

    operation.cancel()
    left = await settled() - before

    assert left == set()
    assert wire.waiting == 0


@pytest.mark.parametrize("query", ['{ broken animal(id: "cat") { id } }', "{ lost }"])
async def test_requests_that_an_answer_did_not_wait_for_are_given_up(query: str):
    gateway, _ = model()
    wire, before = stuck(gateway), asyncio.all_tasks()

    async with asyncio.timeout(5):
        await gateway.execute(query)
    left = await settled() - before

    assert wire.sent == 1
    assert left == set()
    assert wire.waiting == 0


async def test_operations_side_by_side_do_not_share_what_they_read(serve: Serve, proxy: Proxy):
    gateway, rows = model()
    serve(gateway, *rows)

    query = '{ animal(id: "cat") { keeper { name } } }'
    answers = await asyncio.gather(*(gateway.execute(query) for _ in range(5)))

    assert [data_of(one) for one in answers] == [{"animal": {"keeper": {"name": "Kim"}}}] * 5
    assert len(proxy.sent) == 10


def test_a_field_outside_an_operation_says_what_to_do():
    with pytest.raises(RuntimeError, match="outside an operation of its gateway"):
        current()
