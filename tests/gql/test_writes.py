"""The mutations that are made from a model: what they take, send, show and refuse."""

import datetime
import enum
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

import pytest
import strawberry
from strawberry.permission import BasePermission
from strawberry.types import ExecutionResult

from tablefold import (
    Connection,
    CreatedAt,
    Gateway,
    Limits,
    ModelError,
    Table,
    UpdatedAt,
    Version,
    Writes,
    attribute,
    copy,
    kept_as,
    many,
    one,
    sharded,
)
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET, codes_of, data_of

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")

table = Table("writes")
Do = Callable[..., Awaitable[ExecutionResult]]


@strawberry.enum
class Mood(enum.Enum):
    CALM = "calm"
    WILD = "wild"


@strawberry.type
class Coat:
    colour: str
    length: Decimal | None = None


@table.entity("OWNER#{id}", "INFO", unique=["email"], writes=True, moves=False)
class Owner:
    id: strawberry.ID
    email: str
    name: str | None = None
    phone: str | None = "unlisted"
    created_at: CreatedAt
    updated_at: UpdatedAt
    pets: Connection["Pet"] = many()
    secret: strawberry.Private[str | None] = None


@table.entity(
    "PET#{id}",
    "INFO",
    copies=[copy("OWNER#{owner_id}", "PET#{name}#{id}", carries=["mood"])],
    gsi1=sharded("MOOD#{mood}", "{name}", shards=2),
    writes=("create", "update", "delete", "put", "create_many"),
)
class Pet:
    id: strawberry.ID
    owner_id: strawberry.ID
    name: str
    mood: Mood = Mood.CALM
    coat: Coat | None = None
    treats: int = attribute(default=0, minimum=0)
    toys: set[str] = strawberry.field(default_factory=set)
    visits: list[datetime.date] = strawberry.field(default_factory=list)
    version: Version
    owner: Owner = one()


@table.entity("PET#{pet_id}", "DIET", writes="publish", history=kept_as("PastDiet", current=False))
class Diet:
    pet_id: strawberry.ID
    food: str
    current: bool = True


@table.entity("PET#{pet_id}", "DIET#{until}")
class PastDiet:
    pet_id: strawberry.ID
    until: datetime.date
    food: str
    current: bool


@table.entity("PET#{pet_id}", "TAG#{tag}", writes=("create", "create_many"))
class Tag:
    pet_id: strawberry.ID
    tag: str
    weight: int = 1


@pytest.fixture
def do(serve: Serve, proxy: Proxy) -> Do:
    """Runs a mutation on a fresh table; the proxy then holds what it alone has sent."""
    gateway = serve(Gateway(table, cursor_secret=SECRET))

    async def run(text: str, **variables: Any) -> ExecutionResult:
        proxy.clear()
        return await gateway.execute(text, variables)

    return run


OWNER = 'mutation { createOwner(input: {id: "o", email: "o@x"}) { owner { id } } }'
PET = """
    mutation {
      createPet(input: {
        id: "p", ownerId: "o", name: "Rex", coat: {colour: "red", length: "1.50"}
      }) {
        pet { id name mood coat { colour length } treats toys visits version }
      }
    }
"""


async def test_what_was_created_is_shown_without_another_request(do: Do, proxy: Proxy) -> None:
    result = await do(PET)

    assert data_of(result)["createPet"]["pet"] == {
        "id": "p",
        "name": "Rex",
        "mood": "CALM",
        "coat": {"colour": "red", "length": "1.5"},  # as DynamoDB gives it back
        "treats": 0,
        "toys": [],
        "visits": [],
        "version": 1,
    }
    assert proxy.operations == ["TransactWriteItems"]


async def test_what_is_selected_beyond_it_is_read_consistently(do: Do, proxy: Proxy) -> None:
    await do(OWNER)
    result = await do(PET.replace("version }", "owner { email pets { nodes { id } } } }"))

    owner = data_of(result)["createPet"]["pet"]["owner"]
    assert owner == {"email": "o@x", "pets": {"nodes": [{"id": "p"}]}}
    assert proxy.operations == ["TransactWriteItems", "Query"]
    assert proxy.sent[1].body["ConsistentRead"] is True


