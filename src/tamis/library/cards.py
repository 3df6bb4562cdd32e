"""Cards: what a theme says, on what it stands, and how good that is (L7, L8).

A card is assembled from checked sentences, whoever worded them. Everything here is pure: the sentences come in, a card
goes out, and equal input gives an equal card.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import numpy as np

from tamis.library.quality import confidence_note, controversy_note, evidence_quality
from tamis.library.statements import Comparison
from tamis.models.protocols import Matrix
from tamis.schema.evidence import Evidence
from tamis.schema.library import Card, CardSentence, EvidenceBasis, Quote
from tamis.schema.report import Sentence
from tamis.text.content import content_words
from tamis.text.fingerprints import sha256_hex
from tamis.text.tokens import terms

MAKING = "3"
"""Changes when cards of the same input come out differently, so that they are made anew."""
NEAR = 0.72
"""Cosine from which a passage counts as covered by a sentence of the card; unrelated ones of one shelf lie near .6."""
_MOST_QUOTES = 4
_MOST_OPPOSING = 3


@dataclass(frozen=True, slots=True)
class Origin:
    """What a card needs to know of a document.

    Attributes:
        title: of the document.
        url: of the document.
        name: of its origin: copies of one text share it.
        source_type: as the source declares it, else the kind of source.
        year: of publication, None when unknown.
        language: ISO 639-1 code, empty when unknown.
    """

    title: str
    url: str
    name: str
    source_type: str
    year: int | None
    language: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a card is made from, before anybody words it.

    Attributes:
        about: id of the theme or shelf.
        facet: of it.
        title: its label.
        quotes: the selected sentences, in the order of the card.
        confirming: for each quote, sentences of other origins that say the same.
        basis: what the grade is computed from.
    """

    about: str
    facet: str
    title: str
    quotes: tuple[Quote, ...]
    confirming: tuple[tuple[Quote, ...], ...]
    basis: EvidenceBasis

    @property
    def disagreement(self) -> str:
        """The note code would write about it."""
        return controversy_note(self.basis.opposing)

    @property
    def thin(self) -> str:
        """The note code would write about what is missing."""
        return confidence_note(self.basis, quoted=bool(self.quotes))


def draft(
    about: str,
    facet: str,
    title: str,
    quotes: Sequence[Quote],
    chosen: Sequence[int],
    comparison: Comparison,
    origins: Mapping[str, Origin],
    documents: Sequence[str],
    *,
    chunks: int,
    coverage: float,
    cohesion: float | None = None,
) -> Draft:
    """Gather what a card is made from.

    Args:
        about: id of the theme or shelf.
        facet: of it.
        title: its label.
        quotes: all sentences of the theme.
        chosen: rows of the selected ones, in the order of the card.
        comparison: of all sentences.
        origins: by document id.
        documents: ids of the documents the theme draws on, none twice.
        chunks: how many passages it has.
        coverage: see `covered`.
        cohesion: see `cohesion`.
    """
    known = [origins[name] for name in documents]
    years = sorted(origin.year for origin in known if origin.year is not None)
    basis = EvidenceBasis(
        chunks=chunks,
        documents=len(documents),
        origins=len({origin.name for origin in known}),
        source_types=tuple(sorted({origin.source_type for origin in known if origin.source_type})),
        years=(years[0], years[-1]) if years else None,
        agreement=comparison.agreement,
        coverage=coverage,
        opposing=tuple((quotes[left], quotes[right]) for left, right in comparison.opposing[:_MOST_OPPOSING]),
        dated=len(years),
        cohesion=cohesion,
    )
    confirming = tuple(
        tuple(quotes[row] for row in _one_an_origin(comparison.confirmed.get(at, ()), quotes, origins, at))
        for at in chosen
    )
    return Draft(about, facet, title, tuple(quotes[at] for at in chosen), confirming, basis)


def _one_an_origin(
    rows: Sequence[int], quotes: Sequence[Quote], origins: Mapping[str, Origin], own: int
) -> tuple[int, ...]:
    seen = {origins[quotes[own].document_id].name}
    kept = []
    for row in rows:
        name = origins[quotes[row].document_id].name
        if name not in seen:
            seen.add(name)
            kept.append(row)
    return tuple(kept[: _MOST_QUOTES - 1])


def covered(chunks: Matrix, sentences: Matrix) -> float:
    """Share of passages that are near some sentence of the card.

    Args:
        chunks: (N, D) vectors of the passages.
        sentences: (S, D) vectors of the selected sentences.
    """
    if not len(chunks) or not len(sentences):
        return 0.0
    # Rounded, so that no order of adding makes a difference at the edge.
    near = np.round(chunks @ sentences.T, 4).max(axis=1) >= NEAR
    return round(float(near.mean()), 4)


