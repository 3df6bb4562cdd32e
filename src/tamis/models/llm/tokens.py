"""Counting tokens without knowing the tokenizer."""

from __future__ import annotations

import re

_PIECE = re.compile(r"[A-Za-z]+|\d|[^\sA-Za-z\d]")
_LETTERS_PER_TOKEN = 4
MESSAGE_OVERHEAD = 8
"""Tokens a chat template adds around one message, generously."""


def estimate_tokens(text: str) -> int:
    """An upper estimate of the tokens of a text.

    Byte-pair vocabularies keep common words whole and split rare ones into pieces of about four letters; digits, marks
    and signs are counted one by one, other scripts by their UTF-8 bytes. Runs above what such vocabularies report on
    prose, code and tables alike, which is what a bound needs.
    """
    total = 0
    for piece in _PIECE.findall(text):
        if piece.isascii():
            total += -(-len(piece) // _LETTERS_PER_TOKEN)
        else:
            total += max(1, len(piece.encode("utf-8", "surrogatepass")) - 1)
    return total + text.count("\n")
