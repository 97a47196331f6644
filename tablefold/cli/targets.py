"""Targets: the gateway that MODULE:ATTR names, and the table that it is pointed at."""

from __future__ import annotations

import asyncio
import importlib
import secrets
import sys
import traceback
from pathlib import Path, PurePath
from types import ModuleType
from typing import Annotated

import typer

from ..gql.gateway import Gateway
from ..store.deadline import Deadline
from ..store.errors import ModelError, RequestRefused
from .refusals import LOCAL_ENGINE, address, explained
from .speech import Refused

REACH_SECONDS = 10.0
KEYS_REFUSED = "ValidationException"
GET_ITEM_ANSWERS = frozenset({"Item", "ConsumedCapacity"})

Target = Annotated[
    str, typer.Argument(metavar="MODULE:ATTR", help="The gateway, such as shop:gateway.")
]
EndpointUrl = Annotated[
    str | None, typer.Option(help=f"Address of DynamoDB, such as {LOCAL_ENGINE}.")
]
Region = Annotated[str | None, typer.Option(help="AWS region, in place of the one boto3 finds.")]
TableName = Annotated[str | None, typer.Option(help="Name of the table, in place of the model's.")]


def find(
    target: str,
    *,
    endpoint_url: str | None = None,
    region: str | None = None,
    table_name: str | None = None,
) -> Gateway:
    """Refused, with what to write instead, where there is no such gateway."""
    module_name, _, attribute = target.partition(":")
    if not module_name or not attribute:
        written = _dotted(module_name or "shop")
        raise Refused(
            f"{target!r} is not MODULE:ATTR; write it as {written}:{attribute or 'gateway'}."
        )
    if _is_path(module_name):
        raise Refused(
            f"{module_name} is a path, not a module: write {_dotted(module_name)}:{attribute}"
            f"{_where(module_name)}."
        )
    module = imported(module_name)
    found: object = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise Refused(f"{module_name} has no {attribute!r}{_others(module)}.") from None
    if not isinstance(found, Gateway):
        kind = type(found).__name__
        raise Refused(f"{target} is a {kind}, not a Gateway{_others(module)}.")
    found.configure(endpoint_url=endpoint_url, region=region, table_name=table_name)
    return found


def imported(name: str) -> ModuleType:
    """A module, looked for in the current directory first."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModelError as error:
        raise Refused(f"The model in {name} cannot be built. {error}") from error
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(f"{missing}."):
            raise Refused(
                f"There is no module {name}. Write it with dots, and run this in the folder that "
                "holds it."
            ) from error
        raise Refused(f"{name} imports {missing}, which is not installed.") from error
    except Exception as error:
        raise Refused(f"{name} cannot be imported: {_told(error)}.") from error


def reach(gateway: Gateway, target: str) -> None:
    """Asks for an item that is not there: the table answers, or Refused says why it cannot."""
    with explained(gateway, target):
        address(gateway)  # Tells of a missing region as all commands do.
        asyncio.run(_ask(gateway))


async def _ask(gateway: Gateway) -> None:
    try:
        reply = await gateway.wire.send(gateway.probe(), deadline=Deadline.after(REACH_SECONDS))
        if not reply.body.keys() <= GET_ITEM_ANSWERS:
            raise RequestRefused("GetItem was answered in other words than DynamoDB's.")
    except RequestRefused as error:
        if error.aws_code != KEYS_REFUSED:
            raise
        raise Refused(
            f"The table {gateway.table_name} does not fit the model ({error}). "
            "`tablefold table verify` tells the differences."
        ) from error
    finally:
        await gateway.close()


def with_secret(gateway: Gateway) -> bool:
    """Whether a cursor secret was set; where none was, gives the gateway one of this run."""
    if gateway.settings.cursor_secret is None:
        gateway.configure(cursor_secret=f"1:{secrets.token_urlsafe(32)}")
        return False
    try:
        _ = gateway.sealer
    except ValueError as error:
        raise Refused(f"TABLEFOLD_CURSOR_SECRET cannot be used. {error}") from error
    return True


def _is_path(module: str) -> bool:
    return "/" in module or "\\" in module or module.endswith(".py")


def _dotted(module: str) -> str:
    """bees for ./bees and bees.py, farm.bees for farm/bees.py."""
    path = PurePath(module.replace("\\", "/").removesuffix(".py"))
    return path.name if _outside(path) else ".".join(path.parts)


def _where(module: str) -> str:
    path = PurePath(module)
    return f", in the folder {path.parent}" if _outside(path) else ""


def _outside(path: PurePath) -> bool:
    """Whether no dots lead from the current directory to it."""
    return path.is_absolute() or ".." in path.parts


def _others(module: ModuleType) -> str:
    names = [name for name, value in vars(module).items() if isinstance(value, Gateway)]
    if not names:
        return f"; {module.__name__} has no gateway"
    return f"; write {' or '.join(f'{module.__name__}:{name}' for name in names)}"


def _told(error: Exception) -> str:
    told = f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) or not frames:
        return told
    return f"{told} ({frames[-1].filename}, line {frames[-1].lineno})"
