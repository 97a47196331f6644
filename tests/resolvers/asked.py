"""A gateway behind the recording proxy, asked one operation at a time."""

import contextlib
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from strawberry.types import ExecutionResult

from tablefold import Gateway
from tablefold.store.engines import Engine
from tests.harness.proxy import Proxy, Recorded
from tests.harness.serving import data_of, served


@dataclass(frozen=True)
class Asked:
    """After a call, `sent` holds what that operation alone has sent."""

    gateway: Gateway
    proxy: Proxy

    async def __call__(self, query: str, **variables: Any) -> dict[str, Any]:
        return data_of(await self.result(query, **variables))

    async def result(self, query: str, **variables: Any) -> ExecutionResult:
        self.proxy.clear()
        return await self.gateway.execute(query, variables, explain=True)

    @property
    def sent(self) -> list[Recorded]:
        return self.proxy.sent

    @property
    def operations(self) -> list[str]:
        return self.proxy.operations


def waves(result: ExecutionResult) -> list[list[str]]:
    """The operations of each wave, as the answer itself explains them."""
    explained = (result.extensions or {})["explain"]["waves"]
    return [[request["operation"] for request in wave["requests"]] for wave in explained]


@contextlib.contextmanager
def stored(
    gateway: Gateway, engine: Engine, rows: Iterable[object]
) -> Generator[Gateway, None, None]:
    url = engine.endpoint_url
    with served(gateway, engine_url=url, gateway_url=url, rows=rows) as made:
        yield made


@contextlib.asynccontextmanager
async def asking(gateway: Gateway, proxy: Proxy) -> AsyncGenerator[Asked, None]:
    """Sends what the gateway asks through the proxy."""
    gateway.configure(endpoint_url=proxy.endpoint_url)
    try:
        yield Asked(gateway, proxy)
    finally:
        await gateway.close()


def values(request: Recorded) -> Mapping[str, Any]:
    """What a request's expressions compare with."""
    return request.body["ExpressionAttributeValues"]
