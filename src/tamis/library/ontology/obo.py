"""OBO flat files, format 1.2 and 1.4: one ``[Term]`` stanza a term, one tag a line.

The format is lines of ``tag: value``. Reading them here costs no dependency, and a faulty line costs that line alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tamis.library.ontology.draft import Draft, Source

_QUOTED = re.compile(r'\A\s*"((?:[^"\\]++|\\.)*+)"\s*(\w*)')
_COMMENT = re.compile(r"(?<!\\)(?:^|\s)!.*$")
_MODIFIERS = re.compile(r"(?:(?<!\s)\s++)?\{[^{}]*+\}\s*$")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": " ", "W": " ", "t": " "}
_SAME = frozenset({"EXACT", "RELATED", ""})
"""Scopes of synonyms that name the same thing; BROAD and NARROW name another."""


def looks_like_obo(head: str) -> bool:
    """Whether the first lines of a text are an OBO file's."""
    return head.lstrip().startswith("format-version:") or "\n[Term]" in f"\n{head}"


def read_obo(text: str) -> Source:
    """Read the terms of an OBO file.

    Args:
        text: the whole file.

    Returns:
        Terms in the file's order; lines that are not ``tag: value`` are among the problems.
    """
    source = Source()
    draft: Draft | None = None
    stanza = ""
    exact: dict[int, list[str]] = {}
    for number, line in _lines(text):
        if line.startswith("["):
            stanza = line.strip("[] ")
            draft = Draft("") if stanza == "Term" else None
            if draft is not None:
                source.drafts.append(draft)
            continue
        tag, colon, value = line.partition(":")
        value = value.strip()
        if not colon:
            source.problems.append(f"line {number} is not `tag: value`: {line[:60]!r}")
        elif draft is not None:
            _set(draft, tag.strip(), value, exact.setdefault(id(draft), []))
        elif not stanza and tag == "ontology":
            source.name = _plain(value)
    for draft in source.drafts:
        # Names the ontology vouches for stand before those it calls merely related.
        draft.synonyms = exact.get(id(draft), []) + draft.synonyms
    return source


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; a backslash at the end joins a line to the next."""
    held, first = "", 0
    for number, raw in enumerate(text.splitlines(), 1):
        line = held + raw.strip()
        first = first if held else number
        if line.endswith("\\") and not line.endswith("\\\\"):
            held = line[:-1]
            continue
        held = ""
        if line and not line.startswith("!"):
            yield first, line


def _set(draft: Draft, tag: str, value: str, exact: list[str]) -> None:
    if tag == "id":
        draft.term_id = _plain(value)
    elif tag == "name":
        draft.label = _plain(value)
    elif tag == "is_a":
        draft.parents.append(_plain(value))
    elif tag == "is_obsolete":
        draft.obsolete = _plain(value).lower() == "true"
    elif tag == "def":
        found = _QUOTED.match(value)
        draft.definition = _unescaped(found.group(1)) if found else _plain(value)
    elif tag == "synonym":
        found = _QUOTED.match(value)
        if found and found.group(2).upper() in _SAME:
            (exact if found.group(2).upper() == "EXACT" else draft.synonyms).append(_unescaped(found.group(1)))
    elif tag in {"exact_synonym", "related_synonym"}:  # the spelling of format 1.0
        found = _QUOTED.match(value)
        if found:
            (exact if tag == "exact_synonym" else draft.synonyms).append(_unescaped(found.group(1)))


def _plain(value: str) -> str:
    return _unescaped(_MODIFIERS.sub("", _COMMENT.sub("", value)).strip())


def _unescaped(value: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found.group(1), found.group(1)), value)
