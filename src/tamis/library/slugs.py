"""Short names for paths and ids."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Container

_OTHER = re.compile(r"[^\w]+|_+")
_GREEK = re.compile(r"GREEK (?:SMALL|CAPITAL) LETTER (?:FINAL )?(\w+)")
_LONGEST = 60


def spelled_greek(text: str) -> str:
    """Greek letters by their names, ``β-carotene`` as ``beta-carotene``; the rest as it is."""
    if text.isascii():
        return text
    return "".join(_spelled(character) for character in text)


def _spelled(character: str) -> str:
    found = _GREEK.match(unicodedata.name(character, "")) if character > "\x7f" else None
    return found.group(1).lower().replace("lamda", "lambda") if found else character


def slug(label: str) -> str:
    """A label as one part of a path: small letters, digits and hyphens; other scripts keep their letters.

    Returns:
        At most 60 characters and never empty: a label without letters and digits becomes a short hash.
    """
    folded = unicodedata.normalize("NFKD", spelled_greek(label).casefold())
    plain = "".join(character for character in folded if not unicodedata.combining(character))
    short = _OTHER.sub("-", plain).strip("-")
    if len(short) > _LONGEST:
        short = short[:_LONGEST].rsplit("-", 1)[0]
    return short or "x" + hashlib.sha256(label.encode()).hexdigest()[:8]


def unique_slug(label: str, taken: Container[str], key: str) -> str:
    """A slug that is not taken yet.

    Args:
        label: what to shorten.
        taken: slugs of the same place.
        key: what tells this one from others of the same label, so that the same thing gets the same slug again.
    """
    short = slug(label)
    if short not in taken:
        return short
    return f"{short}-{hashlib.sha256(key.encode()).hexdigest()[:6]}"


def free(label: str, used: Container[str]) -> str:
    """The label, or the next that no sibling has.

    Args:
        label: wanted.
        used: case-folded labels of the siblings.
    """
    found, number = label, 2
    while found.casefold() in used:
        found, number = f"{label} ({number})", number + 1
    return found
