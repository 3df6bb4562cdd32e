"""Names a small statistical model misses or mislabels, matched literally.

A news-trained model has not met newer companies, programming languages or standards. `gazetteer.yaml` lists them with
their other spellings; a user's own terms can be added by another file of the same form. The same list reads questions
typed without capitals, where a statistical model finds nothing, and does so without loading one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path

from tamis.errors import SettingsError
from tamis.schema.entity import Mention
from tamis.text.tokens import fold

LABELS = ("ORG", "PER", "LOC", "MISC")
GAZETTEER_CONFIDENCE = 0.95
"""A literal match of a listed name, capitals included."""
FOLDED_CONFIDENCE = 0.8
"""The same without capitals: the word could be an ordinary one."""

_WORD = re.compile(r"\.?[^\W_]++(?:[.+#'’&/-]++[^\W_]++)*+[+#]*")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_POSSESSIVE = re.compile(r"(?:'s|’s|['’])$")
_EDGES = ' \t\r\n"“”„«»()[]{}<>,;:!?*_`|~'


@dataclass(frozen=True, slots=True)
class Entry:
    """One listed name.

    Attributes:
        name: as usually written; its key stands for every spelling.
        label: ORG, PER, LOC or MISC.
        spellings: all forms, the name included.
        ambiguous: those that are also ordinary words ("Go", "US"): they count only with their capitals.
    """

    name: str
    label: str
    spellings: tuple[str, ...]
    ambiguous: frozenset[str] = frozenset()


def plain_key(text: str) -> str:
    """The normal form of a name: folded, one space between words, no article, possessive or surrounding marks."""
    bare = _POSSESSIVE.sub("", " ".join(text.split()).strip(_EDGES))
    return fold(_ARTICLE.sub("", bare).strip(_EDGES).rstrip(".") or bare)


class Gazetteer:
    """Literal matching of listed names.

    Args:
        entries: earlier ones win where two share a spelling.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._exact: dict[str, Entry] = {}
        self._folded: dict[str, Entry] = {}
        self._keys: dict[str, Entry] = {}
        for entry in entries:
            for spelling in entry.spellings:
                self._exact.setdefault(" ".join(spelling.split()), entry)
                self._keys.setdefault(plain_key(spelling), entry)
                if spelling not in entry.ambiguous:
                    self._folded.setdefault(plain_key(spelling), entry)
        # The longest name decides how many words a window looks at, and first words make most windows unnecessary.
        self._longest = max((len(s.split()) for s in self._exact), default=0)
        self._first_exact = frozenset(s.split()[0] for s in self._exact)
        self._first_folded = frozenset(s.split()[0] for s in self._folded)

    def key(self, text: str) -> str:
        """The normal form, with every listed spelling brought to its one name."""
        plain = plain_key(text)
        entry = self._keys.get(plain)
        return plain_key(entry.name) if entry else plain

    def label(self, text: str) -> str | None:
        """The label of a listed name, None where it is not listed."""
        entry = self._exact.get(" ".join(text.split())) or self._folded.get(plain_key(text))
        return entry.label if entry else None

    def mentions(self, text: str, *, folded: bool = False) -> tuple[Mention, ...]:
        """Listed names in a text, longest first, none overlapping, in order of their start.

        Args:
            text: any text.
            folded: also match without capitals, ordinary words excepted.
        """
        tokens = list(_WORD.finditer(text))
        found: list[Mention] = []
        at = 0
        while at < len(tokens):
            hit = self._longest_at(text, tokens, at, folded=folded)
            if hit is None:
                at += 1
                continue
            count, mention = hit
            found.append(mention)
            at += count
        return tuple(found)

    def _longest_at(
        self, text: str, tokens: Sequence[re.Match[str]], at: int, *, folded: bool
    ) -> tuple[int, Mention] | None:
        first = _POSSESSIVE.sub("", tokens[at].group())
        if first not in self._first_exact and not (folded and plain_key(first) in self._first_folded):
            return None
        for count in range(min(self._longest, len(tokens) - at), 0, -1):
            start, end = tokens[at].start(), tokens[at + count - 1].end()
            raw = text[start:end]
            if "\n\n" in raw:
                continue
            bare = _POSSESSIVE.sub("", raw)
            joined = " ".join(bare.split())
            entry, confidence = self._exact.get(joined), GAZETTEER_CONFIDENCE
            if entry is None and folded:
                entry, confidence = self._folded.get(plain_key(joined)), FOLDED_CONFIDENCE
            if entry is not None:
                key = plain_key(entry.name)
                return count, Mention(bare, key, entry.label, start, start + len(bare), confidence)
        return None


