"""Transactions in plain Python and in resolvers: one request, conditions, and what they tell."""

import asyncio
import datetime
from collections.abc import Callable
from decimal import Decimal

import pytest
import strawberry

from tablefold import (
    AlreadyThere,
    BadInput,
    Conflict,
    CreatedAt,
    Gateway,
    NotFound,
    Table,
    Version,
    attribute,
    kept_as,
    many,
)
from tests.gql.conftest import Serve
from tests.harness.proxy import Proxy
from tests.harness.serving import SECRET, codes_of, data_of

pytestmark = pytest.mark.engines("dynoxide", "dynamodb-local")

table = Table("transactions")


@table.entity("ACCOUNT#{id}", "INFO")
class Account:
    id: strawberry.ID
    balance: int = attribute(minimum=0)
    state: str = "open"
    version: Version = 1
    created_at: CreatedAt = strawberry.field(default_factory=lambda: datetime.datetime.min)
    entries: list["Entry"] = many(bounded=50)


@table.entity(
    "ACCOUNT#{account_id}", "ENTRY#{n:04d}", copies=[("DAY#{day}", "{account_id}#{n:04d}")]
)
class Entry:
    account_id: strawberry.ID
    n: int
    day: datetime.date
    amount: int


@table.entity("PRICE#{id}", "INFO")
class Price:
    id: strawberry.ID
    amount: Decimal
    parts: list[Decimal]


@table.entity("TERMS#{id}", "LATEST", history=kept_as("PastTerms"))
class Terms:
    id: strawberry.ID
    text: str


@table.entity("TERMS#{id}", "PAST#{until}")
class PastTerms:
    id: strawberry.ID
    until: datetime.date
    text: str


DAY = datetime.date(2024, 5, 1)
Start = Callable[[], Gateway]


def account(id: str, balance: int) -> Account:
    return Account(id=strawberry.ID(id), balance=balance)


def entry(id: str, n: int, amount: int) -> Entry:
    return Entry(account_id=strawberry.ID(id), n=n, day=DAY, amount=amount)


@pytest.fixture
def gateway(serve: Serve) -> Gateway:
    return serve(
        Gateway(table, mutation=Mutation, cursor_secret=SECRET), account("a", 10), account("b", 0)
    )


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def transfer(self, info: strawberry.Info, amount: int) -> Account | None:
        gateway: Gateway = info.context["gateway"]
        async with gateway.transaction(info) as tx:
            tx.update(Account, "a", add={"balance": -amount})
            tx.update(Account, "b", add={"balance": amount})
            tx.create(entry("a", 1, -amount))
        return await gateway.get(Account, id="a")

    @strawberry.mutation
    async def open(self, info: strawberry.Info, key: str | None = None) -> Account:
        gateway: Gateway = info.context["gateway"]
        opened = account(f"drawn-{next(_drawn)}", 1)
        async with gateway.transaction(info, idempotency_key=key) as tx:
            tx.create(opened)
        return opened

    @strawberry.mutation
    async def total(self, info: strawberry.Info) -> int:
        """What is asked together is read together; what is asked after a write is read anew."""
        gateway: Gateway = info.context["gateway"]
        found = await asyncio.gather(*(gateway.get(Account, id=id) for id in ("a", "b")))
        async with gateway.transaction(info) as tx:
            tx.update(Account, "a", add={"balance": 1})
        after = await gateway.get(Account, id="a")
        return sum(one.balance for one in (*found, after) if one is not None)


_drawn = iter(range(1_000_000))


async def test_a_block_is_one_request(gateway: Gateway, proxy: Proxy) -> None:
    async with gateway.transaction() as tx:
        tx.update(Account, "a", add={"balance": -3})
        tx.update(Account, "b", add={"balance": 3}, where={"state": "open"})
        tx.create(entry("a", 1, -3))

    assert proxy.operations == ["TransactWriteItems"]
    kinds = [next(iter(action)) for action in proxy.sent[0].body["TransactItems"]]
    assert kinds == ["Update", "Update", "Put", "Put"]
    held = [await gateway.get(Account, id=id) for id in ("a", "b")]
    assert [one and one.balance for one in held] == [7, 3]


