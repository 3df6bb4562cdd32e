"""Bodies made to hang, crash or fill up a reader: each is read or refused with one reason, soon."""

from __future__ import annotations

import io
import json
import struct
import time
import zipfile
from collections.abc import Callable
from itertools import pairwise

import pytest
from reader_samples import SETTINGS, WORD, archive, docx, epub, page, pdf

from tamis.acquire.readers import docx as docx_reader
from tamis.acquire.readers import read
from tamis.acquire.readers.base import Body
from tamis.acquire.readers.markup import links
from tamis.acquire.readers.registry import choose, readers
from tamis.errors import UnreadableError
from tamis.schema.document import Page

SOON = 10.0
"""Seconds of processor time; the machine may be busy with other things."""

ENTITIES = "".join(f'<!ENTITY {to} "{f"&{of};" * 10}">' for of, to in pairwise("abcdefghij"))
BOMB = f'<!DOCTYPE x [<!ENTITY a "lollollol">{ENTITIES}]>'
ALIASES = "".join(f"{to}: &{to} [{', '.join([f'*{of}'] * 9)}]\n" for of, to in pairwise("abcdefghi"))
OUTSIDE = '<!DOCTYPE x [<!ENTITY j SYSTEM "file:///etc/passwd">]>'
PADDING = f"<!--{'x' * 4000}-->"


def here(data: bytes | str, url: str) -> Page:
    """Read in this process, within the time."""
    raw = data.encode("utf-8", errors="surrogatepass") if isinstance(data, str) else data
    body = Body(raw, url, settings=SETTINGS)
    began = time.process_time()
    try:
        return choose(body).read(body)
    finally:
        assert time.process_time() - began < SOON


@pytest.mark.parametrize(
    "source",
    [
        "<!--x--> " * 400 + "<p>word",
        "<p><font>" * 20_000 + "word",
        "<a href=x>" * 1_500 + "word",
        "<style>" + "/* " * 60_000 + "</style><p>word",
        "<style>" + ".a" * 60_000 + "{display:none}</style><p class=b>word",
        "<style>a{opacity:" + "0" * 60_000 + "x}</style><p>word",
        "<style>" + "".join(f".a{at}{{display:none}}" for at in range(2_000)) + "</style>"
        + "".join(f'<p class="b{at}">word' for at in range(800)),
        "<table>" + "<tr>" + "<td colspan=999 rowspan=999>word" * 300 + "<tr><td>b" * 300 + "</table>",
        '<script type="application/ld+json">' + "[" * 90_000 + "</script><p>word",
        "<title>a" + " " * 100_000 + "b</title><p>word",
        '<p style="' + "color:" * 30_000 + '">word</p>',
        "<p " + " ".join(f"a{at}=b" for at in range(5_000)) + ">word",
        "<p>" + "word" + "e" + "\u0301\u0327" * 50_000,
        "<p>" + "".join(f'<a href="/{at}">word {at}</a> ' for at in range(5_000)),
        "&#0;&#xD800;&#x110000;&#99999999999;word" * 10_000,
        "<meta property=og:title content=x>" + "word<br>" * 20_000,
    ],
    ids=range(16),
)  # fmt: skip
def test_pages_made_to_hang_are_read(source: str) -> None:
    made = here(source, "https://example.org/a.html")
    assert made.links or "word" in made.documents[0].text


def test_a_page_of_links_names_no_more_than_anyone_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "MOST_LINKS", 100)
    made = here("".join(f"<a href=/{at}>l</a>" for at in range(200)), "https://example.org/a.html")
    assert len(made.links) == 100


def test_words_around_links_of_one_long_paragraph_are_their_own() -> None:
    made = here(
        "<p>" + "".join(f"before {at} <a href=/{at}>word</a> after, " for at in range(100)),
        "https://example.org/a.html",
    )
    link = next(link for link in made.links if link.url.endswith("/50"))
    assert "before 50 word" in link.context


