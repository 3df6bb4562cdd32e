"""Write the binary documents of the example collection: one DOCX, one EPUB, one PDF.

    python tools/make_example.py

The same bytes on every run and every machine: fixed dates, stored order, no compression whose output could change.
"""

from __future__ import annotations

import io
import textwrap
import zipfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

import yaml

FOLDER = Path(__file__).resolve().parents[1] / "src" / "tamis" / "example" / "documents"
TEXTS = Path(__file__).with_name("example.yaml")
EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Part:
    """A piece of a document: ``h1``, ``h2``, ``p``, ``ol`` (items by line) or ``table`` (rows by line, cells by |)."""

    kind: str
    text: str

    @property
    def lines(self) -> list[str]:
        """Lines without indentation."""
        return [line.strip() for line in self.text.strip().splitlines()]

    @property
    def flat(self) -> str:
        """The text on one line."""
        return " ".join(self.text.split())

    @property
    def rows(self) -> list[list[str]]:
        """Cells of each line."""
        return [[cell.strip() for cell in line.split("|")] for line in self.lines]


@dataclass(frozen=True)
class Work:
    """A document before it has a format."""

    name: str
    title: str
    author: str
    date: str
    keywords: str
    parts: tuple[Part, ...]


def works() -> dict[str, Work]:
    """Format → document, as ``example.yaml`` says."""
    raw = yaml.safe_load(TEXTS.read_text("utf-8"))
    return {
        kind: Work(**{**fields, "parts": tuple(Part(*part) for entry in fields["parts"] for part in entry.items())})
        for kind, fields in raw.items()
    }


