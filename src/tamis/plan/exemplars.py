"""Labelled example questions, their vectors, and what the nearest of them say about a new one (A2)."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import yaml

from tamis.errors import SettingsError
from tamis.models.protocols import Embedder, Matrix, Vector
from tamis.plan.lexicon import Loader
from tamis.plan.traits import INTENTS

_FORMAT = "1"
"""Part of the cache key; changes whenever the cached arrays do."""


@dataclass(frozen=True, slots=True)
class Exemplars:
    """Example questions with their labels and vectors.

    Attributes:
        questions: (N,) text.
        topics: (N,) topic names.
        intents: (N,) intent names.
        vectors: (N, D) L2-normalised.
    """

    questions: npt.NDArray[np.str_]
    topics: npt.NDArray[np.str_]
    intents: npt.NDArray[np.str_]
    vectors: Matrix


@dataclass(frozen=True, slots=True)
class Votes:
    """What the neighbourhood of a question says.

    Attributes:
        similarity: cosine of the nearest exemplar, [-1, 1].
        nearest: its text.
        intents: intent → share of the vote, highest first, ties by name.
        topics: topic → share of the vote, highest first, ties by name.
    """

    similarity: float
    nearest: str
    intents: tuple[tuple[str, float], ...]
    topics: tuple[tuple[str, float], ...]


def load_exemplars(embedder: Embedder, *, extra: Path | None, cache: Path) -> Exemplars:
    """The shipped examples and the user's own, embedded once and then read from the cache.

    Args:
        embedder: its identity is part of the cache's key.
        extra: the user's YAML file, None for none.
        cache: folder for the vectors; made when missing. One that cannot be written only costs time.

    Raises:
        SettingsError: the user's file is missing or not of the documented form.
    """
    shipped = files("tamis.plan").joinpath("exemplars.yaml").read_bytes()
    own = _own_bytes(extra) if extra else b""
    key = hashlib.sha256(b"\0".join([_FORMAT.encode(), repr(embedder.identity).encode(), shipped, own])).hexdigest()
    path = cache / f"exemplars-{key[:32]}.npz"
    cached = _from_cache(path)
    if cached is not None:
        return cached
    rows = parse(shipped, "exemplars.yaml") + (parse(own, str(extra)) if own else [])
    questions, topics, intents = (np.array(column, dtype=np.str_) for column in zip(*rows, strict=True))
    found = Exemplars(questions, topics, intents, embedder.passages([question for question, _, _ in rows]))
    _to_cache(path, found)
    return found


def parse(data: bytes, name: str) -> list[tuple[str, str, str]]:
    """Read ``topic: {intent: [question, …]}``.

    Args:
        data: YAML.
        name: of the file, for messages.

    Returns:
        (question, topic, intent) in the order of the file.

    Raises:
        SettingsError: not that form, or an intent that does not exist.
    """
    try:
        raw: Any = yaml.load(data, Loader=Loader)  # noqa: S506 - a safe loader
    except yaml.YAMLError as error:
        raise SettingsError(f"{name} is not YAML: {' '.join(str(error).split())}", fix=_FORM) from error
    if not isinstance(raw, Mapping):
        raise SettingsError(f"{name} holds no topics", fix=_FORM)
    rows: list[tuple[str, str, str]] = []
    for topic, by_intent in raw.items():
        if not isinstance(by_intent, Mapping):
            raise SettingsError(f"{name}: topic {topic!r} holds no intents", fix=_FORM)
        for intent, questions in by_intent.items():
            if intent not in INTENTS:
                raise SettingsError(f"{name}: unknown intent {intent!r}", fix=f"intents are {', '.join(INTENTS)}")
            if not isinstance(questions, list) or not all(isinstance(text, str) for text in questions):
                raise SettingsError(f"{name}: {topic}/{intent} is not a list of questions", fix=_FORM)
            rows.extend((text, str(topic), str(intent)) for text in questions)
    return rows


_FORM = "the form is  topic: {intent: [question, question, …]}"


def vote(vector: Vector, exemplars: Exemplars, *, neighbours: int, temperature: float) -> Votes:
    """Let the nearest exemplars vote, each with exp(similarity / temperature).

    Args:
        vector: (D,) of the question.
        exemplars: with at least one row.
        neighbours: how many vote.
        temperature: cosine difference over which a vote falls to 1/e.
    """
    similarities = exemplars.vectors @ vector
    order = np.argsort(-similarities, kind="stable")[:neighbours]
    weights = np.exp((similarities[order] - similarities[order[0]]) / temperature)
    return Votes(
        similarity=float(similarities[order[0]]),
        nearest=str(exemplars.questions[order[0]]),
        intents=_shares(exemplars.intents[order], weights),
        topics=_shares(exemplars.topics[order], weights),
    )


def _shares(names: npt.NDArray[np.str_], weights: npt.NDArray[np.floating[Any]]) -> tuple[tuple[str, float], ...]:
    total: dict[str, float] = {}
    for name, weight in zip(names.tolist(), weights.tolist(), strict=True):
        total[name] = total.get(name, 0.0) + weight
    whole = sum(total.values())
    return tuple(sorted(((name, part / whole) for name, part in total.items()), key=lambda pair: (-pair[1], pair[0])))


def _own_bytes(path: Path) -> bytes:
    try:
        return path.expanduser().read_bytes()
    except OSError as error:
        raise SettingsError(
            f"interpret.exemplars names {path}, which cannot be read: {error.strerror or error}",
            fix="name a YAML file of labelled questions, or leave the setting empty",
        ) from error


def _from_cache(path: Path) -> Exemplars | None:
    """The cached arrays, None where there are none or they are damaged (they are then made again)."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            return Exemplars(stored["questions"], stored["topics"], stored["intents"], stored["vectors"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _to_cache(path: Path, exemplars: Exemplars) -> None:
    """Write beside, then rename: a reader sees all or nothing. A read-only cache folder is not an error."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".exemplars-", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(
                    file,
                    questions=exemplars.questions,
                    topics=exemplars.topics,
                    intents=exemplars.intents,
                    vectors=exemplars.vectors,
                )
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)
