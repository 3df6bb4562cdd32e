"""The word lists and patterns of ``rules.yaml``, read once and compiled."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from tamis.text import yamls

Families = tuple[tuple[str, re.Pattern[str]], ...]
"""Family name → one pattern of all its alternatives, in the order of the file."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What ``rules.yaml`` says, compiled. Fields are named as its keys, where its comments explain them."""

    prefixes: re.Pattern[str]
    question_words: frozenset[str]
    auxiliaries: frozenset[str]
    shapes: Families
    strong_intents: Families
    weak_intents: Families
    time: Families
    tones: Families
    sources: tuple[tuple[re.Pattern[str], str], ...]
    query_types: Mapping[str, str]
    explainer_shapes: frozenset[str]
    explainer_openings: re.Pattern[str]
    query_words: Mapping[str, str]
    empty_it: re.Pattern[str]
    task_verbs: frozenset[str]
    phrase_ends: frozenset[str]
    prepositions: frozenset[str]
    irregular_participles: Mapping[str, str]


@cache
def rules() -> Rules:
    """The shipped rules."""
    raw = yamls.load(files("tamis.plan").joinpath("rules.yaml").read_text("utf-8"))
    named = f"{raw['source_words']} "
    return Rules(
        prefixes=re.compile(rf"(?:{'|'.join(raw['prefixes'])})(?: |$)", re.IGNORECASE),
        question_words=frozenset(raw["question_words"]),
        auxiliaries=frozenset(raw["auxiliaries"]),
        shapes=_families(raw["shapes"]),
        strong_intents=_families(raw["intents"]["strong"]),
        weak_intents=_families(raw["intents"]["weak"]),
        time=_families(raw["time"]),
        tones=_families(raw["tones"]),
        sources=tuple(
            (re.compile(rf"\b{named}(?:{pattern})", re.IGNORECASE), template) for pattern, template in raw["sources"]
        ),
        query_types=raw["query_types"],
        explainer_shapes=frozenset(raw["explainer_shapes"]),
        explainer_openings=re.compile(raw["explainer_openings"]),
        query_words=raw["query_words"],
        empty_it=re.compile(raw["empty_it"]),
        task_verbs=frozenset(raw["task_verbs"]),
        phrase_ends=frozenset(raw["phrase_ends"].split()),
        prepositions=frozenset(raw["prepositions"].split()),
        irregular_participles=raw["irregular_participles"],
    )


def _families(raw: Mapping[str, Sequence[Any]]) -> Families:
    return tuple(
        (name, re.compile("|".join(f"(?:{pattern})" for pattern in patterns))) for name, patterns in raw.items()
    )


def first_family(text: str, families: Families) -> str:
    """Name of the first family with a match in a folded text, empty where none matches."""
    return next((name for name, pattern in families if pattern.search(text)), "")