async def test_a_second_create_is_refused_and_changes_nothing(do: Do, proxy: Proxy) -> None:
    await do(PET)
    result = await do(PET.replace("Rex", "Max"))

    assert data(result) == {"createPet": None}
    assert codes_of(result) == ["CONFLICT"]
    assert failures(result) == [
        {"action": "create", "type": "Pet", "key": {"id": "p"}, "reason": "EXISTS"}
    ]
    assert proxy.operations == ["TransactWriteItems"]
    seen = await do('{ pet(id: "p") { name } }')
    assert data_of(seen) == {"pet": {"name": "Rex"}}


async def test_only_what_is_given_changes_and_null_removes(do: Do, proxy: Proxy) -> None:
    await do('mutation { createOwner(input: {id: "o", email: "o@x", name: "Ann"}) { changed } }')
    text = """
        mutation ($input: UpdateOwnerInput!) {
          updateOwner(id: "o", input: $input) { owner { name phone email } }
        }
    """

    kept = await do(text, input={"phone": "1"})
    removed = await do(text, input={"name": None})
    nulled = await do(text, input={"phone": None})

    assert proxy.operations == ["UpdateItem"]
    assert [data_of(one)["updateOwner"]["owner"] for one in (kept, removed, nulled)] == [
        {"name": "Ann", "phone": "1", "email": "o@x"},
        {"name": None, "phone": "1", "email": "o@x"},
        {"name": None, "phone": None, "email": "o@x"},
    ]


async def test_null_is_refused_where_a_value_is_needed(do: Do, proxy: Proxy) -> None:
    await do(OWNER)
    result = await do('mutation { updateOwner(id: "o", input: {email: null}) { changed } }')

    assert codes_of(result) == ["BAD_USER_INPUT"]
    assert "TransactWriteItems" not in proxy.operations


async def test_an_update_that_changes_nothing_is_refused(do: Do, proxy: Proxy) -> None:
    result = await do('mutation { updatePet(id: "p", input: {id: "p"}) { changed } }')

    assert codes_of(result) == ["BAD_USER_INPUT"]
    assert proxy.operations == []


async def test_what_is_not_there_is_neither_updated_nor_deleted(do: Do) -> None:
    result = await do(
        'mutation { updateOwner(id: "x", input: {name: "y"}) { changed }'
        ' deleteOwner(id: "x") { changed } deletePet(id: "x") { changed } }'
    )

    assert codes_of(result) == ["NOT_FOUND"] * 3
    assert failures(result)[0]["reason"] == "NOT_FOUND"
    assert data_of(await do('{ owner(id: "x") { name } }')) == {"owner": None}


async def test_a_stale_version_is_refused_with_the_current_object(do: Do, proxy: Proxy) -> None:
    await do(PET)
    text = 'mutation ($v: Int) { updatePet(id: "p", input: {mood: WILD}, expectedVersion: $v) %s }'
    good = await do(text % "{ pet { mood version } }", v=1)
    stale = await do(text % "{ changed }", v=1)

    assert data_of(good)["updatePet"]["pet"] == {"mood": "WILD", "version": 2}
    assert codes_of(stale) == ["CONFLICT"]
    told = extensions(stale)
    assert told["currentVersion"] == 2
    assert told["current"]["mood"] == "WILD" and told["current"]["name"] == "Rex"


async def test_a_refusal_shows_nothing_private(do: Do) -> None:
    await do(OWNER)
    result = await do(OWNER)

    assert "secret" not in str(extensions(result)) and "current" not in extensions(result)


async def test_known_values_spare_the_read(do: Do, proxy: Proxy) -> None:
    await do(PET)
    text = 'mutation { updatePet(id: "p", input: {mood: %s} %s) { pet { mood } } }'
    known = ', known: {ownerId: "o", name: "Rex", mood: CALM}'

    await do(text % ("WILD", known))
    assert proxy.operations == ["TransactWriteItems"]
    wrong = await do(text % ("CALM", known.replace("Rex", "Max")))
    assert data_of(wrong) == {"updatePet": {"pet": {"mood": "CALM"}}}
    assert proxy.operations == ["TransactWriteItems", "GetItem", "TransactWriteItems"]


