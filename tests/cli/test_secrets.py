"""Secrets planted wherever a user can put one, and looked for in everything that is written or shown."""

from __future__ import annotations

import base64
import json
import logging
import os
import threading
import traceback
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from tamis.cli import main
from tamis.errors import ModelUnreachableError, SettingsError
from tamis.models.llm import load_chat
from tamis.models.protocols import Message
from tamis.settings import ElasticsearchSettings, ModelRole, Neo4jSettings, Settings
from tamis.settings_files import load_settings

KEY = "canary-key-7f3a"
SENTINEL_KEY = "canary-sentinel-55d1"
PASSWORD = "canary-password-91bc"
EMBEDDING_KEY = "canary-embedding-0b2e"
NEO4J = "canary-neo4j-c44d"
SITE_PASSWORD = "canary-site-e2a8"
LINK_PASSWORD = "canary-link-1d09"
BASIC = base64.b64encode(f"reader:{PASSWORD}".encode()).decode()
CANARIES = (KEY, SENTINEL_KEY, PASSWORD, EMBEDDING_KEY, NEO4J, SITE_PASSWORD, LINK_PASSWORD, BASIC)

PROSE = "A kettle of two litres boils in four minutes, as measured in a small kitchen with cold water from the tap. "


class Server(ThreadingHTTPServer):
    """A site that names itself with a password, and a model endpoint that fails and reflects what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.mode = "error"
        self.prompts: list[str] = []
        self.paths: list[str] = []
        self.credentials: list[str] = []
        self.page_headers: list[dict[str, str]] = []


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        port = self.server.server_port
        self.server.paths.append(self.path)
        self.server.page_headers.append({name.lower(): value for name, value in self.headers.items()})
        inside = f"http://reader:{LINK_PASSWORD}@127.0.0.1:{port}"
        head = f'<link rel="canonical" href="{inside}{self.path}"><meta property="og:url" content="{inside}/og">'
        if self.path == "/moved":
            self.answer(302, "", {"Location": f"{inside}/b"})
        elif self.path == "/away":
            self.answer(302, "", {"Location": f"ftp://reader:{LINK_PASSWORD}@127.0.0.1/x"})
        elif self.path in ("/", "/a", "/b"):
            links = f'<a href="{inside}/a">a</a> <a href="/moved">m</a> <a href="/away">w</a> <a href="/gone">g</a>'
            body = f"<html lang=en><head><title>Page {self.path}</title>{head}</head>"
            self.answer(
                200, f"{body}<body><main><h1>Kettles {self.path}</h1><p>{PROSE * 3}</p>{links}</main></body></html>"
            )
        else:
            self.answer(404, "")

    def do_POST(self) -> None:
        self.server.paths.append(self.path)
        sent = self.rfile.read(int(self.headers["content-length"])).decode()
        self.server.prompts.append(sent)
        self.server.credentials.append(self.headers.get("authorization", ""))
        reflected = json.dumps({"error": {"message": f"refused: {dict(self.headers)}"}})
        status = {"error": 500, "refused": 401, "not a completion": 200, "redirect": 302}[self.server.mode]
        self.answer(
            status,
            reflected,
            {"Location": f"http://127.0.0.1:{self.server.server_port}/stolen"} if status == 302 else {},
        )

    def answer(self, status: int, body: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class User:
    """Somebody with secrets in a file, in the environment and in addresses, whose every output is kept."""

    def __init__(self, folder: Path, port: int) -> None:
        self.home, self.folder = folder / "made" / "by-us" / "home", folder
        self.said: list[str] = []
        (folder / "work").mkdir()
        (folder / "work" / "tamis.toml").write_text(f'[embedding]\napi_key = "{EMBEDDING_KEY}"\n')
        self.environment = {
            "TAMIS_HOME": str(self.home),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "TAMIS_LLM__MAIN__BASE_URL": f"http://127.0.0.1:{port}/v1",
            "TAMIS_LLM__MAIN__MODEL": "scripted",
            "TAMIS_LLM__MAIN__API_KEY": KEY,
            "TAMIS_LLM__SENTINEL__API_KEY": SENTINEL_KEY,
        }

    def runs(self, *words: str, **environment: str) -> int:
        """The exit code of one command line, run here: the models are loaded once."""
        with pytest.MonkeyPatch.context() as patch:
            for name in [name for name in os.environ if name.startswith("TAMIS_")]:
                patch.delenv(name)
            for name, value in (self.environment | environment).items():
                patch.setenv(name, value)
            patch.chdir(self.folder / "work")
            with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
                code = main(words)
        self.said += [out.getvalue(), err.getvalue()]
        return code

    def written(self) -> dict[Path, bytes]:
        """Every file that was made: below the data folder, the cache and the working folder."""
        return {
            path: path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and path.name != "tamis.toml"
        }


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Iterator[User]:
    """After a day's work with everything that fails on the way."""
    before = os.umask(0o022)
    user = User(tmp_path_factory.mktemp("user"), server.server_port)
    _works(user, server)
    yield user
    os.umask(before)


