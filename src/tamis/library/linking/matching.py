"""Where names of terms stand in a text: spans of tokens with everything they may mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tamis.library.linking.names import LEAST_PART, LINKING, LONGEST_REORDERED, SYNONYM, Lexicon, Node, Reading
from tamis.library.linking.spelling import Token, keys_of, knowledge, known_words
from tamis.schema.library import LinkMethod
from tamis.text.remembered import remembered
from tamis.text.tokens import is_stop

ELLIPSIS = 0.90
APART = 0.95
_FUZZY_REACH = 8
_LOCANT = 2
_LONG_SYNONYM = 10
_LEAST_WORD = 4
_JOINING = frozenset({"and", "or", "nor"})
_SYMBOL = re.compile(r"\d|[A-Z]{2}|^(?:[^\w\n]|[\d_])*+[^\W\d_][^A-Z\n]*+[A-Z][^A-Z\n]*+[A-Z]", re.MULTILINE)
_STOPS = frozenset(".!?:\n")
_LISTING = frozenset({",", "/", "&", "+", ";"})


@dataclass(frozen=True, slots=True)
class Found:
    """A name in a text.

    Attributes:
        first: index of its first token.
        end: one past the index of its last token.
        readings: what it may stand for, the best first.
        method: how it was found.
        certainty: factor on a reading's quality, 1 for what is written exactly so.
    """

    first: int
    end: int
    readings: tuple[Reading, ...]
    method: LinkMethod = "exact"
    certainty: float = 1.0


def find(text: str, found: Sequence[Token], lexicon: Lexicon, fuzzy_floor: float) -> list[Found]:
    """All names in a text, none overlapping another: the longest wins, then the better spelled, then the first.

    Args:
        text: what was split into tokens.
        found: its tokens.
        lexicon: the names.
        fuzzy_floor: least similarity of a misspelt name.
    """
    keys = [token.key for token in found]
    spans = _exact(text, found, keys, lexicon)
    spans += _around(_reordered(text, found, keys, lexicon), spans)
    spans += _misspelt(text, found, keys, lexicon, fuzzy_floor)
    chosen = _longest(spans, found)
    return _with_shared_words(text, found, keys, chosen, lexicon)


def _around(turned: Sequence[Found], exact: Sequence[Found]) -> list[Found]:
    """Spans that cut none of the exact ones in two: "citric acid, ascorbic acid" holds no "acid, ascorbic"."""
    cut = set()
    for span in exact:
        cut |= {(place, place + 1) for place in range(span.first, span.end - 1)}
    return [span for span in turned if (span.first - 1, span.first) not in cut and (span.end - 1, span.end) not in cut]


def _exact(text: str, found: Sequence[Token], keys: Sequence[str], lexicon: Lexicon) -> list[Found]:
    spans = []
    beginnings = lexicon.root.below
    for first, key in enumerate(keys):
        node = beginnings.get(key)
        span = _walk(text, found, keys, first, node) if node is not None else None
        if span is None and first + 1 < len(keys) and not found[first + 1].hard:
            span = _written_apart(text, found, keys, first, lexicon)
        if span is not None:
            spans.append(span)
    return spans


def _written_apart(
    text: str, found: Sequence[Token], keys: Sequence[str], first: int, lexicon: Lexicon
) -> Found | None:
    """A name of one word that the text writes as two: ``soy bean``, ``methyl mercury``."""
    if min(len(keys[first]), len(keys[first + 1])) < LEAST_PART:
        return None
    node = lexicon.root.below.get(keys[first] + keys[first + 1])
    readings = tuple(each for each in node.readings if not each.symbol) if node is not None else ()
    if readings and _stands_alone(text, found, first, first + 2):
        return Found(first, first + 2, readings, certainty=APART)
    return None


def _walk(text: str, found: Sequence[Token], keys: Sequence[str], first: int, node: Node) -> Found | None:
    """The longest name that begins at a token."""
    best: Found | None = None
    end = first + 1
    signs: list[tuple[int, str]] = []
    while True:
        if node.readings and _stands_alone(text, found, first, end):
            readings = tuple(
                each for each in node.readings if each.signs.issuperset(signs) and _cased(text, found, first, end, each)
            )
            best = Found(first, end, readings) if readings else best
        following = node.below.get(keys[end]) if end < len(keys) else None
        if following is None:
            return best
        if found[end].hard:
            signs.append((end - first, found[end].sign))
        node = following
        end += 1


def _cased(text: str, found: Sequence[Token], first: int, end: int, reading: Reading) -> bool:
    """Whether the case of a text suits a name for which case is all there is."""
    written = text[found[first].start : found[end - 1].end]
    if not reading.term_id and reading.name[1:2] in {" ", "-"}:
        return written[0] == reading.name[0]  # 20 g protein is no G protein
    if not (reading.symbol or reading.acronym):
        return True
    if reading.symbol:
        if is_stop(written.lower()) and (not first or text[found[first].start - 2] in _STOPS):
            return False  # "As", "In" and "No" begin sentences
        return written in {reading.name, reading.name.strip("+-()0123456789"), f"{reading.name}s"}
    return written.rstrip("s").isupper()


def _stands_alone(text: str, found: Sequence[Token], first: int, end: int) -> bool:
    """Whether tokens are a name of their own, not a piece of a longer one: of ``D3``, or of ``glucose-6-phosphate``."""
    return not (first and _is_continued(text, found, first, end)) and not (
        end < len(found) and _continues(text, found, end)
    )


def _is_continued(text: str, found: Sequence[Token], first: int, end: int) -> bool:
    """Whether the token before a span is a part of the same name."""
    before = found[first - 1]
    gap = text[before.end : found[first].start]
    if not gap or (gap == "-" and before.key.isdigit() and first > 1 and found[first - 2].end + 1 == before.start):
        return True
    if found[first].hard:
        return False
    if before.key in keys_of("bonds") or _is_bonded(text, found, first):
        return True
    if found[first].key in keys_of("kinds") and _SYMBOL.search(text[before.start : before.end]):
        return True
    if end - first > 1 or not before.key.isalpha() or len(before.key) < _LEAST_WORD:
        return False
    last = found[first].key
    return (last in keys_of("tails") or _is_head(last)) and before.key not in known_words()


def _is_bonded(text: str, found: Sequence[Token], first: int) -> bool:
    """Whether hyphens tie a span to a part of a name: to the ``methylamino`` of ``N-methylamino-L-alanine``."""
    place = first
    while place and text[found[place - 1].end : found[place].start] == "-":
        place -= 1
        if found[place].key.endswith(("yl", "oxy", "amino")) or found[place].key in keys_of("bonds"):
            return True
    return False


def _continues(text: str, found: Sequence[Token], end: int) -> bool:
    """Whether the token behind a span is a part of the same name or makes it the name of something else."""
    following = found[end]
    gap = text[found[end - 1].end : following.start]
    if not gap or (gap in {"(", "-"} and following.key.isdigit()):
        return True
    if following.hard:
        return False
    if following.end - following.start == 1 and text[following.start].isupper() and gap == " ":
        return text[following.start] != "I"  # vitamin K and protein S are names of their own
    if (
        len(following.key) <= _LOCANT
        and end + 1 < len(found)
        and not found[end + 1].hard
        and _is_head(found[end + 1].key)
    ):
        return True
    return _is_head(following.key)


@remembered(100_000)
def _is_head(key: str) -> bool:
    """Whether a word behind a name makes it the name of something else."""
    if key in keys_of("heads"):
        return True
    return key.endswith(tuple(knowledge()["head_endings"])) and key not in keys_of("not_heads")


def _reordered(text: str, found: Sequence[Token], keys: Sequence[str], lexicon: Lexicon) -> list[Found]:
    """Names whose words stand in another order: ``acid, folic`` or ``density of bone``."""
    spans = []
    known = [key in lexicon.orderly_words for key in keys]
    for first in range(len(keys)):
        if not known[first]:
            continue
        chosen: list[str] = []
        commas = 0
        for end in range(first, min(len(keys), first + LONGEST_REORDERED + 2)):
            if end > first and found[end].hard:
                commas += 1
                if commas > 1 or text[found[end - 1].end : found[end].start].strip() != ",":
                    break
            if known[end]:
                chosen.append(keys[end])
            elif keys[end] not in LINKING:
                break
            if 1 < len(chosen) <= LONGEST_REORDERED and known[end]:
                readings = tuple(
                    each for each in lexicon.any_order.get(tuple(sorted(chosen)), ()) if commas or not each.signs
                )
                listed = commas and _is_list(found, keys, first, end + 1)
                if readings and not listed and _stands_alone(text, found, first, end + 1):
                    spans.append(Found(first, end + 1, readings))
    return spans


def _is_list(found: Sequence[Token], keys: Sequence[str], first: int, end: int) -> bool:
    """Whether names with a comma between them stand in a list, ``meat, fish and eggs``: none is turned round."""
    before = first > 0 and (found[first].sign in _LISTING or keys[first - 1] in _JOINING)
    behind = end < len(keys) and (found[end].sign in _LISTING or keys[end] in _JOINING)
    return before or behind or any(key.isdigit() for key in keys[first:end])


def _misspelt(text: str, found: Sequence[Token], keys: Sequence[str], lexicon: Lexicon, floor: float) -> list[Found]:
    """Names that hold one misspelt word: the word is mended and the name looked for around it."""
    spans = []
    for place, key in enumerate(keys):
        if key in lexicon.words:
            continue
        for near, is_slip in lexicon.near(key):
            begin = max(0, place - _FUZZY_REACH)
            part = found[begin : place + 2 * _FUZZY_REACH]
            mended = [*keys[begin:place], near, *keys[place + 1 : place + 2 * _FUZZY_REACH]]
            for first in range(place - begin + 1):
                node = lexicon.root.below.get(mended[first])
                span = _walk(text, part, mended, first, node) if node is not None else None
                if span is None or span.end + begin <= place:
                    continue
                rest = [*mended[span.first : place - begin], *mended[place - begin + 1 : span.end]]
                if not is_slip and not any(_vouches(each) for each in rest):
                    continue
                length = sum(len(each) for each in mended[span.first : span.end])
                certainty = 1 - 1 / length
                readings = tuple(each for each in span.readings if _may_be_misspelt(each, length))
                if certainty >= floor and readings:
                    spans.append(Found(span.first + begin, span.end + begin, readings, "fuzzy", certainty))
    return spans


def _vouches(word: str) -> bool:
    """Whether a word beside a doubtful one makes it sure what is meant: ``steviol glycodide``, but not any ``acid``."""
    return len(word) >= _LEAST_WORD and word not in keys_of("everyday") and word not in keys_of("greek")


def _may_be_misspelt(reading: Reading, length: int) -> bool:
    """Whether a near miss of a name is believed: never of mere letters, and of synonyms only of long ones."""
    return not (reading.acronym or reading.symbol) and (reading.quality != SYNONYM or length >= _LONG_SYNONYM)


def _longest(spans: Sequence[Found], found: Sequence[Token]) -> list[Found]:
    def worth(span: Found) -> tuple[float, ...]:
        return (
            -(found[span.end - 1].end - found[span.first].start),
            -span.certainty,
            -max(each.quality for each in span.readings),
            span.first,
        )

    taken: set[int] = set()
    chosen = []
    for span in sorted(spans, key=worth):
        places = range(span.first, span.end)
        if taken.isdisjoint(places):
            taken.update(places)
            chosen.append(span)
    return sorted(chosen, key=lambda span: span.first)


def _with_shared_words(
    text: str, found: Sequence[Token], keys: Sequence[str], chosen: list[Found], lexicon: Lexicon
) -> list[Found]:
    """Add names that share a word with their neighbour: ``vitamins C and E``, ``soluble and insoluble fibre``."""
    taken = {place for span in chosen for place in range(span.first, span.end)}
    added: list[Found] = []
    for span in chosen:
        added += _sharing_first(text, found, keys, span, lexicon, taken)
        added += _sharing_last(text, found, keys, span, lexicon, taken)
    return sorted([*chosen, *added], key=lambda span: span.first)


def _is_listed(text: str, found: Sequence[Token], first: int, place: int) -> bool:
    """Whether a comma, a slash or a joining word, and nothing else, stands between two places of a list."""
    between = text[found[first - 1].end : found[place].start]
    for token in found[first:place]:
        between = between.replace(text[token.start : token.end], " ", 1)
    return (first < place or found[place].hard) and {*between.split()} <= _LISTING


def _sharing_first(
    text: str, found: Sequence[Token], keys: Sequence[str], span: Found, lexicon: Lexicon, taken: set[int]
) -> list[Found]:
    added = []
    shared = keys[span.first : span.end - 1]
    place = span.end
    while shared:
        begin = place
        while place < len(keys) and keys[place] in _JOINING:
            place += 1
        if place >= len(keys) or place in taken or not _is_listed(text, found, begin, place):
            break
        end = place + 1
        while end < len(keys) and found[end].start == found[end - 1].end:
            end += 1
        readings = lexicon.get([*shared, *keys[place:end]])
        if not readings or (len(keys[place]) == 1 and not text[found[place].start].isupper()):
            break
        added.append(Found(place, end, tuple(readings), certainty=ELLIPSIS))
        taken.update(range(place, end))
        place = end
    return added


def _sharing_last(
    text: str, found: Sequence[Token], keys: Sequence[str], span: Found, lexicon: Lexicon, taken: set[int]
) -> list[Found]:
    added: list[Found] = []
    place = span.first
    while span.end - span.first > 1:
        end = place
        while end and keys[end - 1] in _JOINING:
            end -= 1
        if not end or not _is_listed(text, found, end, place):
            break
        best: Found | None = None
        for first in range(max(0, end - 2), end):
            for kept in range(span.first + 1, span.end):
                readings = lexicon.get([*keys[first:end], *keys[kept : span.end]])
                if readings and best is None and taken.isdisjoint(range(first, end)):
                    best = Found(first, end, tuple(readings), certainty=ELLIPSIS)
        if best is None:
            break
        added.append(best)
        taken.update(range(best.first, best.end))
        place = best.first
    return added
