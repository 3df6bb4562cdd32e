"""Sources a question names itself: "from Hacker News", "on r/python", a URL (S1, phase 1)."""

from __future__ import annotations

import re

from tamis.plan.lexicon import rules

_URL = re.compile(r"https?://[^\s<>\"']+")
_SPACE = re.compile(r"\s+")


def named_sources(question: str) -> tuple[tuple[str, ...], str]:
    """Source ids named in a question, and the question without the naming.

    Args:
        question: whitespace normalised, case kept.

    Returns:
        The ids in order of the rules, URLs first; ``{query}`` in a source's template is filled with the rest of the
        question.
    """
    found: list[str] = []
    rest = question
    for match in _URL.finditer(question):
        url = match.group().rstrip(".,;:!?)")
        found.append(url)
        rest = rest.replace(url, " ")
    templates: list[str] = []
    for pattern, template in rules().sources:
        match_in = pattern.search(rest)
        if match_in is None:
            continue
        templates.append(match_in.expand(template).lower() if match_in.groups() else template)
        rest = rest[: match_in.start()] + rest[match_in.end() :]
    rest = _SPACE.sub(" ", rest).strip(" ,;:")
    rest = re.sub(r"(?<!\s)\s++([?.!,;:])", r"\1", rest)
    query = rest.rstrip("?!. ")
    found.extend(template.replace("{query}", query) for template in templates)
    return tuple(dict.fromkeys(found)), rest