@pytest.mark.parametrize(
    "source",
    [
        "word\n" + ">" * 50_000 + " x",
        "# word " + "[" * 100_000,
        "# word " + "[a](" * 50_000,
        "# word" + " " * 100_000 + "b",
        "# word " + "a #" * 50_000,
        "word " + "`" * 200_000,
        "word " + " ".join("`" * at for at in range(1, 600)),
        "word\n" + "<!-- a\n" * 20_000,
        "word|\n" + "\t" * 100_000 + "x\n",
        "# word\n" * 6_000,
        "word\n" + "\n".join(" " * at + "- a" for at in range(800)),
        f"---\na: &a [x, x]\n{ALIASES}title: word\ntags: *i\n---\nword",
        "---\ntitle: " + "[" * 50_000 + "\n---\nword",
        "---\ntitle: " + "9" * 20_000 + "\n---\nword",
        "---\ntitle: 0x" + "f" * 20_000 + "\nother: 0x" + "f" * 20_000 + "\n---\nword",
        "word" + "!" * 200_000 + "x",
    ],
    ids=range(16),
)  # fmt: skip
def test_markdown_made_to_hang_is_read(source: str) -> None:
    from tamis.text.markdown import blocks, plain
    from tamis.text.sentences import sentences
    from tamis.text.tables import prose_sentences

    text = here(source, "file:///a.md").documents[0].text
    assert "word" in text
    began = time.process_time()
    assert blocks(text)
    assert plain(text)
    assert sentences(text)
    prose_sentences(text)
    assert time.process_time() - began < SOON


@pytest.mark.parametrize(
    "repeated",
    ["\n", "\n ", "\r", "\u200d", "é\u200d", "é\ufe0f", "e\u0301\u0327", "\u0e38\u0e48\u0eb8", "xyz\0", "\u202e"],
)
def test_text_made_to_hang_is_read(repeated: str) -> None:
    assert here("word " + repeated * 100_000 + " end", "file:///a.log").documents[0].text.startswith("word")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ('{"text": ' + "[" * 100_000 + "]" * 100_000 + "}", "nests too deeply"),
        ('{"text": "a", "metadata": ' + '{"a":' * 100_000 + "1" + "}" * 100_001, "nests too deeply"),
        ('{"id": ' + "9" * 10_000 + ', "text": "a"}', "not JSON"),
        ('{"text": NaN}', "no text"),
        ('{"id": "good", "text": "again"}', "already used in row 1"),
        ("{" * 100_000, "not JSON"),
        ("\0" * 1000, "not JSON"),
        ("[1, 2]", "a JSON list"),
        (json.dumps({"text": "a" * 2_000}), "longer than 1,000 bytes"),
    ],
    ids=range(9),
)
def test_a_row_that_cannot_be_read_is_named_and_the_others_are(row: str, problem: str) -> None:
    settings = SETTINGS.model_copy(update={"max_row_bytes": 1_000}) if "longer" in problem else SETTINGS
    data = f'{{"id": "good", "text": "fine"}}\n{row}\n{{"id": "last", "text": "fine"}}'.encode()
    made = read(data, url="file:///a.jsonl", settings=settings)
    assert [document.document_id for document in made.documents] == ["good", "last"]
    assert made.problems[0].startswith("row 2: ")
    assert problem in made.problems[0]


def test_rows_cannot_steer_a_terminal_or_break_a_store() -> None:
    evil = "\x1b[31m\ud800\n\u202e\x9b"
    row = dict.fromkeys(("_id", "text", "title", "url", "author", "language", f"k{evil}"), f"a{evil}b")
    row |= {"date": f"2020-01-02{evil}", "keywords": [evil, f"k{evil}"], "metadata": {evil: evil}}
    document = here(json.dumps(row), "file:///a.jsonl").documents[0]
    shown = repr(document)
    assert "\\x1b" not in shown.replace("\\\\x1b", "")
    assert document.document_id == "a\\x1b[31m\\ud800\\n\\u202e\\x9bb"
    assert (document.url, document.published) == ("a[31mb", "2020-01-02")
    shown.encode("utf-8")


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", " JavaScript:x", "java\tscript:x", "data:text/html,x", "\x01data:x"]
)
def test_rows_name_no_address_that_runs_something(url: str) -> None:
    assert here(json.dumps({"text": "word", "url": url}), "file:///a.jsonl").documents[0].url == ""


