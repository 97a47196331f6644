"""A new user as it is written by hand: a Strawberry resolver, boto3 in threads.

One TransactWriteItems puts the profile with its index keys and the guard of its e-mail, both on
the condition that they are not there.
"""

from __future__ import annotations

import asyncio
import datetime
import functools
import uuid
import zlib
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import strawberry
from strawberry.extensions import ParserCache, ValidationCache

from bench.new_user import CREATE, drawn, written
from bench.peers.threaded import client
from bench.peers.work import Place, Worker, main

ACTIVE_USER_SHARDS = 4
ABSENT = "attribute_not_exists(PK)"


class Store:
    def __init__(self, dynamodb: Any, table: str, pool: ThreadPoolExecutor) -> None:
        self._dynamodb = dynamodb
        self._table = table
        self._pool = pool

    async def create(self, *items: dict[str, Any]) -> None:
        puts = [
            {"Put": {"TableName": self._table, "Item": item, "ConditionExpression": ABSENT}}
            for item in items
        ]
        write = functools.partial(
            self._dynamodb.transact_write_items,
            TransactItems=puts,
            ClientRequestToken=str(uuid.uuid4()),
            ReturnConsumedCapacity="TOTAL",
        )
        await asyncio.get_running_loop().run_in_executor(self._pool, write)


@strawberry.type
class User:
    id: strawberry.ID
    name: str
    email: str
    joined_on: datetime.date
    active: bool


@strawberry.input
class CreateUserInput:
    id: strawberry.ID
    name: str
    email: str
    joined_on: datetime.date
    active: bool = True


@strawberry.type
class CreateUserPayload:
    user: User


@strawberry.type
class Query:
    @strawberry.field
    def alive(self) -> bool:
        return True


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def create_user(
        self, info: strawberry.Info[Store], input: CreateUserInput
    ) -> CreateUserPayload:
        home = f"USER#{input.id}"
        shard = zlib.crc32(f"{home}\0PROFILE".encode()) % ACTIVE_USER_SHARDS
        profile = {
            "PK": {"S": home},
            "SK": {"S": "PROFILE"},
            "entityType": {"S": "User"},
            "id": {"S": input.id},
            "name": {"S": input.name},
            "email": {"S": input.email},
            "active": {"BOOL": input.active},
            "joinedOn": {"S": input.joined_on.isoformat()},
            "GSI1PK": {"S": f"EMAIL#{input.email}"},
            "GSI1SK": {"S": home},
            "GSI2PK": {"S": f"ACTIVE_USER#{shard}"},
            "GSI2SK": {"S": home},
        }
        guard = {
            "PK": {"S": f"UNIQUE#User#email#{input.email}"},
            "SK": {"S": "UNIQUE"},
            "entityType": {"S": "UNIQUE"},
            "owner": {"L": [{"S": home}, {"S": "PROFILE"}]},
        }
        await info.context.create(profile, guard)
        return CreateUserPayload(user=User(**vars(input)))


schema = strawberry.Schema(
    query=Query, mutation=Mutation, extensions=[ParserCache, ValidationCache]
)


class Creating:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def call(self, name: str, body: dict[str, Any]) -> int:
        result = await schema.execute(
            CREATE, variable_values={"input": drawn()}, context_value=self._store
        )
        return written(result)


@asynccontextmanager
async def opened(place: Place) -> AsyncGenerator[Worker, None]:
    with ThreadPoolExecutor(max_workers=place.concurrency) as pool:
        yield Creating(Store(client(place.endpoint, place.concurrency), place.table, pool))


if __name__ == "__main__":
    main(opened)
