"""Anything at all, and good files with some bytes changed: every reader gives a page or says why not."""

from __future__ import annotations

import io
import json
from functools import lru_cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reader_samples import SETTINGS, docx, epub, pdf

from tamis.acquire.readers import read
from tamis.acquire.readers.base import Body
from tamis.acquire.readers.registry import readers
from tamis.errors import UnreadableError
from tamis.schema.document import Page
from tamis.text.encoding import clean, printable

BOUNDED = settings(
    derandomize=True, max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
PARTS = st.sampled_from(
    """
    <p> </p> <div> </div> <table> <tr> <td> <td+colspan=9> </table> <ul> <li> <dl> <dt> <dd> <pre> </pre> <a+href=x>
    <style> </style> <script> </script> <!-- --> <![CDATA[ ]]> <!DOCTYPE+x[ ]> <?xml+?> &amp; &#0; &#xD800; &x;
    <b+style="display:none" [ ]( ) ![ ` ``` ~~~ # ## > - 1. | |-| --- === *** __ ~~ \\ {"text": {"id":
    "a", } : , " "a" null NaN [[ ]] 1e999
    ... .+. ?! 。 Dr. e.g. 1.5 No. (a) «
    """.split()
).map(lambda part: part.replace("+", " "))
ODD = st.text(
    st.sampled_from(
        "aZ9 .\n\t\r\0\x1b\x85\x9b\xad\ufeff\u200b\u200d\u202e\u2028\ud800\udfff\ufe0f\u0301é中́🎉|,;\"'<>&[]()`#"
    )
)
PIECES = st.lists(st.one_of(PARTS, ODD, st.just("\n"), st.just(" "), st.just("word")), max_size=40).map("".join)
TEXTUAL = ("html", "md", "txt", "csv", "jsonl")


@lru_cache(maxsize=1)
def samples() -> dict[str, bytes]:
    """A good file of every kind."""
    rows = [{"id": "a", "text": "some words", "year": 2001, "metadata": {"k": [1, None]}}, {"text": "more"}]
    found = {
        "html": b"<html><head><title>T</title></head><body><h1 id=a>H</h1><p>words <a href=x>l</a></p></body></html>",
        "md": b"---\ntitle: T\ndate: 2020-01-02\n---\n# H\n\n[l](x)\n\n```\nx\n```\n\n|a|b|\n|-|-|\n|1|2|\n",
        "txt": "Tïtle\n\nwords, more words.".encode(),
        "csv": b'id,text,year\na,some words,2001\nb,"more, words",\n',
        "jsonl": "\n".join(map(json.dumps, rows)).encode(),
        "docx": docx("<w:p><w:r><w:t>words</w:t></w:r></w:p>"),
        "epub": epub({"a.xhtml": "<h1>H</h1><p>words</p>"}, ["a.xhtml"]),
        "pdf": pdf([["words of a page"], ["and another"]], "/Title (T)"),
    }
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    out = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows[:1]), out)
    return {**found, "parquet": out.getvalue()}


def sound(page: Page) -> None:
    """What everyone behind a reader relies on."""
    page_text = "".join(document.text for document in page.documents)
    page_text.encode("utf-8")
    for document in page.documents:
        assert clean(document.text) == document.text
        assert document.text.strip()
        assert "\n" not in document.title
        for name in (document.document_id, document.title, document.url, document.author, *document.keywords):
            assert printable(name) == name
        starts = [anchor.start for anchor in document.anchors]
        assert starts == sorted(starts)
        assert all(0 <= start <= len(document.text) for start in starts)
    assert all(printable(problem) == problem for problem in page.problems)
    assert len({link.url for link in page.links}) == len(page.links)


def tried(data: bytes, end: str) -> None:
    """Read in this process with the reader of an extension."""
    reader = next(one for one in readers() if f".{end}" in one.extensions)
    try:
        page = reader.read(Body(data, f"file:///a.{end}", settings=SETTINGS, document_id="a"))
    except UnreadableError as error:
        assert error.message.startswith(f"file:///a.{end}")
    else:
        sound(page)


@pytest.mark.parametrize("end", TEXTUAL)
@BOUNDED
@given(PIECES)
def test_any_text(end: str, text: str) -> None:
    tried(text.encode("utf-8", errors="surrogatepass"), end)


@pytest.mark.parametrize("end", sorted({*samples()} - {"pdf"}))
@BOUNDED
@given(st.binary(max_size=300))
def test_any_bytes(end: str, data: bytes) -> None:
    tried(data, end)


EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from("cut set add swap".split()), st.binary(max_size=6)), max_size=6
)


def edited(data: bytes, edits: list[tuple[float, str, bytes]]) -> bytes:
    """Some bytes changed, added, removed or moved."""
    for place, kind, new in edits:
        at = int(place * len(data))
        before, after = data[:at], data[at:]
        data = {
            "cut": before + after[len(new) :],
            "set": before + new + after[len(new) :],
            "add": before + new + after,
            "swap": after + before if len(new) > 3 else before + after[::-1],
        }[kind]
    return data


@pytest.mark.parametrize("end", sorted({*samples()} - {"pdf"}))
@BOUNDED
@given(EDITS)
def test_good_files_with_changes(end: str, edits: list[tuple[float, str, bytes]]) -> None:
    tried(edited(samples()[end], edits), end)


@settings(BOUNDED, max_examples=40)
@given(EDITS)
def test_good_pdfs_with_changes(edits: list[tuple[float, str, bytes]]) -> None:
    # In its own process, as always: a library that crashes would take the tests along.
    try:
        sound(read(edited(samples()["pdf"], edits), url="file:///a.pdf", settings=SETTINGS))
    except UnreadableError as error:
        assert error.message.startswith("file:///a.pdf")


@BOUNDED
@given(
    st.binary(max_size=200), st.sampled_from(["", "text/html", "text/plain", "application/octet-stream", "x/y", "\x1b"])
)
def test_any_bytes_under_any_declaration(data: bytes, media_type: str) -> None:
    try:
        sound(read(data, url="https://example.org/x", media_type=media_type, charset="punycode", settings=SETTINGS))
    except UnreadableError as error:
        assert error.message.startswith("https://example.org/x")
