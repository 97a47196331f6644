"""Corners that chance seldom finds, each against what the table should hold."""

import datetime
from decimal import Decimal
from typing import Any

import pytest
import strawberry

from tablefold import Gateway, Table
from tests.harness.serving import SECRET, data_of
from tests.writes import model
from tests.writes.model import Status
from tests.writes.sending import FIELDS, Op, answer_of, mutation
from tests.writes.stage import Stage
from tests.writes.world import Create, Delete, Publish, Put, Update

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")

DAY = datetime.date(2024, 1, 1)
ORDER = {"id": "1", "user_id": "1", "placed_on": DAY, "status": Status.NEW, "shelf": "x"}
DOC = {"id": "1", "title": "t", "body": "b", "shelf": "s"}
USER = {"id": "1", "name": "a", "email": "x", "team": "t", "nick": "n"}
ALL = FIELDS["Order"]
IT = {"id": "1"}


def test_all_keys_move_at_once(stage: Stage) -> None:
    stage.write(Op((Create("Order", ORDER),)))
    moved: dict[str, Any] = {"id": "2", "user_id": "3", "shelf": "y", "status": Status.OLD}
    moved |= {"placed_on": datetime.date(2025, 1, 1), "open": False}
    stage.write(Op((Update("Order", IT, moved, {"stock": 2}, {"tags": {"a"}}),), fields=ALL))


def test_a_guard_follows_its_owner(stage: Stage) -> None:
    stage.write(Op((Create("User", USER),)))
    stage.write(Op((Update("User", IT, {"id": "2"}),)))
    stage.write(Op((Create("User", {**USER, "nick": "m"}),)))
    stage.write(Op((Delete("User", {"id": "2"}),)))
    stage.write(Op((Create("User", USER),)))


def test_a_number_decides_about_a_sparse_index(stage: Stage) -> None:
    stage.write(Op((Create("Order", ORDER),)))
    for added in (2, -2, 1):
        stage.write(Op((Update("Order", IT, add={"stock": added}),), fields=("stock",)))


def test_wrong_knowledge_is_read_again(stage: Stage) -> None:
    stage.write(Op((Create("Order", ORDER),)))
    wrong: dict[str, Any] = {"user_id": "7", "placed_on": DAY, "shelf": "y", "stock": 1}
    stage.write(Op((Update("Order", IT, {"memo": "m"}, known=wrong),), fields=ALL))
    stage.write(Op((Delete("Order", IT, known=wrong),), fields=ALL))


def test_a_guard_that_an_old_reading_leads_to_is_not_in_the_way(stage: Stage) -> None:
    stage.write(Op((Create("User", USER),)))
    stage.write(Op((Create("User", {**USER, "id": "2", "email": "y", "nick": "k"}),)))
    between = [Op((Update("User", IT, {"team": "u"}),))]
    answer = stage.write(Op((Update("User", IT, {"nick": "k"}),)), between=between)
    assert answer.code is None


def test_what_falls_below_its_minimum_while_it_moves_is_a_conflict(stage: Stage) -> None:
    stage.write(Op((Create("Order", {**ORDER, "stock": 1}),)))
    answer = stage.write(Op((Update("Order", IT, {"user_id": "2"}, {"stock": -2}),)))
    assert answer.code == "CONFLICT" and "stock would fall below 0; it is 1" in answer.told


@pytest.mark.parametrize("change", [Update("Order", IT, {"id": "2"}), Delete("Order", IT)])
def test_a_retry_of_what_is_gone_is_a_retry(stage: Stage, change: Any) -> None:
    stage.write(Op((Create("Order", ORDER),)))
    for again in (True, False, False):
        answer = stage.write(Op((change,), "graphql", "k", ALL))
        assert answer.changed is again


def test_a_publication_needs_the_version_that_it_expects(stage: Stage) -> None:
    assert stage.write(Op((Publish(DOC, DAY, version=1),))).code == "NOT_FOUND"
    stage.write(Op((Publish(DOC, DAY),)))
    stage.write(Op((Publish({**DOC, "title": "u", "shelf": None}, DAY, version=1),)))
    assert stage.write(Op((Publish(DOC, DAY),))).code == "CONFLICT"  # that day has a version


@pytest.mark.parametrize("again", [Put("Doc", DOC), Publish(DOC, DAY)])
def test_whoever_replaces_does_not_mind_who_came_first(stage: Stage, again: Any) -> None:
    other = {**DOC, "title": "other", "shelf": "elsewhere"}
    answer = stage.write(Op((again,)), between=[Op((Create("Doc", other),))])
    assert answer.code is None
    assert stage.write(Op((again,)), between=[Op((Delete("Doc", IT),))]).code is None


