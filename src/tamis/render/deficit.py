"""The deficit report: why there is no answer, what was closest, and what to try."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tamis.render.answer import escape_markdown, printable, safe_url
from tamis.render.references import linkable
from tamis.schema.report import Deficit


def deficit_markdown(found: Deficit) -> str:
    """As Markdown; titles and reasons are other people's text and escaped."""
    return _report(found, escape_markdown, "- ", lambda url: f"<{safe_url(url)}>")


def deficit_text(found: Deficit) -> str:
    """As plain text."""
    return _report(found, printable, "", printable)


def closest_page(found: Deficit) -> str:
    """Title and URL of the nearest document, the title only where the reason does not give it; empty without a URL."""
    if not linkable(found.closest_url):
        return ""
    title = "" if found.closest_title in found.reason else f"{found.closest_title}  "
    return f"{title}{found.closest_url}"


def _report(found: Deficit, prose: Callable[[str], str], bullet: str, link: Callable[[str], str]) -> str:
    return "\n".join([prose(found.reason), "", *(bullet + line for line in _lines(found, prose, link))]) + "\n"


def _lines(found: Deficit, prose: Callable[[str], str], link: Callable[[str], str]) -> Iterator[str]:
    if linkable(found.closest_url):
        title = "" if found.closest_title in found.reason else f"{prose(found.closest_title)} "
        yield f"Closest page: {title}{link(found.closest_url)}"
    for line in found.failed_sources:
        yield f"Failed: {prose(line)}"
    for line in found.suggestions:
        yield f"Try {prose(line)}"
