"""Plain text."""

from __future__ import annotations

import re

from tamis.acquire.readers.base import Body, make_document
from tamis.errors import UnreadableError
from tamis.schema.document import Page
from tamis.text.encoding import clean, decode
from tamis.text.sentences import sentences

_TITLE_CHARACTERS = 120
_SENTENCE_CHARACTERS = 200
_TITLE_SENTENCES = 2
_BLANK_RUN = re.compile(r"\n[ \t]*\n[ \t\n]*\n")


def tidy(text: str) -> str:
    """Clean text without trailing blanks and with at most one empty line in a row."""
    text = "\n".join(line.rstrip() for line in clean(text).split("\n"))
    return _BLANK_RUN.sub("\n\n", text).strip("\n")


def first_line(text: str) -> str:
    """The first line where it stands alone like a title, else nothing.

    A line that ends like a sentence is a title where it is one, or two as titles of papers are, and a text follows
    behind an empty line.
    """
    line, _, rest = text.partition("\n")
    line = line.strip()
    if rest and not rest.startswith("\n"):
        return ""
    if not line.endswith((".", ",", ";")):
        return line if len(line) <= _TITLE_CHARACTERS or (rest and _brief(line)) else ""
    return line if rest and line.endswith(".") and _brief(line) else ""


def _brief(line: str) -> bool:
    return len(line) <= _SENTENCE_CHARACTERS and len(sentences(line)) <= _TITLE_SENTENCES


class TextReader:
    """Text of no particular form."""

    media_types = frozenset({"text/plain"})
    extensions = frozenset({".txt", ".text", ".log"})

    def read(self, body: Body) -> Page:
        """Read plain text as it stands."""
        text = tidy(decode(body.data, body.charset))
        if not text.strip():
            raise UnreadableError(f"{body.url}: holds no text")
        return Page((make_document(body, text, title=first_line(text), media_type="text/plain"),))


READER = TextReader()
