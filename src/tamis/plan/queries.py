"""One to three search queries for a question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tamis.plan.lexicon import rules
from tamis.plan.wording import plainly
from tamis.schema.question import Intent
from tamis.text.tokens import is_stop, words

_WORD = re.compile(r"[^\W_](?:[\w.+#'’-]*[\w+#])?")
_LIMIT = 3


def search_queries(
    question: str, *, intent: Intent, entities: Sequence[str], subqueries: Sequence[str]
) -> tuple[str, ...]:
    """Queries for search providers, most literal first.

    Args:
        question: without the naming of sources, case kept.
        intent: adds its word ("guide", "comparison" …) to the keyword query.
        entities: named things; the first two make a query of their own with the keywords.
        subqueries: more than one for a composite question, which then is searched part by part.

    Returns:
        One to three, none the same but for case.
    """
    if len(subqueries) > 1:
        found = [_plain(part) for part in subqueries]
    else:
        keywords = _keywords(question)
        found = [_plain(plainly(question)), " ".join([*keywords, rules().query_words[intent]])]
        if entities:
            others = [word for word in keywords if all(word.lower() not in name.lower() for name in entities[:2])]
            found.append(" ".join([f'"{name}"' if " " in name else name for name in entities[:2]] + others[:3]))
    unique: dict[tuple[str, ...], str] = {}
    for query in found:
        if query.strip():
            unique.setdefault(tuple(words(query)), query.strip())
    return tuple(unique.values())[:_LIMIT] or (question,)


def _plain(question: str) -> str:
    return question.strip().rstrip("?!. ")


def _keywords(question: str) -> list[str]:
    """Words that carry the topic, in order, case kept, none twice."""
    seen: dict[str, str] = {}
    for match in _WORD.finditer(plainly(question)):
        word = match.group()
        if not is_stop(word.lower()):
            seen.setdefault(word.lower(), word)
    return list(seen.values())