def _works(user: User, server: Server) -> None:
    site, allow = f"127.0.0.1:{server.server_port}", ("--name", "k", "--allow-host", "127.0.0.1")
    secretly = f"http://reader:{SITE_PASSWORD}@{site}"
    assert user.runs("crawl", f"{secretly}/", *allow, "--debug") == 0, user.said
    user.runs("crawl", f"{secretly}/gone", *allow, "--json")
    user.runs("crawl", f"http://reader:{SITE_PASSWORD}@127.0.0.1:9/", *allow)
    user.runs("crawl", f"ftp://reader:{SITE_PASSWORD}@{site}/", "--name", "k", "--debug")
    user.runs("crawl", f"reader:{SITE_PASSWORD}@{site}/", "--name", "k")
    user.runs("page", f"{secretly}/a", "--json")
    user.runs("page", f"ftp://reader:{SITE_PASSWORD}@{site}/a")
    user.runs("ingest", f"{secretly}/a", "--name", "k", "--debug")
    rows = user.folder / "work" / "rows.jsonl"
    rows.write_text(json.dumps({"_id": "1", "text": PROSE, "url": f"http://reader:{LINK_PASSWORD}@{site}/row"}) + "\n")
    assert user.runs("ingest", "rows.jsonl", "--name", "k") == 0
    rows.unlink()
    question = ("scroll", "how long does a kettle take to boil?", "--name", "k", "--debug", "--output", "report.json")
    for server.mode in ("error", "not a completion", "redirect"):
        assert user.runs(*question, "--json") == 0, user.said[-1]
    with_password = {
        "TAMIS_LLM__MAIN__BASE_URL": f"http://reader:{PASSWORD}@{site}/v1",
        "TAMIS_LLM__MAIN__API_KEY": "",
    }
    server.mode = "not a completion"
    user.runs(*question, "--json", **with_password)
    user.runs("config", "--json")
    user.runs("config", **with_password)
    user.runs("doctor", "--json", "--debug", **with_password)
    user.runs("show", "k", "--json")
    user.runs("collections", "--json", "--debug")


def test_secrets_go_where_they_belong(user: User, server: Server) -> None:
    assert set(server.credentials) == {f"Bearer {KEY}", f"Basic {BASIC}"}
    assert "/v1/chat/completions" in server.paths and "/stolen" not in server.paths, "an endpoint leads nowhere else"
    ours = [headers for headers in server.page_headers if "tamis" in headers["user-agent"]]
    assert len(ours) > 5 and not any("authorization" in headers or "cookie" in headers for headers in ours)


@pytest.mark.parametrize("canary", CANARIES)
def test_no_secret_is_written_or_shown_anywhere(user: User, server: Server, canary: str) -> None:
    assert [prompt for prompt in server.prompts if canary in prompt] == []
    assert [said for said in user.said if canary in said] == []
    assert [str(path) for path, data in user.written().items() if canary.encode() in data] == []


