"""A passage as it reads once the question itself is taken out of it."""

from __future__ import annotations

import re

_LEAST_ASKED = 4
"""Words of a question; a shorter one is a phrase that any text may hold."""


def unasked(text: str, question: str) -> str:
    """A passage without the question itself: to print it (an example, a list of questions) is not to answer it."""
    words = question.split()
    if len(words) < _LEAST_ASKED:
        return text
    return re.sub(r"\s+".join(map(re.escape, words)), "…", text, flags=re.IGNORECASE)
