"""Every way a model can fail, played by a real endpoint and asked through `tamis scroll`: one row of a table each."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
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
_DOCUMENTS = (
    "food-poisoning-bacteria.md",
    "freezer-times.html",
    "freezing-and-bacteria.md",
    "honey.txt",
    "power-cut.md",
    "refreezing-meat.md",
    "thawing-methods.html",
    "vacuum-sealing.md",
)
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
        app.collection(NAME).ingest([folder / name for name in _DOCUMENTS])
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
    assert any(sentence["support"] in ("supported", "weak") for sentence in sentences)
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
    assert "1 model call (failed)" in out


@pytest.mark.parametrize(
    ("reply", "tier", "words", "code"),
    [
        ("{fact} [E1]", "model", ["--min-support", "1"], 0),
        ("{fact} [E1] It takes exactly 7431 freezers [E1].", "model", ["--min-support", "0.9"], 4),
        ("{fact} [E1] It takes exactly 7431 freezers [E1].", "model", ["--min-support", "0.5"], 0),
        ("{fact} [E1] It takes exactly 7431 freezers [E1].", "model", ["--min-support", "0"], 0),
        ("It takes exactly 7431 freezers [E1].", "extractive", ["--min-support", "1"], 0),
        ("", "extractive", ["--min-support", "1"], 0),
        ("{fact} [E1]", "extractive", ["--min-support", "1", "--no-llm"], 0),
    ],
)
def test_least_support_is_asked_of_what_is_shown(
    reply: str, tier: str, words: list[str], code: int, house: _House, ask
) -> None:
    with scripted(scripted_llm.answering(house.filled(reply))) as endpoint:
        found, out, _ = ask(endpoint.base_url, "--json", *words)
    assert (found, json.loads(out)["tier"]) == (code, tier)


def test_no_evidence_is_no_call_whatever_support_is_asked(
    house: _House, ask, capsys: pytest.CaptureFixture[str]
) -> None:
    with scripted(scripted_llm.answering("never asked")) as endpoint:
        ask(endpoint.base_url)
        before = len(endpoint.requests)
        words = ["scroll", "Who won the chess olympiad in Dresden?", "--name", NAME, "--json", "--min-support", "1"]
        assert main(words) == 3
        assert len(endpoint.requests) == before
    found = json.loads(capsys.readouterr().out)
    assert (found["tier"], found["ledger"]["calls_total"], found["ledger"]["bound"]) == ("none", 0, 0)


def test_what_is_spent_is_what_the_prices_say(house: _House, ask) -> None:
    prices = {"PROMPT_PRICE": "2", "COMPLETION_PRICE": "10"}
    with scripted(scripted_llm.answering(f"{house.fact} [E1]")) as endpoint:
        ledger = json.loads(ask(endpoint.base_url, "--json", **prices)[1])["ledger"]
        assert ledger["calls"][0]["cost"] == pytest.approx((321 * 2 + 45 * 10) / 1e6)
        assert ledger["calls"][0]["cost"] <= ledger["cost_bound"]
        assert ask(endpoint.base_url, "--max-cost", "0.000001", **prices)[0] == 5
        assert len(endpoint.requests) == 1


def test_a_setting_that_cannot_be_is_refused_before_anything_is_sent(house: _House, ask) -> None:
    with scripted(scripted_llm.answering("never asked")) as endpoint:
        code, out, err = ask(endpoint.base_url, API_KEY="sk secret with spaces")
        assert (code, out, endpoint.requests) == (2, "", [])
        assert "llm.main.api_key" in err
        assert "secret with" not in err
        assert ask("not-an-address")[0] == 2


@pytest.mark.parametrize("kind", ["missing", "empty", "garbage", "beginning", "folder"])
def test_a_model_file_that_cannot_be_run_is_a_step_down(kind: str, house: _House, ask, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    if kind == "folder":
        path.mkdir()
    elif kind != "missing":
        path.write_bytes({"empty": b"", "garbage": bytes(range(256)) * 400, "beginning": b"GGUF\x03\0\0\0"}[kind])
    code, out, _ = ask("", "--json", MODEL=str(path))
    found = json.loads(out)
    assert (code, found["tier"]) == (0, "extractive")
    assert "model.gguf" in found["notes"][-1] or "xllamacpp" in found["notes"][-1]
    assert (found["ledger"]["calls_total"], found["ledger"]["bound"]) == (1, 1)
    _usable(found)


def test_runs_beside_each_other_share_nothing(house: _House) -> None:
    """Two engines, four threads, each with a model of its own: every run says what it says alone."""

    def run(number: int, base_url: str) -> dict[str, Any]:
        settings = Settings.model_validate({"llm": {"main": {"base_url": base_url, "model": f"m{number}"}}})
        engine = Tamis(settings, house.home)
        engine.__dict__.update(house.parts)
        found = engine.scroll(_QUESTION, name=NAME).to_dict()
        for timed in (found, *found["sources"], *found["ledger"]["calls"]):
            timed.pop("seconds")
        return found

    replies = (house.fact, house.other, "It takes exactly 7431 freezers.", "")
    with ExitStack() as stack:
        urls = [
            stack.enter_context(scripted(scripted_llm.answering(f"{reply} [E1]" if reply else ""))).base_url
            for reply in replies
        ]
        alone = [run(number, url) for number, url in enumerate(urls)]
        with ThreadPoolExecutor(4) as pool:
            for _ in range(2):
                assert list(pool.map(run, range(4), urls)) == alone
    assert [found["tier"] for found in alone] == ["model", "model", "extractive", "extractive"]
    assert [found["ledger"]["calls"][0]["model"] for found in alone] == ["m0", "m1", "m2", "m3"]
    assert [len(found["support"]["removed"]) for found in alone] == [0, 0, 1, 0]
