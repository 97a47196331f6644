import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from tablefold.store import engines
from tablefold.store.engines import EngineUnavailable
from tablefold.store.errors import TablefoldError
from tests.harness import tables


@pytest.fixture
def no_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without npm and java."""
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture
def forget_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_java_runs", lambda: False)


@pytest.fixture
def npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Puts a shell script in npm's place."""

    def replace(script: str) -> None:
        program = tmp_path / "bin" / "npm"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")

    return replace


def said_nothing(line: str) -> None:
    pytest.fail(f"nothing should be said, but: {line}")


def answers(endpoint_url: str) -> bool:
    host, port = endpoint_url.removeprefix("http://").split(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), timeout=1):
        return True
    return False


def test_an_engine_serves_dynamodb_on_loopback(engine: engines.Engine):
    assert engine.endpoint_url.startswith("http://127.0.0.1:")
    tables.client(engine.endpoint_url).list_tables()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_engine_listens_on_no_other_address(engine: engines.Engine):
    port = int(engine.endpoint_url.rpartition(":")[2])
    listening = [
        fields[1].split(":")
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        if Path(table).exists()
        for fields in map(str.split, Path(table).read_text().splitlines()[1:])
        if fields[3] == "0A"
    ]
    # 127.0.0.1 as the kernel writes it: little-endian, plain or mapped into IPv6
    assert {address for address, hexadecimal in listening if int(hexadecimal, 16) == port} <= {
        "0100007F",
        "0000000000000000FFFF00000100007F",
    }


def test_two_engines_of_a_kind_run_side_by_side_and_end_with_their_context(
    engine: engines.Engine, pytestconfig: pytest.Config
):
    directory = pytestconfig.rootpath / os.environ.get("TABLEFOLD_ENGINES", ".engines")
    with engines.start(engine.name, directory) as second:
        assert second.endpoint_url != engine.endpoint_url
        assert answers(second.endpoint_url)
    assert not answers(second.endpoint_url)
    assert second.process.returncode is not None
    assert answers(engine.endpoint_url)


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_an_engine_does_not_outlive_a_killed_parent():
    program = """
import sys, time
from pathlib import Path
from tablefold.store import engines
with engines.start("moto", Path()) as engine:
    print(engine.endpoint_url, flush=True)
    time.sleep(60)
"""
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    with parent:
        assert parent.stdout is not None
        endpoint_url = parent.stdout.readline().strip()
        assert answers(endpoint_url)
        parent.kill()
    deadline = time.monotonic() + 10
    while answers(endpoint_url) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not answers(endpoint_url)


def test_the_log_has_what_the_engine_said(tmp_path: Path):
    log = tmp_path / "moto.log"
    with engines.start("moto", tmp_path, log=log) as logged:
        urllib.request.urlopen(f"{logged.endpoint_url}/moto-api/").close()
    assert "GET /moto-api/" in log.read_text()


def test_an_engine_that_ends_while_starting_says_why(tmp_path: Path):
    program = tmp_path / f"dynoxide-{engines.DYNOXIDE_VERSION}" / "dynoxide"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho out of luck\nexit 1\n")
    program.chmod(0o755)
    with (
        pytest.raises(EngineUnavailable, match="dynoxide ended while starting: out of luck"),
        engines.start("dynoxide", tmp_path),
    ):
        pass


@pytest.mark.engines("moto")
def test_a_port_that_is_taken_is_refused(engine: engines.Engine, tmp_path: Path):
    taken = int(engine.endpoint_url.rpartition(":")[2])
    with (
        pytest.raises(EngineUnavailable, match=f"port {taken} is taken"),
        engines.start("moto", tmp_path, port=taken),
    ):
        pass


@pytest.mark.usefixtures("no_programs")
def test_without_npm_dynoxide_says_so(tmp_path: Path):
    assert engines.available("dynoxide", tmp_path) == "npm is not installed"
    with pytest.raises(EngineUnavailable, match="npm is not installed"):
        engines.install("dynoxide", tmp_path, say=lambda line: None)


@pytest.mark.usefixtures("no_programs", "forget_java")
def test_without_java_dynamodb_local_says_so(tmp_path: Path):
    assert engines.available("dynamodb-local", tmp_path) == "java is not installed"
    with (
        pytest.raises(EngineUnavailable, match="java is not installed"),
        engines.start("dynamodb-local", tmp_path),
    ):
        pass


def test_without_moto_the_reason_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    def find_nothing(name: str) -> None: ...

    monkeypatch.setattr("importlib.util.find_spec", find_nothing)
    reason = "moto is not installed: pip install 'tablefold[dev]'"
    assert engines.available("moto", tmp_path) == reason


