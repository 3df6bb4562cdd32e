from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.acquire.readers import read
from tamis.render.answer import escape_markdown, markdown, plain_text, printable
from tamis.render.references import references, text_fragment
from tamis.schema.document import Anchor
from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence, SentenceKind
from tamis.settings import ReadSettings


def evidence(
    label: str,
    *,
    document: str = "d",
    url: str = "http://h/p.html#s",
    text: str = "Bind values.",
    headings: tuple[str, ...] = ("Section",),
    anchors: tuple[Anchor, ...] = (),
) -> Evidence:
    span = (0, len(text))
    return Evidence(
        label, "Title", url, document, f"{document}#c0", span, "", text, 0.8, headings=headings, anchors=anchors
    )


def test_references_are_numbered_by_first_citation_and_gather_one_place() -> None:
    shown = [evidence("E1", document="b", url="http://h/b"), evidence("E2"), evidence("E3")]
    draft = [Sentence("One.", ("E2",)), Sentence("Two.", ("E3", "E1"))]
    found = references(draft, shown)
    assert [(ref.number, ref.labels) for ref in found] == [(1, ("E2", "E3")), (2, ("E1",))]


def test_a_label_without_evidence_makes_no_reference() -> None:
    assert references([Sentence("One.", ("E9",))], [evidence("E1")]) == ()


def test_the_link_leads_to_the_section_and_quotes_the_page() -> None:
    (ref,) = references([Sentence("Bind values.", ("E1",))], [evidence("E1")])
    assert ref.url == "http://h/p.html#s:~:text=Bind%20values."
    assert ref.title == "Title: Section"


def test_a_sentence_is_found_under_its_markup() -> None:
    shown = [evidence("E1", text="First this.\n\nThen **bind** the `values`.")]
    (ref,) = references([Sentence("Then bind the values.", ("E1",))], shown)
    assert ref.url.endswith("text=Then%20bind%20the%20values.")


def test_a_page_without_anchor_gets_one_and_a_file_keeps_its_address() -> None:
    shown = [evidence("E1", url="http://h/p.html"), evidence("E2", document="f", url="file:///a.md")]
    found = references([Sentence("Bind values.", ("E1", "E2"))], shown)
    assert [ref.url for ref in found] == ["http://h/p.html#:~:text=Bind%20values.", "file:///a.md"]


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("1. Bind **values** with `?`.", "Bind%20values%20with%20%3F."),
        ("- See [the guide](http://h/g) &amp; more", "See%20the%20guide%20%26%20more"),
        ("| Model | Pressure (bar) |\n| --- | --- |\n| Z\\|1 | 3 |", "Pressure%20%28bar%29"),
        ("```sh\nls\n```", "ls"),
        ("> ~~Old~~ New words", "New%20words"),
    ],
)
def test_the_link_quotes_what_the_page_shows_not_how_it_is_written_here(text: str, fragment: str) -> None:
    (ref,) = references([Sentence("Said otherwise.", ("E1",))], [evidence("E1", text=text)])
    assert ref.url == f"http://h/p.html#s:~:text={fragment}"


PAGES = "Wash the jar. Salt the cabbage, and *press* it. Wait for four weeks.\n- Open the jar.\n| jar | 3 l |"
AT = tuple(
    Anchor(PAGES.index(words), f"page={number}")
    for number, words in enumerate(("Salt the", "Wait for", "- Open", "| jar"), 3)
)


@pytest.mark.parametrize(
    ("said", "kind", "page"),
    [
        ("Wash the jar.", "claim", 2),
        ("Salt the cabbage, and press it.", "claim", 3),
        ("Wait for four weeks.", "claim", 4),
        ("Open the jar.", "step", 5),
        ("| jar | 3 l |", "table", 6),
        ("After four weeks of waiting it is done.", "claim", 4),
        ("Nothing of it stands there.", "claim", 2),
        ("", "claim", 2),
    ],
)
def test_the_link_leads_to_where_the_cited_sentence_begins(said: str, kind: SentenceKind, page: int) -> None:
    shown = evidence("E1", url="file:///jar.pdf#page=2", text=PAGES, anchors=AT)
    (ref,) = references([Sentence(said, ("E1",), kind=kind)], [shown])
    assert ref.url == f"file:///jar.pdf#page={page}"


def test_of_several_sentences_of_one_passage_the_first_names_the_place() -> None:
    shown = evidence("E1", url="file:///jar.pdf#page=2", text=PAGES, anchors=AT)
    (ref,) = references([Sentence("Wait for four weeks.", ("E1",)), Sentence("Wash the jar.", ("E1",))], [shown])
    assert ref.url == "file:///jar.pdf#page=4"


def test_passages_cited_on_one_page_are_one_reference() -> None:
    shown = [
        evidence("E1", url="file:///jar.pdf#page=2", text=PAGES, anchors=AT),
        evidence("E2", url="file:///jar.pdf#page=3", text="Use white cabbage."),
    ]
    (ref,) = references([Sentence("Salt the cabbage.", ("E1",)), Sentence("Use white cabbage.", ("E2",))], shown)
    assert ref.labels == ("E1", "E2")


