"""What tamis needs from a machine, checked piece by piece, each with the way to get it."""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from tamis.errors import REINSTALL, ModelFilesError, TamisError, with_extra
from tamis.schema.progress import Progress, Silence
from tamis.settings import ModelRole, Settings
from tamis.store.nouns import Health

State = Literal["ok", "absent", "broken"]

_PYTHON = (3, 11)
_ONNXRUNTIME = ((1, 22), (1, 29))
"""From, up to but without: later ones were seen to contact their maker on import."""
_ENDPOINT_SECONDS = 5.0
_AGAIN = "read their sources again: `tamis ingest` or `tamis crawl`"
_NAMED = 20
"""Ids shown one by one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: what.
        state: ``absent`` is optional and not there; ``broken`` needs mending before tamis works as configured.
        found: what was seen, one line.
        fix: how to get or mend it, empty when there is nothing to do.
    """

    name: str
    state: State
    found: str
    fix: str = ""


def examine(settings: Settings, home: Path, *, progress: Progress | None = None) -> list[Finding]:
    """Look at everything.

    Args:
        settings: in force.
        home: the data folder.
        progress: told what is being looked at.
    """
    listener = progress or Silence()
    checks: list[tuple[str, Callable[[], list[Finding]]]] = [
        ("python", _python),
        ("sqlite", _sqlite),
        ("onnxruntime", _onnxruntime),
        ("embedding model", lambda: [embedding_model(settings)]),
        ("entity recogniser", _recogniser),
        ("extras", _extras),
        ("language models", lambda: language_models(settings)),
        ("data folder", lambda: [data_folder(home)]),
        ("collections", lambda: _collections(home, settings)),
    ]
    listener.stage("examining", len(checks))
    findings: list[Finding] = []
    for name, check in checks:
        findings += check()
        listener.advance(note=name)
    listener.done()
    return findings


def _python() -> list[Finding]:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info >= _PYTHON:
        return [Finding("python", "ok", found)]
    return [Finding("python", "broken", found, f"install Python {'.'.join(map(str, _PYTHON))} or later")]


def _sqlite() -> list[Finding]:
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
        except sqlite3.OperationalError as error:
            fix = "use a Python whose sqlite3 module has FTS5 (python.org, Debian and conda builds do)"
            return [Finding("sqlite", "broken", f"{sqlite3.sqlite_version}: {error}", fix)]
    return [Finding("sqlite", "ok", f"{sqlite3.sqlite_version} with FTS5")]


def _onnxruntime() -> list[Finding]:
    lowest, above = (".".join(map(str, bound)) for bound in _ONNXRUNTIME)
    fix = f'pip install "onnxruntime>={lowest},<{above}"'
    try:
        found = version("onnxruntime")
    except PackageNotFoundError:
        return [Finding("onnxruntime", "broken", "not installed", fix)]
    numbers = tuple(int(part) for part in found.split(".")[:2])
    if _ONNXRUNTIME[0] <= numbers < _ONNXRUNTIME[1]:
        return [Finding("onnxruntime", "ok", found)]
    return [Finding("onnxruntime", "broken", f"{found}, wanted >={lowest},<{above}", fix)]


def embedding_model(settings: Settings) -> Finding:
    """Whether the weights are there and are the expected bytes."""
    from tamis.models.embedder import load_embedder

    try:
        identity = load_embedder(settings.embedding).identity
    except ModelFilesError as error:
        return Finding("embedding model", "broken", error.message, error.fix or REINSTALL)
    except OSError as error:
        return Finding("embedding model", "broken", str(error), "mend embedding.model in the settings")
    return Finding(
        "embedding model", "ok", f"{identity.model}, sha256 {identity.sha256[:12]}…, {identity.dimensions} dimensions"
    )


def _recogniser() -> list[Finding]:
    from tamis.models.ner import load_recogniser

    try:
        found = load_recogniser().mentions(["Marie Curie was born in Warsaw."])[0]
    except ModelFilesError as error:
        return [Finding("entity recogniser", "broken", error.message, error.fix or REINSTALL)]
    names = ", ".join(mention.text for mention in found)
    return [Finding("entity recogniser", "ok", f"finds {names}")]


def _extras() -> list[Finding]:
    offered = {
        "local": ("local models", "xllamacpp", "runs a GGUF model in this process"),
        "parquet": ("Parquet files", "pyarrow", "reads Parquet files"),
        "ann": ("large collections", "usearch", "an approximate index for collections of very many passages"),
    }
    findings = []
    for extra, (name, package, use) in offered.items():
        if find_spec(package) is None:
            findings.append(Finding(name, "absent", f"optional; {use}", with_extra(extra)))
        else:
            findings.append(Finding(name, "ok", f"{use}, by {package} {version(package)}"))
    return findings


def language_models(settings: Settings) -> list[Finding]:
    """Whether each configured model can be used; endpoints are asked for their list of models.

    The second role, ``llm.sentinel``, is looked at only where somebody configured it: nothing else needs it.
    """
    main, sentinel = settings.llm.main, settings.llm.sentinel
    findings = [_role("language model", main)]
    if sentinel.base_url or sentinel.model:
        findings.append(_role("llm.sentinel", sentinel))
    return findings


def _role(name: str, role: ModelRole) -> Finding:
    if not role.base_url and not role.model:
        fix = "optional: set TAMIS_LLM__MAIN__BASE_URL and TAMIS_LLM__MAIN__MODEL"
        return Finding(name, "absent", "none configured; answers are extracts", fix)
    return _endpoint(name, role) if role.base_url else _gguf(name, role)


