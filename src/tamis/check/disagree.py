"""Whether two statements of different origins contradict each other, or say the same.

A disagreement that is none costs a reader more than one that is missed, so a sentence takes part only where it is read
without doubt: it claims something (it states no aim, method or gap of knowledge), makes no contrast of its own, and
points in one direction at most. Two such sentences are about one thing where all that the one speaks of stands in
the other, and the other does not speak of much more. Then they contradict each other where exactly one of them is
negated, where one says up and the other down, or where their only quantities differ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from tamis.check import dates as dating
from tamis.check import numbers as counting
from tamis.text.tokens import fold, terms

_LEAST_TERMS = 3
"""Terms that two statements must share to be about one thing."""
_MOST_TERMS = 40
_LEAST_SHARE = 0.6
"""Share of the longer statement's terms that the shorter one must hold …"""
_MANY_TERMS = 7
"""… unless it holds so many."""
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_NEGATION = re.compile(
    r"\b(?:no|not|nor|neither|never|none|cannot|hardly|fails? to|failed to|unable to|unrelated|unchanged|unaffected)\b"
    r"|n['’]t\b"
)
_NOT_NEGATING = re.compile(r"\bnot (?:only|just|merely)\b|\bno (?:later|more|less|fewer) than\b|\bno\. ?\d")
_UNCLAIMED = re.compile(
    r"\?|\b(?:whether|aim(?:s|ed)?|objectives?|purpose|hypothes\w+|investigat\w+|examin\w+|assess\w*|evaluat\w+|explor\w+"
    r"|determined?|stud(?:y|ied) to|tested|unknown|unclear|less clear|uncertain\w*|inconsisten\w+|inconclusive"
    r"|controvers\w+|conflicting|debate[ds]?|limited|little|few|yet to|not yet|not been|no previous|no prior"
    r"|no stud(?:y|ies)|no data"
    r"|remains? to|(?:participants|subjects|patients|men|women|adults|children|samples|groups) were"
    r"|were (?:enrolled|recruited|randomi[sz]ed|followed|assigned|included|measured|given|asked|collected|obtained)"
    r"|was (?:measured|given|performed|conducted|collected|obtained|calculated)|underwent|respectively|versus|vs)\b"
)
_CONTRAST = re.compile(
    r"\b(?:but|whereas|although|though|while|however|except|unless|only|if|than|compared|rather|instead|sometimes"
    r"|others)\b"
)
_EXPOSURE = re.compile(
    r"\b(?:high|higher|highest|greater|greatest|increased|increasing|more|elevated|long-term|daily) (?:[\w-]+ ){0,3}?"
    r"(?:intakes?|consumption|exposure|adherence|use|dose|doses|amounts?)\b"
)
_FEWER = re.compile(
    r"\b(?:low|lower|lowest|less|least|reduced|decreased|fewer) (?:[\w-]+ ){0,3}?"
    r"(?:intakes?|consumption|exposure|use|dose)\b"
)
_UP = (
    r"increas\w*|rais(?:e|es|ed|ing)|r[io]ses?|risen|higher|highest|greater|elevat\w+|improv\w+|enhanc\w+|more|positively"
    r"|longer|stronger|faster"
)
_DOWN = (
    r"decreas\w*|reduc\w*|lower\w*|lowest|fell|falls?|declin\w+|diminish\w*|worsen\w*|less|fewer|inverse\w*|negatively"
    r"|inhibit\w*|suppress\w*|shorter|weaker|slower"
)
_GOOD = r"safe|good|beneficial|better|benefits?|protect\w*|prevent\w*|harmless"
_BAD = r"unsafe|dangerous|bad|harmful|harms?|worse|hazardous"
_MUST = r"always|required|mandatory|allowed|permitted"
_MUST_NOT = r"optional|forbidden|prohibited"
_SCALES = tuple(
    (re.compile(rf"\b(?:{up})\b"), re.compile(rf"\b(?:{down})\b"))
    for up, down in ((_UP, _DOWN), (_GOOD, _BAD), (_MUST, _MUST_NOT))
)
_CODE = re.compile(r"\b(?:[A-Z](?![\w'’])|(?=\w*\d)(?=\w*[A-Za-z])[\w-]+|[A-Z][A-Z0-9-]+)")
_GENERIC = frozenset(
    terms(
        "study studies result results conclusion conclusions background finding findings find found suggest "
        "suggests show shows shown showed evidence data significant significantly statistically association "
        "associations associated associate relation related relationship effect effects affect influence "
        "impact observed report reported appear may might could can seem likely possible between among group "
        "groups analysis analyses overall total review trial trials however also present current our these "
        "this those there prospective cohort clearly indicate indicates conclude support supports "
        "independent independently link linked correlate correlated correlation difference differences "
        "different change changes level levels do does did have has had been being intake consumption eat "
        "consume risk"
    )
)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence that was read without doubt.

    Attributes:
        about: terms of what it speaks of.
        first: the first of them: what it says something of.
        codes: single letters, abbreviations and names with digits in it.
        negated: it denies what it speaks of.
        pointing: on each scale 1 for up, -1 for down, 0 for neither.
        numbers: its quantities.
    """

    about: frozenset[str]
    first: str
    codes: frozenset[str]
    negated: bool
    pointing: tuple[int, ...]
    numbers: tuple[counting.Number, ...]


def disagreement(left: str, right: str) -> str:
    """In what one statement contradicts another, in one line; empty where it does not.

    Args:
        left: one sentence.
        right: one sentence of another origin.
    """
    one, other = _read(left), _read(right)
    if one is None or other is None or not _of_one_thing(one, other):
        return ""
    against = any(mine * theirs < 0 for mine, theirs in zip(one.pointing, other.pointing, strict=True))
    if one.negated != other.negated:
        return "" if against else "denied in one of them"
    if against:
        return "" if one.negated else "the one points up, the other down"
    return _numbers_differ(one, other)


def agreement(left: str, right: str) -> bool:
    """Whether one statement supports another: it points the same way, and gives every number of it.

    Args:
        left: one sentence.
        right: one of another origin that is much like it.
    """
    if len(_cues(left)) % 2 != len(_cues(right)) % 2:
        return False
    mine, theirs = fold(left), fold(right)
    if any(bool(cue.search(mine)) != bool(cue.search(theirs)) for scale in _SCALES for cue in scale):
        return False
    return not counting.missing(_counted(left), _counted(right))


def _cues(text: str) -> list[str]:
    return _NEGATION.findall(_NOT_NEGATING.sub(" ", fold(text)))


@lru_cache(maxsize=4096)
def _read(text: str) -> _Statement | None:
    bare = _ASIDE.sub(" ", _ASIDE.sub(" ", text))
    folded = fold(bare)
    if _UNCLAIMED.search(folded) or _CONTRAST.search(folded) or _FEWER.search(folded):
        return None
    neutral = _EXPOSURE.sub(" ", folded)
    pointing = [(bool(up.search(neutral)), bool(down.search(neutral))) for up, down in _SCALES]
    denials, counted = len(_cues(bare)), tuple(_counted(bare))
    if any(up and down for up, down in pointing) or denials > 1:
        return None
    for cue in (_NEGATION, *(cue for scale in _SCALES for cue in scale)):
        folded = cue.sub(" ", folded)
    spelled = frozenset(term for number in counted for term in terms(number.text))
    order = [t for t in terms(folded) if not t[0].isdigit() and t not in _GENERIC and t not in spelled]
    about = frozenset(order)
    if not _LEAST_TERMS <= len(about) <= _MOST_TERMS:
        return None
    codes = frozenset(_CODE.findall(bare))
    return _Statement(about, order[0], codes, denials == 1, tuple(up - down for up, down in pointing), counted)


def _of_one_thing(one: _Statement, other: _Statement) -> bool:
    fewer, more = sorted((one.about, other.about), key=len)
    if one.first not in other.about or other.first not in one.about:
        return False
    if not fewer <= more or not (one.codes <= other.codes or other.codes <= one.codes):
        return False
    return len(fewer) >= _MANY_TERMS or len(fewer) >= _LEAST_SHARE * len(more)


def _numbers_differ(one: _Statement, other: _Statement) -> str:
    """The one quantity in which two statements differ."""
    if len(one.numbers) != 1 or len(other.numbers) != 1:
        return ""
    mine, theirs = one.numbers[0], other.numbers[0]
    if mine.unit != theirs.unit or not mine.unit:
        return ""
    if not counting.missing([mine], [theirs]) or not counting.missing([theirs], [mine]):
        return ""
    return f"{mine.text.strip()}, not {theirs.text.strip()}"


def _counted(text: str) -> list[counting.Number]:
    _, rest = dating.dates(text)
    return list(counting.numbers(rest))
