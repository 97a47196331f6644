"""What a declaration makes of writes: who may set what, bounds, stamps in keys, drawn ids."""

import datetime
import json
from typing import Any

import pytest
import strawberry
from strawberry.permission import BasePermission
from strawberry.types import ExecutionResult

from tablefold import (
    CreatedAt,
    Gateway,
    ModelError,
    Table,
    UpdatedAt,
    Version,
    Writes,
    attribute,
    kept_as,
)
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET, codes_of, data_of

pytestmark = pytest.mark.engines("dynoxide")


class Never(BasePermission):
    message = "Not you."

    def has_permission(self, source: Any, info: Any, **kwargs: Any) -> bool:
        return False


def served(serve: Serve, table: Table, **options: Any) -> Gateway:
    return serve(Gateway(table, cursor_secret=SECRET, **options))


def input_of(gateway: Gateway, name: str) -> str:
    return gateway.sdl().split(f"input {name} {{")[1].split("\n}")[0]


def mutations_of(gateway: Gateway) -> str:
    return gateway.sdl().partition("type Mutation {")[2].partition("\n}")[0]


def failure(result: ExecutionResult) -> dict[str, Any]:
    [error] = result.errors or []
    return (error.extensions or {})["failures"][0]


def people() -> tuple[Table, type]:
    table = Table("people")

    @table.entity("P#{id}", "P", writes=True)
    class Person:
        id: strawberry.ID
        name: str = ""
        salary: int = attribute(default=10, minimum=0, permission_classes=[Never])
        note: strawberry.Private[str | None] = None

    return table, Person


def test_what_a_permission_guards_is_no_input() -> None:
    gateway = Gateway(people()[0], cursor_secret=SECRET)

    for name in ("CreatePersonInput", "UpdatePersonInput"):
        assert "salary" not in input_of(gateway, name) and "note" not in input_of(gateway, name)


async def test_what_a_permission_guards_is_told_by_no_refusal(serve: Serve) -> None:
    table, person = people()

    @strawberry.type
    class Mutation:
        @strawberry.mutation
        async def fine(self, info: strawberry.Info) -> bool:
            async with Gateway.of(info).transaction(info) as tx:
                tx.update(person, "p", add={"salary": -11})
            return True

    gateway = served(serve, table, mutation=Mutation)
    data_of(await gateway.execute('mutation { createPerson(input: {id: "p"}) { changed } }'))
    result = await gateway.execute("mutation { fine }")

    assert failure(result)["reason"] == "MINIMUM"
    assert "10" not in str(result.errors) and "current" not in failure(result)


def test_a_guarded_attribute_without_a_default_cannot_be_created() -> None:
    table = Table("guarded")

    @table.entity("P#{id}", "P", writes="create")
    class Person:
        id: strawberry.ID
        salary: int = attribute(permission_classes=[Never])

    with pytest.raises(ModelError, match=r"Person.salary is private or guarded"):
        Gateway(table)


@pytest.mark.parametrize("nothing", [(), [], False])
def test_no_writes_are_none(nothing: Any) -> None:
    table = Table("none")

    @table.entity("P#{id}", "P", writes=nothing)
    class Person:
        id: strawberry.ID

    assert Gateway(table, cursor_secret=SECRET).graphql_schema.mutation_type is None


async def test_each_write_may_have_permissions_of_its_own(serve: Serve) -> None:
    table = Table("several")

    @table.entity(
        "P#{id}",
        "P",
        writes=["create_many", "create", Writes("delete", permission_classes=[Never])],
    )
    class Person:
        id: strawberry.ID

    gateway = served(serve, table)
    assert "updatePerson" not in mutations_of(gateway)
    result = await gateway.execute(
        'mutation { createPerson(input: {id: "p"}) { changed } deletePerson(id: "p") { changed } }'
    )
    assert result.data == {"createPerson": {"changed": True}, "deletePerson": None}
    assert codes_of(result) == ["FORBIDDEN"]


