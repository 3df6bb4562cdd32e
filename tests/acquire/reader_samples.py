"""Files built by hand: the smallest of each format that a reader must take."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

from tamis.acquire.readers import read
from tamis.schema.document import Document, Page
from tamis.settings import ReadSettings

SETTINGS = ReadSettings()


def page(data: bytes | str, url: str = "https://example.org/docs/page.html", media_type: str = "", **more: str) -> Page:
    raw = data.encode() if isinstance(data, str) else data
    return read(raw, url=url, media_type=media_type, settings=SETTINGS, **more)


def html(body: str, head: str = "") -> Document:
    """A page marked as documentation, so that its main content is taken whole."""
    source = (
        f"<!doctype html><html lang=en><head><meta name=generator content='Docutils 0.19'>{head}</head>"
        f"<body><div role=main>{body}</div></body></html>"
    )
    return page(source).documents[0]


def pdf(pages: Sequence[Sequence[str]], info: str = "") -> bytes:
    """A PDF with one line of text below the other on each page."""
    objects: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    for at, lines in enumerate(pages):
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        stream = f"BT /F1 10 Tf 14 TL 50 780 Td {shown} ET".encode("cp1252")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * at} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    objects.append(f"<< {info} >>".encode("cp1252"))
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = (
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{start}\n%%EOF\n"
    )
    out.write(trailer.encode())
    return out.getvalue()


def archive(members: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return out.getvalue()


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"


def docx(body: str) -> bytes:
    return archive(
        {
            "[Content_Types].xml": (
                '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
                '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                '<Default Extension="xml" ContentType="application/xml"/></Types>'
            ),
            "_rels/.rels": (
                f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Target="word/document.xml" Type='
                '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>'
            ),
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
            "docProps/core.xml": (
                '<c:coreProperties xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
                'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
                "<dc:title>Soil report</dc:title><dc:creator>Ada Field</dc:creator>"
                "<dcterms:created>2019-05-04T10:00:00Z</dcterms:created></c:coreProperties>"
            ),
        }
    )


def epub(chapters: dict[str, str], spine: Sequence[str], extra: dict[str, str | bytes] | None = None) -> bytes:
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in spine)
    references = "".join(f'<itemref idref="{name}"/>' for name in spine)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Two walks</dc:title>'
        "<dc:creator>B. Reader</dc:creator><dc:language>en-GB</dc:language><dc:date>2011-02-03</dc:date></metadata>"
        f"<manifest>{items}</manifest><spine>{references}</spine></package>"
    )
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": (
                '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
                '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
            ),
            "OPS/book.opf": package,
            **{f"OPS/{name}": f"<html><body>{content}</body></html>" for name, content in chapters.items()},
            **(extra or {}),
        }
    )
