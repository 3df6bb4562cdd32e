"""Word documents: mammoth turns styles into HTML, the common serialiser writes it."""

from __future__ import annotations

import io
from xml.parsers.expat import ExpatError

from tamis.acquire.readers.archive import DAMAGE, Archive
from tamis.acquire.readers.base import Body, make_document, one_line
from tamis.acquire.readers.markup.pieces import join
from tamis.acquire.readers.markup.tree import parse_html, parse_xml
from tamis.acquire.readers.markup.writer import Writer
from tamis.errors import UnreadableError
from tamis.schema.document import Page
from tamis.text.language import language_code

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_CORE = "docProps/core.xml"
_DOCTYPE = "<!DOCTYPE"


class DocxReader:
    """A Word document of the XML kind."""

    media_types = frozenset({MEDIA_TYPE, "application/vnd.ms-word.document.macroenabled.12"})
    extensions = frozenset({".docx", ".docm"})

    def read(self, body: Body) -> Page:
        """Read headings, paragraphs, lists, tables and notes; pictures are left out."""
        with Archive(body.data, body.url, body.settings.max_file_bytes) as archive:
            if not any(name.endswith("document.xml") for name in archive.names):
                raise UnreadableError(f"{body.url}: is an archive, but not a Word document")
            for name in archive.names:
                if name.endswith((".xml", ".rels")) and _declares(archive.get(name) or b""):
                    raise UnreadableError(f"{body.url}: {name} declares a document type, which Word never writes")
            about = _core(archive.get(_CORE))
        root = parse_html(_html(body))
        pieces = Writer().write(root) if root is not None else []
        text, anchors, _ = join(pieces)
        if not text:
            raise UnreadableError(f"{body.url}: holds no text")
        heading = next((piece.plain for piece in pieces if piece.level), "")
        made = make_document(
            body,
            text,
            title=about.get("title") or heading.lstrip("# "),
            media_type=MEDIA_TYPE,
            language_code=language_code(about.get("language", "")),
            published=about.get("created") or None,
            author=about.get("creator", ""),
            keywords=tuple(about.get("keywords", "").replace(";", ",").split(",")),
            anchors=anchors,
        )
        return Page((made,))


def _declares(data: bytes) -> bool:
    """Whether XML declares a document type, in any encoding a parser knows: entities begin there."""
    return any(_DOCTYPE.encode(encoding) in data for encoding in ("ascii", "utf-16-le", "utf-16-be"))


def _html(body: Body) -> str:
    import mammoth

    # mammoth signals what it cannot read with whatever its parsing ran into.
    failures = (*DAMAGE, LookupError, AttributeError, TypeError, SyntaxError, ExpatError)
    no_images = mammoth.images.img_element(lambda _image: {"src": ""})
    try:
        return str(mammoth.convert_to_html(io.BytesIO(body.data), convert_image=no_images).value)
    except failures as error:
        raise UnreadableError(f"{body.url}: is a damaged Word document ({type(error).__name__}: {error})") from error


def _core(data: bytes | None) -> dict[str, str]:
    """Title, creator and the like from the document's properties."""
    root = parse_xml(data) if data else None
    if root is None:
        return {}
    fields = (
        (child.tag.rpartition("}")[2], one_line(child.text or "")) for child in root if isinstance(child.tag, str)
    )
    return {name: value for name, value in fields if value}


READER = DocxReader()