def test_what_was_made_anew_is_not_what_was_read(stage: Stage) -> None:
    stage.write(Op((Create("Doc", DOC),)))
    other = {**DOC, "title": "u", "shelf": "v"}
    anew = [Op((Delete("Doc", IT),)), Op((Create("Doc", other),))]
    stage.write(Op((Update("Doc", IT, {"shelf": "w"}),)), between=anew)
    stage.write(Op((Update("Doc", IT, {"id": "2"}),)), between=[Op((Delete("Doc", IT),))])


def test_a_deletion_shows_what_was_deleted(stage: Stage) -> None:
    known = {"user_id": "1", "placed_on": DAY, "shelf": "x"}
    for given, key in ((known, None), ({}, None), (known, "k1"), ({}, "k2")):
        stage.write(Op((Create("Order", {**ORDER, "memo": "m"}),)))
        stage.write(Op((Delete("Order", IT, known=given),), "graphql", key, ALL))
    stage.write(Op((Create("Counter", {"id": "1", "n": 3}),)))
    stage.write(Op((Delete("Counter", IT),), "graphql", "k3", FIELDS["Counter"]))


def test_a_deletion_shows_what_it_was_when_it_was_deleted(stage: Stage) -> None:
    stage.write(Op((Create("Order", ORDER),)))
    between = Op((Update("Order", IT, {"memo": "later"}),))
    answer = stage.write(Op((Delete("Order", IT),), fields=("memo",)), between=[between])
    assert answer.shown == {"memo": "later"}


def test_where_sees_what_is_read(stage: Stage) -> None:
    stage.write(Op((Create("Counter", {"id": "1"}),)))
    [thing] = stage.world.of("Counter")
    stage.tamper(thing, extra={}, absent=frozenset({"n", "label"}))
    for where in ({"n": 0}, {"label": "none"}, {"marks": set[str]()}, {"memo": None}):
        update = Update("Counter", IT, {"memo": None}, where=where)
        assert stage.write(Op((update,), "transaction")).code is None, where
    for where in ({"n": 1}, {"label": None}, {"marks": {"a"}}, {"memo": "a"}):
        update = Update("Counter", IT, {"memo": None}, where=where)
        assert stage.write(Op((update,), "transaction")).code == "CONFLICT", where


def test_numbers_keep_their_digits(stage: Stage) -> None:
    large = Decimal("12345678901234567890123456789012345678")
    stage.write(Op((Create("Order", {**ORDER, "price": large - 1}),)))
    stage.write(Op((Update("Order", IT, {"price": Decimal(large)}),), fields=("price",)))
    stage.write(Op((Update("Order", IT, {"user_id": "2"}, {"price": 1}),), fields=("price",)))


async def test_two_transactions_of_a_resolver_under_one_key_are_two(stage: Stage) -> None:
    @strawberry.type
    class Mutation:
        @strawberry.mutation
        async def twice(self, info: strawberry.Info[Any, Any], fail: bool) -> bool:
            for _ in range(2):
                async with gateway.transaction(info) as tx:
                    tx.update(model.Counter, "1", add={"n": 1})
                if fail:
                    raise RuntimeError("between the two")
            return True

    gateway = Gateway(model.table, mutation=Mutation, cursor_secret=SECRET)
    gateway.configure(table_name=stage.gateway.table_name, endpoint_url=stage.engine_url)

    async def send(fail: bool, key: str) -> None:
        await gateway.schema.execute(
            "mutation ($fail: Boolean!) { twice(fail: $fail) }",
            {"fail": fail},
            operation_extensions={"idempotencyKey": key},
        )

    async def n() -> int:
        return data_of(await gateway.execute('{ counter(id: "1") { n } }'))["counter"]["n"]

    created = mutation(Create("Counter", IT), Op((), fields=("id",)))
    assert answer_of(await gateway.execute(*created)).code is None
    for _ in range(2):
        await send(False, "k")
        assert await n() == 2
    await send(False, "l")
    assert await n() == 4
    await gateway.close()


async def test_null_in_a_section_leaves_the_attribute_as_it_is(stage: Stage) -> None:
    text = 'mutation { updateCounter(id: "1", input: {add: {n: null}}) { changed } }'
    gateway = model.gateway()
    result = await gateway.execute(text)
    assert answer_of(result).code == "BAD_USER_INPUT"
    assert answer_of(result).told == "This update of Counter changes nothing."


def test_a_set_that_may_be_null_is_set_as_a_whole() -> None:
    table = Table("boxes")

    @table.entity("BOX#{id}", "IT", writes=True)
    class Box:
        id: strawberry.ID
        marks: set[str] | None = None
        signs: set[str] | None = strawberry.field(default_factory=set[str])
        names: list[str] | None = None

    assert Box
    sdl = Gateway(table, cursor_secret=SECRET).sdl()
    assert "input BoxAppend {\n  names: [String!]\n}" in sdl
    assert "BoxRemove" not in sdl
