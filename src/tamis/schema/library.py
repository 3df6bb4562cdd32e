"""What a library is made of: an ontology's terms, shelves, themes and cards (L).

Ids are paths a person can type: a facet, then shelves by their slugs (``nutrients/vitamin-d``), then a theme's slug
(``nutrients/vitamin-d/bone-density``). A theme keeps its id over rebuilds while most of its members stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tamis.schema.document import Span

EvidenceQuality = Literal["high", "medium", "low", "debated", "unclear"]
LinkMethod = Literal["exact", "fuzzy", "dense"]


@dataclass(frozen=True, slots=True)
class Term:
    """One concept of an ontology.

    Attributes:
        term_id: as the ontology writes it, e.g. ``CDNO:0000002``.
        label: preferred name.
        synonyms: other names that mean exactly or nearly the same, in the ontology's order, none twice.
        parents: ids of the broader terms, ascending.
        definition: plain text, empty when there is none.
    """

    term_id: str
    label: str
    synonyms: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    definition: str = ""


@dataclass(frozen=True, slots=True)
class Ontology:
    """A hierarchy of terms, without cycles, obsolete terms and parents that do not exist.

    Attributes:
        name: of the file or the ontology itself.
        sha256: of the bytes it was read from.
        terms: by id, ascending.
        problems: what had to be left out, one line each with the reason.
    """

    name: str
    sha256: str
    terms: Mapping[str, Term]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityLink:
    """A mention in a chunk that stands for a term (L2).

    Attributes:
        chunk_id: where it stands.
        term_id: what it stands for.
        start: character offset in ``Chunk.text``.
        end: one past the last character.
        confidence: 0 to 1.
        method: how it was found.
    """

    chunk_id: str
    term_id: str
    start: int
    end: int
    confidence: float
    method: LinkMethod


@dataclass(frozen=True, slots=True)
class Shelf:
    """One place in the hierarchy of a facet (Layer A).

    Attributes:
        shelf_id: its path, the facet first.
        facet: the independent slice of the library it belongs to.
        label: what a person reads.
        parent: the shelf above, empty at the top.
        depth: 1 at the top.
        term_id: the ontology's term, empty where shelves are induced from the corpus.
        direct: chunks that the shelf's own term was found in.
        support: chunks in it or anywhere below it, each counted once.
        see_also: labels of tiers that were collapsed into it, and of other broader terms.
    """

    shelf_id: str
    facet: str
    label: str
    parent: str = ""
    depth: int = 1
    term_id: str = ""
    direct: int = 0
    support: int = 0
    see_also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """A chunk's place in a theme.

    Attributes:
        chunk_id: the chunk.
        weight: 0 to 1, how central it is.
        primary: whether this is the theme the chunk belongs to most.
    """

    chunk_id: str
    weight: float
    primary: bool = True


@dataclass(frozen=True, slots=True)
class Theme:
    """A community of chunks on a shelf (Layer B).

    Attributes:
        theme_id: the shelf's path and the theme's slug; stays over rebuilds while most members stay.
        facet: as its shelf.
        shelf_id: where it stands.
        label: what a person reads; no two themes of a shelf share one.
        keywords: what sets it apart from its siblings, most telling first.
        members: by descending weight, then chunk id.
        outlier: whether it gathers the chunks that belong to no community.
    """

    theme_id: str
    facet: str
    shelf_id: str
    label: str
    keywords: tuple[str, ...]
    members: tuple[Member, ...]
    outlier: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a source, pinned to its place.

    Attributes:
        text: plain text.
        chunk_id: where it stands.
        document_id: the owner of the chunk.
        span: in the document's text.
        sha256: of the UTF-8 bytes of ``Document.text[span]``.
        year: of the source, None when unknown.
    """

    text: str
    chunk_id: str
    document_id: str
    span: Span
    sha256: str
    year: int | None = None


@dataclass(frozen=True, slots=True)
class CardSentence:
    """A sentence of a card and what it stands on.

    Attributes:
        text: plain text.
        quotes: the source sentences behind it, the nearest first.
        support: verdict of the checks (C1).
        score: similarity to the nearest quote, [-1, 1].
    """

    text: str
    quotes: tuple[Quote, ...]
    support: Literal["supported", "weak", "unsupported"] = "supported"
    score: float = 1.0

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        """The chunks that support it, none twice."""
        return tuple(dict.fromkeys(quote.chunk_id for quote in self.quotes))


@dataclass(frozen=True, slots=True)
class EvidenceBasis:
    """What `Card.evidence_quality` was computed from (L8).

    Attributes:
        chunks: how many the theme has.
        documents: from how many documents they come.
        origins: independent ones: copies of one text count once.
        source_types: as the sources declare them, ascending.
        years: the earliest and the latest, None where no source says.
        dated: how many documents say one.
        agreement: share of the statements that do not contradict another, None where nothing can be compared.
        coverage: share of the theme's chunks that are near what the card says.
        opposing: pairs of statements that differ, side by side.
        cohesion: mean cosine of two of the theme's chunks, None for a single one.
    """

    chunks: int
    documents: int
    origins: int
    source_types: tuple[str, ...] = ()
    years: tuple[int, int] | None = None
    agreement: float | None = None
    coverage: float = 0.0
    opposing: tuple[tuple[Quote, Quote], ...] = ()
    dated: int = 0
    cohesion: float | None = None

    @property
    def period(self) -> tuple[int, int] | None:
        """The years where they speak for the theme: most of its documents are dated."""
        return self.years if 2 * self.dated > self.documents else None


@dataclass(frozen=True, slots=True)
class Card:
    """A short honest summary of a theme or a shelf (Layer C).

    Attributes:
        about: the id of the theme or shelf, which is the card's id too.
        kind: what that is.
        facet: the slice of the library.
        title: plain text.
        sentences: the summary.
        tip: one practical sentence, None where the sources offer none.
        controversy_note: names the disagreement, empty without one.
        confidence_note: names what is thin, empty where nothing is.
        evidence_quality: computed by code, never by a model.
        basis: what it was computed from.
        model_quality: the model's own opinion, empty without one.
        safety_flagged: the facet is safety-sensitive: review before use.
        tier: who worded it.
        model: name of the model, empty for the extractive tier.
        content_hash: of everything the card depends on; equal hash, equal card.
    """

    about: str
    kind: Literal["theme", "shelf"]
    facet: str
    title: str
    sentences: tuple[CardSentence, ...]
    tip: CardSentence | None = None
    controversy_note: str = ""
    confidence_note: str = ""
    evidence_quality: EvidenceQuality = "unclear"
    basis: EvidenceBasis = field(default_factory=lambda: EvidenceBasis(0, 0, 0))
    model_quality: str = ""
    safety_flagged: bool = False
    tier: Literal["model", "extractive"] = "extractive"
    model: str = ""
    content_hash: str = ""

    @property
    def summary(self) -> str:
        """The sentences as one text."""
        return " ".join(sentence.text for sentence in self.sentences)
