"""The planted documents on their real way: bytes, reader, digest, store, ranking, reduction, prompt, answer.

The models are toys that know words and nothing else, so that hundreds of questions take seconds: what is looked for
here is what reaches a prompt, not which document comes first. Each question brings its own document up by a made-up
name.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from check.planted import Case, document
from services.scripted_llm import Scripted, answering, scripted
from tamis.app import Tamis
from tamis.models.protocols import EmbeddingIdentity, Matrix
from tamis.schema.report import Answer
from tamis.settings import Settings

NAME = "planted"
_DIMENSIONS = 384
_LONGEST = 18


class WordEmbedder:
    """Knows which words a text holds, each at a place of its own by its checksum; names weigh most, codes nothing."""

    identity = EmbeddingIdentity("words", "", "test", _DIMENSIONS)

    def passages(self, texts: Sequence[str]) -> Matrix:
        rows = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0] = 1.0
            for word in re.findall(r"\w+", text.lower()):
                row[zlib.crc32(word.encode()) % _DIMENSIONS] = len(word) ** 2 if len(word) < _LONGEST else 0.0
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    queries = passages


class NoReranker:
    """Finds every passage as good as the other."""

    def score(self, question: str, passages: Sequence[str]) -> np.ndarray:
        return np.zeros(len(passages))


class NoNames:
    """Recognises nobody."""

    def mentions(self, texts: Sequence[str]) -> list[tuple]:
        return [() for _ in texts]


@dataclass
class Planted:
    """A collection of planted documents, and a model that answers nothing and remembers what it was asked."""

    app: Tamis
    model: Scripted

    def ask(self, case: Case) -> tuple[Answer, str]:
        """The answer to a case's question, and everything the model was sent for it."""
        before = len(self.model.requests)
        answer = self.app.scroll(case.question, name=NAME, limit=3)
        sent = [m["content"] for request in self.model.requests[before:] for m in request["messages"]]
        return answer, "\n".join(sent)


def found(case: Case, answer: Answer) -> bool:
    """Whether the case's own document was among those the answer rests on."""
    names = (f"{case.number:04}", f"row-{case.number}")
    return any(item.document_id.startswith(names) for item in answer.items)


def shown(answer: Answer) -> str:
    """All an answer shows of fetched text."""
    return "\n".join(
        (answer.markdown, *(s.text for s in answer.sentences), *(e.title + e.text for e in answer.evidence))
    )


@contextmanager
def planted(cases: Sequence[Case], folder: Path, *, toys: bool = True, embeds: bool = False) -> Iterator[Planted]:
    """Write the documents of some cases, ingest them and serve a model.

    Args:
        toys: rank with toys.
        embeds: all but the embedder is a toy: the probe for orders knows only that one's vectors.
    """
    source = folder / "source"
    source.mkdir()
    for case in cases:
        name, data = document(case)
        (source / name).write_bytes(data)
    with scripted(answering("")) as model:
        options = {"llm": {"main": {"base_url": model.base_url, "model": "m"}}}
        if toys:
            # Toys cannot tell whether a question is answered at all.
            options["answer"] = {"border": -1000.0}
            options["reduce"] = {"relevance_floor": 0.0, "unrelated_cosine": 0.0}
        app = Tamis(Settings.model_validate(options), folder / "home")
        if toys:
            app.__dict__.update(reranker=NoReranker(), recogniser=NoNames())
            if not embeds:
                app.__dict__.update(embedder=WordEmbedder())
        app.collection(NAME).ingest([source])
        yield Planted(app, model)