def archive(members: list[tuple[str, str]]) -> bytes:
    """A ZIP file with fixed dates and nothing compressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as file:
        for name, text in members:
            info = zipfile.ZipInfo(name, EPOCH)
            info.external_attr = 0o644 << 16
            info.create_system = 3
            file.writestr(info, text.encode())
    return out.getvalue()


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def docx(work: Work) -> bytes:
    """WordprocessingML with headings, a numbered list and a table."""
    body = "".join(map(_docx_part, work.parts))
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/></w:style>'
        for level in (1, 2)
    )
    levels = '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    package = _relationships(
        (f"{OFFICE}/officeDocument", "word/document.xml"),
        (f"{PACKAGE}/relationships/metadata/core-properties", "docProps/core.xml"),
    )
    return archive(
        [
            ("[Content_Types].xml", _docx_types()),
            ("_rels/.rels", package),
            (
                "word/_rels/document.xml.rels",
                _relationships((f"{OFFICE}/styles", "styles.xml"), (f"{OFFICE}/numbering", "numbering.xml")),
            ),
            (
                "word/document.xml",
                f'{XML}<w:document xmlns:w="{WORD}"><w:body>{body}<w:sectPr/></w:body></w:document>',
            ),
            ("word/styles.xml", f'{XML}<w:styles xmlns:w="{WORD}">{styles}</w:styles>'),
            (
                "word/numbering.xml",
                (
                    f'{XML}<w:numbering xmlns:w="{WORD}"><w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>'
                    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
                ),
            ),
            ("docProps/core.xml", _docx_core(work)),
        ]
    )


def _docx_part(part: Part) -> str:
    """One part as paragraphs or a table."""

    def paragraph(text: str, properties: str = "") -> str:
        return f'<w:p>{properties}<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'

    if part.kind in {"h1", "h2"}:
        return paragraph(part.flat, f'<w:pPr><w:pStyle w:val="Heading{part.kind[1]}"/></w:pPr>')
    if part.kind == "ol":
        numbered = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>'
        return "".join(paragraph(line, numbered) for line in part.lines)
    if part.kind == "table":
        rows = []
        for number, row in enumerate(part.rows):
            header = "<w:trPr><w:tblHeader/></w:trPr>" if number == 0 else ""
            rows.append(f"<w:tr>{header}{''.join(f'<w:tc>{paragraph(cell)}</w:tc>' for cell in row)}</w:tr>")
        return f"<w:tbl><w:tblPr/>{''.join(rows)}</w:tbl>"
    return paragraph(part.flat)


def _docx_types() -> str:
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    parts = {
        "/word/document.xml": f"{main}.document.main+xml",
        "/word/styles.xml": f"{main}.styles+xml",
        "/word/numbering.xml": f"{main}.numbering+xml",
        "/docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
    }
    overrides = "".join(f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in parts.items())
    return (
        f'{XML}<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )


def _docx_core(work: Work) -> str:
    return (
        f'{XML}<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(work.title)}</dc:title><dc:creator>{escape(work.author)}</dc:creator>"
        f"<cp:keywords>{escape(work.keywords)}</cp:keywords>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{work.date}T09:00:00Z</dcterms:created></cp:coreProperties>'
    )


def _relationships(*targets: tuple[str, str]) -> str:
    entries = "".join(
        f'<Relationship Id="r{number}" Type="{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'{XML}<Relationships xmlns="{PACKAGE}/relationships">{entries}</Relationships>'


def epub(work: Work) -> bytes:
    """EPUB 3, one chapter for each first-level heading."""
    chapters: list[list[Part]] = []
    for part in work.parts:
        if part.kind == "h1":
            chapters.append([])
        chapters[-1].append(part)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'

    def body(part: Part) -> str:
        if part.kind == "ol":
            return f"<ol>{''.join(f'<li>{escape(line)}</li>' for line in part.lines)}</ol>"
        return f"<{part.kind}>{escape(part.flat)}</{part.kind}>"

    def page(title: str, content: str) -> str:
        return (
            f'{head}<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en">'
            f"<head><title>{escape(title)}</title></head><body>{content}</body></html>"
        )

    names = [f"chapter{number}.xhtml" for number in range(1, len(chapters) + 1)]
    links = "".join(
        f'<li><a href="{name}">{escape(chapter[0].flat)}</a></li>'
        for name, chapter in zip(names, chapters, strict=True)
    )
    manifest = "".join(f'<item id="{n[:-6]}" href="{n}" media-type="application/xhtml+xml"/>' for n in names)
    spine = "".join(f'<itemref idref="{n[:-6]}"/>' for n in names)
    package = (
        f'{head}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">urn:tamis:example:{work.name}</dc:identifier><dc:title>{escape(work.title)}</dc:title>'
        f"<dc:creator>{escape(work.author)}</dc:creator><dc:language>en</dc:language><dc:date>{work.date}</dc:date>"
        f"{''.join(f'<dc:subject>{escape(word)}</dc:subject>' for word in work.keywords.split(', '))}"
        f'<meta property="dcterms:modified">{work.date}T00:00:00Z</meta></metadata><manifest>'
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        f"{manifest}</manifest><spine>{spine}</spine></package>"
    )
    return archive(
        [
            ("mimetype", "application/epub+zip"),
            (
                "META-INF/container.xml",
                (
                    f'{head}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
                    '<rootfiles><rootfile full-path="OEBPS/package.opf" media-type="application/oebps-package+xml"/>'
                    "</rootfiles></container>"
                ),
            ),
            ("OEBPS/package.opf", package),
            ("OEBPS/nav.xhtml", page("Contents", f'<nav epub:type="toc"><h1>Contents</h1><ol>{links}</ol></nav>')),
            *(
                (f"OEBPS/{name}", page(chapter[0].flat, "".join(map(body, chapter))))
                for name, chapter in zip(names, chapters, strict=True)
            ),
        ]
    )


def pdf(work: Work) -> bytes:
    """PDF 1.4 in Helvetica, a new page for each first-level heading."""
    pages: list[list[Part]] = []
    for part in work.parts:
        if part.kind == "h1":
            pages.append([])
        pages[-1].append(part)
    first = 5  # objects 1 to 4: catalogue, page tree, fonts
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        font.format("Helvetica").encode(),
        font.format("Helvetica-Bold").encode(),
    ]
    for number, parts in enumerate(pages):
        stream = _page_stream(parts)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {first + 2 * number + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    stamp = work.date.replace("-", "")
    objects.append(
        f"<< /Title ({work.title}) /Author ({work.author}) /Keywords ({work.keywords}) "
        f"/CreationDate (D:{stamp}090000Z) >>".encode("cp1252")
    )
    return _pdf_file(objects)


def _page_stream(parts: list[Part]) -> bytes:
    """The text operators of one page."""
    fonts = {"h1": ("F2", 20, 30), "h2": ("F2", 14, 22), "p": ("F1", 11, 15)}
    out = ["BT"]
    y = 780
    for part in parts:
        name, size, leading = fonts[part.kind]
        for line in textwrap.wrap(part.flat, 84 if part.kind == "p" else 50):
            text = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            out.append(f"/{name} {size} Tf 1 0 0 1 64 {y} Tm ({text}) Tj")
            y -= leading
        y -= 8
    return "\n".join([*out, "ET"]).encode("cp1252")


def _pdf_file(objects: list[bytes]) -> bytes:
    """Number the objects and write their cross-reference table. The last one is the information dictionary."""
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        len(objects),
        start,
    )
    return bytes(out)


def build() -> dict[str, bytes]:
    """File name → bytes of the binary documents."""
    writers = {"docx": docx, "epub": epub, "pdf": pdf}
    return {f"{work.name}.{kind}": writers[kind](work) for kind, work in works().items()}


if __name__ == "__main__":
    for name, data in build().items():
        (FOLDER / name).write_bytes(data)
