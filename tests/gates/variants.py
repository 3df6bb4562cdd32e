"""Ways people write the labels of an ontology, made by hand-written rules and a fixed seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

SEED = 11
PER_KIND = 100
_PAIRS = (
    ("fibre", "fiber"),
    ("sulfur", "sulphur"),
    ("sulfate", "sulphate"),
    ("sulfite", "sulphite"),
    ("sulfide", "sulphide"),
    ("sulfo", "sulpho"),
    ("aluminium", "aluminum"),
    ("caesium", "cesium"),
    ("haemo", "hemo"),
    ("hemoglobin", "haemoglobin"),
    ("color", "colour"),
    ("fermentable", "fermentable"),
)
_KEYS = {"a": "s", "c": "v", "e": "r", "i": "o", "l": "k", "n": "m", "o": "p", "r": "t", "s": "d", "t": "y", "u": "i"}


@dataclass(frozen=True)
class Variant:
    """A text that holds a written variant of a label.

    Attributes:
        kind: which rule made it.
        term_id: the term whose label it is.
        text: a whole sentence.
        start: where the variant stands.
        end: one past it.
    """

    kind: str
    term_id: str
    text: str
    start: int
    end: int


def variants(labels: Sequence[tuple[str, str]]) -> list[Variant]:
    """Variants of labels, up to ``PER_KIND`` of each kind.

    Args:
        labels: ids and labels.
    """
    chance = random.Random(SEED)
    made: list[Variant] = []
    for kind, rule in RULES.items():
        shuffled = list(labels)
        chance.shuffle(shuffled)
        kept = [(term_id, written) for term_id, label in shuffled for written in rule(label, chance)][:PER_KIND]
        made += [_in_a_sentence(kind, term_id, *written) for term_id, written in kept]
    return made


def _in_a_sentence(kind: str, term_id: str, opening: str, written: str) -> Variant:
    text = f"{opening}The amount of {written} was measured in every sample."
    start = len(opening) + len("The amount of ")
    return Variant(kind, term_id, text, start, start + len(written))


def _is_plain(label: str) -> bool:
    """Words and hyphens only: nobody writes a systematic name in the plural or turned round."""
    return re.fullmatch(r"[A-Za-z]+(?:[ -][A-Za-z]+)*", label) is not None


def _plural(label: str, _: random.Random) -> Iterator[tuple[str, str]]:
    if _is_plain(label) and label[-3:].islower() and not label.endswith("s"):
        ending = "ies" if re.search(r"[^aeiou]y$", label) else "es" if re.search(r"(?:x|ch|sh)$", label) else "s"
        yield "", (label[:-1] if ending == "ies" else label) + ending


def _hyphen(label: str, _: random.Random) -> Iterator[tuple[str, str]]:
    if _is_plain(label) and " " in label:
        yield "", label.replace(" ", "-", 1)
    elif _is_plain(label) and "-" in label:
        yield "", label.replace("-", " ", 1)


def _order(label: str, _: random.Random) -> Iterator[tuple[str, str]]:
    words = label.split(" ")
    if _is_plain(label) and 2 <= len(words) <= 3:
        yield "", f"{words[-1]}, {' '.join(words[:-1])}"


def _spelling(label: str, _: random.Random) -> Iterator[tuple[str, str]]:
    for british, american in _PAIRS:
        for old, new in ((british, american), (american, british)):
            if old in label and old != new:
                yield "", label.replace(old, new)
                return


def _typo(label: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    longest = max(re.findall(r"[A-Za-z]+", label), key=len, default="")
    if len(longest) < 7 or not _is_plain(label):
        return
    place = chance.randrange(1, len(longest) - 1)
    here, following = longest[place], longest[place + 1]
    slips: tuple[Callable[[], str], ...] = (
        lambda: longest[:place] + longest[place + 1 :],
        lambda: longest[:place] + here + longest[place:],
        lambda: longest[:place] + following + here + longest[place + 2 :],
        lambda: longest[:place] + _KEYS.get(here, "x") + longest[place + 1 :],
    )
    written = chance.choice(slips)()
    if written != longest:
        yield "", label.replace(longest, written)


def _abbreviation(label: str, _: random.Random) -> Iterator[tuple[str, str]]:
    words = re.split(r"[ -]", label)
    if _is_plain(label) and 2 <= len(words) <= 5:
        short = "".join(word[0] for word in words).upper()
        if len(short) == len(words) and short.isalpha():
            yield f"We looked at {label} ({short}). ", short


RULES: dict[str, Callable[[str, random.Random], Iterator[tuple[str, str]]]] = {
    "plural": _plural,
    "hyphen": _hyphen,
    "order": _order,
    "spelling": _spelling,
    "typo": _typo,
    "abbreviation": _abbreviation,
}
