"""Fields run in waves: children start with their parents wherever their keys are known."""

from collections.abc import Generator

import pytest
import strawberry

from tablefold import Connection, Gateway, Table, many, one
from tablefold.resolvers import asking
from tablefold.resolvers.asking import Values
from tablefold.resolvers.links import Link
from tablefold.resolvers.paths import Path
from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.serving import SECRET
from tests.resolvers.asked import Asked, stored, waves

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")

table = Table("running")


@table.entity("ORG#{id}", "ORG")
class Organisation:
    id: strawberry.ID
    name: str
    departments: list["Department"] = many(bounded=20)
    people: list["Person"] = many(bounded=200)


@table.entity("ORG#{org}", "DEPT#{dept}")
class Department:
    org: strawberry.ID
    dept: strawberry.ID
    lead_id: strawberry.ID | None = None
    people: list["Person"] = many(bounded=50)
    lead: "Account | None" = one(id="lead_id")


@table.entity("ORG#{org}", "DEPT#{dept}#USER#{id}")
class Person:
    org: strawberry.ID
    dept: strawberry.ID
    id: strawberry.ID
    account: "Account" = one(id="id")


@table.entity("ACCOUNT#{id}", "META")
class Account:
    id: strawberry.ID
    mail: str
    logins: Connection["Login"] = many(newest_first=True)


@table.entity("ACCOUNT#{account_id}", "LOGIN#{n:04d}")
class Login:
    account_id: strawberry.ID
    n: int
    account: Account = one()


def person(org: str, dept: str, id: str) -> Person:
    return Person(org=strawberry.ID(org), dept=strawberry.ID(dept), id=strawberry.ID(id))


def department(org: str, dept: str, lead: str | None = None) -> Department:
    lead_id = None if lead is None else strawberry.ID(lead)
    return Department(org=strawberry.ID(org), dept=strawberry.ID(dept), lead_id=lead_id)


ROWS = [
    Organisation(id=strawberry.ID("acme"), name="Acme"),
    department("acme", "eng", "ann"),
    department("acme", "engineering"),
    department("acme", "ops", "nobody"),
    person("acme", "eng", "ann"),
    person("acme", "eng", "bob"),
    person("acme", "engineering", "cid"),
    person("ghost", "eng", "dan"),
    department("ghost", "eng"),
    *(Account(id=strawberry.ID(id), mail=f"{id}@acme.example") for id in ("ann", "bob", "cid")),
    *(Login(account_id=strawberry.ID("ann"), n=n) for n in range(4)),
]


@pytest.fixture(scope="module")
def gateway(engine: Engine) -> Generator[Gateway, None, None]:
    with stored(Gateway(table, cursor_secret=SECRET), engine, ROWS) as made:
        yield made


# Depth.


async def test_an_organisation_with_departments_with_people_is_one_query(ask: Asked):
    data = await ask(
        '{ organisation(id: "acme") { name departments { dept people { id } } } }',
    )

    assert ask.operations == ["Query"]
    assert data["organisation"] == {
        "name": "Acme",
        "departments": [
            {"dept": "eng", "people": [{"id": "ann"}, {"id": "bob"}]},
            {"dept": "engineering", "people": [{"id": "cid"}]},
            {"dept": "ops", "people": []},
        ],
    }


async def test_eng_is_not_engineering(ask: Asked):
    data = await ask('{ department(org: "acme", dept: "eng") { dept people { id } } }')

    assert data["department"] == {"dept": "eng", "people": [{"id": "ann"}, {"id": "bob"}]}
    assert ask.operations == ["Query"]


async def test_a_department_that_is_not_there_is_null_although_its_people_are(ask: Asked):
    """Its children were asked for ahead."""
    data = await ask('{ organisation(id: "ghost") { name departments { people { id } } } }')

    assert data == {"organisation": None}
    assert ask.operations == ["Query"]


# Early start.


async def test_what_is_asked_ahead_is_made_once(ask: Asked, monkeypatch: pytest.MonkeyPatch):
    made: list[str] = []
    path_of = asking.access_path

    def counted(link: Link, values: Values, arguments: Values) -> Path:
        made.append(link.name)
        return path_of(link, values, arguments)

    monkeypatch.setattr(asking, "access_path", counted)
    await ask('{ account(id: "ann") { mail logins(first: 2) { nodes { n } } } }')

    assert sorted(made) == ["Account.logins", "Query.account"]