@pytest.mark.parametrize(
    ("source", "documents", "problem"),
    [
        ("id,text,x\n1,fine\n2,a,b,c,d\n", 1, "row 3: 5 fields"),
        ('id,text\n1,fine\n2,"' + "x" * 11_000_000, 1, "field larger than field limit"),
        (",".join(f"c{at}" for at in range(20_000)) + "\n" + "1\n" * 200, 1, ""),
        ("text," + ",".join(f"c{at}" for at in range(20_000)) + "\nfine\n", 1, ""),
        ("a,b\n" + "1,\x00\n" * 100, 1, ""),
        ('a,b\n1,"' + "word\n" * 100, 1, ""),
        ("a\rb,c\n1\r2\n", 1, ""),
    ],
    ids=range(7),
)
def test_tables_made_to_hang_are_read_as_far_as_they_go(source: str, documents: int, problem: str) -> None:
    made = here(source, "file:///a.csv")
    assert len(made.documents) == documents
    assert problem in "".join(made.problems)


def word(document: str | bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(docx(""))) as sample:
        parts: dict[str, str | bytes] = {name: sample.read(name) for name in sample.namelist()}
    return archive({**parts, "word/document.xml": document})


def book(container: str = "", extra: dict[str, str | bytes] | None = None) -> bytes:
    parts = {"META-INF/container.xml": container} if container else {}
    return epub({"one.xhtml": "<p>word</p>"}, ["one.xhtml"], {**parts, **(extra or {})})


@pytest.mark.parametrize("declared", [BOMB, OUTSIDE, PADDING + BOMB, PADDING + OUTSIDE], ids=range(4))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_word_documents_with_entities_are_refused(declared: str, encoding: str) -> None:
    body = f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>a&j;b</w:t></w:r></w:p></w:body></w:document>'
    with pytest.raises(UnreadableError, match="declares a document type"):
        here(word(f'<?xml version="1.0" encoding="{encoding}"?>{declared}{body}'.encode(encoding)), "file:///a.docx")


@pytest.mark.parametrize("declared", [BOMB, OUTSIDE], ids=["bomb", "outside"])
def test_entities_in_books_and_pages_stay_unread(declared: str) -> None:
    container = (
        f'{declared}<container><rootfiles><rootfile full-path="OPS/book.opf"/><x>&j;</x></rootfiles></container>'
    )
    made = here(book(container), "file:///a.epub")
    assert made.documents[0].text == "word"
    text = (
        here(f"{declared}<html><body><p>word &j; end</p></body></html>", "https://example.org/a.xhtml")
        .documents[0]
        .text
    )
    assert len(text) < 1000
    assert "root:" not in text


def overlapping(count: int) -> bytes:
    """Many names for one member, as overlapping archives have."""
    made = archive({"OPS/one.xhtml": "<p>" + "a" * 900_000})
    directory, end = made.find(b"PK\x01\x02"), made.rfind(b"PK\x05\x06")
    entries = made[directory:end] * count
    tail = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, count, count, len(entries), directory, 0)
    return made[:directory] + entries + tail


def locked(data: bytes) -> bytes:
    """The same archive with every member marked as encrypted."""
    made = bytearray(data)
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = made.find(mark)
        while at >= 0:
            made[at + flags] |= 1
            at = made.find(mark, at + 4)
    return bytes(made)


def nested() -> bytes:
    made = archive({"0.zip": b"\0" * 900_000})
    for _ in range(3):
        made = archive({f"{at}.zip": made for at in range(10)})
    return made


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: overlapping(1_000), "would unpack to"),
        (lambda: archive({f"{at}.xml": b"\0" * 990_000 for at in range(7)}), "would unpack to"),
        (lambda: archive({f"{at}.xml": "" for at in range(21_000)}), "would unpack to"),
        (lambda: word("a" * 50_000_000), "would unpack to"),
        (nested, "not a Word document|no package document"),
        (lambda: locked(book()), "needs a password"),
        (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 5_000, "needs a password, or is of the old"),
        (lambda: book()[:300], "not a readable archive"),
    ],
    ids=["overlap", "many", "members", "ratio", "nested", "locked", "old", "cut"],
)
@pytest.mark.parametrize("end", ["docx", "epub"])
def test_archives_made_to_burst_are_refused(make: Callable[[], bytes], reason: str, end: str) -> None:
    kind = docx_reader.MEDIA_TYPE if end == "docx" else "application/epub+zip"
    settings = SETTINGS.model_copy(update={"max_file_bytes": 5_000_000})
    body = Body(make(), f"file:///a.{end}", kind, settings=settings)
    reader = next(reader for reader in readers() if kind in reader.media_types)
    began = time.process_time()
    with pytest.raises(UnreadableError, match=reason):
        reader.read(body)
    assert time.process_time() - began < SOON