def test_an_unknown_engine_is_answered_with_the_known_ones(tmp_path: Path):
    assert engines.available("scylla", tmp_path) == (
        "there is no engine 'scylla'; there are dynoxide, dynamodb-local, moto"
    )


def test_a_platform_without_a_build_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr("platform.system", lambda: "Plan9")
    monkeypatch.setattr("platform.machine", lambda: "mips")
    assert engines.available("dynoxide", tmp_path) == "dynoxide has no build for Plan9 mips"


def test_what_is_installed_is_not_fetched_again(npm: Callable[[str], None], tmp_path: Path):
    npm("exit 1")
    program = tmp_path / f"dynoxide-{engines.DYNOXIDE_VERSION}" / "dynoxide"
    program.parent.mkdir()
    program.touch()
    engines.install("dynoxide", tmp_path, say=said_nothing)


def test_dynoxide_is_unpacked_whole_and_executable(npm: Callable[[str], None], tmp_path: Path):
    npm(
        'case "$2" in @dynoxide/*@1.2.1) ;; *) exit 1;; esac\n'
        "mkdir package && echo '#!/bin/sh' > package/dynoxide && tar czf dynoxide.tgz package"
    )
    said: list[str] = []
    engines.install("dynoxide", tmp_path / "engines", say=said.append)
    [line] = said
    assert line.startswith("dynoxide: fetching @dynoxide/")
    [home] = (tmp_path / "engines").iterdir()
    assert [file.name for file in home.iterdir()] == ["dynoxide"]
    assert os.access(home / "dynoxide", os.X_OK)
    assert engines.available("dynoxide", tmp_path / "engines") is None


def test_an_engine_is_taken_from_where_it_is_and_fetched_into_the_first_place_otherwise(
    npm: Callable[[str], None], tmp_path: Path
):
    npm("mkdir package && echo '#!/bin/sh' > package/dynoxide && tar czf dynoxide.tgz package")
    cache, here = tmp_path / "cache", tmp_path / ".engines"
    program = here / f"dynoxide-{engines.DYNOXIDE_VERSION}" / "dynoxide"
    program.parent.mkdir(parents=True)
    program.touch()
    assert engines.obtain("dynoxide", cache, here, say=said_nothing) == here
    program.unlink()
    said: list[str] = []
    assert engines.obtain("dynoxide", cache, here, say=said.append) == cache
    assert len(said) == 1
    assert engines.obtain("dynoxide", cache, here, say=said_nothing) == cache


@pytest.mark.engines("dynoxide")
def test_dynoxide_keeps_its_data_in_a_file(
    engine: engines.Engine, pytestconfig: pytest.Config, tmp_path: Path
):
    directory = pytestconfig.rootpath / os.environ.get("TABLEFOLD_ENGINES", ".engines")
    data = tmp_path / "things.db"
    for held in ([], ["things"]):
        with engines.start(engine.name, directory, data=data) as started:
            dynamodb = tables.client(started.endpoint_url)
            assert dynamodb.list_tables()["TableNames"] == held
            if not held:
                dynamodb.create_table(
                    TableName="things",
                    BillingMode="PAY_PER_REQUEST",
                    AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                    KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                )
        assert data.is_file()


def test_another_engine_keeps_no_file(tmp_path: Path):
    with (
        pytest.raises(EngineUnavailable, match="moto keeps nothing in a file; dynoxide does"),
        engines.start("moto", tmp_path, data=tmp_path / "things.db"),
    ):
        pass


def test_a_failed_fetch_leaves_nothing_behind(npm: Callable[[str], None], tmp_path: Path):
    npm("echo 'no such package' >&2; exit 1")
    with pytest.raises(EngineUnavailable, match=r"npm pack @dynoxide/.* failed: no such package"):
        engines.install("dynoxide", tmp_path / "engines", say=lambda line: None)
    assert list((tmp_path / "engines").iterdir()) == []


@pytest.mark.usefixtures("no_programs", "forget_java")
def test_the_command_skips_with_reasons_and_succeeds(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    assert engines.main(["install", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "dynoxide: skipped, npm is not installed",
        "dynamodb-local: skipped, java is not installed",
        "moto: ready",
    ]
    assert not (tmp_path / ".complete").exists()


def test_engines_live_in_the_cache_unless_told_otherwise(tmp_path: Path):
    assert engines.default_directory() == Path.home() / ".cache" / "tablefold" / "engines"
    assert engines.default_directory(tmp_path) == tmp_path / "tablefold" / "engines"


def test_engine_unavailable_is_an_error_of_ours():
    assert issubclass(EngineUnavailable, TablefoldError)
