"""The loader of an operation: what is asked in one tick is folded and fetched together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from aiodataloader import DataLoader

from ..store.entities import Index
from ..store.requests import Key
from ..store.spans import Span
from ..store.values import Item
from .asks import Answer, Ask, Attributes
from .folding import Read, fold
from .memory import Memory
from .reading import Reading
from .sending import Sender


class Loader(DataLoader[Ask, Answer]):
    """Answers asks in waves: every ask of a wave is answered before the next one is sent."""

    def __init__(
        self, sender: Sender, *, home: Index, folding: bool = True, consistent: bool = False
    ) -> None:
        """`consistent` reads the table itself as it is now; an index is always a little behind."""
        self._promises: dict[Ask, asyncio.Future[Answer]] = {}
        super().__init__(loop=asyncio.get_running_loop(), cache_map=self._promises)
        self.sender = sender
        self.wave = sender.waves
        self._home = home
        self._folding = folding
        self._memory = Memory()
        self._reading = Reading(sender, home, self._memory, consistent)
        self._answers: dict[Ask, Answer] = {}
        self._serves: dict[Ask, dict[str, None]] = {}
        self._tasks: set[asyncio.Task[object]] = set()
        self._ended = False

    def after_write(self) -> Loader:
        """A loader that remembers nothing from before, and reads what is there now."""
        return Loader(self.sender, home=self._home, folding=self._folding, consistent=True)

    def remember(self, key: Key, item: Item | None, attributes: Attributes) -> None:
        """An item of the table that need not be read, as far as `attributes` tell."""
        span = Span.exactly(key[1])
        self._memory.keep(self._home, key[0], span, () if item is None else (item,), attributes)

    def known(self, ask: Ask) -> Answer | None:
        """The answer, where it takes no request."""
        if (answer := self._answers.get(ask)) is None:
            answer = self._memory.answer(ask)
            if answer is not None:
                self._answers[ask] = answer
        return answer

    async def ask(self, asks: Sequence[Ask]) -> list[Answer]:
        for ask in asks:
            # Equal asks are loaded once, and that one request serves all their fields.
            self._serves.setdefault(ask, {}).update(dict.fromkeys(ask.serves))
        return await self.load_many(asks)

    async def batch_load_fn(self, keys: list[Ask]) -> list[Answer]:  # pyright: ignore[reportIncompatibleVariableOverride]
        if self._ended:
            return [Answer() for _ in keys]
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        try:
            return await self._answer(keys)
        finally:
            if task is not None:
                self._tasks.discard(task)

    async def _answer(self, asks: list[Ask]) -> list[Answer]:
        missing = [self._for_all(ask) for ask in asks if self.known(ask) is None]
        reads = fold(missing, folding=self._folding)
        if reads:
            self.wave += 1
            wave = self.wave
            for done in await asyncio.gather(*(self._perform(read, wave) for read in reads)):
                self._answers.update(done)
        return [self._answers.get(ask) or Answer() for ask in asks]

    def _for_all(self, ask: Ask) -> Ask:
        """The ask with the fields that its equals serve."""
        serves = tuple(self._serves.get(ask, ask.serves))
        return ask if serves == ask.serves else replace(ask, serves=serves)

    async def _perform(self, read: Read, wave: int) -> dict[Ask, Answer]:
        try:
            return await self._reading.perform(read, wave=wave)
        except Exception as error:  # each field that needed this read shows the error
            return {ask: Answer(error=error) for ask in read.asks}

    def cancel(self) -> None:
        """Ends what is still under way; an operation calls it when nobody waits any longer."""
        self._ended = True
        for task in tuple(self._tasks):
            task.cancel()
        for promise in self._promises.values():
            promise.cancel()
