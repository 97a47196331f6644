"""Section: how requests and CPU grow with partitions, items of a page, and depth."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from tablefold import Gateway
from tests.harness.proxy import Proxy, running

from . import clock, model
from .effort import Effort
from .figures import Figure, table
from .stage import Stage

PARTITIONS = (1, 2, 5, 10, 20, 50, 100, 200)
PAGES = (1, 10, 50, 100, 200, 500, 1_000)
DEPTHS = range(1, model.TREE_DEPTH + 1)
CROWD = 20


@dataclass(frozen=True, slots=True)
class Point:
    """An operation, and `items`, the objects it is to bring."""

    label: int
    query: str
    variables: dict[str, Any]
    items: int


@dataclass(frozen=True, slots=True)
class Grown:
    point: Point
    requests: int
    waves: tuple[int, ...]
    cpu: Figure


def measure(stage: Stage, effort: Effort) -> str:
    gateway = model.gateway(endpoint_url=stage.endpoint_url)
    stage.fill(gateway, model.sample())
    sections = {
        "Partitions: `persons(ids: […]) { name entries(first: 5) { nodes { n text } } }`": (
            "persons",
            partitions,
        ),
        "Page: `person(id:) { entries(first: N) { nodes { n text } pageInfo { … } } }`": (
            "items of a page",
            pages,
        ),
        "Depth, a tree: `person(id:) { name reports(first: 2) { nodes { … } } }`": (
            "depth",
            trees,
        ),
        f"Depth, a crowd: `persons(ids: [{CROWD}]) {{ name boss {{ name boss {{ … }} }} }}`": (
            "depth",
            crowds,
        ),
    }
    return "\n\n".join(
        f"{title}\n\n{_section(stage, gateway, effort, noun, points)}"
        for title, (noun, points) in sections.items()
    )


def _section(
    stage: Stage,
    gateway: Gateway,
    effort: Effort,
    noun: str,
    points: Callable[[], Iterator[Point]],
) -> str:
    rows: list[list[object]] = []
    for point in points():
        stage.say(f"growth: {noun} {point.label}")
        grown = asyncio.run(_grown(stage, gateway, effort, point))
        waves = " + ".join(map(str, grown.waves))
        milliseconds = grown.cpu * 1_000
        rows.append(
            [
                point.label,
                f"{grown.requests} ({waves})" if len(grown.waves) > 1 else grown.requests,
                point.items,
                milliseconds,
                f"{milliseconds.median / point.items * 1_000:,.0f}",
            ]
        )
    return table((noun, "requests (by wave)", "objects", "CPU ms", "CPU µs per object"), rows)


async def _grown(stage: Stage, gateway: Gateway, effort: Effort, point: Point) -> Grown:
    waves, requests = await _counted(stage, gateway, point)
    gateway.configure(endpoint_url=stage.endpoint_url)

    async def execute() -> None:
        _checked(await gateway.execute(point.query, point.variables), point)

    times = max(1, effort.operations // (4 + point.items // 10))
    figures = await clock.interleaved({"": execute}, rounds=effort.rounds, times=times)
    await gateway.close()
    return Grown(point, requests, waves, figures[""])


async def _counted(stage: Stage, gateway: Gateway, point: Point) -> tuple[tuple[int, ...], int]:
    """The engine's count, and the waves as the gateway explains them; they have to agree."""
    with running(Proxy(stage.endpoint_url)) as proxy:
        gateway.configure(endpoint_url=proxy.endpoint_url)
        result = await gateway.execute(point.query, point.variables, explain=True)
        await gateway.close()
        _checked(result, point)
        explained = (result.extensions or {})["explain"]["waves"]
        waves = tuple(len(wave["requests"]) for wave in explained)
        if sum(waves) != len(proxy.sent):
            raise RuntimeError(f"{sum(waves)} requests explained, {len(proxy.sent)} seen")
        return waves, len(proxy.sent)


def _checked(result: Any, point: Point) -> None:
    if result.errors:
        raise RuntimeError(f"{point.query}: {result.errors}")
    if (got := _objects(result.data)) != point.items:
        raise RuntimeError(f"{point.query}: {got} objects, {point.items} expected")


def _objects(data: Any) -> int:
    """How many objects an answer holds that have a name or a text."""
    if isinstance(data, list):
        return sum(map(_objects, cast("list[Any]", data)))
    if isinstance(data, dict):
        held = cast("dict[str, Any]", data)
        return ("name" in held or "text" in held) + sum(map(_objects, held.values()))
    return 0


def partitions() -> Iterator[Point]:
    query = """query People($ids: [ID!]!) {
      persons(ids: $ids) { name entries(first: 5) { nodes { n text } } }
    }"""
    for count in PARTITIONS:
        ids = [f"w{number:03d}" for number in range(count)]
        yield Point(count, query, {"ids": ids}, 6 * count)


def pages() -> Iterator[Point]:
    query = """query Page($first: Int!) {
      person(id: "writer") {
        entries(first: $first) { nodes { n text } pageInfo { hasNextPage endCursor } }
      }
    }"""
    for count in PAGES:
        yield Point(count, query, {"first": count}, count)


def trees() -> Iterator[Point]:
    for depth in DEPTHS:
        selection = "name"
        for _ in range(depth - 1):
            selection = f"name reports(first: 2) {{ nodes {{ {selection} }} }}"
        yield Point(depth, f'{{ person(id: "0") {{ {selection} }} }}', {}, 2**depth - 1)


def crowds() -> Iterator[Point]:
    query = "query Crowd($ids: [ID!]!) {{ persons(ids: $ids) {{ {} }} }}"
    leaves = [f"0{number:05b}" for number in range(CROWD)]
    for depth in DEPTHS:
        selection = "name"
        for _ in range(depth - 1):
            selection = f"name boss {{ {selection} }}"
        yield Point(depth, query.format(selection), {"ids": leaves}, CROWD * depth)