async def test_an_error_in_the_block_writes_nothing(gateway: Gateway, proxy: Proxy) -> None:
    with pytest.raises(ZeroDivisionError):
        async with gateway.transaction() as tx:
            tx.update(Account, "a", add={"balance": -3})
            _ = 1 // 0

    assert proxy.operations == []


async def test_a_single_change_needs_no_transaction(gateway: Gateway, proxy: Proxy) -> None:
    async with gateway.transaction() as tx:
        tx.update(Account, "a", set={"state": "shut"}, version=1)

    assert proxy.operations == ["UpdateItem"]


async def test_a_refusal_names_each_action_at_fault(gateway: Gateway) -> None:
    with pytest.raises(Conflict) as refused:
        async with gateway.transaction() as tx:
            tx.create(account("b", 5))
            tx.update(Account, "a", add={"balance": -11})
            tx.check(Account, "zzz")
            tx.create(entry("a", 1, 1))

    assert str(refused.value) == (
        "Nothing was written.\n"
        "  create Account ACCOUNT#b / INFO: there is one already.\n"
        "  update Account ACCOUNT#a / INFO: balance would fall below 0; it is 10.\n"
        "  check Account ACCOUNT#zzz / INFO: there is no such item."
    )
    reasons = [one["reason"] for one in refused.value.details["failures"]]  # type: ignore[attr-defined]
    assert reasons == ["EXISTS", "MINIMUM", "NOT_FOUND"]
    assert await gateway.get(Entry, account_id="a", n=1) is None


async def test_conditions_are_held_to(gateway: Gateway) -> None:
    with pytest.raises(Conflict, match="state has another value"):
        async with gateway.transaction() as tx:
            tx.update(Account, "a", set={"balance": 0}, where={"state": "shut"})
    with pytest.raises(Conflict, match="version 7 was expected, but it has version 1"):
        async with gateway.transaction() as tx:
            tx.delete(Account, "a", version=7)
    with pytest.raises(NotFound):
        async with gateway.transaction() as tx:
            tx.delete(Account, "zzz")
    with pytest.raises(AlreadyThere):
        async with gateway.transaction() as tx:
            tx.create(account("a", 1))


async def test_an_object_in_hand_is_named_by_itself(gateway: Gateway, proxy: Proxy) -> None:
    made = entry("a", 1, 5)
    async with gateway.transaction() as tx:
        tx.create(made)
    proxy.clear()
    async with gateway.transaction() as tx:
        tx.update(made, set={"amount": 6})
    assert proxy.operations == ["TransactWriteItems"]  # its copy's key is known
    proxy.clear()
    async with gateway.transaction() as tx:
        tx.delete(made)
    assert proxy.operations == ["TransactWriteItems"]
    assert await gateway.get(Entry, account_id="a", n=1) is None


async def test_a_new_object_has_the_stamps_that_were_written(gateway: Gateway) -> None:
    made = account("new", 1)
    made.version = 9
    async with gateway.transaction() as tx:
        tx.create(made)

    stored = await gateway.get(Account, id="new")
    assert stored is not None
    assert (stored.version, stored.created_at) == (made.version, made.created_at)
    assert made.version == 1 and made.created_at.year > 2000


async def test_an_object_that_was_written_is_what_a_read_would_give(gateway: Gateway) -> None:
    made = Price(id=strawberry.ID("p"), amount=Decimal("31.00"), parts=[Decimal("1E+2")])
    async with gateway.transaction() as tx:
        tx.create(made)

    assert (str(made.amount), [str(one) for one in made.parts]) == ("31", ["100"])
    assert vars(await gateway.get(Price, id="p") or made) == vars(made)


async def test_what_a_resolver_gets_at_once_is_one_batch(gateway: Gateway, proxy: Proxy) -> None:
    result = await gateway.execute("mutation { total }", context={"gateway": gateway})

    assert data_of(result) == {"total": 10 + 0 + 11}
    assert proxy.operations == ["BatchGetItem", "UpdateItem", "GetItem"]