async def test_children_whose_keys_are_known_start_with_their_parent(ask: Asked):
    result = await ask.result(
        '{ account(id: "ann") { mail logins(first: 2) { nodes { n account { mail } } } } }'
    )

    assert waves(result) == [["Query"]]
    assert result.data == {
        "account": {
            "mail": "ann@acme.example",
            "logins": {
                "nodes": [{"n": n, "account": {"mail": "ann@acme.example"}} for n in (3, 2)]
            },
        }
    }


async def test_children_of_several_keys_start_with_their_parents(ask: Asked):
    result = await ask.result(
        '{ accounts(ids: ["ann", "zed", "bob"]) { mail logins(first: 1) { nodes { n } } } }'
    )

    assert waves(result) == [["Query"] * 3]
    assert result.data == {
        "accounts": [
            {"mail": "ann@acme.example", "logins": {"nodes": [{"n": 3}]}},
            None,
            {"mail": "bob@acme.example", "logins": {"nodes": []}},
        ]
    }


async def test_what_only_an_item_can_tell_waits_for_it_and_goes_in_one_batch(ask: Asked):
    result = await ask.result(
        '{ organisation(id: "acme") { people { account { mail } } departments { lead { mail } } } }'
    )

    assert waves(result) == [["Query"], ["BatchGetItem"]]
    [keys] = [request["Keys"] for request in ask.sent[1].body["RequestItems"].values()]
    assert sorted(key["PK"]["S"] for key in keys) == [
        "ACCOUNT#ann",
        "ACCOUNT#bob",
        "ACCOUNT#cid",
        "ACCOUNT#nobody",
    ]


async def test_a_list_under_an_item_of_a_later_wave_starts_with_that_item(ask: Asked):
    result = await ask.result(
        '{ department(org: "acme", dept: "eng") '
        "{ lead { mail logins(first: 3) { nodes { n } } } } }"
    )

    assert waves(result) == [["GetItem"], ["Query"]]
    assert result.data == {
        "department": {
            "lead": {
                "mail": "ann@acme.example",
                "logins": {"nodes": [{"n": 3}, {"n": 2}, {"n": 1}]},
            }
        }
    }


# Links that lead nowhere.


async def test_a_link_without_a_value_is_null_and_costs_nothing(ask: Asked):
    data = await ask('{ department(org: "acme", dept: "engineering") { lead { mail } } }')

    assert data == {"department": {"lead": None}}
    assert ask.operations == ["GetItem"]


async def test_a_link_to_an_item_that_is_not_there_is_null(ask: Asked):
    data = await ask('{ department(org: "acme", dept: "ops") { lead { mail } } }')

    assert data == {"department": {"lead": None}}
    assert ask.operations == ["GetItem", "GetItem"]


# Identity.


async def test_an_item_is_read_once_whichever_fields_lead_to_it(ask: Asked):
    result = await ask.result(
        """{
          a: account(id: "ann") { mail }
          b: account(id: "ann") { id logins(first: 1) { nodes { account { mail } } } }
          accounts(ids: ["ann", "ann"]) { mail }
        }"""
    )

    assert result.errors is None
    assert waves(result) == [["Query"]]


# Failures.


async def test_an_item_without_a_required_attribute_fails_in_its_own_place(
    ask: Asked, engine: Engine
):
    name = ask.gateway.table_name
    dynamodb = tables.client(engine.endpoint_url)
    broken = {"PK": {"S": "ACCOUNT#broken"}, "SK": {"S": "META"}}
    dynamodb.put_item(TableName=name, Item=broken)

    result = await ask.result('{ accounts(ids: ["ann", "broken", "bob"]) { mail } }')

    assert result.data == {
        "accounts": [{"mail": "ann@acme.example"}, None, {"mail": "bob@acme.example"}]
    }
    [error] = result.errors or []
    assert error.path == ["accounts", 1]
    assert (error.extensions or {})["code"] == "ITEM_INVALID"


async def test_a_key_that_no_key_can_hold_fails_alone_and_before_any_request(ask: Asked):
    result = await ask.result(
        '{ bad: account(id: "a#b") { mail } good: account(id: "ann") { mail } }'
    )

    assert result.data == {"bad": None, "good": {"mail": "ann@acme.example"}}
    assert [(error.path, (error.extensions or {})["code"]) for error in result.errors or []] == [
        (["bad"], "BAD_USER_INPUT")
    ]
    assert ask.operations == ["GetItem"]


async def test_too_many_keys_are_refused_before_any_request(ask: Asked):
    result = await ask.result(
        "query ($ids: [ID!]!) { accounts(ids: $ids) { mail } }", ids=[str(n) for n in range(1001)]
    )

    [error] = result.errors or []
    assert error.message == "ids: 1,001 are too many; one field takes at most 1,000."
    assert ask.sent == []
