"""The engines of one test session: each started when a test first asks for it."""

import contextlib
from pathlib import Path

from tablefold.store import engines

from .proxy import Proxy, running


class EngineRack:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._engines: dict[str, engines.Engine] = {}
        self._proxies: dict[str, Proxy] = {}
        self._running = contextlib.ExitStack()

    @property
    def started(self) -> list[str]:
        return [name for name in engines.ENGINES if name in self._engines]

    def reasons(self) -> dict[str, str | None]:
        """Per engine why it cannot run here; None when it can."""
        return {name: engines.available(name, self.directory) for name in engines.ENGINES}

    def engine(self, name: str) -> engines.Engine:
        if name not in self._engines:
            self._engines[name] = self._running.enter_context(engines.start(name, self.directory))
        return self._engines[name]

    def proxy(self, name: str) -> Proxy:
        if name not in self._proxies:
            proxy = Proxy(self.engine(name).endpoint_url)
            self._proxies[name] = self._running.enter_context(running(proxy))
        return self._proxies[name]

    def stop(self) -> None:
        self._running.close()
