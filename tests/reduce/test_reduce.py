from hashlib import sha256

import numpy as np
import pytest

from tamis.models.protocols import EmbeddingIdentity
from tamis.reduce.reduce import reduce
from tamis.reduce.segments import units
from tamis.schema.document import Anchor, Chunk, Document
from tamis.schema.evidence import Quarantined
from tamis.schema.ranking import RankedItem
from tamis.settings import ReduceSettings
from tamis.text.tokens import terms

KNOTS = """# Knots

A bowline makes a loop that does not slip. It is easy to untie after a heavy load.

- Pass the end through the loop.
- Pull the knot tight.

Tie it like this:

```
loop over end
```

| knot | strength |
|---|---|
| bowline | 65 % |

## Splices

A splice joins two ropes for good, and keeps most of their strength.
"""
SOUP = "# Soup\n\nA bowline makes a loop that does not slip. Boil the lentils for twenty minutes with salt.\n"


class WordEmbedder:
    """Bags of stems, hashed: texts are as near as the words they share."""

    identity = EmbeddingIdentity("words", "", "test", 64)

    def passages(self, texts):
        out = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in enumerate(texts):
            for term in terms(text):
                out[row, int(sha256(term.encode()).hexdigest(), 16) % 64] += 1
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)

    def queries(self, texts):
        return self.passages(texts)


def _document(name, text, anchors=()):
    return Document(
        name, f"http://{name}.test/p", name, text, sha256(text.encode()).hexdigest(), "file", anchors=anchors
    )


def _run(texts, question, *, similarity=None, screen=None, probe=None, anchors=(), roundup=False, **settings):
    embedder = WordEmbedder()
    documents = {name: _document(name, text, anchors) for name, text in texts.items()}
    chunks = {
        name: [Chunk(f"{name}#c0", name, 0, 0, len(document.text), document.text)]
        for name, document in documents.items()
    }
    items = [
        RankedItem(rank, name, name, documents[name].url, 1.0, (similarity or {}).get(name, 0.9), ("text",))
        for rank, name in enumerate(texts, start=1)
    ]
    result = reduce(
        items,
        documents,
        lambda name: (chunks[name], embedder.passages([chunk.text for chunk in chunks[name]])),
        query_vectors=embedder.queries([question]),
        embedder=embedder,
        settings=ReduceSettings(**{"unrelated_cosine": 0.0, **settings}),
        roundup=roundup,
        screen=screen or (lambda segments: (tuple(segments), ())),
        probe=probe,
    )
    return result, documents


@pytest.mark.parametrize("joint", [" ", "\n"])
def test_a_block_longer_than_a_stretch_is_found_in_each(joint):
    text = joint.join(f"Knot number {n} holds a rope of {n} strands well." for n in range(40)) + "\n\nThe end is near."
    whole = units(text, 0, len(text))
    halves = [units(text, start, stop) for start, stop in ((0, 700), (700, 1400), (1400, len(text)))]
    assert all(halves) and [piece for part in halves for piece in part] == whole


def test_units_of_every_kind_with_exact_spans():
    pieces = units(KNOTS, 0, len(KNOTS))
    assert [piece.kind for piece in pieces] == ["prose", "prose", "step", "step", "prose", "code", "table", "prose"]
    assert pieces[2].text == "Pass the end through the loop."
    assert pieces[5].text == "loop over end"
    assert pieces[-1].headings == ("Knots", "Splices")
    for piece in pieces:
        assert KNOTS[slice(*piece.span)].strip() == KNOTS[slice(*piece.span)]


def test_long_tables_come_in_groups_that_repeat_the_head():
    table = "| food | mg |\n|---|---|\n" + "\n".join(f"| food number {row} | {row} |" for row in range(200))
    pieces = units(table, 0, len(table))
    assert len(pieces) > 2
    assert all(piece.text.startswith("| food | mg |\n|---|---|") for piece in pieces)
    assert "".join(table[slice(*piece.span)] for piece in pieces).replace("\n", "") == table.replace("\n", "")