async def test_counting_appending_and_removing_are_atomic_expressions(do: Do, proxy: Proxy) -> None:
    await do('mutation { createTag(input: {petId: "p", tag: "t"}) { changed } }')
    await do(PET)
    result = await do(
        """
        mutation {
          updatePet(id: "p", input: {
            add: {treats: 3}, append: {toys: ["ball", "rope"], visits: ["2024-05-01"]}
          }) { pet { treats toys visits } }
        }
        """
    )
    again = await do(
        """
        mutation {
          updatePet(id: "p", input: {add: {treats: -1}, remove: {toys: ["rope"]}}) {
            pet { treats toys visits }
          }
        }
        """
    )

    shown = [data_of(one)["updatePet"]["pet"] for one in (result, again)]
    assert {**shown[0], "toys": sorted(shown[0]["toys"])} == {
        "treats": 3,
        "toys": ["ball", "rope"],
        "visits": ["2024-05-01"],
    }
    assert shown[1] == {"treats": 2, "toys": ["ball"], "visits": ["2024-05-01"]}


async def test_a_number_does_not_fall_below_its_minimum(do: Do) -> None:
    await do(PET)
    taken = await do('mutation { updatePet(id: "p", input: {add: {treats: -1}}) { changed } }')
    put = await do('mutation { updatePet(id: "p", input: {treats: -1}) { changed } }')

    assert codes_of(taken) == ["CONFLICT"]
    assert failures(taken)[0] | {"key": None} == {
        "action": "update",
        "type": "Pet",
        "key": None,
        "reason": "MINIMUM",
        "attribute": "treats",
        "minimum": 0,
        "current": 0,
    }
    assert codes_of(put) == ["BAD_USER_INPUT"]


async def test_what_is_unique_stays_so_through_updates_and_deletes(do: Do) -> None:
    await do(OWNER)
    other = 'mutation { createOwner(input: {id: "q", email: "%s"}) { changed } }'

    assert failures(await do(other % "o@x"))[0]["reason"] == "NOT_UNIQUE"
    data_of(await do('mutation { updateOwner(id: "o", input: {email: "new@x"}) { changed } }'))
    data_of(await do(other % "o@x"))
    taken = await do('mutation { updateOwner(id: "o", input: {email: "o@x"}) { changed } }')
    assert failures(taken)[0]["attributes"] == ["email"]
    data_of(await do('mutation { deleteOwner(id: "q") { changed } }'))
    data_of(await do('mutation { updateOwner(id: "o", input: {email: "o@x"}) { changed } }'))


async def test_a_change_of_the_home_key_moves_or_is_no_input_at_all(do: Do) -> None:
    await do(PET)
    moved = await do('mutation { updatePet(id: "p", input: {id: "q"}) { pet { id name } } }')
    refused = await do('mutation { updateOwner(id: "o", input: {id: "q"}) { changed } }')

    assert data_of(moved)["updatePet"]["pet"] == {"id": "q", "name": "Rex"}
    assert data_of(await do('{ p: pet(id: "p") { id } q: pet(id: "q") { id } }')) == {
        "p": None,
        "q": {"id": "q"},
    }
    assert codes_of(refused) == ["BAD_USER_INPUT"]


async def test_a_deleted_object_is_shown_as_it_was(do: Do, proxy: Proxy) -> None:
    await do(PET)
    result = await do('mutation { deletePet(id: "p") { pet { name coat { colour } } } }')

    assert data_of(result)["deletePet"]["pet"] == {"name": "Rex", "coat": {"colour": "red"}}
    assert proxy.operations == ["GetItem", "TransactWriteItems"]
    assert data_of(await do('{ petsByOwnerId(ownerId: "o") { nodes { id } } }')) == {
        "petsByOwnerId": {"nodes": []}
    }


