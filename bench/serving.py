"""One worker process with both examples, as `tablefold serve` would run each of them.

`/figures` tells what the process has used; everything else is the gateways' own app.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

from tablefold import Gateway

from . import model
from .stage import REGION, SECRET
from .traffic import GATEWAYS

PAGE_BYTES = resource.getpagesize()


def app(endpoint_url: str) -> Starlette:
    gateways: dict[str, Gateway] = {
        **GATEWAYS,
        "staff": model.gateway(endpoint_url=endpoint_url),
    }
    for gateway in gateways.values():
        gateway.configure(endpoint_url=endpoint_url, region=REGION, cursor_secret=SECRET)
    mounts = [Mount(f"/{name}", one.asgi(graphiql=False)) for name, one in gateways.items()]
    return Starlette(routes=[Route("/figures", figures), *mounts])


async def figures(_: Request) -> JSONResponse:
    return JSONResponse({"cpu": time.process_time(), "bytes": resident()})


def resident() -> int:
    """Resident memory; where the system does not tell, the most it has been."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * PAGE_BYTES
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--port", type=int, required=True)
    given = parser.parse_args()
    uvicorn.run(app(given.endpoint), port=given.port, log_level="warning")


if __name__ == "__main__":
    main()
