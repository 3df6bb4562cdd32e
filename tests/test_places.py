"""From the bytes of a file to the place a reference leads to, that of the cited sentence, whatever the format."""

from __future__ import annotations

import pytest
from reader_samples import epub, page, pdf

from tamis.digest.chunks import chunk
from tamis.reduce.evidence import labelled
from tamis.reduce.segments import segments_of
from tamis.render.references import references
from tamis.schema.document import Document
from tamis.schema.report import Sentence
from tamis.settings import ChunkSettings

FILLER = "This line is here to give the page its usual width of text, as any page has"
PAGES = [
    ["The cellar has to be dark", FILLER, "and cool. A jar of glass needs no care and is"],
    ["washed by hand. Salt keeps the cabbage from", FILLER, "spoiling. Four weeks pass."],
    ["Old jars crack in frost. Wax keeps", "them shut."],
]
GLOSSARY = """<h1>Glossary</h1><dl class="glossary">
<dt id="term-slice">slice</dt><dd><p>A portion of a sequence.</p></dd>
<dt id="term-special">special method</dt><dd><p>A method called by the language itself.</p></dd>
<dt id="term-statement">statement</dt><dd><p>A statement is part of a suite of code.</p></dd></dl>"""
TABLE = "Food;Energy (kcal)\nRye bread;259\nCloudberries;51\n"
NOTES = "# Notes\n\n## Jars\n\nA jar is washed.\n\n## Frost\n\nOld jars crack.\n"


def place(document: Document, sentence: str) -> str:
    """Where a reference leads when all of a document is one passage and one sentence of it is cited."""
    found = [segment for segment, _ in segments_of(document, chunk(document, ChunkSettings()))]
    evidence, _, _ = labelled(found, [(0, len(found) - 1)], [0.0], {document.document_id: document}, topics={}, via={})
    (reference,) = references([Sentence(sentence, ("E1",))], evidence)
    return reference.url.rpartition("#")[2].partition(":~:")[0]


@pytest.mark.parametrize(
    ("sentence", "number"),
    [
        ("A jar of glass needs no care and is washed by hand.", 1),
        (f"Salt keeps the cabbage from {FILLER} spoiling.", 2),
        ("Four weeks pass.", 2),
        ("Old jars crack in frost.", 3),
        ("Wax keeps them shut.", 3),
    ],
)
def test_a_page_is_the_one_that_the_sentence_begins_on(sentence: str, number: int) -> None:
    assert place(page(pdf(PAGES), "file:///cellar.pdf").documents[0], sentence) == f"page={number}"


@pytest.mark.parametrize(
    ("source", "name", "sentence", "fragment"),
    [
        (GLOSSARY, "glossary.html", "statement: A statement is part of a suite of code.", "term-statement"),
        (GLOSSARY, "glossary.html", "slice: A portion of a sequence.", "term-slice"),
        (TABLE, "food.csv", "Food: Cloudberries; Energy (kcal): 51", "row=3"),
        (NOTES, "notes.md", "Old jars crack.", "frost"),
    ],
)
def test_an_anchor_is_the_nearest_before_the_sentence(source: str, name: str, sentence: str, fragment: str) -> None:
    assert place(page(source, f"file:///{name}").documents[0], sentence) == fragment


def test_a_book_leads_to_the_chapter() -> None:
    book = epub(
        {"one.xhtml": "<p>A jar is washed.</p>", "two.xhtml": "<p>Old jars crack.</p>"}, ["one.xhtml", "two.xhtml"]
    )
    assert place(page(book, "file:///book.epub").documents[0], "Old jars crack.").endswith("two.xhtml")