def test_there_was_something_to_look_at(user: User, server: Server) -> None:
    assert len(user.written()) > 10 and len(server.prompts) == 4
    assert {"collection.sqlite", "breaker.json", "report.json"} <= {path.name for path in user.written()}
    said = "".join(user.said)
    assert "boils in four minutes" in said and "not an http or https address" in said and "answered 500" in said


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_everything_made_is_its_owners_alone(user: User) -> None:
    tops = [user.folder / top for top in ("made", "cache", "config")]
    made = [path for top in tops for path in (top, *top.rglob("*")) if path.exists()]
    assert {"made", "by-us", "home", "collections", "k", "breaker.json"} <= {path.name for path in made}
    assert [f"{path} {path.stat().st_mode & 0o777:o}" for path in made if path.stat().st_mode & 0o077] == []


@pytest.mark.parametrize(
    "written",
    [
        f'[llm.main]\napi_keyy = "{KEY}"\n',
        f'[llm.main]\napi_key = ["{KEY}"]\n',
        f'[llm]\nmain = "{KEY}"\n',
        f'llm = "{KEY}"\n',
        f'[llm.main.api_key]\nkey = "{KEY}"\n',
        f'[llm.main]\nmodel = {{ key = "{KEY}" }}\n',
        f'[store.elasticsearch]\nurl = "http://elastic:{KEY}@127.0.0.1:9200"\n',
        f'[store.neo4j]\npassword = ["{KEY}"]\n',
        f'[llm.main]\napi_key = "{KEY}\n',
    ],
)
def test_a_mistake_around_a_secret_is_told_without_it(tmp_path, monkeypatch, written):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "tamis.toml").write_text(written)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_settings_show_no_secret_however_they_are_shown():
    role = {"base_url": f"https://reader:{PASSWORD}@models.example/v1", "model": "m", "api_key": KEY}
    settings = Settings.model_validate({"llm": {"main": role}})
    graph = Neo4jSettings(password=SecretStr(NEO4J))
    shown = [repr(graph), graph.model_dump_json()]
    shown += [repr(settings), str(settings), settings.model_dump_json(), repr(settings.llm.main), f"{settings.llm}"]
    assert not [text for text in shown for canary in CANARIES if canary in text]
    assert settings.llm.main.base_url == "https://models.example/v1"
    assert settings.llm.main.credentials.get_secret_value() == f"reader:{PASSWORD}"


def test_credentials_of_an_address_are_decoded_and_do_not_replace_those_given_beside_it():
    assert ModelRole(base_url="http://a%40b:p%2Fq@e.com/v1").credentials.get_secret_value() == "a@b:p/q"
    both = ModelRole.model_validate({"base_url": "http://a:b@e.com/v1", "credentials": "c:d"})
    assert both.credentials.get_secret_value() == "c:d" and both.base_url == "http://e.com/v1"


def test_an_address_that_has_no_place_for_credentials_takes_none():
    with pytest.raises(ValidationError, match="url without user name and password") as caught:
        ElasticsearchSettings(url=f"https://reader:{PASSWORD}@search.example:9200")
    assert PASSWORD not in str(caught.value)


def test_nothing_is_logged_that_should_not_be(user: User, server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """With every library of the way told to log all it does."""
    caplog.set_level(logging.DEBUG)
    server.mode = "error"
    secrets = {"TAMIS_LLM__MAIN__BASE_URL": f"http://reader:{PASSWORD}@127.0.0.1:{server.server_port}/v1"}
    user.runs("page", f"http://reader:{SITE_PASSWORD}@127.0.0.1:{server.server_port}/moved", "--debug")
    user.runs("doctor", "--debug", **secrets)
    role = ModelRole(base_url=secrets["TAMIS_LLM__MAIN__BASE_URL"], model="m", api_key=SecretStr(KEY))
    client = load_chat(role)
    assert client is not None
    with pytest.raises(ModelUnreachableError):
        client.complete([Message("user", "hello")], max_tokens=5, temperature=0.0)
    assert "connect_tcp" in caplog.text
    assert [canary for canary in CANARIES if canary in caplog.text] == []
