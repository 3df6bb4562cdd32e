"""Names in texts to terms: every way of writing, every way of being something else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.library.linking import Linker
from tamis.library.linking.abbreviations import abbreviations
from tamis.library.linking.spelling import name_key, tokens
from tamis.models.protocols import EmbeddingIdentity, Matrix
from tamis.schema.document import Chunk
from tamis.schema.entity import Mention
from tamis.schema.library import EntityLink, Ontology, Term
from tamis.settings_library import LinkSettings

TERMS = (
    Term("n:0", "nutrient"),
    Term("n:1", "vitamin (molecular entity)", ("vitamins",), ("n:0",)),
    Term("n:2", "vitamin D", (), ("n:1",)),
    Term("n:3", "vitamin C", ("L-ascorbic acid", "ascorbic acid"), ("n:1",)),
    Term("n:4", "vitamin E", (), ("n:1",)),
    Term("n:5", "dietary fibre", (), ("n:0",)),
    Term("n:6", "soluble dietary fibre", (), ("n:5",)),
    Term("n:7", "dietary calcium", ("Ca",), ("n:0",)),
    Term("n:8", "calcium(2+)", ("Ca(2+)",), ("n:7",)),
    Term("n:9", "beta-carotene", ("provitamin A",), ("n:0",)),
    Term("n:10", "fatty acid", ("fatty acids",), ("n:0",)),
    Term("n:11", "omega-3 fatty acid", ("n-3 fatty acid",), ("n:10",)),
    Term("n:12", "protein", (), ("n:0",)),
    Term("n:13", "lactose", (), ("n:0",)),
    Term("n:14", "glucose", (), ("n:0",)),
    Term("n:15", "free sugar", (), ("n:0",)),
    Term("n:16", "quercetin", ("meletin",), ("n:0",)),
    Term("n:17", "mint plant", ("menthol",), ()),
    Term("n:18", "mint sweet", ("menthol",), ()),
    Term("n:19", "soy bean", (), ()),
    Term("n:20", "methylmercury compound", (), ("n:0",)),
    Term("n:21", "mercury(2+)", ("Hg(2+)",), ("n:0",)),
    Term("n:22", "level", (), ("n:0",)),
    Term("n:23", "sodium", (), ("n:0",)),
    Term("n:24", "magnesium", (), ("n:0",)),
    Term("n:25", "magnesium sulfate", (), ("n:24",)),
)
ONTOLOGY = Ontology("test", "0", {term.term_id: term for term in sorted(TERMS, key=lambda term: term.term_id)})


LINKER = Linker(ONTOLOGY, LinkSettings())


def _chunk(text: str, name: str = "d", ordinal: int = 0) -> Chunk:
    return Chunk(f"{name}#c{ordinal}", name, ordinal, 0, len(text), text)


def _links(text: str, settings: LinkSettings | None = None, **options: object) -> tuple[EntityLink, ...]:
    return Linker(ONTOLOGY, settings or LinkSettings(), **options).links([_chunk(text)])[0]  # type: ignore[arg-type]


def _found(text: str, settings: LinkSettings | None = None) -> list[tuple[str, str]]:
    return [(text[link.start : link.end], link.term_id) for link in _links(text, settings)]


@pytest.mark.parametrize(
    ("text", "written", "term_id"),
    [
        ("More VITAMIN D than before.", "VITAMIN D", "n:2"),
        ("Fibre helps.", "Fibre", "n:5"),
        ("Dietary fibers help.", "Dietary fibers", "n:5"),
        ("soluble fiber", "soluble fiber", "n:6"),
        ("Soluble-dietary-fibres", "Soluble-dietary-fibres", "n:6"),
        ("β-carotene is orange", "β-carotene", "n:9"),
        ("betacarotene is orange", "betacarotene", "n:9"),
        ("beta carotene is orange", "beta carotene", "n:9"),
        ("ω-3 fatty acids", "ω-3 fatty acids", "n:11"),
        ("omega3 fatty acid", "omega3 fatty acid", "n:11"),
        ("acid, fatty", "acid, fatty", "n:10"),
        ("sugar, free", "sugar, free", "n:15"),
        ("fibre, soluble", "fibre, soluble", "n:6"),
        ("soybeans and other beans", "soybeans", "n:19"),
        ("methyl mercury in fish", "methyl mercury", "n:20"),
        ("calcium in milk", "calcium", "n:7"),
        ("magnesium sulphate", "magnesium sulphate", "n:25"),
        ("the D vitamin", "D vitamin", "n:2"),
        ("the vitamin", "vitamin", "n:1"),
    ],
)
def test_written_forms(text: str, written: str, term_id: str) -> None:
    assert (written, term_id) in _found(text)


@pytest.mark.parametrize(
    "text",
    [
        "sugar-free gum",
        "C-reactive protein rose",
        "a protein kinase",
        "calcium channel blockers",
        "vitamin D receptor",
        "lactase persistence",
        "glucose-6-phosphate",
        "glucose 6-phosphate dehydrogenase",
        "vitamin D3",
        "sodium chlorate",
        "diclofenac sodium",
        "N-acetyl-glucose",
        "BRCA1 protein",
        "CA 15-3, ca. 20 m",
        "water level",
        "menthol",
        "acid. Fatty",
        "salt, acid, fatty and other things",
    ],
)
def test_what_only_looks_like_a_name(text: str) -> None:
    assert _found(text) == []


def test_twenty_grams_of_protein_are_no_g_protein() -> None:
    assert _found("It holds 20 g protein.") == [("protein", "n:12")]
    assert _found("a G protein") == []


def test_names_that_share_a_word() -> None:
    assert _found("vitamins C, D and E") == [("vitamins C", "n:3"), ("D", "n:2"), ("E", "n:4")]
    assert _found("omega-3 and other fatty acids") == [("fatty acids", "n:10")]
    assert _found("vitamin C (a marker) was low") == [("vitamin C", "n:3")]


@pytest.mark.parametrize(
    ("written", "term_id"),
    [("qurecetin", "n:16"), ("querceetin", "n:16"), ("quercetine", "n:16"), ("lactosse", "n:13"), ("vitamin D", "n:2")],
)
def test_a_slip_is_forgiven(written: str, term_id: str) -> None:
    (link,) = _links(f"The {written} was high.")
    assert link.term_id == term_id
    assert link.method == ("exact" if written == "vitamin D" else "fuzzy")
    assert link.confidence < 1 or written == "vitamin D"


@pytest.mark.parametrize("written", ["lactase", "lactone", "fructose", "melitin"])
def test_another_word_is_no_slip(written: str) -> None:
    assert _links(f"The {written} was high.") == ()


def test_one_floor_and_one_blocklist_for_all_ways_alike() -> None:
    text = "Quercetin and quercetine, or Meletin. The free sugar was high. Add: sugar, free"
    assert {link.term_id for link in _links(text)} == {"n:15", "n:16"}
    assert _links(text, LinkSettings(confidence_floor=1.0)) == tuple(
        link for link in _links(text) if link.confidence == 1.0
    )
    blocked = _links(text, LinkSettings(blocklist=("Quercetins", "free-sugar")))
    assert [text[link.start : link.end] for link in blocked] == ["Meletin"]


def test_a_blocked_phrase_guards_what_stands_in_it() -> None:
    assert _found("calcium antagonism", LinkSettings(blocklist=("calcium antagonism",))) == []


def test_everyday_words_need_a_lower_floor() -> None:
    assert _found("the level rose") == []
    assert _found("the level rose", LinkSettings(confidence_floor=0.5)) == [("level", "n:22")]


def test_a_symbol_is_believed_beside_its_name() -> None:
    assert _found("Ca was measured.") == []
    assert _found("Calcium was measured. Ca was low, ca. 3.") == [("Calcium", "n:7"), ("Ca", "n:7")]
    assert ("Hg", "n:21") in _found("Mercury was measured, and Hg was low.")


def test_a_symbol_that_begins_a_sentence_is_a_word() -> None:
    arsenic = Linker(Ontology("a", "0", {"a:1": Term("a:1", "arsenic", ("As",))}), LinkSettings())
    text = "As we measured arsenic, total As rose. As expected."
    (links,) = arsenic.links([_chunk(text)])
    assert [link.start for link in links] == [15, 30]


def test_an_abbreviation_holds_in_the_whole_document() -> None:
    chunks = [
        _chunk("Soluble dietary fibre (SDF) and FA (fat).", "d", 0),
        _chunk("SDF was low.", "d", 1),
        _chunk("SDF was low.", "other", 0),
    ]
    links = Linker(ONTOLOGY, LinkSettings()).links(chunks[::-1])[::-1]
    assert [[link.term_id for link in each] for each in links] == [["n:6", "n:6"], ["n:6"], []]
    assert links[1][0].chunk_id == "d#c1"


def test_an_abbreviation_of_something_else_hides_a_symbol() -> None:
    assert _found("Coronary angiography (Ca) and calcium. Ca again.") == [("calcium", "n:7")]


def test_figures_in_brackets_abbreviate_nothing() -> None:
    orange = Ontology("o", "0", {"o:1": Term("o:1", "orange")})
    text = "more orange (OR, 0.8) and OR 0.9"
    (link,) = Linker(orange, LinkSettings()).links([_chunk(text)])[0]
    assert text[link.start : link.end] == "orange"


def test_long_and_short_forms() -> None:
    text = "low-density lipoprotein (LDL) and body mass index (BMI), see coronary artery calcium (CAC) above (Fig)"
    known = {each.short: text[each.start : each.end] for each in abbreviations(text) if each.start is not None}
    assert known == {
        "LDL": "low-density lipoprotein",
        "BMI": "body mass index",
        "CAC": "coronary artery calcium",
    }


def test_context_decides_between_terms_of_one_name() -> None:
    assert _found("menthol and the mint plant") == [("menthol", "n:17"), ("mint plant", "n:17")]


def test_names_outside_the_scope_are_read_but_not_linked() -> None:
    text = "soluble fibre, fibre"
    found = Linker(ONTOLOGY, LinkSettings(), scope={"n:5"}).links([_chunk(text)])[0]
    assert [(link.start, link.term_id) for link in found] == [(15, "n:5")]


class _Letters:
    """Embeds a text by its letters: near texts have near vectors."""

    identity = EmbeddingIdentity("letters", "", "test", 26)

    def passages(self, texts: Sequence[str]) -> Matrix:
        counts = np.array([[text.lower().count(chr(97 + place)) for place in range(26)] for text in texts], np.float32)
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)

    queries = passages


def test_mentions_that_no_spelling_resolves_are_linked_by_meaning() -> None:
    text = "The quertecin and the protein kinase rose."
    mentions = [
        [Mention(word, word, "MISC", text.index(word), text.index(word) + len(word), 1.0) for word in words]
        for words in [("quertecin", "protein", "rose")]
    ]
    linker = Linker(ONTOLOGY, LinkSettings(), _Letters())
    (link,) = linker.links([_chunk(text)], mentions)[0]
    assert (link.term_id, link.method, text[link.start : link.end]) == ("n:16", "dense", "quertecin")
    assert linker.links([_chunk(text)])[0] == ()
    blocked = Linker(ONTOLOGY, LinkSettings(blocklist=("quertecin",)), _Letters())
    assert blocked.links([_chunk(text)], mentions)[0] == ()
    sure = Linker(ONTOLOGY, LinkSettings(confidence_floor=1.0), _Letters())
    assert all(each.confidence == 1.0 for each in sure.links([_chunk(text)], mentions)[0])


def test_only_mentions_of_the_wanted_kinds() -> None:
    text = "glucose and quercetin"
    mentions = [
        [Mention("glucose", "glucose", "ORG", 0, 7, 1.0), Mention("quercetin", "quercetin", "LOC", 12, 21, 1.0)]
    ]
    links = Linker(ONTOLOGY, LinkSettings()).links([_chunk(text)], mentions, ("LOC",))[0]
    assert [link.term_id for link in links] == ["n:16"]


@given(st.text(max_size=300))
def test_any_text_is_read_and_spans_point_into_it(text: str) -> None:
    for link in LINKER.links([_chunk(text)])[0]:
        assert 0 <= link.start < link.end <= len(text)
        assert link.term_id in ONTOLOGY.terms
    assert all(text[token.start : token.end].strip() for token in tokens(text))


@settings(max_examples=20)
@given(st.permutations([term.label for term in TERMS]))
def test_the_order_of_documents_changes_nothing(labels: list[str]) -> None:
    chunks = [_chunk(f"The {label} rose.", f"d{place}") for place, label in enumerate(labels)]
    linker = LINKER
    forward = linker.links(chunks)
    assert linker.links(chunks[::-1]) == forward[::-1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fibres", "fiber"),
        ("sulphur", "sulfur"),
        ("Haemoglobin", "hemoglobin"),
        ("oestrogens", "estrogen"),
        ("potatoes", "potato"),
        ("berries", "berry"),
        ("peaches", "peach"),
        ("leaves", "leaf"),
        ("crème", "creme"),
        ("hexakisphosphate", "hexaphosphate"),
        ("chillies", "chili"),
        ("aubergine", "eggplants"),
        ("B₁₂", "B-12"),
        ("α-tocopherol", "alpha tocopherol"),
    ],
)
def test_one_spelling(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize("word", ["flour", "sour", "asparagus", "gas", "aloe", "anise", "glucose", "hummus"])
def test_words_that_only_look_british_or_plural(word: str) -> None:
    assert name_key(word) == (word,)


PROGRAM = """
from tamis.example import ontologies_folder
from tamis.library.linking import Linker
from tamis.library.ontology import load_ontology
from tamis.schema.document import Chunk
from tamis.settings_library import LinkSettings
with ontologies_folder() as folder:
    linker = Linker(load_ontology(folder / "foods.yaml"), LinkSettings())
text = "Red and processed meat, sauces; orange (OJ) and OJ, brocoli, nuts, oil of olive"
print(linker.links([Chunk("a", "a", 0, 0, len(text), text)]))
"""


def test_the_hash_seed_changes_nothing() -> None:
    answers = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1
    assert "broccoli" in answers.pop()
