"""What is said where a collection does not answer: how near the nearest page is, what is missing, what to try."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tamis.errors import StoreError, UnknownCollectionError
from tamis.schema.report import Deficit
from tamis.text.content import content_words
from tamis.text.tokens import terms

if TYPE_CHECKING:
    from tamis.app import Tamis
    from tamis.rank.answerable import Verdict
    from tamis.schema.ranking import RankedItem
    from tamis.store.protocols import CollectionReader

_NAMED = 5
"""Missing words shown."""
_SUGGESTED = 2
"""Other collections shown."""
_HITS = 5
"""Passages of another collection looked at."""


def deficit(
    question: str, names: Sequence[str], closest: RankedItem | None, verdict: Verdict, *, app: Tamis
) -> Deficit:
    """The report of a question that was not answered.

    Args:
        question: as asked.
        names: of the collections asked.
        closest: the nearest document, None where there is none.
        verdict: on the collection it is from.
        app: knows the other collections.
    """
    asked = content_words(question)
    reason = f"{' and '.join(names)} {'do' if len(names) > 1 else 'does'} not answer this."
    if closest is not None:
        reason += f" Closest: {closest.title or closest.document_id} ({_distance(verdict)})."
    return Deficit(
        reason=reason,
        closest_title=closest.title if closest else "",
        closest_url=closest.url if closest else "",
        similarity=round(verdict.similarity, 4),
        threshold=round(verdict.threshold, 4),
        missing_terms=verdict.missing_terms,
        suggestions=(*_elsewhere(asked, names, app), "other words for what you look for, or a narrower question"),
    )


def _distance(verdict: Verdict) -> str:
    """How far the nearest page is from an answer, in words."""
    if verdict.similarity < verdict.threshold:
        near = f"similarity {verdict.similarity:.2f}; an answer here needs about {verdict.threshold:.2f}"
    else:
        near = f"similarity {verdict.similarity:.2f} is enough here, but its text, once read, holds no answer"
    if not verdict.missing_terms:
        return near
    shown = ", ".join(f'"{word}"' for word in verdict.missing_terms[:_NAMED])
    return f"{near}; the nearest passages do not mention {shown}"


def _elsewhere(asked: dict[str, str], names: Sequence[str], app: Tamis) -> list[str]:
    """Collections with a document whose title and text share the question's words, the best first; often none."""
    wanted = frozenset(term for word in asked for term in terms(word))
    if not wanted:
        return []
    found: list[tuple[float, str, str]] = []
    for name in app.shelf.names():
        if name in names:
            continue
        try:
            with app.shelf.reader(name) as reader:
                share, title = _best_title(wanted, reader)
        except (StoreError, UnknownCollectionError):
            # A collection that cannot be read, or is gone since, has nothing to suggest.
            continue
        if title:
            found.append((-share, name, title))
    return [f'--name {name}, which has "{title}"' for _, name, title in sorted(found)[:_SUGGESTED]]


def _best_title(wanted: frozenset[str], reader: CollectionReader) -> tuple[float, str]:
    """The share of the words that a passage and its title hold, and the title; empty where no title shares any."""
    hits = reader.search_text(dict.fromkeys(sorted(wanted), 1.0), _HITS)
    best = (0.0, "")
    for chunk in reader.chunks(hits.ids):
        (document,) = reader.documents([chunk.document_id])
        named = wanted & frozenset(terms(document.title))
        share = len(wanted & (named | frozenset(terms(" ".join((*chunk.headings, chunk.text)))))) / len(wanted)
        # One common word in a long text is chance; half of them, one in the title, is a subject in common.
        if named and share >= 0.5 and share > best[0]:
            best = (share, document.title)
    return best
