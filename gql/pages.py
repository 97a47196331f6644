"""Pages for people: GraphiQL with its Plan, and the Table page, as `web/` builds them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from strawberry.http.ides import get_graphql_ide_html

from ..store.errors import Forbidden, Unauthenticated
from .answers import refusal, reply, status_of
from .negotiation import GRAPHQL, JSON
from .picture import picture
from .samples import read_samples

if TYPE_CHECKING:
    from .gateway import Gateway

log = logging.getLogger("tablefold")

BUILT = Path(__file__).parent / "web"
"""Where the build leaves the pages; the wheel carries them."""

ASSETS = "_tablefold"
"""The folder of all that the pages load, next to them in the address."""

# Monaco writes style elements of its own; nothing else comes from anywhere but here.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "connect-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self' data:",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    )
)
GUARDED = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
    "vary": "Accept",
}
TYPES = {".js": "text/javascript", ".css": "text/css", ".ttf": "font/ttf", ".woff2": "font/woff2"}
"""Not left to the machine, whose own table of types may say otherwise."""


@dataclass(frozen=True, slots=True)
class Pages:
    """What a browser is shown. Addresses are relative to `path`, so a prefix changes nothing."""

    gateway: Gateway
    path: str
    built: Path | None

    @classmethod
    def of(cls, gateway: Gateway, path: str) -> Pages:
        if gateway.operations is not None and not gateway.operations.is_dir():
            log.warning("%s is no folder: GraphiQL opens without examples.", gateway.operations)
        if (BUILT / "graphiql.html").exists():
            return cls(gateway, path, BUILT)
        log.warning(
            "GraphiQL's page is not built, so Strawberry's is served, whose scripts come from a "
            "CDN. In a checkout, make setup builds it with node and npm; a wheel carries it if it "
            "was built before."
        )
        return cls(gateway, path, None)

    def graphiql(self) -> Response:
        if self.built is None:
            return HTMLResponse(get_graphql_ide_html(graphql_ide="graphiql"))
        return self._page("graphiql.html")

    def routes(self) -> Iterator[BaseRoute]:
        if self.built is None:
            return
        beside = self.path.rpartition("/")[0]
        yield Route(f"{beside}/{ASSETS}/page.json", self._facts)
        if self._pictured:
            yield Route(f"{beside}/table", self._table)
            yield Route(f"{beside}/{ASSETS}/table.json", self._picture)
        yield Mount(f"{beside}/{ASSETS}", _Assets(directory=self.built / ASSETS))

    @property
    def _pictured(self) -> bool:
        """The picture tells what introspection tells, and more."""
        return self.gateway.documents.introspection

    def _page(self, name: str) -> Response:
        return HTMLResponse(((self.built or BUILT) / name).read_bytes(), headers=GUARDED)

    async def _table(self, _: Request) -> Response:
        return self._page("table.html")

    async def _picture(self, request: Request) -> Response:
        """For whoever may ask the API: a context hook can refuse it."""
        try:
            await self.gateway.context_of(request)
        except (Unauthenticated, Forbidden) as error:
            body = refusal(str(error), error.code)
            return reply(body, media=JSON, status=status_of(body, GRAPHQL))
        here = self.path.rpartition("/")[2] or "./"
        return _json({"graphiql": here, **picture(self.gateway)})

    async def _facts(self, _: Request) -> Response:
        return _json(
            {
                "table": self.gateway.layout.name,
                "picture": self._pictured,
                "operations": [asdict(one) for one in read_samples(self.gateway.operations)],
            }
        )


class _Assets(StaticFiles):
    """Names carry a hash of what they hold, so a browser need never ask twice."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        response = super().file_response(*args, **options)
        full_path, *_ = args
        if known := TYPES.get(Path(full_path).suffix):
            response.headers["content-type"] = f"{known}; charset=utf-8"
        response.headers["cache-control"] = "public, max-age=31536000, immutable"
        response.headers["x-content-type-options"] = "nosniff"
        return response


def _json(value: Any) -> Response:
    return Response(
        orjson.dumps(value), media_type=JSON, headers={"cache-control": "private, no-cache"}
    )
