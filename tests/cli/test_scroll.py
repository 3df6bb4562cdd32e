"""`tamis scroll` and `tamis demo`, with and without a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from services.scripted_llm import answering, failing, scripted
from tamis.cli import main
from tamis.example import NAME, UNANSWERED

_QUESTION = "Does freezing kill bacteria?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the example collection."""
    folder = tmp_path_factory.mktemp("data") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAMIS_HOME", str(folder))
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        assert main(["demo", "--quiet"]) == 0
    return folder


@pytest.fixture(autouse=True)
def workplace(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)


def asked(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> dict[str, Any]:
    assert main(["scroll", *words, "--name", NAME, "--json"]) == code
    value = json.loads(capsys.readouterr().out)
    assert isinstance(value, dict)
    return value


def test_the_demo_answers_with_references_and_says_how_it_was_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("? ")
    assert "\n[1] " in out
    assert out.splitlines()[-1].startswith("extractive · ")
    assert "0 model calls" in out


def test_json_has_its_documented_shape(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked([_QUESTION], capsys)
    keys = "question interpretation tier answer evidence items sources ledger support quarantine deficit seconds"
    assert set(keys.split()) <= set(found)
    assert (found["tier"], found["deficit"]) == ("extractive", None)
    labels = {each["label"] for each in found["evidence"]}
    assert found["answer"]["sentences"]
    for sentence in found["answer"]["sentences"]:
        assert set(sentence["citations"]) <= labels
        assert sentence["support"] in {"supported", "weak", "unsupported", "none"}
    evidence = "label title url document_id chunk_id span sha256 text relevance topic via"
    assert all(set(evidence.split()) <= set(each) for each in found["evidence"])
    assert found["ledger"]["calls_total"] == found["ledger"]["tokens_total"] == 0
    assert {"supported", "weak", "unsupported", "dropped", "score"} <= set(found["support"])


@pytest.mark.parametrize("question", UNANSWERED)
def test_what_the_collection_does_not_answer_is_not_answered(question: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked([question], capsys, code=3)
    assert found["tier"] == "none"
    assert found["deficit"]["reason"]
    assert found["deficit"]["suggestions"]
    assert main(["scroll", question, "--name", NAME]) == 3
    out = capsys.readouterr().out
    assert NAME in out
    assert "Try: " in out
    assert f"Closest page: {found['deficit']['closest_url']}\n" in out
    assert out.splitlines()[-1].startswith("none · 0 of ")
    assert "supported" not in out.splitlines()[-1]


def test_debug_draws_the_pipeline_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scroll", _QUESTION, "--name", NAME, "--debug"]) == 0
    out, err = capsys.readouterr()
    assert "├─ " not in out
    for part in ("interpret", "subqueries", "matches", "related via entity profiles", "reduce", "evidence", "write"):
        assert part in err


def test_explain_shows_every_signal(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked([_QUESTION, "--explain"], capsys)
    assert all(item["signals"] for item in found["items"] if "entities" not in item["via"])
    assert main(["scroll", _QUESTION, "--name", NAME, "--explain"]) == 0
    out = capsys.readouterr().out
    told = [line for line in out[out.index("Why these:") :].splitlines() if " % (rank" in line]
    assert 0 < len(told) <= 10


@pytest.mark.parametrize("suffix", [".md", ".html", ".json", ".txt"])
def test_a_report_is_written_in_the_format_of_its_name(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"report{suffix}"
    assert main(["scroll", _QUESTION, "--name", NAME, "--output", str(path)]) == 0
    assert capsys.readouterr().out == ""
    text = path.read_text(encoding="utf-8")
    assert "freez" in text.lower()
    assert "[1]" in text or suffix == ".json" or "1" in text


@pytest.mark.parametrize("path", ["report.docx", "report", "nowhere/report.md"])
def test_a_report_that_cannot_be_written_is_refused_before_the_work(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scroll", _QUESTION, "--name", NAME, "--output", path]) == 2
    assert capsys.readouterr().err.startswith("tamis: ")


def test_no_collection_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scroll", _QUESTION]) == 2
    assert "--name" in capsys.readouterr().err


def test_an_unknown_collection_is_refused_before_any_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("the question was interpreted")

    monkeypatch.setattr("tamis.app.Tamis.interpret", never)
    assert main(["scroll", _QUESTION, "--name", f"{NAME},kitchn"]) == 2
    assert "kitchn" in capsys.readouterr().err


def use(monkeypatch: pytest.MonkeyPatch, base_url: str) -> None:
    monkeypatch.setenv("TAMIS_LLM__MAIN__BASE_URL", base_url)
    monkeypatch.setenv("TAMIS_LLM__MAIN__MODEL", "scripted")


def test_a_model_writes_with_one_call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = asked([_QUESTION], capsys)["evidence"][0]["text"].split(". ")[0].rstrip(".")
    with scripted(answering(f"{text}. [E1]")) as endpoint:
        use(monkeypatch, endpoint.base_url)
        found = asked([_QUESTION], capsys)
        assert (found["tier"], found["ledger"]["calls_total"], len(endpoint.requests)) == ("model", 1, 1)
        assert asked([_QUESTION, "--no-llm"], capsys)["tier"] == "extractive"
        assert len(endpoint.requests) == 1


def test_the_language_asked_for_reaches_the_writer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with scripted(answering("Gefrorene Bakterien schlafen. [E1]")) as endpoint:
        use(monkeypatch, endpoint.base_url)
        found = asked([_QUESTION, "--language", "de"], capsys)
        prompts = [message["content"] for message in endpoint.requests[0]["messages"]]
    assert found["interpretation"]["language"] == "de"
    assert all("German" in prompt for prompt in prompts)


def test_a_name_that_no_evidence_has_is_found_in_what_a_model_writes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = asked([_QUESTION], capsys)["evidence"][0]["text"].split(". ")[0].rstrip(".")
    with scripted(answering(f"{text}. [E1] Freezing was tried by Marie Curie in Warsaw. [E1]")) as endpoint:
        use(monkeypatch, endpoint.base_url)
        found = asked([_QUESTION], capsys)
    assert "Curie" not in found["answer"]["markdown"]
    assert any("Curie" in reason for each in found["support"]["removed"] for reason in each["reasons"])


def test_an_invented_number_is_dropped_and_lowers_support_below_what_was_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = asked([_QUESTION], capsys)["evidence"][0]["text"].split(". ")[0].rstrip(".")
    with scripted(answering(f"{text}. [E1] It takes exactly 7431 freezers to do so. [E1]")) as endpoint:
        use(monkeypatch, endpoint.base_url)
        found = asked([_QUESTION, "--min-support", "0.9"], capsys, code=4)
    assert "7431" not in found["answer"]["markdown"]
    assert found["support"]["dropped"] == 1


def test_a_model_that_fails_leaves_a_labelled_extract(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with scripted(failing(500)) as endpoint:
        use(monkeypatch, endpoint.base_url)
        assert main(["scroll", _QUESTION, "--name", NAME]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("extractive · ")
    assert "note: " in out


def test_a_bound_above_the_limit_is_refused_and_nothing_is_spent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with scripted(answering("never asked")) as endpoint:
        use(monkeypatch, endpoint.base_url)
        assert main(["scroll", _QUESTION, "--name", NAME, "--max-tokens", "10"]) == 5
        assert endpoint.requests == []
    assert "10" in capsys.readouterr().err


def test_a_saved_report_holds_and_what_is_changed_in_it_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "report.json"
    assert main(["scroll", _QUESTION, "--name", NAME, "--output", str(saved), "--quiet"]) == 0
    capsys.readouterr()
    for words in (["verify", str(saved)], ["verify", str(saved), "--name", NAME]):
        assert main(words) == 0, capsys.readouterr()
        assert "evidence hold" in capsys.readouterr().out
    report = json.loads(saved.read_text("utf-8"))
    cited = report["answer"]["sentences"][0]["citations"][0]
    for item in report["evidence"]:
        if item["label"] == cited:
            item["text"] += " Freezing at 451 degrees kills everything."
    report["answer"]["sentences"][0]["text"] += " It takes 451 days."
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(report), "utf-8")
    assert main(["verify", str(forged), "--name", NAME]) == 6
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("breach: ") for line in lines)
    assert any(line.startswith(f"breach: {cited} shows words that") for line in lines)
    assert any("Markdown" in line for line in lines)
    assert main(["verify", str(forged), "--json"]) == 6
    assert json.loads(capsys.readouterr().out)["compared"] is False


@pytest.mark.parametrize("text", ["", "[1]", '{"evidence": 3}', '{"evidence": [3], "answer": {"sentences": []}}'])
def test_what_is_no_report_is_said_to_be_none(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other.json").write_text(text, "utf-8")
    assert main(["verify", "other.json"]) == 2
    assert "tamis: " in capsys.readouterr().err


def test_a_language_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scroll", "how long does bread prove?", "--name", "kitchen", "--language", "xx"]) == 2
    assert "no language has the code 'xx'" in capsys.readouterr().err