async def test_a_stamp_in_a_key_is_as_fine_as_the_key(serve: Serve) -> None:
    table = Table("stamped")

    @table.entity("P#{id}", "P", gsi1=("ALL", "{updated_at}#{id}"), writes=True)
    class Person:
        id: strawberry.ID
        name: str = ""
        updated_at: UpdatedAt

    gateway = served(serve, table)
    text = "{ person { updatedAt } }"
    made = await gateway.execute(f'mutation {{ createPerson(input: {{id: "p"}}) {text} }}')
    then = await gateway.execute(
        f'mutation {{ updatePerson(id: "p", input: {{name: "x"}}) {text} }}'
    )

    for result in (made, then):
        [payload] = data_of(result).values()
        assert datetime.datetime.fromisoformat(payload["person"]["updatedAt"]).microsecond == 0
    assert data_of(await gateway.execute("{ personsByGsi1 { nodes { name } } }")) == {
        "personsByGsi1": {"nodes": [{"name": "x"}]}
    }


async def test_a_new_object_s_stamp_is_as_fine_as_its_key(serve: Serve) -> None:
    table = Table("created")

    @table.entity("P#{id}", "P", gsi1=("ALL", "{created_at}#{id}"), writes=("create", "put"))
    class Person:
        id: strawberry.ID
        created_at: CreatedAt

    gateway = served(serve, table)
    for verb in ("create", "put", "put"):
        data_of(
            await gateway.execute(
                f'mutation {{ {verb}Person(input: {{id: "{verb}"}}) {{ changed }} }}'
            )
        )


def nested() -> Table:
    table = Table("nested")

    @strawberry.type
    class Account:
        bank: str
        iban: strawberry.Private[str] = "secret iban"
        limit: int = strawberry.field(default=7777, permission_classes=[Never])

    @table.entity("P#{id}", "P", gsi1=("ROLE#{role}", "{id}"), writes=("create", "update", "put"))
    class Person:
        id: strawberry.ID
        account: Account
        role: str = strawberry.field(default="guest", permission_classes=[Never])
        version: Version

    return table


def test_what_is_guarded_within_a_type_or_in_a_key_is_no_input() -> None:
    gateway = Gateway(nested(), cursor_secret=SECRET)

    assert input_of(gateway, "AccountInput").split() == ["bank:", "String!"]
    for name in ("CreatePersonInput", "UpdatePersonInput"):
        assert "role" not in input_of(gateway, name)


async def test_neither_a_conflict_nor_an_explanation_tells_what_is_guarded(serve: Serve) -> None:
    gateway = served(serve, nested())
    text = 'mutation { %sPerson(%s input: {account: {bank: "b"} %s}%s) { changed } }'
    data_of(await gateway.execute(text % ("create", "", ', id: "p"', "")))
    stale = await gateway.execute(text % ("update", 'id: "p",', "", ", expectedVersion: 9"))
    again = await gateway.execute(text % ("put", "", ', id: "p"', ""), explain=True)

    assert (stale.errors or [])[0].extensions is not None
    assert '"bank": "b"' in json.dumps((stale.errors or [])[0].extensions)
    explained = json.dumps(again.extensions)
    assert "role = " in json.loads(explained)["explain"]["waves"][1]["requests"][0]["summary"]
    for told in (str(stale.errors), str((stale.errors or [])[0].extensions), explained):
        assert not [one for one in ("secret iban", "7777", "'guest'") if one in told]


def test_copies_of_two_objects_must_not_meet() -> None:
    table = Table("meeting")

    @table.entity("P#{id}", "P", copies=[("TEAM#{team}", "ON#{day}")], writes=True)
    class Person:
        id: strawberry.ID
        team: str
        day: datetime.date

    with pytest.raises(ModelError, match=r"Put \{id\} into it: ON#\{day\}#\{id\}"):
        Gateway(table)


async def test_an_id_may_be_drawn_by_its_default(serve: Serve) -> None:
    table, drawn = Table("drawn"), iter(range(100))

    @table.entity("P#{id}", "P", writes=("create", "create_many"))
    class Person:
        id: strawberry.ID = strawberry.field(default_factory=lambda: f"drawn-{next(drawn)}")
        name: str

    gateway = served(serve, table)
    text = 'mutation { createPerson(input: {name: "x"}, idempotencyKey: "k") { person { id } } }'
    first, again = data_of(await gateway.execute(text)), data_of(await gateway.execute(text))
    inputs = '[{name: "y"}, {name: "z"}]'
    many = data_of(
        await gateway.execute(
            f"mutation {{ createPersons(inputs: {inputs}) {{ results {{ person {{ id }} }} }} }}"
        )
    )

    assert first == again
    drawn_ids = [one["person"]["id"] for one in many["createPersons"]["results"]]
    assert len({first["createPerson"]["person"]["id"], *drawn_ids}) == 3


