"""The loader of an operation: what is asked in one tick is folded and fetched together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from aiodataloader import DataLoader

from ..store.entities import Index
from .asks import Answer, Ask
from .folding import Read, fold
from .memory import Memory
from .reading import perform
from .sending import Sender


class Loader(DataLoader[Ask, Answer]):
    """Answers asks in waves: every ask of a wave is answered before the next one is sent."""

    def __init__(self, sender: Sender, *, home: Index, folding: bool = True) -> None:
        super().__init__(loop=asyncio.get_running_loop())
        self.sender = sender
        self.wave = 0
        self._home = home
        self._folding = folding
        self._memory = Memory()
        self._tasks: set[asyncio.Task[object]] = set()

    async def ask(self, asks: Sequence[Ask]) -> list[Answer]:
        return await self.load_many(asks)

    async def batch_load_fn(self, keys: list[Ask]) -> list[Answer]:  # pyright: ignore[reportIncompatibleVariableOverride]
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        try:
            return await self._answer(keys)
        finally:
            if task is not None:
                self._tasks.discard(task)

    async def _answer(self, asks: list[Ask]) -> list[Answer]:
        answers: dict[Ask, Answer] = {}
        for ask in asks:
            if (known := self._memory.answer(ask)) is not None:
                answers[ask] = known
        reads = fold((ask for ask in asks if ask not in answers), folding=self._folding)
        if reads:
            self.wave += 1
            wave = self.wave
            for done in await asyncio.gather(*(self._perform(read, wave) for read in reads)):
                answers.update(done)
        return [answers.get(ask, Answer()) for ask in asks]

    async def _perform(self, read: Read, wave: int) -> dict[Ask, Answer]:
        try:
            return await perform(
                read, home=self._home, sender=self.sender, memory=self._memory, wave=wave
            )
        except Exception as error:  # each field that needed this read shows the error
            return {ask: Answer(error=error) for ask in read.asks}

    def cancel(self) -> None:
        """Ends what is still under way; an operation calls it when nobody waits any longer."""
        for task in tuple(self._tasks):
            task.cancel()
