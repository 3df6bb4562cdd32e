"""PDF, DOCX, EPUB, Markdown, text and datasets."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest
from reader_samples import SETTINGS, WORD, archive, docx, epub, page, pdf

from tamis.acquire.readers import read
from tamis.acquire.readers.pdf import _text
from tamis.errors import UnreadableError


def test_pdf_pages_have_anchors_and_whole_words() -> None:
    filler = "This line is here to give the page its usual width of text,"
    pages = [
        ["Annual report 2001", filler, "and the word nutri-", "tion is broken over two lines.", "1"],
        ["Annual report 2001", filler, "Second page text ends here.", "2"],
        ["Annual report 2001", filler, "Third page text ends here.", "3"],
    ]
    document = page(
        pdf(pages, "/Title (Report) /Author (A. N. Other) /CreationDate (D:20010203)"), "file:///r.pdf"
    ).documents[0]
    assert (document.title, document.author, document.published) == ("Report", "A. N. Other", "2001-02-03")
    assert "the word nutrition is broken" in document.text
    assert "Annual report" not in document.text
    assert [anchor.fragment for anchor in document.anchors] == ["page=1", "page=2", "page=3"]
    assert "Second page" in document.text[document.anchors[1].start : document.anchors[2].start]


@pytest.mark.parametrize(("data", "reason"), [(pdf([[]]), "scanned"), (b"%PDF-1.7 nothing", "not a readable PDF")])
def test_pdf_without_text_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        page(data, "file:///x.pdf")


def test_docx_headings_tables_and_properties() -> None:
    def paragraph(text: str, style: str = "") -> str:
        styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f"<w:p>{styled}<w:r><w:t>{text}</w:t></w:r></w:p>"

    cells = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("Plot", "pH"))
    row = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("North", "6.5"))
    start = f"{paragraph('Soil', 'Heading1')}{paragraph('Sour in the north.')}"
    body = f"{start}<w:tbl><w:tr>{cells}</w:tr><w:tr>{row}</w:tr></w:tbl>"
    document = page(docx(body), "file:///s.docx").documents[0]
    assert document.text == "# Soil\n\nSour in the north.\n\n| Plot | pH |\n| --- | --- |\n| North | 6.5 |"
    assert (document.title, document.author, document.published) == ("Soil report", "Ada Field", "2019-05-04T10:00:00Z")


def test_docx_with_entities_is_refused() -> None:
    made = archive({"word/document.xml": f'<!DOCTYPE x [<!ENTITY a "b">]><w:document xmlns:w="{WORD}"/>'})
    with pytest.raises(UnreadableError, match="document type"):
        page(made, "file:///s.docx")


def test_epub_follows_the_spine_and_names_what_is_missing() -> None:
    made = page(
        epub(
            {"one.xhtml": "<h1>First</h1><p>A walk.</p>", "two.xhtml": "<h1>Second</h1><p>Another.</p>"},
            ["two.xhtml", "one.xhtml", "gone.xhtml", "../../etc/passwd"],
        ),
        "file:///b.epub",
    )
    document = made.documents[0]
    assert document.text == "# Second\n\nAnother.\n\n# First\n\nA walk."
    assert (document.title, document.language, document.published) == ("Two walks", "en", "2011-02-03")
    assert [anchor.fragment for anchor in document.anchors] == ["OPS/two.xhtml", "OPS/one.xhtml"]
    assert made.problems == ("OPS/gone.xhtml: missing or damaged",)


def test_archive_that_unpacks_without_end_is_refused() -> None:
    made = epub({"one.xhtml": "<p>x</p>"}, ["one.xhtml"], {"bomb": b"\0" * 30_000_000})
    with pytest.raises(UnreadableError, match="would unpack"):
        page(made, "file:///b.epub")


def test_markdown_front_matter_and_anchors() -> None:
    front = "---\ntitle: On bread\ndate: 2022-01-02\ntags: [rye, salt]\nlevel: 3\n---\n"
    source = front + "# Bread\n<!-- note -->\n```\n# no\n```\n## How to\n"
    document = page(source, "file:///b.md").documents[0]
    assert (document.title, document.published, document.keywords) == ("On bread", "2022-01-02", ("rye", "salt"))
    assert document.metadata == {"level": "3"}
    assert "note" not in document.text
    assert [(anchor.fragment, document.text[anchor.start :][:4]) for anchor in document.anchors] == [
        ("bread", "# Br"),
        ("how-to", "## H"),
    ]


def test_markdown_without_front_matter_is_named_by_its_heading() -> None:
    assert page("Rye *bread*\n===\n\nText.", "file:///b.md").documents[0].title == "Rye bread"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Anisakis allergy after eating chicken meat.\n\nBACKGROUND: It is rare.",
            "Anisakis allergy after eating chicken meat.",
        ),
        ("Serum of cat and pig. Study of DNA.\n\nPatients were seen.", "Serum of cat and pig. Study of DNA."),
        (f"{'Long ' * 30}title of a paper\n\nText.", f"{'Long ' * 30}title of a paper"),
        ("A single sentence is all there is.", ""),
        ("A first line that goes on\nin the second.\n\nText.", ""),
        ("One. Two. Three sentences are a paragraph.\n\nText.", ""),
        (f"{'Long ' * 50}line.\n\nText.", ""),
        ("First of a list;\n\nText.", ""),
    ],
)
def test_the_title_of_a_plain_text(text, title):
    assert page(text, "file:///a.txt").documents[0].title == title


def test_text_is_tidied() -> None:
    document = page("Title\r\n\r\n\r\n\r\nBody  \r\n", "file:///a.txt").documents[0]
    assert (document.title, document.text) == ("Title", "Title\n\nBody")


def test_jsonl_rows_keep_their_ids_and_bad_rows_are_named() -> None:
    rows = [
        json.dumps(
            {"_id": "a/1 x", "title": "T", "text": "Vitamin D.", "year": 1998, "tags": ["q"], "url": "https://e.org/1"}
        ),
        "{broken",
        json.dumps({"_id": "b", "text": "  "}),
        json.dumps({"_id": "a/1 x", "text": "again"}),
        json.dumps({"chunk_id": 7, "chunk_text": "Zinc.", "source_doc_id": "s", "metadata": {"n": 1.0}}),
        "[1]",
    ]
    made = page("\n".join(rows), "file:///rows.jsonl")
    first, second = made.documents
    assert (first.document_id, first.url, first.published) == ("a/1 x", "https://e.org/1", "1998")
    assert first.metadata == {"year": "1998", "tags": '["q"]'}
    assert (second.document_id, second.url, second.text) == ("7", "file:///rows.jsonl#row=5", "Zinc.")
    assert second.metadata == {"source_doc_id": "s", "n": "1"}
    assert [problem.split(":")[0] for problem in made.problems] == ["row 2", "row 3", "row 4", "row 6"]
    assert "'a/1 x'" in made.problems[2]


def test_csv_of_chunks() -> None:
    made = page('id,text,year\n1,"A, b",2001\n2,,\n', "file:///c.csv")
    assert [(d.document_id, d.text, d.published) for d in made.documents] == [("1", "A, b", "2001")]
    assert made.problems == ("row 3: no text in text, chunk_text, contents",)


def test_an_ordinary_csv_is_written_out_row_by_row_with_its_columns() -> None:
    lines = ["Food;Energy (kcal);Note", "Rye bread;259;", "", "Cloudberries, raw;51;ripe in July"]
    document = page("\n".join(lines), "file:///data/food-table.csv").documents[0]
    assert document.title == "food table"
    assert document.text == (
        "# food table\n\nFood: Rye bread; Energy (kcal): 259\n\n"
        "Food: Cloudberries, raw; Energy (kcal): 51; Note: ripe in July"
    )
    # Counted as a spreadsheet shows them, the header being row 1.
    assert [(anchor.fragment, document.text[anchor.start :][:10]) for anchor in document.anchors] == [
        ("row=2", "Food: Rye "),
        ("row=4", "Food: Clou"),
    ]


def test_rows_are_counted_alike_with_a_text_column_and_without() -> None:
    with_text = page("id,text\n1,One.\n\n3,Three.\n", "file:///c.csv").documents
    without = page("id,word\n1,One.\n\n3,Three.\n", "file:///c.csv").documents[0]
    assert [document.url.partition("#")[2] for document in with_text] == ["row=2", "row=4"]
    assert [anchor.fragment for anchor in without.anchors] == ["row=2", "row=4"]


def test_names_of_columns_mean_nothing_in_markdown_and_none_is_missing() -> None:
    text = page("# key,,|x|\na,b,c,d\n", "file:///t.csv").documents[0].text
    assert text == "# t\n\nkey: a; column 2: b; x: c; column 4: d"


def test_a_wide_row_goes_on_under_its_first_cell() -> None:
    header = ",".join(["Place", *(f"Month {at}" for at in range(200))])
    text = page(f"{header}\nOslo,{','.join(map(str, range(200)))}\n", "file:///t.csv").documents[0].text
    parts = text.split("\n\n")[1:]
    assert len(parts) > 2
    assert all(part.startswith("Place: Oslo; Month ") and len(part) < 1_000 for part in parts)
    assert "Month 199: 199" in parts[-1]


def test_long_tables_of_markdown_come_in_parts_that_repeat_the_header() -> None:
    head = "| Food | Energy |\n|---|---:|"
    rows = [f"| food {at} | {at} |" for at in range(30)]
    text = page("# Foods\n\n" + "\n".join((head, *rows)) + "\n\nThat is all.\n", "file:///f.md").documents[0].text
    parts = text.split("\n\n")
    assert [part.count("| food ") for part in parts] == [0, 12, 12, 6, 0]
    assert all(part.startswith(f"{head}\n") for part in parts[1:4])
    assert [line for line in text.split("\n") if line.startswith("| food ")] == rows
    short = "\n".join((head, *rows[:12]))
    assert page(short, "file:///f.md").documents[0].text == short


def test_a_long_table_in_a_list_stays_in_it_and_rows_without_a_header_stay_as_they_are() -> None:
    rows = [f"  | {at} | x |" for at in range(20)]
    text = page("\n".join(("- Foods:", "", "  | a | b |", "  |---|---|", *rows)), "file:///f.md").documents[0].text
    assert text.count("  | a | b |\n  |---|---|\n  | ") == 2
    bare = "\n".join(row.strip() for row in rows)
    assert page(bare, "file:///f.md").documents[0].text == bare


def test_a_long_header_over_rows_of_nothing_does_not_fill_the_memory() -> None:
    source = f"| {'x' * 900} |\n|---|\n" + "||\n" * 20_000
    assert len(page(source, "file:///f.md").documents[0].text) <= 6 * len(source)


def test_parquet_rows(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    parquet.write_table(pyarrow.table({"id": ["x", "y"], "text": ["One.", None], "year": [2000.0, None]}), out)
    made = page(out.getvalue(), "file:///t.parquet")
    assert [(d.document_id, d.text, d.published) for d in made.documents] == [("x", "One.", "2000")]
    assert made.problems == ("row 2: no text in text, chunk_text, contents",)


@pytest.mark.parametrize("data", [b"PAR1 nonsense", b"PK\x03\x04 nonsense", b"\x89PNG\r\n\x1a\n\0\0"])
def test_broken_binaries_are_unreadable(data: bytes) -> None:
    with pytest.raises(UnreadableError):
        page(data, "file:///x.bin")


@pytest.mark.parametrize("end", ["md", "txt", "html"])
def test_binary_bytes_under_the_name_of_a_text_are_unreadable(end: str) -> None:
    with pytest.raises(UnreadableError, match="binary"):
        page(random.Random(7).randbytes(20_000), f"file:///x.{end}")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32", "cp1252", "shift_jis", "iso2022_jp"])
def test_text_in_any_encoding_is_not_binary(encoding: str) -> None:
    text = "\x1b[1mA log line about kettles.\x1b[0m\r\n\tAnd one more.\f\0\n" * 20
    made = page(text.encode(encoding), "file:///x.log")
    assert "about kettles" in made.documents[0].text


def test_bytes_decide_when_the_declaration_lies() -> None:
    made = read(pdf([["Hello from a PDF."]]), url="https://e.org/x.html", media_type="text/html", settings=SETTINGS)
    assert made.documents[0].media_type == "application/pdf"
    made = read(b"<!DOCTYPE html><p>Hi there.</p>", url="https://e.org/x", media_type="text/plain", settings=SETTINGS)
    assert made.documents[0].text == "Hi there."


def test_a_pdf_page_that_cannot_be_opened_leaves_the_others() -> None:
    text, anchors = _text([["Hello there."], [], ["Good bye."]])
    assert text == "Hello there.\n\nGood bye."
    assert [anchor.fragment for anchor in anchors] == ["page=1", "page=3"]
