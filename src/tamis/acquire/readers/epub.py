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
from tamis.text.encoding import decode
from tamis.text.language import language_code

_CONTAINER = "META-INF/container.xml"
_CHAPTER_TYPES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


class EpubReader:
    """An EPUB 2 or 3 book without copy protection."""

    media_types = frozenset({"application/epub+zip"})
    extensions = frozenset({".epub"})

    def read(self, body: Body) -> Page:
        """Read every chapter of the spine; one that is missing or empty is reported."""
        problems: list[str] = []
        with Archive(body.data, body.url, body.settings.max_file_bytes) as archive:
            name, package = _package(archive, body.url)
            about = _metadata(package)
            pieces: list[Piece] = []
            for chapter in _spine(package, posixpath.dirname(name)):
                written = _chapter(archive, chapter)
                if not written:
                    problems.append(f"{chapter}: {'missing' if archive.get(chapter) is None else 'no text'}")
                    continue
                written[0].ids.insert(0, chapter)
                pieces.extend(written)
        text, anchors, _ = join(pieces)
        if not text:
            raise UnreadableError(f"{body.url}: no chapter holds text")
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
    chapters: list[str] = []
    for reference in _named(package, "itemref"):
        href, kind, properties = manifest.get(reference.get("idref") or "", ("", "", ""))
        path = posixpath.normpath(posixpath.join(folder, unquote(urlsplit(href).path)))
        usable = kind in _CHAPTER_TYPES and "nav" not in properties.split()
        if href and usable and not path.startswith(("..", "/")) and path not in chapters:
            chapters.append(path)
    return chapters


def _chapter(archive: Archive, name: str) -> list[Piece]:
    data = archive.get(name)
    root = parse_html(decode(data)) if data else None
    if root is None:
        return []
    body = root.find("body")
    return Writer().write(root if body is None else body)


READER = EpubReader()