def test_a_file_that_a_browser_shows_is_searched_for_the_sentence() -> None:
    shown = [
        evidence("E1", document="a", url="file:///a.html#s"),
        evidence("E2", document="b", url="file:///b.HTM"),
        evidence("E3", document="c", url="file:///c.docx"),
    ]
    found = references([Sentence("Bind values.", ("E1", "E2", "E3"))], shown)
    assert [ref.url for ref in found] == [
        "file:///a.html#s:~:text=Bind%20values.",
        "file:///b.HTM#:~:text=Bind%20values.",
        "file:///c.docx",
    ]


def test_a_place_without_a_fragment_is_told_by_its_headings() -> None:
    shown = [
        evidence("E1", url="file:///a.docx", headings=("title", "Storing", "Eggs")),
        evidence("E2", url="file:///a.docx", headings=("title", "Storing", "Milk")),
        evidence("E3", url="file:///a.docx", headings=("1", "2", "3", "4")),
    ]
    found = references([Sentence("Bind values.", ("E1", "E2", "E3"))], shown)
    assert [ref.title for ref in found] == ["Title: Storing › Eggs", "Title: Storing › Milk", "Title: 2 › 3 › 4"]
    assert [ref.number for ref in found] == [1, 2, 3]


@given(st.text())
def test_fragments_hold_no_character_of_the_directive_syntax(text: str) -> None:
    directive = text_fragment(text)
    assert directive == "" or directive.startswith("text=")
    body = directive.removeprefix("text=")
    assert "&" not in body
    assert "-" not in body
    assert body.count(",") <= 1


def test_a_long_passage_is_named_by_its_ends() -> None:
    directive = text_fragment("one two three four five six seven eight nine ten")
    assert unquote(directive) == "text=one two three four,seven eight nine ten"


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("The chip holds about 2^10 entries in its table.", "The chip holds about,entries in its table."),
        ("The chip holds 10^-6 of them.", "The chip holds,of them."),
        ("The area is 40 m^2 here.", "The area is 40"),
        ("10^6 cells are enough.", "cells are enough."),
        ("2^4 by 2^8", "by"),
        ("2^4 2^8", ""),
        ("Write a^b or ^ for powers.", "Write a^b or ^ for powers."),
    ],
)
def test_a_fragment_holds_only_words_that_the_page_shows(text: str, fragment: str) -> None:
    assert unquote(text_fragment(text)).removeprefix("text=") == fragment


def test_a_link_to_a_raised_number_finds_the_words_of_the_page() -> None:
    """The whole way from the page: what the fragment names stands in the page's own text."""
    page = (
        "<html><body><article><p>The chip holds about 2<sup>10</sup> entries in its table.</p></article></body></html>"
    )
    text = read(page.encode(), url="http://h/p.html", media_type="text/html", settings=ReadSettings()).documents[0].text
    assert "2^10" in text
    (ref,) = references([Sentence(text.strip(), ("E1",))], [evidence("E1", text=text)])
    named = unquote(ref.url.partition(":~:text=")[2]).split(",")
    seen = re.sub(r"<[^>]+>", "", page)
    assert named
    assert all(part in seen for part in named)


def test_markdown_escapes_what_a_page_might_smuggle_in() -> None:
    hostile = "![x](http://evil/) <script>alert(1)</script> `rm` *b* [E1]"
    text, _ = markdown([Sentence(hostile, ("E1",))], [evidence("E1")])
    assert "![x]" not in text
    assert "<script>" not in text
    assert "\\<script\\>" in text


def test_names_with_underscores_stay_readable() -> None:
    assert escape_markdown("use row_factory here") == "use row_factory here"


def test_terminal_escapes_and_direction_marks_are_removed() -> None:
    assert printable("a\x1b[31mb\u202ec\x07") == "a[31mbc"


def test_code_keeps_its_lines_and_its_fence_is_longer_than_any_in_it() -> None:
    draft = [Sentence("Do this.", ("E1",)), Sentence("```\nif x:\n    y()\n```", ("E1",), kind="code", paragraph=1)]
    text, refs = markdown(draft, [evidence("E1")])
    assert "````\n```\nif x:\n    y()\n```\n````" in text
    assert "        y()" in plain_text(draft, refs)


def test_steps_are_numbered_and_cited() -> None:
    draft = [Sentence("Wash.", ("E1",), kind="step"), Sentence("Dry.", ("E1",), kind="step")]
    text, _ = markdown(draft, [evidence("E1")])
    assert text.startswith("1. Wash. [1]\n2. Dry. [1]\n")


def test_an_unsupported_sentence_is_marked() -> None:
    text, _ = markdown([Sentence("It flies.", ("E1",), support="unsupported")], [evidence("E1")])
    assert "It flies. (unsupported) [1]" in text
