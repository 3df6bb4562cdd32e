"""The extractive composer over hand-made evidence: what opens, what follows, what is never shown."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.models.embedder import OnnxEmbedder
from tamis.models.reranker import load_reranker
from tamis.schema.evidence import Evidence, Segment
from tamis.schema.question import AnswerShape, Interpretation
from tamis.schema.report import Sentence
from tamis.settings import AnswerSettings
from tamis.write.extractive import compose
from tamis.write.flaws import dangling, flaw
from tamis.write.scoring import Material
from tamis.write.shapes import fit, imperative

Piece = tuple[str, str]
"""(kind, text)"""


def material(embedder: OnnxEmbedder, question: str, passages: dict[str, list[Piece]], *parts: str) -> Material:
    segments, labels, evidence = [], [], []
    for number, (document, pieces) in enumerate(passages.items(), 1):
        text = "\n".join(text for _, text in pieces)
        evidence.append(Evidence(f"E{number}", document, "", document, f"{document}#c0", (0, len(text)), "", text, 0.7))
        for place, (kind, piece) in enumerate(pieces):
            ordered = kind == "numbered"
            shown = "step" if ordered else kind
            segments.append(
                Segment(document, f"{document}#c0", place, place + 1, piece, shown, ordered=ordered)  # type: ignore[arg-type]
            )
            labels.append(f"E{number}")
    return Material(
        evidence=evidence,
        segments=segments,
        labels=labels,
        vectors=embedder.passages([segment.text for segment in segments]),
        asked=embedder.queries(parts or (question,)),
        answers={item.label: 0.0 for item in evidence},
        documents={item.document_id: 1.0 for item in evidence},
    )


def answer(
    embedder: OnnxEmbedder, question: str, shape: AnswerShape, passages: dict[str, list[Piece]], *parts: str
) -> tuple[Sentence, ...]:
    asked = Interpretation(question, "qa", "general", shape, composite=bool(parts), subqueries=parts or (question,))
    return compose(asked, material(embedder, question, passages, *parts), AnswerSettings())


def test_sentences_are_read_with_their_neighbours(embedder: OnnxEmbedder) -> None:
    question = "What temperature must poultry reach in the middle?"
    asked = Interpretation(question, "qa", "general", "general", subqueries=(question,))
    passage = [
        ("prose", "Poultry, stuffed meat and reheated leftovers are done at 74 °C."),
        ("prose", "Minced meat needs 71 °C, because grinding carries bacteria from the surface to the middle."),
    ]
    found = material(embedder, question, {"temperatures": passage})
    assert compose(asked, found, AnswerSettings())[0].text.startswith("Minced meat")
    draft = compose(asked, found, AnswerSettings(), load_reranker())
    assert [one.text for one in draft] == [text for _, text in passage]


def test_what_not_to_do_is_not_the_last_word(embedder: OnnxEmbedder) -> None:
    passage = [
        ("prose", "Queries often need values that users typed."),
        ("prose", "Beware of putting user input into a query with string operations, which lets it break the query."),
        ("prose", "For example, an attacker can close the quotation mark and select every row of user input:"),
        ("code", "query = 'SELECT * FROM stocks WHERE symbol = ' + symbol"),
        ("prose", "Instead, bind the values with placeholders."),
        ("code", "execute('SELECT * FROM stocks WHERE symbol = ?', (symbol,))"),
    ]
    draft = answer(embedder, "How do I keep user input from breaking a query?", "steps", {"sql": passage})
    assert [one.text for one in draft][-2:] == [text for _, text in passage][-2:]


def test_a_definition_opens_the_answer(embedder: OnnxEmbedder) -> None:
    passage = [
        ("prose", "Many bakers keep a sourdough starter in the refrigerator."),
        ("prose", "A sourdough starter is a culture of wild yeast and lactic acid bacteria in flour and water."),
    ]
    draft = answer(embedder, "What is a sourdough starter?", "definition", {"bread": passage})
    assert draft[0].text.startswith("A sourdough starter is")
    assert draft[0].citations == ("E1",)


def test_a_sentence_that_leans_is_shown_with_the_one_before_or_not_at_all(embedder: OnnxEmbedder) -> None:
    passage = [
        ("prose", "Raw rice often carries spores of Bacillus cereus."),
        ("prose", "These survive boiling and make cooked rice dangerous at room temperature."),
    ]
    draft = answer(embedder, "Why is cooked rice dangerous at room temperature?", "general", {"rice": passage})
    assert [sentence.text for sentence in draft] == [text for _, text in passage]
    alone = answer(embedder, "Why is cooked rice dangerous?", "general", {"rice": passage[1:], "oats": passage[:1]})
    assert all(not sentence.text.startswith("These") for sentence in alone)


def test_a_how_to_keeps_its_numbered_steps_in_order(embedder: OnnxEmbedder) -> None:
    steps = [
        ("numbered", "Shred the cabbage for the sauerkraut."),
        ("numbered", "Knead it with the salt."),
        ("numbered", "Press it into a clean jar."),
    ]
    passage = [("prose", "Sauerkraut needs cabbage and salt, nothing else."), *steps]
    draft = answer(embedder, "How do I make sauerkraut?", "steps", {"kraut": passage})
    assert [sentence.text for sentence in draft if sentence.kind == "step"] == [text for _, text in steps]


def test_code_stays_code_behind_the_sentence_it_belongs_to(embedder: OnnxEmbedder) -> None:
    passage = [
        ("prose", "Bind values with placeholders to keep user input from breaking the SQL statement:"),
        ("code", 'cur.execute("SELECT 1 WHERE x = ?", (x,))'),
    ]
    draft = answer(embedder, "How do I keep user input from breaking my SQL?", "steps", {"sqlite3": passage})
    assert [sentence.kind for sentence in draft] == ["claim", "code"]
    assert draft[1].text == passage[1][1]


def test_nothing_is_said_twice(embedder: OnnxEmbedder) -> None:
    said = "Cooked rice keeps for one to two days in the refrigerator."
    draft = answer(
        embedder, "How long does cooked rice keep?", "quantity", {"a": [("prose", said)], "b": [("prose", said)]}
    )
    assert [sentence.text for sentence in draft] == [said]


def test_a_yes_or_no_question_gets_both_sides(embedder: OnnxEmbedder) -> None:
    passages = {
        "no": [("prose", "Raw chicken should not be washed.")],
        "yes": [("prose", "Raw chicken should always be washed in a bowl of water.")],
    }
    draft = answer(embedder, "Should I wash raw chicken?", "yesno", passages)
    claims = [sentence for sentence in draft if sentence.kind == "claim"]
    assert {label for sentence in claims for label in sentence.citations} == {"E1", "E2"}
    assert any(sentence.kind == "lead" for sentence in draft)


def test_every_part_of_a_composite_question_is_answered(embedder: OnnxEmbedder) -> None:
    passages = {
        "a": [("prose", "Cooked rice keeps for one to two days in the refrigerator.")],
        "b": [("prose", "Rice goes bad because spores of Bacillus cereus survive boiling and multiply.")],
    }
    parts = ("How long does cooked rice keep?", "Why does cooked rice go bad?")
    draft = answer(embedder, "How long does cooked rice keep, and why does it go bad?", "quantity", passages, *parts)
    assert {label for sentence in draft for label in sentence.citations} == {"E1", "E2"}


def test_evidence_without_prose_is_shown_as_it_is(embedder: OnnxEmbedder) -> None:
    rows = [f"| food {number} | {number} |" for number in range(20)]
    table = "\n".join(["| food | months |", "|---|---|", *rows, "| minced beef | 3 |"])
    draft = answer(embedder, "How long does minced beef keep?", "quantity", {"t": [("table", table)]})
    assert draft[0].kind == "table"
    assert draft[0].text == "| food | months |\n|---|---|\n| minced beef | 3 |"


def test_no_evidence_no_answer(embedder: OnnxEmbedder) -> None:
    empty = Material([], [], [], np.zeros((0, 384), dtype=np.float32), embedder.queries(["x"]), {}, {})
    asked = Interpretation("x", "qa", "general", "general")
    assert compose(asked, empty, AnswerSettings()) == ()


@pytest.mark.parametrize(
    "text", ["This is why.", "However, it fails.", "It melts.", "For example, salt.", "See above."]
)
def test_what_leans_or_points_is_known(text: str) -> None:
    assert dangling(text) or flaw(text) > 0


@pytest.mark.parametrize(
    "text", ["There are two ways to thaw meat.", "One way of thawing is cold water.", "Salt melts ice."]
)
def test_what_only_looks_as_if_it_leaned_stands(text: str) -> None:
    assert not dangling(text)


@pytest.mark.parametrize(
    ("shape", "good", "bad"),
    [
        ("quantity", "It keeps for three to four days.", "It keeps well."),
        ("quantity", "The limit is 281 terabytes.", "The limit is large."),
        ("steps", "Then press it into a jar.", "Jars are made of glass."),
        ("time", "It was founded in 1974.", "It was founded by bakers."),
        ("yesno", "Yes, meat can be frozen again.", "Meat comes in packets."),
        ("person", "The method was described by Ada Lovelace.", "The method was described early."),
    ],
)
def test_the_form_of_an_answer(shape: AnswerShape, good: str, bad: str) -> None:
    assert fit(shape, good, frozenset()) > fit(shape, bad, frozenset())


def test_an_order_is_an_imperative_with_or_without_a_sequence_word() -> None:
    assert imperative("Wash the cabbage.")
    assert imperative("Then wash the cabbage.")
    assert not imperative("Washing helps.")