def test_a_table_of_one_row_is_a_unit():
    assert [piece.kind for piece in units("| a | b |", 0, 9)] == ["table"]


def test_evidence_is_pinned_to_its_source():
    result, documents = _run(
        {"knots": KNOTS}, "which loop does not slip", anchors=(Anchor(0, "top"), Anchor(9, "bowline"))
    )
    best = result.evidence[0]
    text = documents["knots"].text
    assert best.label == "E1"
    assert best.sha256 == sha256(text[best.span[0] : best.span[1]].encode()).hexdigest()
    assert "A bowline makes a loop" in best.text
    assert best.url == "http://knots.test/p#bowline"
    assert [one.relevance for one in result.evidence] == sorted(
        (one.relevance for one in result.evidence), reverse=True
    )


def test_anchors_inside_a_passage_hold_from_their_place_in_what_is_shown():
    text = "A bowline makes a loop. It never slips at\nany load.\n\n- **Pass** the end.\n\n| loop | 1 |\n| slip | 2 |"
    at = [text.index(words) for words in ("A bowline", "at\nany", "- **Pass", "| slip")]
    anchors = tuple(Anchor(start, f"page={number}") for number, start in enumerate(at, 1))
    result, _ = _run({"knots": text}, "bowline loop slip pass end load", anchors=anchors)
    (shown,) = result.evidence
    held = {anchor.fragment: shown.text[anchor.start :] for anchor in shown.anchors}
    assert shown.url.endswith("#page=1")
    assert list(held) == ["page=2", "page=3", "page=4"]
    # The page that begins inside a sentence holds from behind that sentence's start.
    assert held["page=2"].lstrip().startswith("at")
    assert held["page=3"].startswith("Pass the end.")
    assert held["page=4"] == "| slip | 2 |"


def test_every_chosen_segment_lies_in_the_evidence_of_its_label():
    result, _ = _run({"knots": KNOTS, "soup": SOUP}, "bowline loop")
    by_label = {one.label: one for one in result.evidence}
    assert result.chosen
    for index, label in enumerate(result.labels):
        if label:
            segment = result.segments[index]
            assert by_label[label].document_id == segment.document_id
            assert by_label[label].span[0] <= segment.start < segment.end <= by_label[label].span[1]


def test_repeated_sentences_are_chosen_once_and_remembered():
    result, _ = _run({"knots": KNOTS, "soup": SOUP}, "which loop does not slip")
    said = [index for index, segment in enumerate(result.segments) if segment.text.startswith("A bowline")]
    assert len(said) == 2
    assert len(set(said) & set(result.chosen)) == 1
    assert sorted([*result.stands_for, *(other for group in result.stands_for.values() for other in group)]) == said


def test_neighbours_stay_in_their_document():
    result, _ = _run({"knots": KNOTS, "soup": SOUP}, "bowline")
    first = next(index for index, segment in enumerate(result.segments) if segment.document_id == "soup")
    assert result.before(first) is None
    assert result.after(first) == first + 1
    assert result.after(first - 1) is None
    assert result.before(0) is None
    assert result.after(len(result.segments) - 1) is None


def test_the_budget_holds():
    result, _ = _run({"knots": KNOTS, "soup": SOUP}, "bowline loop rope", evidence_characters=120)
    assert 0 < sum(one.span[1] - one.span[0] for one in result.evidence) <= 120 + 12 * len(result.segments)


def test_items_below_the_floor_go():
    result, _ = _run({"knots": KNOTS, "soup": SOUP}, "loop", similarity={"knots": 0.9, "soup": 0.2})
    assert {segment.document_id for segment in result.segments} == {"knots"}
    assert result.dropped["below the relevance floor"] == 1


