"""Which sentences a card takes: central ones that say something on their own and do not say it twice.

Sentences are ranked by the summariser with all others (L5). Of the best, those are preferred that a reader understands
without what stood around them: not the aim, method or setting of a study, not a sentence that points back ("These …").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tamis.settings_library import LayerCSettings
from tamis.summarize import summarizer
from tamis.summarize.selection import best, chosen

_WIDER = 4
"""Times as many sentences are ranked best than a card takes, so that there is a choice."""
_LEAST = 3
"""With fewer telling sentences the others fill up."""
_NUMBER = re.compile(r"\d[\d.,·]*")
_MOST_NUMBERS = 8
_REPEATS = 0.4
"""Cosine of tf-idf rows above which a sentence says again what another of the card says."""
_FEWEST_WORDS, _MOST_WORDS = 6, 45
_PARTS = r"results?|conclusions?|findings|interpretation|significance|discussion|impact|summary"
_OTHER_PARTS = (
    r"background|introduction|context|objectives?|aims?|purpose|methods?|design|settings?|participants|subjects|patients"
    r"|materials?|interventions?|measurements?|main outcome measures?"
)
_LABEL = re.compile(
    rf"\A(?:(?i:{_PARTS}|{_OTHER_PARTS})(?: ?(?:/|and|&) ?(?i:{_PARTS}|{_OTHER_PARTS}))*"
    r"\s*+[:.—–-]++\s*+(?:[:.—–-]\s*+)*+"
    r"|(?:Results?|RESULTS?|Conclusions?|CONCLUSIONS?|Findings|FINDINGS|Background|BACKGROUND|Objectives?|OBJECTIVES?"
    r"|Methods?|METHODS?)\s++)(?=[A-Z0-9])"
)
_SETTING = re.compile(rf"\A\W*(?:{_OTHER_PARTS})\b[^.]{{0,40}}?(?:[:—–]|\s(?=[A-Z]))", re.IGNORECASE)
_HEADED = re.compile(rf"\A(?!(?i:{_PARTS})\b)[A-Z][A-Z /&-]{{3,40}}+:")
_POINTING = re.compile(
    r"\A\W*(?:(?:this|these|those|such|it|its|they|their|them|he|she|his|her|here|there|therefore|thus|hence|then|we|our|i"
    r"|moreover|furthermore|however|additionally|also|conversely|similarly|likewise|consequently|nevertheless|and|but|or|so"
    r"|both|yes|no|first|second|third|finally|lastly|one of (?:these|them|those)|some of (?:these|them|those)"
    r"|the (?:latter|former|same|present|current|above|following|article|authors?|review|study|paper))\b"
    r"|(?:in (?:addition|contrast|particular|this|these|the present|the current)|as a result|for (?:example|instance)"
    r"|on the other hand|at (?:this|that) (?:time|point))\b)",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\A\W*(?:(?:this|these|our|the (?:present|current)|here,? we|we|in (?:this|the present|the current) study,? we)\s"
    r"(?:[\w-]+\s){0,4}?)(?:suggests?|shows?|showed|shown|indicates?|indicated|confirms?|confirmed|demonstrates?|demonstrated"
    r"|found|find|conclude|concluded|observed|reveals?|revealed|supports?|supported|provides? evidence)\b",
    re.IGNORECASE,
)
_DONE = (
    r"investigated|examined|assessed|evaluated|analy[sz]ed|selected|enrolled|recruited|randomi[sz]ed|measured|collected"
    r"|obtained|searched|included|studied|followed|assigned|estimated|explored|determined|calculated|conducted|performed"
    r"|carried out|taken|matched|compared|treated"
)
_PLANNED = re.compile(
    r"\b(?:aim(?:s|ed)? (?:of|to)|aim was|objectives?|purpose of|hypothesi[sz]ed?|whether|mean age|little is known"
    r"|we (?:also )?(?:examine|investigate|assess|evaluate|study|test|review|compare|measure|explore|describe|report"
    rf"|sought|used|tested|reviewed|{_DONE})"
    rf"|(?:was|were|is|are|been) (?:\w+ ){{0,2}}?(?:to|unknown|unclear|under investigation|{_DONE})"
    r"|(?:remains?|are|is) (?:still )?(?:unclear|unknown|controversial|poorly understood|lacking|needed|required"
    r"|warranted)|(?:further|additional|more|future) (?:stud(?:y|ies)|research|investigations?)"
    r"|^to (?:assess|determine|examine|investigate|evaluate|study|estimate|explore|compare|identify|test|describe))\b",
    re.IGNORECASE,
)
_END = re.compile(r"[.!…。！]['\"”’)\]]*$")


def unlabelled(sentence: str) -> str:
    """A sentence without the label of the section it opens, such as ``CONCLUSIONS:``."""
    return _LABEL.sub("", sentence, count=1) if _LABEL.match(sentence) else sentence


def telling(sentence: str) -> bool:
    """Whether a sentence says something to a reader who sees nothing else of its source."""
    if not _FEWEST_WORDS <= len(sentence.split()) <= _MOST_WORDS or not _END.search(sentence):
        return False
    if len(_NUMBER.findall(sentence)) > _MOST_NUMBERS:
        return False
    if _SETTING.match(sentence) or _HEADED.match(sentence) or _PLANNED.search(sentence):
        return False
    bare = unlabelled(sentence)
    return bool(_REPORTED.match(bare)) or not _POINTING.match(bare)


def extract(sentences: Sequence[str], settings: LayerCSettings) -> list[int]:
    """The sentences of a theme's card.

    Args:
        sentences: (S,) of the theme.
        settings: the summariser, and how many to take at most.

    Returns:
        Indices, ascending.
    """
    wide = settings.model_copy(update={"sentences": _WIDER * settings.sentences})
    ranked = chosen(sentences, wide)
    good = [entry for entry in ranked if telling(sentences[entry[0]])]
    rest = [entry for entry in ranked if entry not in good]
    taken = _distinct(sentences, good, settings.sentences)
    if len(taken) < _LEAST:
        taken += _distinct(sentences, rest, min(_LEAST, settings.sentences) - len(taken))
    return sorted(taken)


def overview(groups: Sequence[Sequence[str]], settings: LayerCSettings) -> list[tuple[int, int]]:
    """The sentences of a shelf's card: the most central one of each card below, then the second of each, and so on.

    Args:
        groups: (G,) the sentences of the cards below, the card that speaks for most first.
        settings: the summariser, and how many to take at most.

    Returns:
        (group, place in it), in the order of the card.
    """
    places = [(group, at) for group, said in enumerate(groups) for at in range(len(said))]
    if not places:
        return []
    scores = summarizer(settings.stage1_method).rank([groups[group][at] for group, at in places])
    by_group: dict[int, list[tuple[float, int]]] = {}
    for (group, at), score in zip(places, scores.tolist(), strict=True):
        by_group.setdefault(group, []).append((-round(score, 9), at))
    turns = [(turn, group, at) for group, said in by_group.items() for turn, (_, at) in enumerate(sorted(said))]
    order = [(group, at) for _, group, at in sorted(turns)]
    texts = [groups[group][at] for group, at in order]
    falling = np.arange(len(texts), 0, -1, dtype=np.float32)
    return [order[row] for row in best(texts, falling, settings.sentences, repeats=_REPEATS)]


def _distinct(sentences: Sequence[str], ranked: Sequence[tuple[int, float]], limit: int) -> list[int]:
    if not ranked or limit < 1:
        return []
    scores = np.array([score for _, score in ranked], dtype=np.float32)
    return [ranked[at][0] for at in best([sentences[row] for row, _ in ranked], scores, limit, repeats=_REPEATS)]
