"""EPUB books: the spine's chapters in order, one document with an anchor a chapter."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from tamis.acquire.readers.archive import Archive
from tamis.acquire.readers.base import Body, make_document, one_line
from tamis.acquire.readers.markup.elements import Element
from tamis.acquire.readers.markup.pieces import Piece, join
from tamis.acquire.readers.markup.tree import parse_html, parse_xml
from tamis.acquire.readers.markup.writer import Writer
from tamis.errors import UnreadableError
from tamis.schema.document import Page
from tamis.text.encoding import decode, printable
from tamis.text.language import language_code

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTER_TYPES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


class EpubReader:
    """An EPUB 2 or 3 book without copy protection."""

    media_types = frozenset({"application/epub+zip"})
    extensions = frozenset({".epub"})

    def read(self, body: Body) -> Page:
        """Read every chapter of the spine; a missing or encrypted one is reported, one of pictures is not."""
        problems: list[str] = []
        with Archive(body.data, body.url, body.settings.max_file_bytes) as archive:
            name, package = _package(archive, body.url)
            about = _metadata(package)
            pieces: list[Piece] = []
            locked = _encrypted(archive)
            for chapter in _spine(package, posixpath.dirname(name)):
                data = archive.get(chapter)
                if data is None or chapter in locked:
                    problems.append(f"{printable(chapter)}: {'missing or damaged' if data is None else 'is encrypted'}")
                    continue
                written = _chapter(data)
                if written:
                    written[0].ids.insert(0, chapter)
                    pieces.extend(written)
        text, anchors, _ = join(pieces)
        if not text:
            reason = f" ({problems[0]})" if problems else ""
            raise UnreadableError(f"{body.url}: no chapter holds text{reason}")
        made = make_document(
            body,
            text,
            title=", ".join(about.get("title", [])[:1]),
            media_type="application/epub+zip",
            language_code=language_code(next(iter(about.get("language", [])), "")),
            published=next(iter(about.get("date", [])), None),
            author=", ".join(about.get("creator", [])),
            keywords=tuple(about.get("subject", [])),
            anchors=anchors,
            metadata={key: about[key][0] for key in ("publisher", "identifier") if key in about},
        )
        return Page((made,), problems=tuple(problems))


def _package(archive: Archive, url: str) -> tuple[str, Element]:
    """The package document: where the container says it is, else the first one there."""
    container = parse_xml(archive.get(_CONTAINER) or b"")
    named = [node.get("full-path") or "" for node in _named(container, "rootfile")]
    others = sorted(name for name in archive.names if name.endswith(".opf"))
    for name in (*named, *others):
        data = archive.get(name)
        root = parse_xml(data) if data else None
        if root is not None:
            return name, root
    raise UnreadableError(f"{url}: has no package document, so it is not a readable EPUB")


def _named(root: Element | None, name: str) -> Iterator[Element]:
    """Elements of a local name, whatever their namespace."""
    if root is not None:
        yield from root.iter(f"{{*}}{name}")


def _metadata(package: Element) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in _named(package, "metadata"):
        for node in part.iter(
            "{*}title", "{*}creator", "{*}language", "{*}date", "{*}subject", "{*}publisher", "{*}identifier"
        ):
            value = one_line(node.text or "")
            if value:
                found.setdefault(node.tag.rpartition("}")[2], []).append(value)
    return found


def _spine(package: Element, folder: str) -> list[str]:
    """Archive names of the chapters, in reading order; names leading out of the archive are ignored."""
    manifest: dict[str, tuple[str, str, str]] = {}
    for item in _named(package, "item"):
        manifest[item.get("id") or ""] = (
            item.get("href") or "",
            item.get("media-type") or "",
            item.get("properties") or "",
        )
    chapters: dict[str, None] = {}
    for reference in _named(package, "itemref"):
        href, kind, properties = manifest.get(reference.get("idref") or "", ("", "", ""))
        path = posixpath.normpath(posixpath.join(folder, unquote(urlsplit(href).path)))
        usable = kind in _CHAPTER_TYPES and "nav" not in properties.split()
        if href and usable and not path.startswith(("..", "/")):
            chapters[path] = None
    return list(chapters)


def _encrypted(archive: Archive) -> frozenset[str]:
    """Members that are copy-protected; fonts often are, chapters of books that were bought."""
    listed = parse_xml(archive.get(_ENCRYPTION) or b"")
    return frozenset(unquote(node.get("URI") or "") for node in _named(listed, "CipherReference"))


def _chapter(data: bytes) -> list[Piece]:
    root = parse_html(decode(data)) if data else None
    if root is None:
        return []
    body = root.find("body")
    return Writer().write(root if body is None else body)


READER = EpubReader()
