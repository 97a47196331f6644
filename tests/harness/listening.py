"""Apps served over HTTP, on loopback."""

import contextlib
import socket
import threading
import time
from collections.abc import Generator

import uvicorn
from starlette.applications import Starlette


@contextlib.contextmanager
def listening(app: Starlette) -> Generator[str, None, None]:
    """The address at which the app answers, on a port of its own."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