def _gguf(name: str, role: ModelRole) -> Finding:
    path = Path(role.model).expanduser()
    if not path.is_file():
        return Finding(name, "broken", f"no file {path}", "name a GGUF file, or a base_url for a served model")
    if find_spec("xllamacpp") is None:
        return Finding(name, "broken", f"{path} needs the local runtime", with_extra("local"))
    return Finding(name, "ok", f"{path}, run in this process")


def _endpoint(name: str, role: ModelRole) -> Finding:
    import httpx

    address = urlsplit(role.base_url)
    host = address.netloc.rpartition("@")[2]
    if address.scheme not in {"http", "https"} or not host:
        # Not shown: an address that cannot be read may hold a password.
        found = "its base_url is no address: http:// or https:// and a host are missing"
        return Finding(name, "broken", found, "give it whole, e.g. http://127.0.0.1:11434/v1")
    key = role.api_key.get_secret_value().strip()
    user, _, password = role.credentials.get_secret_value().partition(":")
    headers = {"authorization": f"Bearer {key}"} if key else {}
    try:
        # As a call would be made: to this address alone, whatever proxies the environment names.
        with httpx.Client(trust_env=False, timeout=_ENDPOINT_SECONDS, headers=headers) as client:
            reply = client.get(
                f"{role.base_url.rstrip('/')}/models", auth=(user, password) if user and not key else None
            )
    except httpx.LocalProtocolError:
        return Finding(name, "broken", f"the api_key for {host} cannot be sent", "copy it again, without line ends")
    except UnicodeError:
        return Finding(name, "broken", f"the api_key for {host} holds letters beyond ASCII", "copy it again")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return Finding(name, "broken", f"{host} does not answer: {error}", "start the server or mend its base_url")
    if reply.status_code in {401, 403}:
        return Finding(name, "broken", f"{host} refuses the key ({reply.status_code})", "mend its api_key")
    if reply.is_server_error:
        return Finding(name, "broken", f"{host} answers {reply.status_code}", "look at the server's log")
    return Finding(name, "ok", f"{role.model or 'its only model'} at {host}")


def data_folder(home: Path) -> Finding:
    """Whether collections can be kept there, and by their owner alone."""
    fix = "set TAMIS_HOME to a folder of yours"
    # Looking must not create anything: the nearest folder that exists tells whether the rest could be made.
    there = next((folder for folder in (home, *home.absolute().parents) if folder.exists()), home)
    if not there.is_dir():
        return Finding("data folder", "broken", f"{there} is not a folder", fix)
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        return Finding("data folder", "broken", f"{home} cannot be written: {error}", fix)
    if there != home:
        return Finding("data folder", "ok", f"{home}, made on first use")
    if os.name == "posix" and home.stat().st_mode & 0o077:
        return Finding("data folder", "broken", f"{home} can be read by other users", f"chmod 700 {home}")
    return Finding("data folder", "ok", f"{home}, private")


def _collections(home: Path, settings: Settings) -> list[Finding]:
    from tamis.models.embedder import load_embedder
    from tamis.store.sqlite import SqliteStore

    if not home.is_dir():
        return []
    try:
        identity = load_embedder(settings.embedding).identity
    except (ModelFilesError, OSError):
        identity = None
    store = SqliteStore(home, settings.store, identity)
    findings = []
    for name in store.names():
        title = f"collection {name}"
        try:
            with closing(store.reader(name)) as reader:
                info = reader.info
        except TamisError as error:
            findings.append(Finding(title, "broken", error.message, error.fix))
        else:
            findings.append(Finding(title, "ok", f"{info.documents} documents, {info.chunks} chunks"))
    return findings


def condition(name: str, health: Health) -> list[Finding]:
    """What a thorough look at one collection found, and what can be done about it."""
    repair = f"tamis doctor --name {name} --repair"
    findings = [
        Finding("database", "broken", health.problem, f"`{repair}` moves what can be read into a new one")
        if health.problem
        else Finding("database", "ok", "in order")
    ]
    saved = len(health.whole) + len(health.partial)
    findings.append(Finding("documents", "ok", f"{saved} can be read"))
    if health.partial:
        what = f"{_listed(health.partial)}: the text can be read, but not everything digested from it"
        findings.append(Finding("documents in part", "broken", what, f"`{repair}` digests them again"))
    findings += _losses(health, f"{_AGAIN}; `{repair}` keeps the others")
    findings += [Finding("derived", "broken", line, f"`{repair}` makes it again") for line in health.derived]
    return findings


def repaired(name: str, health: Health, aside: str) -> list[Finding]:
    """What a repair did.

    Args:
        name: of the collection.
        health: as it was found.
        aside: where the damaged database is kept, empty where it was not replaced.
    """
    if health.sound:
        return [Finding("collection", "ok", f"{name} was in order; nothing was done")]
    findings = [Finding("documents", "ok", f"{len(health.whole)} kept, {len(health.partial)} digested again")]
    if aside:
        findings.append(
            Finding("database", "ok", "replaced by a new one", f"the damaged one is kept in {aside}; delete it at will")
        )
    findings += [Finding("derived", "ok", f"made again: {line}") for line in health.derived]
    return findings + _losses(health, _AGAIN)


def _losses(health: Health, fix: str) -> list[Finding]:
    findings = []
    if health.lost:
        found = f"{len(health.lost)} cannot be read: {_listed(health.lost)}"
        findings.append(Finding("documents lost", "broken", found, fix))
    if health.unknown:
        found = f"up to {health.unknown} more whose names are lost too"
        findings.append(Finding("documents lost", "broken", found, fix))
    findings += [
        Finding(f"table {table}", "broken", "cannot be read whole", "a crawl fetches again what it no longer knows")
        for table in health.other
    ]
    return findings


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