def cohesion(chunks: Matrix) -> float | None:
    """Mean cosine of two passages of a theme, None for a single one.

    Args:
        chunks: (N, D) unit rows.
    """
    size = len(chunks)
    if size < 2:
        return None
    total = chunks.sum(axis=0, dtype=np.float64)
    return round(float(((total * total).sum() - size) / (size * (size - 1))), 4)


def evidence_of(made: Draft, origins: Mapping[str, Origin]) -> tuple[Evidence, ...]:
    """The selected sentences with labels, as a writer and the checks see them."""
    return tuple(
        Evidence(
            label=f"E{number}",
            title=origins[quote.document_id].title,
            url=origins[quote.document_id].url,
            document_id=quote.document_id,
            chunk_id=quote.chunk_id,
            span=quote.span,
            sha256=quote.sha256,
            text=quote.text,
            relevance=1.0,
        )
        for number, quote in enumerate(made.quotes, 1)
    )


def extracts(evidence: Sequence[Evidence]) -> tuple[Sentence, ...]:
    """The draft of the extractive tier: the selected sentences as they stand."""
    return tuple(Sentence(item.text, (item.label,)) for item in evidence)


def content_hash(about: str, title: str, members: Sequence[tuple[str, str]], *, making: str) -> str:
    """Hash of everything a card depends on; known before the card is made.

    Args:
        about: id of the theme or shelf.
        title: its label.
        members: (id, hash) of what it is made from, in order: passages with their sources, or cards.
        making: how it is made: settings, prompt, model.
    """
    return sha256_hex(
        json.dumps([MAKING, about, title, [list(entry) for entry in members], making], ensure_ascii=False)
    )


def assemble(
    made: Draft,
    sentences: Sequence[Sentence],
    *,
    kind: Literal["theme", "shelf"],
    tier: Literal["model", "extractive"],
    flagged: bool,
    hashed: str,
    model: str = "",
    title: str = "",
    tip: Sentence | None = None,
    controversy: str = "",
    confidence: str = "",
    opinion: str = "",
) -> Card:
    """Make the card.

    Args:
        made: what it is made from.
        sentences: the checked summary; what cites nothing stands on nothing and says so.
        kind: ``theme`` or ``shelf``.
        tier: ``model`` or ``extractive``.
        flagged: the facet is safety-sensitive.
        hashed: see `content_hash`.
        model: who worded it.
        title: a model's title; the theme's label where it wrote none.
        tip: checked.
        controversy: a model's wording of the disagreement that code found; ignored where code found none.
        confidence: likewise of what is thin.
        opinion: the model's own grade.
    """
    places = {f"E{at + 1}": at for at in range(len(made.quotes))}
    return Card(
        about=made.about,
        kind=kind,
        facet=made.facet,
        title=title or made.title,
        sentences=tuple(_standing(sentence, made, places) for sentence in sentences),
        tip=_standing(tip, made, places) if tip else None,
        controversy_note=(controversy or made.disagreement) if made.disagreement else "",
        confidence_note=(confidence or made.thin) if made.thin else "",
        evidence_quality=evidence_quality(made.basis),
        basis=made.basis,
        model_quality=opinion,
        safety_flagged=flagged,
        tier=tier,
        model=model,
        content_hash=hashed,
    )


def _standing(sentence: Sentence, made: Draft, places: Mapping[str, int]) -> CardSentence:
    cited = [places[label] for label in sentence.citations if label in places]
    own = [made.quotes[at] for at in cited]
    others = [quote for at in cited for quote in made.confirming[at]]
    support = sentence.support if sentence.support != "none" and own else "unsupported"
    return CardSentence(
        sentence.text, tuple(dict.fromkeys([*own, *others]))[: max(_MOST_QUOTES, len(own))], support, sentence.score
    )


def shares_word(text: str, card: Card) -> bool:
    """Whether a card holds any of the words that say what a text is about, inflected or not."""
    asked = {term for word in content_words(text) for term in terms(word)}
    return not asked.isdisjoint(terms(" ".join((card.title, *(sentence.text for sentence in card.sentences)))))


def without_twins(found: Sequence[tuple[Card, float]]) -> list[tuple[Card, float]]:
    """What was found without cards of shelves that speak for the same passages as another found card below them.

    A shelf whose passages are all of one theme has the card of that theme once more.
    """
    below = {
        (above, card.basis.chunks)
        for card, _ in found
        for above in accumulate(card.about.split("/")[:-1], "{}/{}".format)
    }
    return [(card, score) for card, score in found if (card.about, card.basis.chunks) not in below]
