"""Plain text."""

from __future__ import annotations

import re

from tamis.acquire.readers.base import Body, make_document
from tamis.errors import UnreadableError
from tamis.schema.document import Page
from tamis.text.encoding import clean, decode

_TITLE_CHARACTERS = 120
_BLANK_RUN = re.compile(r"\n[ \t]*\n[ \t\n]*\n")


def tidy(text: str) -> str:
    """Clean text without trailing blanks and with at most one empty line in a row."""
    text = "\n".join(line.rstrip() for line in clean(text).split("\n"))
    return _BLANK_RUN.sub("\n\n", text).strip("\n")


def first_line(text: str) -> str:
    """The first line, when it is short enough and stands alone like a title, else nothing."""
    line, _, rest = text.partition("\n")
    alone = not rest or rest.startswith("\n")
    return (
        line.strip() if alone and len(line) <= _TITLE_CHARACTERS and not line.rstrip().endswith((".", ",", ";")) else ""
    )


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