def _entries(data: object, origin: str) -> Iterator[Entry]:
    if not isinstance(data, Mapping):
        raise SettingsError(f"{origin} is not a mapping of labels to names", fix=f"start it with one of {LABELS}")
    for label, lines in data.items():
        if label not in LABELS or not isinstance(lines, list):
            raise SettingsError(
                f"{origin}: {label!r} is not a label with a list", fix=f"labels are {', '.join(LABELS)}"
            )
        for line in lines:
            marked = [form.strip() for form in str(line).split("|")]
            forms = tuple(form.lstrip("~ ") for form in marked)
            ordinary = frozenset(form.lstrip("~ ") for form in marked if form.startswith("~"))
            yield Entry(forms[0], str(label), forms, ordinary)


@lru_cache(maxsize=4)
def load_gazetteer(extra: str = "") -> Gazetteer:
    """The shipped names, after those of the user's file.

    Args:
        extra: path of a YAML file of the same form; empty for none.

    Raises:
        SettingsError: the file is missing or of another form.
    """
    from tamis.text import yamls

    entries: list[Entry] = []
    if extra:
        path = Path(extra).expanduser()
        if not path.is_file():
            raise SettingsError(f"no gazetteer file at {path}", fix="name an existing YAML file")
        try:
            entries += _entries(yamls.load(path.read_text("utf-8")), str(path))
        except yamls.YAMLError as error:
            raise SettingsError(
                f"{path} is not YAML: {error}", fix="see the shipped gazetteer.yaml for the form"
            ) from error
    shipped = files("tamis.models") / "gazetteer.yaml"
    entries += _entries(yamls.load(shipped.read_text("utf-8")), "gazetteer.yaml")
    return Gazetteer(entries)


_CAPITALISED = re.compile(r"[A-Z][\w’'&.-]*")
_QUESTION_WORDS = frozenset(
    """
    what who whom whose which when where why how is are was were do does did can could should would will shall may
    might has have had i a an the and or but if in on at to of for from with by about tell give show list explain
    compare describe find summarize summarise please my your their our his her its it this that these those
    """.split()
)


class QuestionRecogniser:
    """Names in a question, from the gazetteer, capitals and optionally a collection's own names. Loads no model.

    Args:
        gazetteer: listed names.
        known: keys the collection knows, with their labels; matched without regard to capitals.
    """

    def __init__(self, gazetteer: Gazetteer, known: Mapping[str, str] | None = None) -> None:
        self._gazetteer = gazetteer
        self._known = dict(known or {})

    @cached_property
    def _collection(self) -> Gazetteer:
        return Gazetteer(Entry(key, label, (key,)) for key, label in sorted(self._known.items()))

    def mentions(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        """Mentions of each question, in order of their start."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> tuple[Mention, ...]:
        candidates = [*self._gazetteer.mentions(text, folded=True)]
        candidates += self._collection.mentions(text, folded=True)
        candidates += self._capitalised(text)
        # Longer spans say more; equal ones keep the order of trust above.
        chosen: list[Mention] = []
        for mention in sorted(candidates, key=lambda m: m.start - m.end):
            if all(mention.end <= other.start or mention.start >= other.end for other in chosen):
                chosen.append(mention)
        return tuple(sorted(chosen, key=lambda m: m.start))

    def _capitalised(self, text: str) -> list[Mention]:
        """Runs of capitalised words, question words at their front removed; unknown kinds are MISC."""
        found: list[Mention] = []
        run: list[re.Match[str]] = []
        for token in [*_WORD.finditer(text), None]:
            adjacent = bool(run) and token is not None and text[run[-1].end() : token.start()] == " "
            if token is not None and _CAPITALISED.match(token.group()) and (adjacent or not run):
                run.append(token)
                continue
            found += self._run(text, run)
            run = [token] if token is not None and _CAPITALISED.match(token.group()) else []
        return found

    def _run(self, text: str, run: list[re.Match[str]]) -> list[Mention]:
        while run and run[0].group().casefold() in _QUESTION_WORDS:
            run = run[1:]
        if not run or (run[0].start() == 0 and len(run) == 1 and not run[0].group().isupper()):
            return []
        start, end = run[0].start(), run[-1].end()
        bare = _POSSESSIVE.sub("", text[start:end])
        key = self._gazetteer.key(bare)
        return [Mention(bare, key, self._gazetteer.label(bare) or "MISC", start, start + len(bare), 0.6)] if key else []


def load_question_recogniser(known: Mapping[str, str] | None = None, extra: str = "") -> QuestionRecogniser:
    """The recogniser for questions.

    Args:
        known: keys of the collection's entities with their labels.
        extra: a user's own gazetteer file.
    """
    return QuestionRecogniser(load_gazetteer(extra), known)