async def test_putting_replaces_whatever_stood_there(do: Do) -> None:
    await do(PET)
    result = await do(
        'mutation { putPet(input: {id: "p", ownerId: "n", name: "Rex"}) '
        "{ pet { version coat { colour } } } }"
    )

    assert data_of(result)["putPet"]["pet"] == {"version": 2, "coat": None}
    pets = "{ pets: petsByOwnerId(ownerId: %s) { nodes { id } } }"
    assert data_of(await do(pets % '"o"')) == {"pets": {"nodes": []}}
    assert data_of(await do(pets % '"n"')) == {"pets": {"nodes": [{"id": "p"}]}}


async def test_a_publication_keeps_the_version_before_it(do: Do, proxy: Proxy) -> None:
    text = """
        mutation ($food: String!, $until: Date!) {
          publishDiet(input: {petId: "p", food: $food}, until: $until) { diet { food current } }
        }
    """
    await do(text, food="fish", until="2024-01-01")
    result = await do(text, food="rice", until="2024-02-01")

    assert data_of(result)["publishDiet"]["diet"] == {"food": "rice", "current": True}
    assert proxy.operations == ["GetItem", "TransactWriteItems"]
    past = await do('{ pastDietsByPetId(petId: "p") { nodes { until food current } } }')
    assert data_of(past)["pastDietsByPetId"]["nodes"] == [
        {"until": "2024-02-01", "food": "fish", "current": False}
    ]


async def test_stamps_are_set_by_every_write(do: Do) -> None:
    await do(OWNER)
    text = 'mutation { updateOwner(id: "o", input: {name: "x"}) { owner { createdAt updatedAt } } }'
    shown = data_of(await do(text))["updateOwner"]["owner"]

    assert shown["createdAt"] < shown["updatedAt"]
    assert "createdAt" not in (await sdl()).split("input CreateOwnerInput")[1].split("}")[0]


async def test_a_price_over_the_budget_is_refused_before_the_write(
    serve: Serve, proxy: Proxy
) -> None:
    gateway = serve(Gateway(table, cursor_secret=SECRET, limits=Limits(capacity=5)))
    result = await gateway.execute(
        'mutation { createPet(input: {id: "p", ownerId: "o", name: "Rex"}) '
        "{ pet { owner { pets(first: 200) { nodes { owner { name } } } } } } }"
    )

    assert codes_of(result) == ["LIMIT_EXCEEDED"]
    assert proxy.operations == []


async def test_a_mutation_is_not_planned(do: Do) -> None:
    gateway = Gateway(table, cursor_secret=SECRET)
    with pytest.raises(Exception, match="A mutation is not planned"):
        await gateway.plan(OWNER)


# Many at once.


async def test_many_are_created_with_a_result_for_each(do: Do, proxy: Proxy) -> None:
    await do(PET)
    text = """
        mutation ($inputs: [CreatePetInput!]!) {
          createPets(inputs: $inputs) { results { pet { id version } error { code message } } }
        }
    """
    names = ["a", "p", "b", "x#y", "a", "c"]
    inputs = [{"id": name, "ownerId": "o", "name": "N"} for name in names]
    results = data_of(await do(text, inputs=inputs))["createPets"]["results"]

    assert [one["pet"] and one["pet"]["id"] for one in results] == ["a", None, "b", None, None, "c"]
    codes = [one["error"] and one["error"]["code"] for one in results]
    assert codes == [None, "CONFLICT", None, "BAD_USER_INPUT", "CONFLICT", None]
    assert set(proxy.operations) == {"TransactWriteItems"}
    assert len(proxy.operations) == 3  # refused, without the refused one, and the second "a"


