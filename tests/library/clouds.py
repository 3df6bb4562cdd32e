"""Unit vectors in clouds, and texts that fit them: what a collection looks like when its themes are known."""

import numpy as np

SUBJECTS = (
    "Calcium and vitamin D keep bones dense. A fracture of the hip is rarer where calcium is high.",
    "Green tea has catechins. Black tea and coffee bring caffeine; a cup of tea wakes people up.",
    "The asyncio event loop runs coroutines. A coroutine awaits a future until the event loop resumes it.",
    "Salt lowers the freezing point of water. Sauerkraut ferments in brine of salt and cabbage juice.",
)


def clouds(sizes, *, spread=0.05, seed=0, dimensions=48):
    """(sum(sizes), D) float32 unit rows around orthogonal centres, and the cloud of each."""
    chance = np.random.default_rng(seed)
    centres = np.eye(dimensions)[: len(sizes)]
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rows = centres[labels] + spread * chance.normal(size=(len(labels), dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), labels


def texts(labels):
    return [f"{SUBJECTS[label]} Passage number {row} of a long list." for row, label in enumerate(labels)]


def ids(labels):
    return [f"doc{row:04}#c0" for row in range(len(labels))]


def same_division(one, other):
    """Whether two labellings divide the rows alike, whatever the groups are called."""
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len({left for left, _ in pairs}) == len({right for _, right in pairs})