@pytest.mark.parametrize("name", ["../../../etc/passwd", "/etc/passwd", "..\\..\\windows", "OPS/../../x", "C:\\x"])
def test_member_names_lead_nowhere(name: str) -> None:
    items = f'<item id="a" href="one.xhtml" media-type="text/html"/><item id="b" href="{name}" media-type="text/html"/>'
    package = f'<package><manifest>{items}</manifest><spine><itemref idref="b"/><itemref idref="a"/></spine></package>'
    made = here(book(extra={"OPS/book.opf": package, name: "<p>found</p>"}), "file:///a.epub")
    text = made.documents[0].text
    assert "root:" not in text
    assert text.endswith("word")


def test_chapters_of_pictures_are_no_loss_and_encrypted_ones_are_named() -> None:
    listed = '<encryption><CipherReference URI="OPS/two.xhtml"/></encryption>'
    made = here(
        epub(
            {"cover.xhtml": '<img src="cover.jpg"/>', "one.xhtml": "<p>word</p>", "two.xhtml": "<p>\x12\x13</p>"},
            ["cover.xhtml", "one.xhtml", "two.xhtml"],
            {"META-INF/encryption.xml": listed},
        ),
        "file:///a.epub",
    )
    assert made.documents[0].text == "word"
    assert made.problems == ("OPS/two.xhtml: is encrypted",)


def raw_pdf(*objects: str) -> bytes:
    """A PDF of numbered objects without a table of them, which a reader has to rebuild."""
    numbered = "\n".join(f"{at} 0 obj\n{content}\nendobj" for at, content in enumerate(objects, 1))
    return f"%PDF-1.4\n{numbered}\ntrailer\n<</Root 1 0 R/Size {len(objects) + 1}>>\n%%EOF".encode()


_CATALOG = "<</Type/Catalog/Pages 2 0 R>>"
_FORM = (
    "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F {} 0 R>>>>/Length 11>>stream\n"
    "/F Do /F Do\nendstream"
)
_PAGE = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>"
_ONE = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
_DRAW = "<</Length 5>>stream\n/F Do\nendstream"


@pytest.mark.parametrize(
    "data",
    [
        raw_pdf(_CATALOG, "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9>>"),
        raw_pdf(_CATALOG, "<</Type/Pages/Kids[3 0 R]/Count 1000000>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 1 1]>>"),
        raw_pdf(_CATALOG, "<</Type/Pages/Kids[3 0 R]/Count 9>>", "<</Type/Pages/Kids[2 0 R]/Count 9>>"),
        raw_pdf(_CATALOG, _ONE, _PAGE, _DRAW, _FORM.format(5)),
        raw_pdf(_CATALOG, _ONE, _PAGE, _DRAW, *(_FORM.format(at) for at in range(6, 20))),
        b"%PDF-1.4\n1 0 obj " + b"[" * 200_000,
        b"%PDF-1.4\n1 0 obj " + b"<</A " * 100_000,
        b"%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 1/Prev 9/Root 1 0 R>>\nstartxref\n9\n%%EOF",
        pdf([["word"]])[:-200],
    ],
    ids=range(9),
)  # fmt: skip
def test_documents_that_loop_end(data: bytes) -> None:
    # A form that draws itself twice keeps pdfium busy for ever; then only the child's end helps.
    settings = SETTINGS.model_copy(update={"document_seconds": 2.0})
    try:
        made = read(data, url="file:///a.pdf", settings=settings)
    except UnreadableError as error:
        assert error.message.startswith("file:///a.pdf: ")
    else:
        assert made.documents


def test_bidirectional_marks_and_controls_are_not_read() -> None:
    made = page("<p>safe\u202e\u2066evil\u200f\x1b[31m\x9b \u061cend</p><title>t\u202ex</title>")
    assert made.documents[0].text == "safeevil[31m› end"
    assert made.documents[0].title == "tx"