# DynamoDB Local of 2020 takes ten actions in a transaction.
@pytest.mark.engines("dynoxide")
async def test_many_go_into_few_transactions(do: Do, proxy: Proxy) -> None:
    text = """
        mutation ($inputs: [CreatePetInput!]!) {
          createPets(inputs: $inputs) { results { error { code } } }
        }
    """
    inputs = [{"id": f"p{n}", "ownerId": "o", "name": "N"} for n in range(120)]
    results = data_of(await do(text, inputs=inputs))["createPets"]["results"]

    assert [one["error"] for one in results] == [None] * 120
    assert proxy.operations == ["TransactWriteItems"] * 3  # 240 items, 100 to a transaction


async def test_many_are_put_by_batches_where_no_condition_is_wanted(do: Do, proxy: Proxy) -> None:
    await do('mutation { createTag(input: {petId: "p", tag: "t7", weight: 9}) { changed } }')
    text = """
        mutation ($inputs: [CreateTagInput!]!) {
          createTags(inputs: $inputs, overwrite: true) { results { tag { weight } error { code } } }
        }
    """
    inputs = [{"petId": "p", "tag": f"t{n}"} for n in range(60)]
    results = data_of(await do(text, inputs=[*inputs, inputs[0]]))["createTags"]["results"]

    assert [one["tag"] and one["tag"]["weight"] for one in results] == [1] * 60 + [None]
    assert results[-1]["error"]["code"] == "BAD_USER_INPUT"
    assert proxy.operations == ["BatchWriteItem"] * 3


async def test_overwriting_is_offered_only_where_nothing_would_be_left_behind(do: Do) -> None:
    text = await sdl()
    assert "overwrite" in text.split("createTags(")[1].split("): ")[0]
    assert "overwrite" not in text.split("createPets(")[1].split("): ")[0]


# Permissions.


class Nobody(BasePermission):
    message = "Not you."

    def has_permission(self, source: Any, info: Any, **kwargs: Any) -> bool:
        return False


async def test_a_permission_keeps_others_from_writing(serve: Serve, proxy: Proxy) -> None:
    guarded = Table("guarded")

    @guarded.entity(
        "A#{id}", "A", writes=Writes("create", "create_many", permission_classes=[Nobody])
    )
    class Area:
        id: strawberry.ID

    gateway = serve(Gateway(guarded, cursor_secret=SECRET))
    result = await gateway.execute(
        'mutation { createArea(input: {id: "a"}) { changed }'
        ' createAreas(inputs: [{id: "a"}]) { results { error { code } } } }'
    )

    assert codes_of(result) == ["FORBIDDEN", "FORBIDDEN"]
    assert proxy.operations == []


def data(result: ExecutionResult) -> Any:
    return result.data


def extensions(result: ExecutionResult) -> dict[str, Any]:
    [error, *_] = result.errors or []
    return error.extensions or {}


def failures(result: ExecutionResult) -> list[dict[str, Any]]:
    return extensions(result)["failures"]


async def sdl() -> str:
    return Gateway(table, cursor_secret=SECRET).sdl()


def test_an_update_offers_only_what_it_may_change() -> None:
    jobs = Table("jobs")

    @jobs.entity("JOB#{id}", "INFO", writes=Writes("update", updates=["state", "tries"]))
    class Job:  # pyright: ignore[reportUnusedClass]
        id: strawberry.ID
        state: str
        tries: int = 0
        cost: Decimal

    sdl = Gateway(jobs, cursor_secret=SECRET).sdl()
    assert "input UpdateJobInput {\n  state: String\n  tries: Int\n  add: JobAdd\n}" in sdl
    assert "input JobAdd {\n  tries: Int\n}" in sdl


@pytest.mark.parametrize("updates", [["colour"], ["id"], []])
def test_an_update_of_what_it_cannot_change_is_a_fault_of_the_model(updates: list[str]) -> None:
    jobs = Table("jobs")

    @jobs.entity("JOB#{id}", "INFO", writes=Writes("update", updates=updates), moves=False)
    class Job:  # pyright: ignore[reportUnusedClass]
        id: strawberry.ID
        state: str

    with pytest.raises(ModelError) as raised:
        Gateway(jobs)
    assert str(raised.value) == (
        f"Job: updates={updates!r} must name attributes that an update can change.\n"
        "  These are state."
    )
