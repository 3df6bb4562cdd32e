"""Whether a claim says yes where the evidence says no, or the opposite of it.

Sentences are compared clause by clause, because a sentence may deny one thing and affirm another. A clause of the claim
is laid beside the clause of the evidence that holds most of its terms; it contradicts where one of the two is negated,
the other is not, and what the negation governs stands in both. Where both or neither are negated, it contradicts where
one says up and the other down (or safe and unsafe, first and last …) of the same things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tamis.text.tokens import fold, is_stop, terms

_NEGATION = re.compile(
    r"\b(?:not|cannot|no|never|none|nobody|nothing|neither|nor|without|hardly|unable|rarely|seldom|scarcely|barely"
    r"|fail(?:s|ed)? to|lack(?:s|ed)?"
    r"|den(?:y|ies|ied) that|(?:myth|misconception|fallacy|untrue|false|wrong to say) that"
    r"|nicht|kein\w*|nie|ohne|pas|jamais|sans|aucun\w*|nunca|sin|ningun\w*)\b|n['’]t\b"
)
_NOT_NEGATING = re.compile(
    r"\bnot (?:only|just|merely)\b|\bno (?:later|more|less|fewer) than\b|\bno\. ?\d"
    r"|(?:\b(?:not|never|cannot)\b|n['’]t\b)(?=[^;:,.]{0,60}?\b"
    r"(?:(?:more|longer|later|older|higher|greater) than|above|beyond)"
    r" (?:about )?(?:\d|one|two|three|four|five|six|seven|eight|nine|ten|twelve|an?\b))"
    r"|(?:\b(?:not|never|cannot)\b|n['’]t\b)(?=[^;:,.]{0,60}?\b(?:indefinitely|forever)\b)"
)
"""What denies an amount beyond a bound, not what it is an amount of."""
_HARDLY = re.compile(
    r"(?:almost|nearly|practically|virtually) (?:never|no|none|nobody|nothing)|hardly|rarely|seldom|scarcely|barely"
)
"""Denials that leave room: what is rare may happen."""
_ROOM = re.compile(r"\b(?:can|could|may|might|sometimes|occasionally|possible|possibly|rare)\b")
_NONE_BUT = re.compile(
    r"\b(?:nobody|no one|none|nothing|no ([a-z]+)) (?:else )?(?:except|but|other than|besides|apart from|save)"
    r"(?: for)?\b"
)
_ALL_BUT = re.compile(
    r"\b(?:anyone|anybody|everyone|everybody|anything|everything) (?:else )?"
    r"(?:except|but|other than|besides|apart from)(?: for)?\b"
)
_POINTING = re.compile(
    r"\s{0,4}(?:it|they|this|these|that|he|she|is|are|was|were|has|have|do|does|did|can|could|may|might|must|should|will|would"
    r"|not|never|cannot)\b"
)
"""How a clause begins whose subject stands in another clause of its sentence."""
_CLAUSE = re.compile(
    r"[;:,()]\s+|(?<!\s)\s++[-–—]\s++|\s(?=without\b)"
    r"|\b(?:but|although|though|whereas|while|because|unless|however|and|which|if|since|so that)\b"
)
_PREFIXES = frozenset({"un", "in", "im", "il", "ir", "dis", "non"})
_WORD = re.compile(r"[a-z]+")
_LEAST_ALIGNED = 0.6
"""Share of a claim clause's terms that an evidence clause must hold to be about the same."""
_SAME_MATTER = 0.5
"""Share of them that a clause must hold which denies one of them."""
_AS_CLOSE = 0.85
"""Clauses this near to the closest count as close as it: one of them that agrees is enough."""
_GOVERNED = 4
"""Terms behind a negation that it may govern."""
_REACH = 200
"""Characters within which they are looked for."""
_BEYOND = re.compile(r"(?<=[a-z0-9]) (?:for|in|of|by|with|at|on|from|to|as|than|or|when|after|before|during|per) ")
"""What a negation does not reach over, once it has something to govern."""
_LITERAL = re.compile(r"(?<=\S[ =(])(?:None|Null|NULL)\b")
"""Values of code that are spelled like negations."""
_UP = "increase rise rose risen grow grew grown gain climb climbed raise boost expand improve more higher up upward"
_DOWN = "decrease fall fell fallen drop dropped decline reduce lower shrink shrank lose cut worsen less fewer down"
_OPPOSITES = tuple(
    (tuple(left.split()), tuple(right.split()))
    for left, right in (
        (_UP, _DOWN),
        *(
            pair.split("/")
            for pair in """
    high/low;highest/lowest;most/least;better/worse;best/worst;larger bigger greater/smaller;largest biggest/smallest
    strong/weak;stronger/weaker;longer/shorter;longest/shortest;older/younger;oldest/youngest;warmer/colder;heavier/lighter
    always/never;often frequently/rarely seldom;majority/minority;few/many most;mild/severe
    only/all every everyone everybody anyone anybody
    before/after;above over/below under;first/last;earlier/later;early/late;start begin began/end ended;with/without
    allow permit/forbid prevent prohibit;allowed/forbidden prohibited;enable/disable;accept/reject refuse
    include/exclude;required mandatory/optional;legal/illegal;lawful/unlawful;true/false;positive/negative
    possible/impossible;mutable/immutable;safe/unsafe dangerous;beneficial/harmful;protect/harm;success/failure
    succeed/fail;won/lost;faster/slower;fast/slow;cheaper/dearer;open/close;ascending/descending;maximum/minimum;agree/disagree;hot/cold
    north/south;east/west;left/right;inside/outside;synchronous/asynchronous;stable/unstable;public/private;import/export
    """.replace("\n", ";").split(";")
            if pair.strip()
        ),
    )
)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause, read for comparison.

    Attributes:
        terms: its content.
        words: stems and stop words.
        negated: an odd number of negations stands in it.
        governed: terms that its negations govern.
        hardly: its negations leave room for exceptions.
        room: it says that something may be, not that it is.
        points: its subject stands in another clause.
    """

    terms: frozenset[str]
    words: frozenset[str]
    negated: bool
    governed: frozenset[str]
    hardly: bool
    room: bool
    points: bool


Unit = tuple[_Clause, frozenset[str]]
"""A clause and the terms of its sentence."""


def _clause(text: str) -> _Clause:
    folded = _NOT_NEGATING.sub(" ", text)
    cues = list(_NEGATION.finditer(folded))
    # "… but the blades cannot": what is denied was said before, of whom it is denied stands in front.
    governed = {
        term
        for cue in cues
        for term in _governed(folded[cue.end() : cue.end() + _REACH])
        or terms(folded[max(0, cue.start() - _REACH) : cue.start()])[-_GOVERNED:]
    }
    content = frozenset(terms(_NEGATION.sub(" ", folded)))
    return _Clause(
        content,
        frozenset(_stems(text)),
        len(cues) % 2 == 1,
        frozenset(governed),
        hardly=bool(cues) and len(_HARDLY.findall(folded)) == len(cues),
        room=bool(_ROOM.search(folded)),
        points=bool(_POINTING.match(text)),
    )


def _governed(rest: str) -> list[str]:
    """The terms a negation governs, of the text behind it."""
    at = 0
    while boundary := _BEYOND.search(rest, at):
        if found := terms(rest[: boundary.start()]):
            return found[:_GOVERNED]
        at = boundary.end() - 1
    return terms(rest)[:_GOVERNED]


def pieces(sentence: str) -> list[str]:
    """The clauses of a sentence, folded; one of a single term that denies nothing goes with the one before it."""
    found: list[str] = []
    folded = _ALL_BUT.sub("not", _NONE_BUT.sub(r"only \1", fold(_LITERAL.sub("", sentence))))
    for piece in _CLAUSE.split(folded):
        if not piece or not piece.strip():
            continue
        if found and len(terms(piece)) < 2 and not _NEGATION.search(piece):
            found[-1] += f" {piece}"
        else:
            found.append(piece)
    return found


def denies(folded: str) -> bool:
    """Whether a folded stretch of text is negated."""
    return len(_NEGATION.findall(folded)) % 2 == 1


def _clauses(sentence: str) -> Iterator[_Clause]:
    return map(_clause, pieces(sentence))


def units_of(sentence: str) -> tuple[Unit, ...]:
    """Clauses of a sentence, each with the terms of the whole of it."""
    whole = frozenset(terms(sentence))
    return tuple((clause, whole) for clause in _clauses(sentence))


def opposed(claim: str, units: Sequence[Unit]) -> str:
    """In what a claim opposes the clauses closest to it, empty where it does not.

    Args:
        claim: one sentence.
        units: the clauses of all it cites.
    """
    for said in _clauses(claim):
        if denied := _denied(said, units):
            return f"{denied} is denied there"
        shares = [_held(said, unit, whole) for unit, whole in units] if len(said.terms) > 1 else []
        best = max(shares, default=0.0)
        if best < _LEAST_ALIGNED:
            continue
        closest = [unit for (unit, _), share in zip(units, shares, strict=True) if share >= _AS_CLOSE * best]
        agreeing = [unit for unit in closest if not _opposed(said, unit)[0]]
        for unit in closest:
            why, about = _opposed(said, unit)
            if why and not any(about <= other.terms for other in agreeing):
                return why
    return ""


def _denied(said: _Clause, units: Sequence[Unit]) -> str:
    """A word that a clause affirms and all of the evidence denies, of what the clause speaks of too."""
    if said.negated:
        return ""
    for term in sorted(term for term in said.terms if not term.isdigit()):
        speaking = [(unit, whole) for unit, whole in units if term in unit.terms]
        if not speaking or not all(unit.negated and term in unit.governed for unit, _ in speaking):
            continue
        for unit, whole in speaking:
            shared = said.terms & (whole if unit.points else unit.terms)
            if len(shared) > 1 and len(shared) >= _SAME_MATTER * len(said.terms) and not (unit.hardly and said.room):
                return term
    return ""


def _held(said: _Clause, unit: _Clause, whole: frozenset[str]) -> float:
    """Share of the claim's terms that a unit holds, averaged with the share that its sentence does.

    Words that have an opposite there count as held.
    """
    if not said.terms & whole:
        return 0.0
    opposed = bool(_opposite(said, unit))
    held = (len(said.terms & unit.terms) + len(said.terms & whole)) / 2 + opposed
    return min(1.0, held / len(said.terms))


def _opposed(said: _Clause, unit: _Clause) -> tuple[str, frozenset[str]]:
    """In what two clauses oppose each other, empty where they do not, and the terms that are denied in one of them."""
    if (said.hardly and unit.room) or (unit.hardly and said.room):
        return "", frozenset()
    if said.negated != unit.negated:
        shared = (said.governed & unit.terms) | (unit.governed & said.terms)
        return ("not negated there" if said.negated else "negated there") if shared else "", shared
    return _opposite(said, unit), frozenset()


def _opposite(said: _Clause, unit: _Clause) -> str:
    """``says increase, not decrease`` where one stands in the claim alone and the other in the unit alone."""
    here, there = said.words - unit.words, unit.words - said.words
    both = said.words & unit.words
    for place in sorted({place for word in here for place in _PAIRED.get(word, ())}):
        for mine, theirs in (_STEMMED[place], _STEMMED[place][::-1]):
            if mine.keys() & here and theirs.keys() & there and not (mine.keys() | theirs.keys()) & both:
                return f"says {mine[min(mine.keys() & here)]}, not {theirs[min(theirs.keys() & there)]}"
    for word in sorted(here):
        if (short := _undenied(word)) in there:
            return f"says {word}, not {short}"
    for other in sorted(there):
        if (short := _undenied(other)) in here:
            return f"says {short}, not {other}"
    return ""


def _undenied(word: str) -> str:
    """What a word denies by its first letters (unlawful, irregular, dissimilar), empty where it denies nothing."""
    short = word[3:] if word.startswith(("dis", "non")) else word[2:]
    return short if len(short) > 4 and word[: -len(short)] in _PREFIXES else ""


def _stem(word: str) -> str:
    return word if is_stop(word) else (terms(word) or [word])[0]


def _stems(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text)]


_STEMMED = tuple(
    ({_stem(word): word for word in reversed(left)}, {_stem(word): word for word in reversed(right)})
    for left, right in _OPPOSITES
)
_PAIRED: dict[str, list[int]] = {}
for _place, _pair in enumerate(_STEMMED):
    for _word in (*_pair[0], *_pair[1]):
        _PAIRED.setdefault(_word, []).append(_place)
