"""Saved reports that somebody, or a broken disk, has changed: named in a line, never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tamis.app import Tamis
from tamis.check.ledger import check
from tamis.cli import main
from tamis.cli.door import Door
from tamis.schema.evidence import Evidence
from tamis.schema.report import Answer, Sentence
from tamis.settings import CheckSettings, Settings
from tamis.text.fingerprints import sha256_hex

_TEXTS = (
    "The last ferry sailed in October 1923. Fares were never raised again.",
    "The Marrow Bridge was opened on 3 June 1887. It is 214 metres long.",
)
_DRAFT = (
    Sentence("The last ferry sailed in October 1923.", ("E1",)),
    Sentence("The Marrow Bridge is 214 metres long.", ("E2",)),
)


@pytest.fixture(scope="module")
def saved(embedder) -> str:
    """A report as `scroll --json` prints it."""
    from tamis.render.answer import markdown
    from tamis.schema.question import Interpretation

    evidence = tuple(
        Evidence(f"E{n}", "Ferries", "", f"d{n}", f"d{n}#c0", (0, len(text)), sha256_hex(text), text, 0.9)
        for n, text in enumerate(_TEXTS, 1)
    )
    sentences, support = check(_DRAFT, evidence, embedder=embedder, settings=CheckSettings())
    question = Interpretation("When did the last ferry sail?", "qa", "general", "time")
    text, _ = markdown(sentences, evidence)
    answer = Answer(question.question, question, "model", text, sentences, evidence, support=support)
    return json.dumps(answer.to_dict())


@pytest.fixture
def verify(embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """`tamis verify`, its embedding model loaded once for all."""
    engine = Tamis(Settings(), tmp_path / "home")
    engine.__dict__["embedder"] = embedder
    monkeypatch.setattr(Door, "app", lambda door: engine)

    def run(text: str | bytes) -> tuple[int, str, str]:
        path = tmp_path / "report.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        code = main(["verify", str(path)])
        return code, *capsys.readouterr()

    return run


def test_an_untouched_report_holds_whatever_its_layout(saved: str, verify) -> None:
    assert verify(saved)[0] == 0
    again = json.loads(saved)
    assert verify(json.dumps(dict(reversed(again.items())), indent=4, ensure_ascii=False))[0] == 0
    del again["seal"]
    assert verify(json.dumps(again))[0] == 0, "a report of before there were seals is judged by its parts"


def first(report: dict[str, Any]) -> dict[str, Any]:
    return report["answer"]["sentences"][0]


_CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "evidence text": lambda r: r["evidence"][0].update(text=_TEXTS[0] + " Goats swam."),
    "evidence text to fit a lie": lambda r: (
        r["evidence"][0].update(text=_TEXTS[0].replace("1923", "1932")),
        first(r).update(text="The last ferry sailed in October 1932."),
    ),
    "hash": lambda r: r["evidence"][0].update(sha256="0" * 64),
    "hash of another shape": lambda r: r["evidence"][0].update(sha256="abc"),
    "span": lambda r: r["evidence"][0].update(span=[5, 2]),
    "sentence": lambda r: first(r).update(text="The last ferry sailed in October 1932."),
    "label swapped": lambda r: first(r).update(citations=["E2"]),
    "label unknown": lambda r: first(r).update(citations=["E9"]),
    "verdict": lambda r: first(r).update(support="weak"),
    "score": lambda r: first(r).update(score=0.1),
    "counts": lambda r: r["support"].update(supported=9),
    "counts gone": lambda r: r.update(support=None),
    "counts of another kind": lambda r: r["support"].update(supported=["x"]),
    "evidence left out": lambda r: r["evidence"].pop(),
    "evidence twice": lambda r: r["evidence"].append(r["evidence"][0]),
    "sentence left out": lambda r: r["answer"]["sentences"].pop(),
    "markdown": lambda r: r["answer"].update(markdown="All is well."),
    "question": lambda r: r.update(question="What else?"),
    "url": lambda r: r["evidence"][0].update(url="https://evil.example/"),
    "quarantine hidden": lambda r: r.update(
        quarantine=[{"document_id": "d", "span": [0, 1], "reason": "", "text": ""}]
    ),
    "seal": lambda r: r.update(seal="0" * 64),
    "seal of another kind": lambda r: r.update(seal=[1]),
}


@pytest.mark.parametrize("change", _CHANGES.values(), ids=_CHANGES)
def test_a_changed_report_is_a_breach(change: Callable[[dict[str, Any]], object], saved: str, verify) -> None:
    report = json.loads(saved)
    change(report)
    code, out, err = verify(json.dumps(report))
    assert code == 6, out + err
    assert out.startswith("breach: ")
    assert "Traceback" not in out + err


def test_a_lie_is_found_without_the_seal_too(saved: str, verify) -> None:
    for name in ("sentence", "label swapped", "label unknown", "counts", "evidence left out", "markdown"):
        report = json.loads(saved)
        del report["seal"]
        _CHANGES[name](report)
        assert verify(json.dumps(report))[0] == 6, name


def _with(saved: str, path: tuple[Any, ...], value: object) -> str:
    report = json.loads(saved)
    place = report
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(report)


_ODD: tuple[tuple[tuple[Any, ...], object], ...] = (
    (("evidence",), None),
    (("evidence",), "E1"),
    (("evidence",), [[]]),
    (("evidence", 0, "span"), "0-5"),
    (("evidence", 0, "span"), [1]),
    (("evidence", 0, "span"), [0.5, 2]),
    (("evidence", 0, "text"), 5),
    (("evidence", 0, "text"), None),
    (("evidence", 0, "label"), ["E1"]),
    (("evidence", 0, "kind"), {}),
    (("evidence", 0, "headings"), [[["x"]]]),
    (("evidence", 0, "relevance"), "high"),
    (("answer",), []),
    (("answer", "sentences"), {}),
    (("answer", "sentences", 0), 7),
    (("answer", "sentences", 0, "text"), ["x"]),
    (("answer", "sentences", 0, "support"), ["supported"]),
    (("answer", "sentences", 0, "support"), "certain"),
    (("answer", "sentences", 0, "citations"), "E1"),
    (("answer", "sentences", 0, "citations"), [1]),
    (("answer", "sentences", 0, "paragraph"), "first"),
    (("answer", "sentences", 0, "score"), True),
)


@pytest.mark.parametrize(("path", "value"), _ODD)
def test_another_schema_is_said_to_be_no_report(path: tuple[Any, ...], value: object, saved: str, verify) -> None:
    code, out, err = verify(_with(saved, path, value))
    assert code == 2, out + err
    assert err.startswith("tamis: this is not a report")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\x00" * 100,
        b"\xff\xfe{",
        b"null",
        b'"report"',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"evidence": ' + b"[" * 900 + b"]" * 900 + b', "answer": {"sentences": []}}',
        b'{"evidence": [], "answer": {"sentences": []}, "deficit": ' + b"[" * 950 + b"]" * 950 + b"}",
        b"PK\x03\x04",
        b'{"evidence": [], "answer": {"sentences": [], "markdown": NaN}, "x": 1e999999',
        b'{"evidence": [{"text": "' + b"9" * 5000 + b'", "span": [' + b"9" * 5000 + b", 2]}]}",
    ],
)
def test_what_is_no_json_or_no_report_is_refused_in_one_line(text: bytes, verify) -> None:
    code, _, err = verify(text)
    assert code == 2
    assert err.startswith("tamis: ")
    assert len(err.splitlines()) <= 3
    assert len(err) < 1000


def test_a_report_cut_short_anywhere_is_refused(saved: str, verify) -> None:
    for at in range(1, len(saved), max(1, len(saved) // 15)):
        assert verify(saved[:at])[0] == 2


def test_a_hundred_megabytes_are_not_read(saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.write(saved.encode()[:-1])
        file.truncate(100_000_000)
    assert main(["verify", str(path)]) == 2
    assert "100,000,000 bytes" in capsys.readouterr().err


def test_text_that_steers_terminals_is_shown_escaped(saved: str, verify) -> None:
    report = json.loads(saved)
    first(report)["text"] = "\x1b[2JThe last ferry sailed in 1999 \ud83d\ude00 \u202e."
    code, out, err = verify(json.dumps(report))
    assert code == 6
    assert "\x1b" not in out + err
    assert "\u202e" not in out + err


def test_what_is_kept_of_a_report_is_all_that_is_sealed(saved: str) -> None:
    report = json.loads(saved)
    assert set(asdict(_DRAFT[0])) == set(first(report))
    report["seconds"] = 99.0
    from tamis.schema.report import seal

    assert seal(report) == report["seal"]
