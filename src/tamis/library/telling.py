"""Which sentences a card takes: central ones that say something on their own and do not say it twice.

Sentences are ranked by the summariser with all others (L5). Of the best, those are preferred that a reader understands
without what stood around them: not the aim, method or setting of a study, not a sentence that points back ("These …").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np

from tamis.settings_library import LayerCSettings
from tamis.summarize import summarizer
from tamis.summarize.selection import best, chosen
from tamis.text.sentences import sentences as sentences_of

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
_SETTING = re.compile(rf"\A\W*(?:{_OTHER_PARTS})\b(?:[^.]{{0,40}}?[:—–]|\s(?=(?-i:[A-Z])))", re.IGNORECASE)
_HEADED = re.compile(rf"\A(?!(?i:{_PARTS})\b)[A-Z][A-Z /&-]{{3,40}}+:")
_GROUPS = r"intervention|control|placebo|treatment|treated|study|experimental|exposed|comparison|reference|active"
_POINTING = re.compile(
    r"\A\W*(?:(?:this|these|those|such|it|its|they|their|them|he|she|his|her|here|there|therefore|thus|hence|then|we|our|i"
    r"|moreover|furthermore|however|additionally|also|conversely|similarly|likewise|consequently|nevertheless|and|but|or|so"
    r"|both|yes|no|first|second|third|finally|lastly|one of (?:these|them|those)|some of (?:these|them|those)"
    r"|others?|another|overall|interestingly|importantly|notably|specifically|instead|otherwise|again|still|either|neither"
    r"|(?:all|most|many|some|several|none|half|each) of (?:these|them|those|which|the)|further(?! \w+ing)"
    r"|the (?:latter|former|same|other|present|current|above|following|article|authors?|review|study|paper|remaining)"
    rf"|(?:the )?(?:participants|subjects|respondents|volunteers|controls|cases)(?! (?:with|of|from|in)\b)"
    r"|(?:the )?patients(?= (?:were|had|received|required|reported|completed|underwent|showed|did)\b)"
    rf"|(?:the|both|all) (?:{_GROUPS}) (?:groups?|arms?)"
    r"|the (?:differences?|associations?|effects?|increases?|decreases?|reductions?|correlations?|relationships?|risks?"
    r"|results?|trends?|changes?|prevalence|incidence|mean|median|odds|rates?)"
    r"(?= (?:was|were|remained|persisted|did)\b))\b"
    r"|(?:in (?:addition|contrast|particular|this|these|the present|the current)|as a result|for (?:example|instance)"
    r"|on the other hand|at (?:this|that) (?:time|point))\b)",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\A\W*(?:(?:this|these|our|the|the (?:present|current)|here,? we|we|in (?:this|the current) study,? we)\s"
    r"(?:[\w-]+\s){0,4}?)(?:suggests?|shows?|showed|shown|indicates?|indicated|confirms?|confirmed|demonstrates?|demonstrated"
    r"|found|find|conclude|concluded|observed|reveals?|revealed|supports?|supported|provides? evidence)"
    r"\s(?:\w+ly\s)?that\b",
    re.IGNORECASE,
)
_DONE = (
    r"investigated|examined|assessed|evaluated|analy[sz]ed|selected|enrolled|recruited|randomi[sz]ed|measured|collected"
    r"|obtained|searched|included|studied|followed|assigned|estimated|explored|determined|calculated|conducted|performed"
    r"|carried out|taken|matched|compared|treated"
)
_COUNTED = (
    r"\d[\d,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty"
)
_PLANNED = re.compile(
    r"\b(?:aim(?:s|ed)? (?:of|to)|aim was|objectives?|purpose of|hypothesi[sz]ed?|whether|mean age|little is known"
    r"|we (?:also )?(?:examine|investigate|assess|evaluate|study|test|review|compare|measure|explore|describe|report"
    rf"|sought|used|tested|reviewed|{_DONE})"
    rf"|(?:was|were|is|are|been) (?:\w+ ){{0,2}}?(?:to|unknown|unclear|under investigation|{_DONE})"
    r"|follow-up (?:time|period|duration|of)|during (?:the )?follow-up"
    rf"|^(?:of )?(?:{_COUNTED}) (?:[\w/-]+ ){{0,4}}?(?:patients|participants|subjects|volunteers|cases|studies|trials)"
    r"|^(?:in total|in follow-up|at baseline|search terms|after (?:\w+ )?adjust\w+|significant (?:differences|changes))"
    r"|^(?:\w+\W+){1,5}(?:these|those) (?:women|men|people|patients|children|studies|groups|results|findings|data)"
    r"|(?:remains?|are|is) (?:still )?(?:unclear|unknown|controversial|poorly understood|lacking|needed|required"
    r"|warranted)|(?:further|additional|more|future) (?:stud(?:y|ies)|research|investigations?)"
    r"|^to (?:assess|determine|examine|investigate|evaluate|study|estimate|explore|compare|identify|test|describe))\b",
    re.IGNORECASE,
)
# A comparison without what is compared: "had increased risk ratios."
_CUT_SHORT = re.compile(
    r"\b(?:increased|decreased|higher|lower|reduced|elevated|greater) (?:relative )?"
    r"(?:risks?|odds|hazards?|rates?|levels?|values?)(?: ratios?)?\.\Z",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"©|\(c\) ?(?:1[89]|20)\d\d|\bcopyright\b.{0,40}\b(?:1[89]|20)\d\d|\bcopyright (?:holders?|\(c\)|by|owners?)\b"
    r"|\ball rights reserved\b|\breprinted (?:with|by) permission\b|\bpublished (?:online )?by [A-Z]|\bISSN\b|\bISBN\b"
    r"|\blicen[cs]ed under\b|\b(?:creative commons|cc[- ]by|open access article)\b|\bdistributed under the terms\b"
    r"|\b(?:Elsevier|Wiley|Springer|Blackwell|Lippincott|Karger|Taylor (?:&|and) Francis|Nature Publishing|Humana)\b"
    r".{0,30}\b(?:Ltd|Inc|LLC|GmbH|B\.?V|AG|Group|Sons|Science|Verlag|Publish\w+)\b"
    r"|^(?:source|data|doi|pmid)s?: ?\S+$|^doi:? ?10\.",
    re.IGNORECASE,
)
# What an extract of a database calls itself: "Nutrient values per 100 g, …, release 26."
_IMPRINT = re.compile(r"\b(?:release|version|edition|revision|vol(?:ume|\.)?)\s?\d[\d.]*+\W*+\Z", re.IGNORECASE)
_SPOKEN = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does?|did|can|could|may|might|must|will|would|shall|should|\w{2,}ed"
    r"|changes?|adds?|removes?|needs?|requires?|runs?|works?|uses?|came|comes|brings?|brought)\b"
)
_SHORT_FORM = re.compile(r"(?<![\w-])(?=[\w-]*[A-Z][\w-]*[A-Z])[A-Za-z][A-Za-z0-9-]{1,7}s?(?![\w-])")
_KNOWN = frozenset(
    """
    DNA RNA mRNA HIV AIDS UV UVB UVA US USA UK EU UN WHO FDA CDC EPA USDA NASA BMI LDL HDL ATP pH CI SD OR RR HR MRI CT
    TV PC IQ NATO BBC HTML HTTP HTTPS URL SQL JSON XML CSV PDF API CPU GPU RAM USB ID IDs OK AM PM II III IV VI VII VIII
    IX BC AD PCR EEG ECG GDP CEO COVID COVID-19 YouTube JavaScript GitHub MHz GHz kHz kJ kWh GB MB TB kB DIY FAQ
    """.split()
)
"""Abbreviations that are read without being spelled out; names with capitals inside among them."""
_KNOWN_IN = 3
"""Sources that use an abbreviation from which on readers of the subject are taken to know it."""
_END = re.compile(r"[.!…。！]['\"”’)\]]*$")


def unlabelled(sentence: str) -> str:
    """A sentence without the label of the section it opens, such as ``CONCLUSIONS:``."""
    return _LABEL.sub("", sentence, count=1) if _LABEL.match(sentence) else sentence


def quotable(sentence: str) -> bool:
    """Whether a sentence says anything at all: no notice of a publisher, no name of an edition."""
    return not _NOTICE.search(sentence) and not (_IMPRINT.search(sentence) and not _SPOKEN.search(sentence))


def titled(sentence: str, title: str) -> bool:
    """Whether a sentence is nothing but the title of its document, which is named beside every quotation anyway.

    Args:
        sentence: as it may be quoted.
        title: of its document; of several sentences, each is the title.
    """
    parts = [title, *(title[start:end] for start, end in sentences_of(title))]
    return bool(title) and _bare(sentence) in {_bare(part) for part in parts}


def _bare(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


def telling(sentence: str) -> bool:
    """Whether a sentence says something to a reader who sees nothing else of its source."""
    if not _FEWEST_WORDS <= len(sentence.split()) <= _MOST_WORDS or not _END.search(sentence):
        return False
    if len(_NUMBER.findall(sentence)) > _MOST_NUMBERS or _CUT_SHORT.search(sentence):
        return False
    if _SETTING.match(sentence) or _HEADED.match(sentence) or _PLANNED.search(sentence):
        return False
    bare = unlabelled(sentence)
    return bool(_REPORTED.match(bare)) or not _POINTING.match(bare)


def _unexplained(sentence: str, known: Collection[str]) -> bool:
    """Whether a sentence holds an abbreviation that it does not spell out and hardly any other source uses."""
    found = {name for name in _SHORT_FORM.findall(sentence) if name not in _KNOWN and name not in known}
    return any(f"({name}" not in sentence and f"{name} (" not in sentence for name in found)


def _in_use(sentences: Sequence[str], sources: Sequence[str]) -> frozenset[str]:
    """Abbreviations that several sources use."""
    users: dict[str, set[str]] = {}
    for sentence, source in zip(sentences, sources, strict=True):
        for name in _SHORT_FORM.findall(sentence):
            users.setdefault(name, set()).add(source)
    return frozenset(name for name, some in users.items() if len(some) >= _KNOWN_IN)


def extract(sentences: Sequence[str], settings: LayerCSettings, sources: Sequence[str] = ()) -> list[int]:
    """The sentences of a theme's card.

    Those come first that stand alone, then those that report ("These data suggest that …") or leave an abbreviation
    unexplained; where both are few, the others fill up.

    Args:
        sentences: (S,) of the theme.
        settings: the summariser, and how many to take at most.
        sources: (S,) the document of each; without them no abbreviation counts as known.

    Returns:
        Indices, ascending.
    """
    wide = settings.model_copy(update={"sentences": _WIDER * settings.sentences})
    ranked = chosen(sentences, wide)
    known = _in_use(sentences, sources) if sources else frozenset()
    tiers: list[list[tuple[int, float]]] = [[], [], []]
    for row, score in ranked:
        text = sentences[row]
        leaning = _POINTING.match(unlabelled(text)) or _unexplained(text, known)
        rank = 2 if not telling(text) else 1 if leaning else 0
        tiers[rank].append((row, score))
    taken: list[int] = []
    for tier, limit in zip(
        tiers, (settings.sentences, settings.sentences, min(_LEAST, settings.sentences)), strict=True
    ):
        taken += _distinct(sentences, tier, limit - len(taken))
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
