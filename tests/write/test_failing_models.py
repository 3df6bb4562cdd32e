"""Every way a model can fail, played by a real endpoint and asked through `tamis scroll`: one row of a table each."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from services import scripted_llm
from services.scripted_llm import scripted
from tamis.app import Tamis
from tamis.cli import main
from tamis.cli.door import Door
from tamis.example import NAME, documents_folder
from tamis.settings import Settings

_QUESTION = "Does freezing kill bacteria?"
_CASES = yaml.safe_load(Path(__file__).with_name("failing_models.yaml").read_text("utf-8"))
_DEADLINE = 5.0
_SLACK = 1.5
"""Seconds a busy machine may be late."""
_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\ud800-\udfff]")


class _Remembering:
    """A model whose results are kept, so that a hundred runs over one question embed and read it once."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._kept: dict[tuple[str, ...], Any] = {}
        self.identity = getattr(model, "identity", None)

    def _each(self, kind: str, texts: Any) -> np.ndarray:
        for text in texts:
            if (kind, text) not in self._kept:
                self._kept[kind, text] = getattr(self._model, kind)([text])[0]
        return np.stack([self._kept[kind, text] for text in texts]) if texts else getattr(self._model, kind)([])

    def passages(self, texts: Any) -> np.ndarray:
        return self._each("passages", list(texts))

    def queries(self, texts: Any) -> np.ndarray:
        return self._each("queries", list(texts))

    def score(self, question: str, passages: Any) -> Any:
        key = (question, *passages)
        if key not in self._kept:
            self._kept[key] = self._model.score(question, passages)
        return self._kept[key]


@dataclass
class _House:
    """A collection, the models behind it, and what its evidence says."""

    home: Path
    parts: dict[str, Any]
    fact: str
    other: str

    def filled(self, value: Any) -> Any:
        """A case's arguments with the evidence's sentences in place."""
        if isinstance(value, str):
            return value.replace("{fact}", self.fact).replace("{other}", self.other)
        if isinstance(value, dict):
            return {key: self.filled(entry) for key, entry in value.items()}
        return [self.filled(entry) for entry in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> _House:
    home = tmp_path_factory.mktemp("failing") / "home"
    app = Tamis(Settings(), home)
    with documents_folder() as folder:
        app.collection(NAME).ingest([folder])
    parts = {
        "embedder": _Remembering(app.embedder),
        "reranker": _Remembering(app.reranker),
        "recogniser": app.recogniser,
    }
    first, second = app.scroll(_QUESTION, name=NAME, use_llm=False).evidence[:2]
    return _House(home, parts, *(item.text.split(". ")[0].rstrip(".") + "." for item in (first, second)))


@pytest.fixture
def ask(house: _House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """`tamis scroll` with a model at an address; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    def app(door: Door) -> Tamis:
        engine = Tamis(door.settings().settings, house.home)
        engine.__dict__.update(house.parts)
        return engine

    monkeypatch.setattr(Door, "app", app)

    def run(base_url: str, *words: str, deadline: float = _DEADLINE, **role: str) -> tuple[int, str, str]:
        settings = {"BASE_URL": base_url, "MODEL": "scripted", "TIMEOUT_SECONDS": str(deadline), **role}
        for name, value in settings.items():
            monkeypatch.setenv(f"TAMIS_LLM__MAIN__{name}", value)
        code = main(["scroll", _QUESTION, "--name", NAME, *words])
        return code, *capsys.readouterr()

    return run


@contextmanager
def playing(case: dict[str, Any], house: _House) -> Iterator[scripted_llm.Scripted]:
    if "plays" not in case:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            yield scripted_llm.Scripted(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        return
    ((behaviour, arguments),) = case["plays"].items()
    with scripted(getattr(scripted_llm, behaviour)(**house.filled(arguments))) as endpoint:
        yield endpoint


def test_the_table_is_long_enough() -> None:
    assert len(_CASES) >= 100
    assert len({case["name"] for case in _CASES}) == len(_CASES)


@pytest.mark.parametrize("case", _CASES, ids=[case["name"].replace(" ", "-") for case in _CASES])
def test_it_ends_in_a_labelled_usable_answer(case: dict[str, Any], house: _House, ask) -> None:
    deadline = float(case.get("deadline", _DEADLINE))
    with playing(case, house) as endpoint:
        code, out, _ = ask(endpoint.base_url, "--json", deadline=deadline)
        asked = len(endpoint.requests)
    assert code == 0
    found = json.loads(out)
    assert found["tier"] == case["tier"]
    _usable(found)
    _accounted(found, asked=asked, expected=1 if "plays" in case else 0, deadline=deadline)
    answer = found["answer"]["markdown"].replace("\\", "")
    assert house.filled(case.get("has", "")) in answer
    if "lacks" in case:
        assert case["lacks"] not in answer + "".join(found["notes"])
    if "once" in case:
        assert answer.count(house.filled(case["once"])) == 1
    if "cites" in case:
        assert case["cites"] in found["answer"]["sentences"][0]["citations"]
    if "unknown" in case:
        assert found["support"]["unknown_labels"] == case["unknown"]
    if "tokens" in case:
        (call,) = found["ledger"]["calls"]
        assert [call["prompt_tokens"], call["completion_tokens"]] == case["tokens"]
    assert case.get("says", "") in " ".join(found["notes"])


def _usable(found: dict[str, Any]) -> None:
    """There is something to read, all of it labelled, and nothing hidden in it."""
    labels = {item["label"] for item in found["evidence"]}
    sentences = found["answer"]["sentences"]
    assert any(sentence["support"] == "supported" for sentence in sentences)
    assert all(set(sentence["citations"]) <= labels for sentence in sentences)
    shown = found["answer"]["markdown"] + "".join(found["notes"])
    assert shown.strip()
    assert not _HIDDEN.search(shown)
    addresses = {item["url"].partition("#")[0] for item in found["evidence"]}
    for address in re.findall(r"https?://[^\s<>)]+", found["answer"]["markdown"]):
        assert address.partition("#")[0] in addresses


def _accounted(found: dict[str, Any], *, asked: int, expected: int, deadline: float) -> None:
    """One call at most was made, within its deadline and its bound, and the ledger tells what became of it."""
    ledger = found["ledger"]
    (call,) = ledger["calls"]
    assert asked == expected
    assert (ledger["bound"], ledger["calls_total"], call["role"], call["model"]) == (1, 1, "main", "scripted")
    assert ledger["tokens_total"] == call["prompt_tokens"] + call["completion_tokens"] <= ledger["token_bound"]
    assert min(call["prompt_tokens"], call["completion_tokens"]) >= 0
    assert call["seconds"] <= deadline + _SLACK
    assert (call["outcome"] == "ok") == (found["tier"] == "model")
    if found["tier"] == "extractive":
        assert found["notes"]
        assert "extracts" in found["notes"][-1]


def test_a_person_sees_who_wrote_it_and_why(house: _House, ask) -> None:
    with scripted(scripted_llm.failing(503, "busy")) as endpoint:
        code, out, _ = ask(endpoint.base_url)
    assert code == 0
    assert out.splitlines()[-1].startswith("extractive · ")
    assert "503: busy" in out
    assert "1 model call" in out
