"""Permissions decide first: what is denied is never asked for."""

from typing import Any

import pytest
import strawberry
from strawberry.permission import BasePermission
from strawberry.types import Info

from tablefold import Connection, Gateway, Table, attribute, many, one
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.serving import data_of


class Staff(BasePermission):
    message = "Staff only."

    def has_permission(self, source: Any, info: Info, **kwargs: Any) -> bool:
        return info.context.get("role") == "staff"


class Owner(BasePermission):
    message = "Not yours."

    async def has_permission(self, source: Any, info: Info, **kwargs: Any) -> bool:
        return info.context.get("user") == source.id


class Earner(BasePermission):
    """Looks at what nobody has selected."""

    message = "Not enough."

    def has_permission(self, source: Any, info: Info, **kwargs: Any) -> bool:
        return source.salary > 10 and source.name == "Bob"


table = Table("shop")


@table.entity("USER#{id}", "PROFILE")
class User:
    id: strawberry.ID
    name: str
    salary: int = attribute("pay", permission_classes=[Staff])
    boss_id: strawberry.Private[str]
    orders: Connection["Order"] = many(permission_classes=[Owner])
    notes: list["Note"] = many(bounded=5, permission_classes=[Staff])
    boss: "User" = one(id="boss_id", permission_classes=[Staff])
    perks: list["Note"] = many(bounded=5, permission_classes=[Earner])


@table.entity("USER#{user_id}", "ORDER#{id}")
class Order:
    user_id: strawberry.Private[str]
    id: strawberry.ID


@table.entity("USER#{user_id}", "NOTE#{id}")
class Note:
    user_id: strawberry.Private[str]
    id: strawberry.ID


@strawberry.type
class Query:
    user: User = one()
    staff_notes: Connection[Note] = many(permission_classes=[Staff])


ROWS = (
    User(id=strawberry.ID("u1"), name="Ann", salary=9, boss_id="u2"),
    User(id=strawberry.ID("u2"), name="Bob", salary=99, boss_id="u2"),
    Order(user_id="u1", id=strawberry.ID("o1")),
    Note(user_id="u1", id=strawberry.ID("n1")),
)
STAFF, ANN = {"role": "staff"}, {"user": "u1"}


def gateway() -> Gateway:
    return Gateway(table, query=Query)


async def test_a_denied_link_sends_no_request(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    result = await served.execute('{ user(id: "u1") { name boss { name } } }', context={})
    assert result.data == {"user": {"name": "Ann", "boss": None}}
    assert [error.message for error in result.errors or []] == ["Staff only."]
    assert proxy.operations == ["GetItem"]


async def test_a_denied_collection_sends_no_request(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    query = '{ user(id: "u1") { notes { id } orders { nodes { id } } } }'
    result = await served.execute(query, context={"user": "u2"})
    assert result.data == {"user": {"notes": None, "orders": None}}
    assert sorted(error.message for error in result.errors or []) == ["Not yours.", "Staff only."]
    assert proxy.operations == ["GetItem"]


async def test_a_denied_root_field_sends_no_request(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    result = await served.execute('{ staffNotes(userId: "u1") { nodes { id } } }', context=ANN)
    assert result.data == {"staffNotes": None}
    assert proxy.sent == []


async def test_a_denied_attribute_is_an_error_of_its_own(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    result = await served.execute('{ user(id: "u1") { name salary } }', context={})
    assert [error.message for error in result.errors or []] == ["Staff only."]
    assert [error.path for error in result.errors or []] == [["user", "salary"]]


async def test_what_a_permission_allows_is_read(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    query = '{ user(id: "u1") { salary boss { name } notes { id } } }'
    assert data_of(await served.execute(query, context=STAFF))["user"] == {
        "salary": 9,
        "boss": {"name": "Bob"},
        "notes": [{"id": "n1"}],
    }


async def test_a_permission_may_be_asynchronous(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    query = '{ user(id: "u1") { orders(first: 1) { nodes { id } } } }'
    assert data_of(await served.execute(query, context=ANN))["user"] == {
        "orders": {"nodes": [{"id": "o1"}]}
    }


async def test_a_root_field_that_is_allowed_is_read(serve: Serve, proxy: Proxy) -> None:
    served = serve(gateway(), *ROWS)
    query = '{ staffNotes(userId: "u1") { nodes { id } } }'
    answer = data_of(await served.execute(query, context=STAFF))
    assert answer == {"staffNotes": {"nodes": [{"id": "n1"}]}}
    assert proxy.operations == ["Query"]


@pytest.mark.parametrize(("id", "perks"), [("u1", None), ("u2", [])])
async def test_a_permission_may_look_at_anything_of_its_parent(
    serve: Serve, proxy: Proxy, id: str, perks: list[Any] | None
) -> None:
    """The field's own key needs no more than the id; the permission needs name and salary."""
    served = serve(gateway(), *ROWS)
    result = await served.execute(f'{{ user(id: "{id}") {{ perks {{ id }} }} }}', context={})
    assert result.data == {"user": {"perks": perks}}
    told = [error.message for error in result.errors or []]
    assert told == ([] if perks is not None else ["Not enough."])
