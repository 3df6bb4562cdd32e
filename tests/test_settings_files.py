"""Layers of settings: which one wins, and what a mistake is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tamis.errors import SettingsError
from tamis.settings_files import Setting, load_settings


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder and a config folder of this test's own; no variable of ours set."""
    import os

    for name in os.environ:
        if name.upper().startswith("TAMIS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def user_file(folder: Path, text: str) -> Path:
    path = folder.parent / "config" / "tamis" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def listed(name: str) -> Setting:
    return next(entry for entry in load_settings().listed() if entry.name == name)


def test_nothing_set_leaves_every_default(folder: Path) -> None:
    assert {entry.source for entry in load_settings().listed()} == {"default"}


def test_each_layer_beats_the_one_below(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = user_file(folder, "[crawl]\ndepth = 4\nmax_pages = 7\n")
    assert (listed("crawl.depth").value, listed("crawl.depth").source) == (4, str(path))
    (folder / "tamis.toml").write_text("[crawl]\ndepth = 5\n")
    assert (listed("crawl.depth").value, listed("crawl.depth").source) == (5, "tamis.toml")
    monkeypatch.setenv("TAMIS_CRAWL__DEPTH", "6")
    assert (listed("crawl.depth").value, listed("crawl.depth").source) == (6, "TAMIS_CRAWL__DEPTH")
    assert load_settings({"crawl": {"depth": 7}}).settings.crawl.depth == 7
    assert listed("crawl.max_pages").value == 7, "a higher file must not hide other settings of the same group"


def test_one_setting_of_a_group_keeps_the_others_at_their_defaults(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAMIS_LLM__SENTINEL__MODEL", "small")
    sentinel = load_settings().settings.llm.sentinel
    assert (sentinel.model, sentinel.temperature) == ("small", 0.1)


def test_a_row_of_weights_can_be_changed_alone(folder: Path) -> None:
    (folder / "tamis.toml").write_text("[rank.weights.general]\nbm25 = 3\n")
    weights = load_settings().settings.rank.weights
    assert weights["general"].bm25 == 3
    assert weights["general"].query == 0.8
    assert weights["roundup"].bm25 == 0.7


def test_lists_in_the_environment_are_json(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_FETCH__ALLOW_HOSTS", '["127.0.0.1", "wiki.local"]')
    assert load_settings().settings.fetch.allow_hosts == ("127.0.0.1", "wiki.local")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[crawl]\n\ndepht = 3\n", ["'crawl.depht'", "tamis.toml, line 3", "crawl.depth"]),
        ("[crwal]\ndepth = 3\n", ["'crwal'", "line 1", "did you mean crawl"]),
        ("crawl.depht = 3\n", ["'crawl.depht'", "line 1", "crawl.depth"]),
        ("[llm.main]\nmodle = 'x'\n", ["'llm.main.modle'", "line 2", "llm.main.model"]),
        ("[crawl]\ndepth = 'deep'\n", ["crawl.depth is 'deep'", "line 2", "expected a whole number"]),
        ("[crawl]\ndepth = -1\n", ["crawl.depth is -1", "greater than or equal to 0"]),
        ("crawl = 3\n", ["crawl is 3", "line 1", "expected a table [crawl] with depth"]),
        ("llm = 3\n", ["llm is 3", "line 1", "expected the tables [llm.main], [llm.sentinel]"]),
        ("[llm]\nmain = 'x'\n", ["llm.main is text", "line 2", "expected a table [llm.main] with base_url, model"]),
        ("[fetch]\nallow_hosts = 'a'\n", ["fetch.allow_hosts is 'a'", 'a list, written ["a", "b"]']),
        ("[entities]\ntype_weights = 3\n", ["entities.type_weights is 3", "a table, written { a = 1"]),
        ("[[llm]]\napi_key = 'sk-1'\n", ["llm is a list", "expected the tables"]),
        ("[crawl\n", ["tamis.toml", "not valid TOML", "line 1"]),
        ("[store]\nsearch = 'duckdb'\n", ["store.search is 'duckdb'", "sqlite"]),
    ],
)
def test_a_mistake_in_a_file_names_place_and_remedy(folder: Path, text: str, parts: list[str]) -> None:
    (folder / "tamis.toml").write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert all(part in str(caught.value) for part in parts), str(caught.value)
    assert caught.value.exit_code == 2
    assert caught.value.fix


@pytest.mark.parametrize(
    ("name", "value", "parts"),
    [
        ("TAMIS_CRAWL__DEPHT", "3", ["TAMIS_CRAWL__DEPHT", "crawl.depth"]),
        ("TAMIS_CRWAL__DEPTH", "3", ["TAMIS_CRWAL__DEPTH", "TAMIS_CRAWL__DEPTH"]),
        ("TAMIS_CRAWL__DEPTH", "deep", ["crawl.depth is 'deep'", "TAMIS_CRAWL__DEPTH", "a whole number"]),
        ("TAMIS_FETCH__ALLOW_HOSTS", "127.0.0.1", ["TAMIS_FETCH__ALLOW_HOSTS", "JSON"]),
    ],
)
def test_a_mistake_in_the_environment_names_its_variable(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, parts: list[str]
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert all(part in str(caught.value) for part in parts), str(caught.value)


@pytest.mark.parametrize("name", ["TAMIS_HOME", "TAMIS_DATA", "TAMIS_SERVICES_BUILD"])
def test_variables_that_are_no_settings_are_left_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "/somewhere")
    assert {entry.source for entry in load_settings().listed()} == {"default"}


def test_secrets_are_never_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_LLM__MAIN__API_KEY", "sk-verysecret")
    assert load_settings().settings.llm.main.api_key.get_secret_value() == "sk-verysecret"
    assert listed("llm.main.api_key").value == "********"
    assert "verysecret" not in repr(load_settings().listed())


def test_a_secret_of_the_wrong_type_is_not_repeated_in_the_error(folder: Path) -> None:
    (folder / "tamis.toml").write_text("[llm.main]\napi_key = 8675309\n")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert "8675309" not in str(caught.value)


def test_every_setting_says_what_it_is_for(folder: Path) -> None:
    silent = [entry.name for entry in load_settings().listed() if not entry.description]
    assert silent == []


def test_no_setting_is_explained_by_a_code(folder: Path) -> None:
    """Numbers of a specification ("E2", "L5: …") tell a reader nothing."""
    coded = [entry.name for entry in load_settings().listed() if re.search(r"\b[A-Z]\d", entry.description)]
    short = [entry.name for entry in load_settings().listed() if len(entry.description.split()) < 2]
    assert coded == short == []


def test_an_unreadable_file_is_named(folder: Path) -> None:
    (folder / "tamis.toml").write_bytes(b"\xff\xfe[crawl]")
    with pytest.raises(SettingsError, match=r"tamis\.toml cannot be read"):
        load_settings()
