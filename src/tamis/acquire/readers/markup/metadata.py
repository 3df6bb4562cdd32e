"""What a page says about itself in its head."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tamis.acquire.readers.base import one_line
from tamis.acquire.readers.markup.elements import Element, text_of
from tamis.acquire.readers.markup.links import absolute
from tamis.text.language import language_code

_TITLE_SEPARATOR = re.compile(r" [|–—·»«:-]+ ")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_DATE_NAMES = (
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.date",
    "dcterms.issued",
    "dcterms.created",
    "citation_publication_date",
    "citation_date",
    "publishdate",
    "pubdate",
    "parsely-pub-date",
    "sailthru.date",
    "article.published",
)
_AUTHOR_NAMES = (
    "author",
    "article:author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "parsely-author",
    "byl",
)
_TITLE_NAMES = ("og:title", "citation_title", "dc.title", "twitter:title")
_LONGEST_AUTHOR = 120
_LONGEST_JSON = 200_000


@dataclass(frozen=True, slots=True)
class Metadata:
    """The head of a page, every field empty where it is silent."""

    title: str = ""
    author: str = ""
    published: str | None = None
    language: str = ""
    keywords: tuple[str, ...] = ()
    canonical_url: str = ""
    robots: frozenset[str] = frozenset()
    description: str = ""
    site: str = ""
    generator: str = ""


def _metas(root: Element) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for meta in root.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop") or meta.get("http-equiv")
        content = one_line(meta.get("content") or "")
        if name and content:
            found.setdefault(name.strip().lower(), []).append(content)
    return found


def _first(metas: dict[str, list[str]], names: tuple[str, ...]) -> str:
    return next((metas[name][0] for name in names if name in metas), "")


def _linked_data(root: Element) -> Iterator[dict[str, Any]]:
    """Every object of the page's JSON-LD, outermost first."""
    for script in root.iter("script"):
        text = script.text or ""
        if "ld+json" not in (script.get("type") or "") or not 0 < len(text) < _LONGEST_JSON:
            continue
        try:
            pending: list[Any] = [json.loads(text, strict=False)]
        except (ValueError, RecursionError):
            continue
        while pending:
            node = pending.pop(0)
            if isinstance(node, list):
                pending.extend(node)
            elif isinstance(node, dict):
                yield node
                pending.extend(value for key, value in node.items() if key in {"@graph", "mainEntity"})


def _people(value: object) -> str:
    values = value if isinstance(value, list) else [value]
    names = (item.get("name") if isinstance(item, dict) else item for item in values)
    return ", ".join(dict.fromkeys(one_line(name) for name in names if isinstance(name, str) and name.strip()))


def _day(value: object) -> str | None:
    match = _DAY.search(value) if isinstance(value, str) else None
    return match.group(0).replace(" ", "T") if match else None


def _declared_day(root: Element, metas: dict[str, list[str]], linked: list[dict[str, Any]]) -> str | None:
    """The original date, from declarations only: linked data, meta elements, then a dated element."""
    for node in linked:
        if day := _day(node.get("datePublished")):
            return day
    for name in _DATE_NAMES:
        for content in metas.get(name, ()):
            if day := _day(content.replace("/", "-")):
                return day
    for element in root.iter("time"):
        marked = (
            "pubdate" in element.attrib or "published" in f"{element.get('class')} {element.get('itemprop')}".lower()
        )
        if marked and (day := _day(element.get("datetime"))):
            return day
    return None


def _author(metas: dict[str, list[str]], linked: list[dict[str, Any]]) -> str:
    for node in linked:
        if name := _people(node.get("author")):
            return name[:_LONGEST_AUTHOR]
    name = next((n for key in _AUTHOR_NAMES for n in metas.get(key, ()) if not n.startswith(("http:", "https:"))), "")
    return name[:_LONGEST_AUTHOR]


def _title(root: Element, metas: dict[str, list[str]], heading: str) -> str:
    """The page's own name: the heading where the title element repeats it beside the site's name."""
    element = next(root.iter("title"), None)
    declared = one_line(text_of(element)) if element is not None else ""
    social = _first(metas, _TITLE_NAMES)
    if heading and declared:
        parts = [part.strip() for part in _TITLE_SEPARATOR.split(declared)]
        if heading in parts or declared.startswith(heading):
            return heading
    if social and (not declared or declared.startswith(social)):
        return social
    site = _first(metas, ("og:site_name",))
    for separator in (" | ", " - ", " – ", " — ", " · ", " :: "):
        if site and declared.endswith(separator + site):
            return declared[: -len(separator + site)]
    return declared or social or heading


def page_metadata(root: Element, url: str, heading: str = "") -> Metadata:
    """Read a page's head.

    Args:
        root: the whole page.
        url: resolves a relative canonical URL.
        heading: the first main heading of the content.
    """
    metas = _metas(root)
    linked = list(_linked_data(root))
    canonical = ""
    for link in root.iter("link"):
        if "canonical" in (link.get("rel") or "").lower().split() and link.get("href"):
            canonical = absolute(url, link.get("href"))
            break
    robots = {
        word.strip() for name in ("robots", "tamis") for line in metas.get(name, ()) for word in line.lower().split(",")
    }
    if "none" in robots:
        robots |= {"noindex", "nofollow"}
    tag = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("xml:lang") or ""
    keywords = [
        word
        for name in ("keywords", "news_keywords", "article:tag", "citation_keywords")
        for word in metas.get(name, ())
    ]
    return Metadata(
        title=_title(root, metas, heading),
        author=_author(metas, linked),
        published=_declared_day(root, metas, linked),
        language=language_code(tag or _first(metas, ("content-language", "dc.language"))),
        keywords=tuple(dict.fromkeys(part.strip() for word in keywords for part in word.split(",") if part.strip())),
        canonical_url=canonical,
        robots=frozenset(word for word in robots if word),
        description=_first(metas, ("description", "og:description", "dc.description")),
        site=_first(metas, ("og:site_name", "application-name")),
        generator=_first(metas, ("generator",)),
    )
