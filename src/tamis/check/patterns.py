"""What an order to a language model looks like: weighted patterns over folded text, kept in `patterns.yaml`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

GRAVE = frozenset({"asks to ignore instructions", "asks for the prompt or secrets"})
"""Families that are looked for under every disguise, and make what follows them suspect."""
_FRAGMENT = re.compile(r"\{([A-Z_]+)\}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One sign.

    Attributes:
        family: what it is a sign of; shown to the reader.
        weight: 1 decides alone.
        spoken: an order, whose weight falls where it is only quoted or told of.
        cues: a text without any of these cannot match.
        expression: compiled, for folded text.
    """

    family: str
    weight: float
    spoken: bool
    cues: tuple[str, ...]
    expression: re.Pattern[str]


def _folded(expression: str) -> str:
    """Decomposed and without accents, as folded text is; letters keep their case, which escapes need."""
    return "".join(c for c in unicodedata.normalize("NFKD", expression) if not unicodedata.combining(c))


def _pattern(entry: Mapping[str, Any], fragments: Mapping[str, str]) -> Pattern:
    expression = _FRAGMENT.sub(lambda name: fragments[name.group(1)], entry["expression"])
    return Pattern(
        entry["family"],
        float(entry["weight"]),
        bool(entry.get("spoken", True)),
        tuple(_folded(cue) for cue in entry["cues"]),
        re.compile(_folded(expression), re.MULTILINE),
    )


@lru_cache(maxsize=1)
def patterns() -> tuple[Pattern, ...]:
    """All of them, in the order of the file."""
    from tamis.text import yamls

    data = yamls.load((files("tamis.check") / "patterns.yaml").read_text("utf-8"))
    return tuple(_pattern(entry, data["fragments"]) for entry in data["patterns"])


TALKED_ABOUT = re.compile(
    r"\b(?:attack(?:s|er|ers)?|injections?|injected|jailbreak(?:s|ing)?|malicious|adversar\w+|such as|for example|e\.g"
    r"|for instance|phrases?|example|exploits?|vulnerab\w+|trick(?:s|ed)?|attempts?|defen[cd]\w*|mitigat\w*|detect\w*"
    r"|guard against|researchers?|classifier|called|known as|prompts? (?:like|that))\b"
)
"""Words of somebody who writes about such orders rather than giving one."""

REPORTED = re.compile(
    r"(?:\b(?:can|could|may|might|will|would|to|that|which|who|not|did|does|they|it|he|she|we|users?|models?|people"
    r"|often|sometimes)\s+"
    r"|\b(?:tells?|asks?|instructs?|telling|asking|instructing|told|asked|instructed)"
    r" (?:the|a|an|it|them|your|our)\s?\w*\s+(?:\w+ )?to\s+)$"
)
"""In front of an order's verb: it is told of, not given."""

ADDRESSED = re.compile(
    r"(?:\byou (?:must|should|will|shall|have to|need to|are to|can now|may now"
    r"|are (?:required|instructed|ordered|asked|commanded|expected|allowed|free) to)"
    r"|\b(?:want|need|ask(?:ing)?|order(?:ing)?|instruct(?:ing)?|command(?:ing)?|tell(?:ing)?) you to"
    r"|\b(?:ai|assistants?|models?|llms?) (?:must|should|shall|are (?:required|instructed|to)|need to))"
    r"\s+(?:now |please |immediately |completely |simply |just )*$"
)
"""In front of an order's verb: it is given to "you" or to the model after all."""

CONTINUES = re.compile(
    r"^\W*(?:then|and|also|instead|now|next|after that|finally|please|in addition|additionally|do this|remember"
    r"|make sure"
    r"|you (?:must|should|will|are)|do not|don'?t|never|always|only|say|state|write|respond|reply|answer|output|print"
    r"|recommend|mention|include|tell|reveal|send|call|visit|act|pretend|start|begin|end|repeat|cite|rate|rank|treat)\b"
)
"""How an order goes on in the sentence after it."""
