"""An answer, a ranking and a trace as a person reads them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tamis.cli import show
from tamis.schema.evidence import Evidence, Quarantined
from tamis.schema.question import Interpretation
from tamis.schema.ranking import RankedItem, SignalShare
from tamis.schema.report import Answer, Deficit, Sentence, SourceStatus, SupportSummary

_URL = "http://docs.test/library/sqlite3.html#placeholders"


def evidence(label: str, title: str, url: str, text: str) -> Evidence:
    return Evidence(
        label, title, url, document_id=url, chunk_id=f"{url}#c0", span=(0, 9), sha256="", text=text, relevance=0.8
    )


@pytest.fixture
def answer() -> Answer:
    return Answer(
        question="how do I bind values?",
        interpretation=Interpretation("how do I bind values?", "howto", "explainer", "steps"),
        tier="extractive",
        markdown="",
        sentences=(
            Sentence("Bind values with placeholders.", ("E1",), "supported", 0.9, paragraph=0),
            Sentence("It is safe.", ("E2",), "weak", 0.5, paragraph=0),
            Sentence('cur.execute("SELECT ?", (x,))', ("E1",), kind="code", paragraph=1),
        ),
        evidence=(
            evidence("E1", "sqlite3", _URL, "Bind values with placeholders."),
            evidence("E2", "A much longer title", "http://docs.test/faq.html", "It is safe."),
        ),
        support=SupportSummary(supported=1, weak=1),
        documents_total=527,
        seconds=0.42,
    )


@pytest.fixture
def item() -> RankedItem:
    shares = {"bm25": SignalShare(3.2, 1, 0.0164, 2), "query": SignalShare(0.7, 4, 0.0125, 1)}
    return RankedItem(
        1, "d1", "Title", "http://docs.test/d1", 0.0289, 0.71, ("text", "vector"), "d1#c0", "A passage.", shares
    )


@pytest.fixture(autouse=True)
def piped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


def test_an_answer_has_claims_code_references_and_a_footer(answer: Answer, capsys: pytest.CaptureFixture[str]) -> None:
    show.answer(answer)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Bind values with placeholders. [1] It is safe. [2]"
    assert '    cur.execute("SELECT ?", (x,))' in lines
    first, second = (line for line in lines if line.startswith(("[1]", "[2]")))
    assert first.index("http") == second.index("http"), "links are aligned"
    assert ":~:text=" in first
    assert lines[-1].startswith("extractive · 2 of 527")
    assert all(part in lines[-1] for part in ("1 supported, 1 weak", "0 model calls", "0.4 s", "--explain"))


def test_quiet_leaves_the_footer_out(answer: Answer, capsys: pytest.CaptureFixture[str]) -> None:
    show.answer(answer, quiet=True)
    out = capsys.readouterr().out
    assert "[2] A much longer title" in out
    assert "model calls" not in out


def test_on_a_narrow_terminal_links_get_their_own_line(
    answer: Answer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    show.answer(answer)
    lines = capsys.readouterr().out.splitlines()
    assert "[1] sqlite3" in lines
    assert lines[lines.index("[1] sqlite3") + 1].startswith("    http://docs.test/")


def test_what_was_kept_out_and_dropped_is_said(answer: Answer, capsys: pytest.CaptureFixture[str]) -> None:
    removed = Sentence("It was 42.", ("E1",), "unsupported", reasons=("number 42 in no evidence",))
    show.answer(
        replace(
            answer,
            support=SupportSummary(supported=1, dropped=1, removed=(removed,)),
            quarantine=(Quarantined("d1", (0, 5), "override"),),
            notes=("the model did not answer",),
            sources=(SourceStatus("wiki", "failed", "timed out"),),
        )
    )
    out = capsys.readouterr().out
    assert "dropped: It was 42. (number 42 in no evidence)" in out
    assert "kept out: 1 passage that" in out
    assert "note: the model did not answer" in out
    assert "failed: wiki: timed out" in out


def test_fetched_text_cannot_steer_the_terminal(answer: Answer, capsys: pytest.CaptureFixture[str]) -> None:
    bad = replace(answer.evidence[0], title="sqlite3\x1b[2J", url="http://docs.test/\x1b]0;x\x07")
    claim = Sentence("Wipe \x1b[2J it.\u202e", ("E1",), "supported", 0.9)
    show.answer(replace(answer, sentences=(claim,), evidence=(bad,)), explain=True)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_a_deficit_says_why_what_was_closest_and_what_to_try(
    answer: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Deficit(
        "docs does not answer this.",
        "Nearest",
        "http://docs.test/n",
        0.41,
        0.58,
        ("treaty",),
        ("wiki: 503",),
        ("ask food",),
    )
    show.answer(replace(answer, tier="none", sentences=(), evidence=(), deficit=found))
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "docs does not answer this."
    assert all(part in out for part in ("Nearest", "http://docs.test/n", "wiki: 503", "Try: ask food"))
    assert "--explain" not in out


def test_a_ranking_shows_place_title_link_and_passage(item: RankedItem, capsys: pytest.CaptureFixture[str]) -> None:
    show.items([item])
    assert capsys.readouterr().out.splitlines() == [
        "1  Title",
        "   http://docs.test/d1",
        "   A passage.",
        "   score 0.0289, similarity 0.71  via text, vector",
    ]


_CARRIED = "full text 57 % (rank 1, place 2 without it), similarity 43 % (rank 4)"


def test_a_ranking_is_explained_by_the_signals_that_carried_it(
    item: RankedItem, capsys: pytest.CaptureFixture[str]
) -> None:
    show.items([item], explain=True)
    assert capsys.readouterr().out.splitlines()[-1] == f"   because: {_CARRIED}"


def test_an_answer_is_explained_by_a_line_a_document_and_ten_of_them(
    item: RankedItem, capsys: pytest.CaptureFixture[str]
) -> None:
    idle = {**item.signals, "authority": SignalShare(0.0, 1, 0.0, 1)}
    show.why([replace(item, rank=rank, signals=idle if rank == 1 else {}) for rank in range(1, 31)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 12
    assert lines[1] == f" 1  Title: {_CARRIED}"
    assert lines[2] == " 2  Title: found by text, vector"
    assert "20 more" in lines[-1] and "--json" in lines[-1]


def test_what_like_documents_added_is_named(item: RankedItem, capsys: pytest.CaptureFixture[str]) -> None:
    show.why([replace(item, score=0.0578)])
    assert capsys.readouterr().out.splitlines()[-1] == (
        "1  Title: neighbours 50 %, full text 28 % (rank 1, place 2 without it), similarity 22 % (rank 4)"
    )


def test_nothing_ranked_is_not_explained(capsys: pytest.CaptureFixture[str]) -> None:
    show.why([])
    assert capsys.readouterr().out == ""


def test_nothing_found_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    show.items([])
    assert capsys.readouterr().out == "nothing found\n"


def test_a_table_aligns_numbers_to_the_right(capsys: pytest.CaptureFixture[str]) -> None:
    show.table([{"recipe": "bm25", "nDCG@10": 0.25}, {"recipe": "convex", "nDCG@10": 0.3475}])
    assert capsys.readouterr().out.splitlines() == ["recipe  nDCG@10", "bm25     0.2500", "convex   0.3475"]


def test_a_trace_is_a_tree_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    show.tree("why?", [("plan", {"intent": "qa"}), ("rank", {"layers": {"text": 12, "vector": 30}, "related": 2})])
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "why?",
        "├─ plan",
        "│  └─ intent: qa",
        "└─ rank",
        "   ├─ layers: text 12, vector 30",
        "   └─ related: 2",
    ]
