import dataclasses
from pathlib import Path

import pytest

from tablefold.store.settings import VARIABLES, Settings

FULL = {
    "TABLEFOLD_TABLE": "shop",
    "TABLEFOLD_ENDPOINT_URL": "http://localhost:8000",
    "TABLEFOLD_REGION": "eu-central-1",
    "TABLEFOLD_CURSOR_SECRET": "1:a secret of sixteen",
    "TABLEFOLD_ENGINES": "/opt/engines",
}


def test_every_variable_is_read():
    assert Settings.from_environment(FULL) == Settings(
        "shop",
        "http://localhost:8000",
        "eu-central-1",
        "1:a secret of sixteen",
        Path("/opt/engines"),
    )


def test_every_variable_and_every_setting_is_documented():
    assert list(VARIABLES) == list(FULL)
    assert len(dataclasses.fields(Settings)) == len(VARIABLES)


def test_settings_reach_a_worker_as_they_are():
    settings = Settings.from_environment(FULL)
    assert settings.to_environment() == FULL
    assert Settings.from_environment(settings.to_environment()) == settings


def test_what_is_not_set_is_not_handed_on():
    assert Settings(engines=Path("/e")).to_environment() == {"TABLEFOLD_ENGINES": "/e"}


def test_an_empty_variable_counts_as_not_set():
    assert Settings.from_environment(dict.fromkeys(VARIABLES, "")) == Settings()
    assert Settings.from_environment({}) == Settings()


@pytest.mark.parametrize(
    ("environment", "engines"),
    [
        ({}, Path.home() / ".cache/tablefold/engines"),
        ({"XDG_CACHE_HOME": "/var/cache"}, Path("/var/cache/tablefold/engines")),
        ({"XDG_CACHE_HOME": "/var/cache", "TABLEFOLD_ENGINES": "~/e"}, Path.home() / "e"),
    ],
)
def test_engines_are_looked_for_in_the_cache(environment: dict[str, str], engines: Path):
    assert Settings.from_environment(environment).engines == engines


def test_the_environment_of_the_process_is_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TABLEFOLD_TABLE", "from the process")
    assert Settings.from_environment().table == "from the process"


def test_the_secret_is_not_printed():
    assert "secret" not in repr(Settings(cursor_secret="1:a secret of sixteen"))
