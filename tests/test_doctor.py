"""The doctor: finds what is there, names what is not and how to get it."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tamis.doctor import Finding, condition, data_folder, embedding_model, examine, language_models, repaired
from tamis.settings import Settings
from tamis.store.nouns import Health


class Endpoint(BaseHTTPRequestHandler):
    """Lists its models to whoever has the key."""

    def do_GET(self) -> None:
        known = self.headers.get("authorization") == "Bearer right"
        self.send_response(200 if known else 401)
        self.end_headers()
        self.wfile.write(json.dumps({"data": []}).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


def settings(**sections: object) -> Settings:
    return Settings.model_validate(sections)


def main_model(**role: str) -> Finding:
    return language_models(settings(llm={"main": role}))[0]


def test_this_machine_is_healthy(home: Path) -> None:
    found = {finding.name: finding for finding in examine(settings(), home)}
    assert {name: finding.found for name, finding in found.items() if finding.state == "broken"} == {}
    assert {"python", "sqlite", "onnxruntime", "embedding model", "entity recogniser", "data folder"} <= set(found)
    assert all(finding.fix for finding in found.values() if finding.state != "ok")


def test_without_a_language_model_it_says_how_to_get_one() -> None:
    found = main_model()
    assert found.state == "absent"
    assert "TAMIS_LLM__MAIN__BASE_URL" in found.fix


@pytest.mark.parametrize(("key", "state"), [("right", "ok"), ("wrong", "broken")])
def test_an_endpoint_is_asked_with_its_key(endpoint: str, key: str, state: str) -> None:
    found = main_model(base_url=endpoint, model="m", api_key=key)
    assert found.state == state
    assert key not in found.found


def test_an_endpoint_that_is_not_there() -> None:
    found = main_model(base_url="http://127.0.0.1:9/v1", model="m")
    assert (found.state, "127.0.0.1:9" in found.found) == ("broken", True)


@pytest.mark.parametrize("written", ["notaurl", "me:hush@host/v1", "http://", "ftp://host/v1"])
def test_a_base_url_that_is_no_address_is_said_and_not_shown(written: str) -> None:
    found = main_model(base_url=written)
    assert (found.state, "no address" in found.found) == ("broken", True)
    assert "hush" not in found.found
    assert "http://127.0.0.1:11434/v1" in found.fix


def test_the_second_role_is_looked_at_only_where_it_is_configured() -> None:
    assert [finding.name for finding in language_models(settings())] == ["language model"]
    both = language_models(settings(llm={"sentinel": {"base_url": "http://127.0.0.1:9/v1"}}))
    assert [finding.name for finding in both] == ["language model", "llm.sentinel"]


def test_a_gguf_file_that_is_not_there(home: Path) -> None:
    found = main_model(model=str(home / "none.gguf"))
    assert (found.state, "none.gguf" in found.found) == ("broken", True)


def test_an_embedding_model_that_is_not_there(home: Path) -> None:
    assert embedding_model(settings(embedding={"model": str(home / "nothing")})).state == "broken"


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_data_folder_that_others_can_read(home: Path) -> None:
    home.chmod(0o755)
    found = data_folder(home)
    assert (found.state, found.fix) == ("broken", f"chmod 700 {home}")


def test_a_data_folder_that_cannot_be(home: Path) -> None:
    (home / "file").write_text("")
    assert data_folder(home / "file" / "deeper").state == "broken"


def test_looking_creates_nothing(home: Path) -> None:
    assert data_folder(home / "not" / "yet").state == "ok"
    assert list(home.iterdir()) == []


def test_a_collection_is_told_about_line_by_line() -> None:
    sound = Health("", ("a", "b"))
    assert sound.sound and [finding.state for finding in condition("docs", sound)] == ["ok", "ok"]
    torn = Health("file is not a database", ("a",), ("b",), ("c", "d"), 2, ("pages",), ("snapshot 3: vectors.npy",))
    told = {f"{finding.name}: {finding.found} {finding.fix}" for finding in condition("docs", torn)}
    assert len(told) == 7
    for words in (
        "not a database",
        "2 can be read",
        "b: the text can be read",
        "c, d",
        "up to 2",
        "table pages",
        "vectors",
    ):
        assert any(words in line for line in told)
    done = repaired("docs", torn, "/there/damaged-1")
    assert [finding.state for finding in done].count("broken") == 3
    assert "/there/damaged-1" in "".join(finding.fix for finding in done)
    many = Health("", (), lost=tuple(f"d{n}" for n in range(50)))
    assert "and 30 more" in condition("docs", many)[-1].found
