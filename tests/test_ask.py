"""The ask walk over the shipped example collection, without a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tamis.app import Tamis
from tamis.errors import UnknownCollectionError, UsageError
from tamis.example import NAME, QUESTIONS, UNANSWERED, documents_folder
from tamis.schema.report import Answer
from tamis.settings import Settings


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Tamis:
    engine = Tamis(Settings(), tmp_path_factory.mktemp("home"))
    with documents_folder() as folder:
        engine.collection(NAME).ingest([folder])
    return engine


def ask(app: Tamis, question: str) -> Answer:
    return app.scroll(question, name=NAME, use_llm=False)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_collection_answers_its_own_questions(app: Tamis, question: str) -> None:
    answer = ask(app, question)
    assert answer.tier == "extractive"
    assert answer.support.unsupported == answer.support.dropped == 0
    shown = {item.label for item in answer.evidence}
    assert all(set(sentence.citations) <= shown for sentence in answer.sentences)
    assert answer.ledger.calls_total == 0


@pytest.mark.parametrize("question", UNANSWERED)
def test_it_says_what_it_cannot_answer(app: Tamis, question: str) -> None:
    answer = ask(app, question)
    assert answer.tier == "none"
    assert answer.deficit is not None
    assert answer.deficit.suggestions
    assert not answer.evidence
    assert not answer.sentences


def test_evidence_is_pinned_to_its_source(app: Tamis) -> None:
    from hashlib import sha256

    answer = ask(app, QUESTIONS[0])
    with app.store.reader(NAME) as reader:
        for item in answer.evidence:
            (document,) = reader.documents([item.document_id])
            passage = document.text[item.span[0] : item.span[1]]
            assert sha256(passage.encode()).hexdigest() == item.sha256


def test_how_to_make_sauerkraut_is_seven_steps(app: Tamis) -> None:
    steps = [sentence for sentence in ask(app, "How do I make sauerkraut?").sentences if sentence.kind == "step"]
    assert len(steps) == 7
    assert steps[0].text.startswith("Remove the outer leaves")


def test_where_sources_disagree_both_are_cited(app: Tamis) -> None:
    answer = ask(app, "Do eggs have to be refrigerated?")
    documents = {item.label: item.document_id for item in answer.evidence}
    cited = {documents[label] for sentence in answer.sentences for label in sentence.citations}
    assert {"eggs-america.html", "eggs-europe.md"} <= cited


def test_an_instruction_in_a_page_reaches_nobody(app: Tamis) -> None:
    answer = ask(app, "Are wooden cutting boards hygienic?")
    shown = answer.markdown + "".join(item.text for item in answer.evidence)
    assert "previous instructions" not in shown.casefold()


def test_two_runs_share_nothing_and_say_the_same(app: Tamis) -> None:
    first = ask(app, QUESTIONS[1]).to_dict()
    ask(app, QUESTIONS[2])
    again = ask(app, QUESTIONS[1]).to_dict()
    for run in (first, again):
        run.pop("seconds")
        for source in run["sources"]:
            source.pop("seconds")
    assert json.dumps(first) == json.dumps(again)


def test_several_collections_are_asked_together(app: Tamis, tmp_path: Path) -> None:
    page = tmp_path / "tea.md"
    page.write_text("# Brewing green tea\n\nGreen tea is brewed with water of 80 °C for two minutes.\n", "utf-8")
    app.collection("tea").ingest([page])
    answer = app.scroll("How hot is the water for green tea?", name=f"{NAME},tea", use_llm=False)
    assert "80 °C" in answer.markdown
    assert [source.id for source in answer.sources] == [NAME, "tea"]


def test_a_question_needs_a_collection(app: Tamis) -> None:
    with pytest.raises(UsageError, match="no collection is named"):
        app.scroll("How long does rice keep?")
    with pytest.raises(UnknownCollectionError, match="kitchn"):
        app.scroll("How long does rice keep?", name="kitchn")


def test_a_collection_of_nothing_readable_is_not_made(app: Tamis, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing else")
    with pytest.raises(UsageError, match=r"nothing could be read: 1 skipped.*broken\.pdf"):
        app.collection("empty").ingest([tmp_path])
    assert "empty" not in [info.name for info in app.collections()]