async def test_putting_counts_the_version_on(gateway: Gateway) -> None:
    again = account("a", 99)
    async with gateway.transaction() as tx:
        tx.put(again)

    assert again.version == 2
    with pytest.raises(Conflict, match="version 1 was expected"):
        async with gateway.transaction() as tx:
            tx.put(account("a", 1), version=1)


async def test_publishing_keeps_what_was_there(gateway: Gateway) -> None:
    for at, text in enumerate(("one", "two"), 1):
        async with gateway.transaction() as tx:
            tx.publish(Terms(id=strawberry.ID("t"), text=text), until=datetime.date(2024, at, 1))

    latest = await gateway.get(Terms, id="t")
    past = await gateway.get(PastTerms, id="t", until=datetime.date(2024, 2, 1))
    assert latest is not None and latest.text == "two"
    assert past is not None and past.text == "one"


async def test_what_a_transaction_cannot_be_is_said_before_it_is_sent(
    gateway: Gateway, proxy: Proxy
) -> None:
    with pytest.raises(BadInput, match="takes 101 actions on items"):
        async with gateway.transaction() as tx:
            for n in range(101):
                tx.check(Account, f"x{n}")
    with pytest.raises(BadInput, match="Two actions of one transaction"):
        async with gateway.transaction() as tx:
            tx.update(Account, "a", add={"balance": 1})
            tx.check(Account, "a")
    with pytest.raises(BadInput, match="has no attribute 'blance'"):
        async with gateway.transaction() as tx:
            tx.update(Account, "a", add={"blance": 1})
    with pytest.raises(BadInput, match="Entry is found by account_id, n; 1 of these was given"):
        async with gateway.transaction() as tx:
            tx.delete(Entry, "a")
    with pytest.raises(BadInput, match="Terms has no Version"):
        async with gateway.transaction() as tx:
            tx.delete(Terms, "t", version=1)
    with pytest.raises(BadInput, match="Terms has no Version"):
        async with gateway.transaction() as tx:
            tx.put(Terms(id=strawberry.ID("t"), text=""), version=1)
    with pytest.raises(BadInput, match="minimum names 'balanc', which is neither set nor added to"):
        async with gateway.transaction() as tx:
            tx.update(Account, "a", add={"balance": -1}, minimum={"balanc": 0})
    assert proxy.operations == []


# In resolvers.


async def test_a_resolver_writes_and_then_shows_what_it_wrote(
    gateway: Gateway, proxy: Proxy
) -> None:
    result = await gateway.execute(
        "mutation { transfer(amount: 4) { balance entries { amount } } }",
        context={"gateway": gateway},
        explain=True,
    )

    assert data_of(result) == {"transfer": {"balance": 6, "entries": [{"amount": -4}]}}
    assert proxy.operations == ["TransactWriteItems", "GetItem", "Query"]
    assert all(one.body.get("ConsistentRead") for one in proxy.sent[1:])
    explained = (result.extensions or {})["explain"]
    assert explained["requests"] == 3
    [first, *_] = explained["waves"]
    [write] = first["requests"]
    assert write["serves"] == ["transfer"]
    assert [one["action"] for one in write["actions"]] == ["Update", "Update", "Put", "Put"]


async def test_a_refused_transaction_is_an_error_of_its_field(gateway: Gateway) -> None:
    result = await gateway.execute(
        "mutation { transfer(amount: 11) { balance } }", context={"gateway": gateway}
    )

    assert codes_of(result) == ["CONFLICT"]


async def test_a_repeated_key_gives_back_what_the_first_run_created(
    gateway: Gateway, proxy: Proxy
) -> None:
    text = 'mutation { open(key: "k") { id balance } }'
    first = await gateway.execute(text, context={"gateway": gateway})
    second = await gateway.execute(text, context={"gateway": gateway})
    other = await gateway.execute(
        'mutation { open(key: "other") { id } }', context={"gateway": gateway}
    )

    assert data_of(first) == data_of(second)
    assert data_of(other)["open"]["id"] != data_of(first)["open"]["id"]
