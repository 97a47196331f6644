"""CPU time of this process, for things that are called many times over."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping

from .figures import Figure


async def interleaved(
    contenders: Mapping[str, Callable[[], Awaitable[object]]], *, rounds: int, times: int
) -> dict[str, Figure]:
    """Seconds of CPU for one call of each, in rounds of one contender after the other."""
    for contender in contenders.values():
        await _timed(contender, times)
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            samples[name].append(await _timed(contender, times))
    return {name: Figure.of(held) for name, held in samples.items()}


async def _timed(contender: Callable[[], Awaitable[object]], times: int) -> float:
    began = time.process_time()
    for _ in range(times):
        await contender()
    return (time.process_time() - began) / times
