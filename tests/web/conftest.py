"""The examples' pages, served over HTTP, and what a browser found there."""

import contextlib
import json
import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from tablefold import Gateway
from tablefold.gql.pages import BUILT
from tablefold.store.engines import Engine
from tests.harness import tables
from tests.harness.examples import CURSOR_SECRET, MODELS, Examples
from tests.harness.listening import listening

ROOT = Path(__file__).parents[2]
SHOTS = Path(__file__).parent / "shots"
VISIT_SECONDS = 300  # a machine may be busy


def gateway_of(name: str, engine: Engine, table: str) -> Gateway:
    model = MODELS[name]
    return Gateway(
        model.table,
        query=getattr(model, "Query", None),
        mutation=getattr(model, "Mutation", None),
        generated=True,
        endpoint_url=engine.endpoint_url,
        region=tables.REGION,
        table_name=table,
        cursor_secret=CURSOR_SECRET,
        operations=model.gateway.operations,
    )


@pytest.fixture(scope="session")
def found(engine: Engine, examples: Examples) -> Generator[dict[str, Any], None, None]:
    """What `web/tests/visit.mjs` found. The shop is at the root, the fund under a prefix.

    The visitor writes into the shop, which therefore has a table of its own.
    """
    node, chromium = shutil.which("node"), shutil.which("chromium")
    if node is None or chromium is None:
        pytest.skip(f"{'node' if node is None else 'chromium'} is not installed")
    assert (BUILT / "graphiql.html").exists(), "make setup builds the pages"
    SHOTS.mkdir(exist_ok=True)
    with contextlib.ExitStack() as stack:
        mine = stack.enter_context(examples.filled("shop"))
        shop = gateway_of("shop", engine, mine).asgi()
        fund = gateway_of("fund", engine, examples.table("fund")).asgi()
        at_root = stack.enter_context(listening(shop))
        prefixed = stack.enter_context(listening(Starlette(routes=[Mount("/api", fund)])))
        asked = {
            "shop": at_root,
            "fund": f"{prefixed}/api",
            "shots": str(SHOTS),
            "chromium": chromium,
        }
        visit = subprocess.run(
            [node, str(ROOT / "web" / "tests" / "visit.mjs"), json.dumps(asked)],
            capture_output=True,
            text=True,
            timeout=VISIT_SECONDS,
            check=False,
        )
        assert visit.returncode == 0, visit.stderr
        yield json.loads(visit.stdout)