async def test_a_number_does_not_rise_above_what_can_be_shown(serve: Serve) -> None:
    table = Table("numbers")

    @table.entity("P#{id}", "P", writes=True)
    class Person:
        id: strawberry.ID
        age: int = 0
        level: int = attribute(default=0, maximum=3)

    gateway = served(serve, table)
    data_of(
        await gateway.execute('mutation { createPerson(input: {id: "p", age: 1}) { changed } }')
    )
    text = 'mutation { updatePerson(id: "p", input: {%s}) { person { age } } }'

    over = await gateway.execute(text % "add: {age: 2147483647}")
    assert failure(over)["reason"] == "MAXIMUM" and failure(over)["current"] == 1
    assert data_of(await gateway.execute(text % "add: {age: 2147483646}")) == {
        "updatePerson": {"person": {"age": 2**31 - 1}}
    }
    assert failure(await gateway.execute(text % "add: {level: 4}"))["maximum"] == 3
    assert codes_of(await gateway.execute(text % "level: 4")) == ["BAD_USER_INPUT"]
    with pytest.raises(Exception, match="age must be at most 2147483647"):
        async with gateway.transaction() as tx:
            tx.create(Person(id=strawberry.ID("q"), age=2**40))


async def test_a_publication_names_the_past_that_is_taken(serve: Serve) -> None:
    table = Table("published")

    @table.entity("D#{id}", "LATEST", writes="publish", history=kept_as("Past"))
    class Draft:
        id: strawberry.ID
        text: str

    @table.entity("D#{id}", "PAST#{until}")
    class Past:  # pyright: ignore[reportUnusedClass]
        id: strawberry.ID
        until: datetime.date
        text: str

    gateway = served(serve, table)
    text = 'mutation { publishDraft(input: {id: "d", text: "x"}, until: "2024-01-01") { changed } }'
    for _ in range(2):
        data_of(await gateway.execute(text))
    result = await gateway.execute(text)

    assert failure(result)["reason"] == "EXISTS"
    assert "D#d / PAST#2024-01-01 is taken already" in str(result.errors)


async def test_unique_may_be_one_name_and_a_guard_of_another_stays(
    serve: Serve, proxy: Proxy
) -> None:
    table = Table("unique")

    @table.entity("P#{id}", "P", unique="email", writes=True)
    class Person:
        id: strawberry.ID
        email: str

    # Two that have one address, from before anybody kept it unique: the guard is the second's.
    gateway = serve(
        Gateway(table, cursor_secret=SECRET),
        Person(id=strawberry.ID("a"), email="x"),
        Person(id=strawberry.ID("b"), email="x"),
    )
    data_of(await gateway.execute('mutation { deletePerson(id: "a") { changed } }'))
    taken = await gateway.execute(
        'mutation { createPerson(input: {id: "c", email: "x"}) { changed } }'
    )
    assert failure(taken)["reason"] == "NOT_UNIQUE"


async def test_known_that_cannot_be_true_is_no_error(serve: Serve, proxy: Proxy) -> None:
    table = Table("known")

    @table.entity("P#{id}", "P", copies=[("T#{team}", "P#{id}")], writes=True)
    class Person:
        id: strawberry.ID
        team: str
        name: str = ""

    gateway = served(serve, table)
    data_of(
        await gateway.execute('mutation { createPerson(input: {id: "p", team: "t"}) { changed } }')
    )
    for known in ("null", '""', '"a#b"', '"other"'):
        result = await gateway.execute(
            f'mutation {{ updatePerson(id: "p", input: {{name: "n"}}, known: {{team: {known}}})'
            " { changed } }"
        )
        assert data_of(result) == {"updatePerson": {"changed": True}}


async def test_a_block_that_has_ended_takes_nothing_more() -> None:
    table, person = people()
    async with Gateway(table, cursor_secret=SECRET).transaction() as transaction:
        pass
    with pytest.raises(RuntimeError, match="has ended"):
        transaction.update(person, "p", set={"name": "x"})