def test_roundups_take_three_items_a_domain():
    texts = dict.fromkeys("abcde", SOUP)
    documents, _ = _run(texts, "lentils", roundup=True)
    assert len({segment.document_id for segment in documents.segments}) == 5
    embedder = WordEmbedder()
    items = [RankedItem(n, name, name, "http://one.test/" + name, 1.0, 0.9, ()) for n, name in enumerate("abcde", 1)]
    result = reduce(
        items,
        {name: _document(name, SOUP) for name in "abcde"},
        lambda name: ([Chunk(name, name, 0, 0, len(SOUP), SOUP)], embedder.passages([SOUP])),
        query_vectors=embedder.queries(["lentils"]),
        embedder=embedder,
        settings=ReduceSettings(),
        roundup=True,
        screen=lambda segments: (segments, ()),
    )
    assert {segment.document_id for segment in result.segments} == {"a", "b", "c"}


def test_what_is_screened_out_is_counted_and_nowhere_else():
    def screen(segments):
        bad = [segment for segment in segments if "splice" in segment.text]
        out = [Quarantined(segment.document_id, (segment.start, segment.end), "test") for segment in bad]
        return [segment for segment in segments if segment not in bad], out

    result, _ = _run({"knots": KNOTS}, "how to join two ropes with a splice", screen=screen)
    assert len(result.quarantine) == 1
    assert not any("splice" in segment.text for segment in result.segments)
    assert not any("splice" in one.text for one in result.evidence)


def test_what_the_probe_refuses_is_counted_and_nowhere_else():
    (splice,) = WordEmbedder().passages(["splice"])

    def probe(vectors):
        return ["test" if row @ splice > 0.3 else "" for row in vectors]

    result, documents = _run({"knots": KNOTS}, "how to join two ropes with a splice", probe=probe)
    assert result.quarantine and all(one.reason == "test" for one in result.quarantine)
    spans = {one.span for one in result.quarantine}
    assert not any((one.start, one.end) in spans for one in result.segments)
    assert len(result.segments) == len(result.vectors) == len(result.scores)
    assert all(documents["knots"].text[slice(*one.span)] for one in result.quarantine)
    code = next(one for one in result.segments if one.kind == "code")
    assert _run({"knots": KNOTS}, "loop", probe=lambda rows: ["x"] * len(rows))[0].segments[0].kind == code.kind


@pytest.mark.parametrize("texts", [{}, {"empty": ""}, {"rule": "---"}])
def test_nothing_in_nothing_out(texts):
    result, _ = _run(texts, "anything")
    assert result.evidence == ()
    assert result.chosen == ()


def test_long_items_are_compressed():
    text = "\n\n".join(f"Sentence number {word} speaks of rope {word}." for word in range(40))
    result, _ = _run({"long": text}, "rope", compress_above=10)
    assert result.compressed == 1
    assert len(result.chosen) <= 10


def test_two_runs_are_alike():
    one, _ = _run({"knots": KNOTS, "soup": SOUP}, "bowline loop")
    two, _ = _run({"knots": KNOTS, "soup": SOUP}, "bowline loop")
    assert one.evidence == two.evidence
    assert np.array_equal(one.vectors, two.vectors)


def test_a_table_shown_in_parts_has_its_head_once():
    rows = "\n".join(f"| food number {row} | {row} |" for row in range(80))
    result, _ = _run({"table": f"| food | mg |\n|---|---|\n{rows}"}, "food number 7")
    assert len(result.segments) > 1
    assert len(result.evidence) == 1
    assert result.evidence[0].text.count("| food | mg |") == 1
    assert "| food number 79 | 79 |" in result.evidence[0].text


def test_a_passage_that_prints_the_question_does_not_answer_it():
    from tamis.text.unasked import unasked

    asked = "which addresses does the network guard refuse?"
    assert unasked('$ tamis scroll "Which addresses does\nthe network guard refuse?" --name x', asked) == (
        '$ tamis scroll "…" --name x'
    )
    assert unasked("What is rice? Rice is a grain.", "What is rice?") == "What is rice? Rice is a grain."
