"""A saved report against everything it can still be held against: its own parts, and the collections it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamis.app import Tamis
    from tamis.store.protocols import CollectionReader


@dataclass(frozen=True, slots=True)
class Verification:
    """What checking a report again found.

    Attributes:
        sentences: how many it has.
        evidence: how many pieces.
        compared: whether stored text was compared, which needs the collections.
        breaches: one line each; empty where everything holds.
    """

    sentences: int
    evidence: int
    compared: bool
    breaches: tuple[str, ...]


def recheck(report: Mapping[str, Any], app: Tamis, names: Sequence[str]) -> Verification:
    """Check a report; see `tamis.app.Tamis.verify`."""
    from tamis.check.verify import read_report, verify
    from tamis.render.answer import markdown

    evidence, sentences = read_report(report)
    with ExitStack() as stack:
        readers = [stack.enter_context(app.shelf.reader(name)) for name in names]
        breaches = verify(
            report,
            embedder=app.embedder,
            settings=app.settings.check,
            document_text=lambda document_id: _text(readers, document_id) if readers else None,
        )
    labels = {item.label for item in evidence}
    if sentences and all(label in labels for sentence in sentences for label in sentence.citations):
        rendered, _ = markdown(sentences, evidence)
        if report["answer"].get("markdown", rendered) != rendered:
            breaches.append("the answer's Markdown is not what its sentences and evidence make")
    return Verification(len(sentences), len(evidence), bool(readers), tuple(breaches))


def _text(readers: Sequence[CollectionReader], document_id: str) -> str:
    """The document's text in the first collection that has it; empty where none has."""
    for reader in readers:
        try:
            (document,) = reader.documents([document_id])
        except KeyError:
            continue
        return document.text
    return ""
