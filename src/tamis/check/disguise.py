"""The ways an order hides from a reader: invisible characters, look-alike letters, encodings."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

from tamis.text.tokens import fold

_INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_TAGS = re.compile(r"[\U000e0020-\U000e007e]+")
_FLAG = re.compile(r"\U0001f3f4[\U000e0020-\U000e007e]{2,8}\U000e007f")
"""The flags of England, Scotland and Wales are spelled in tag characters."""
_BASE64 = re.compile(r"(?<![\w+/=-])(?:[A-Za-z0-9+/_-]{4}\s?){5,}[A-Za-z0-9+/_-]{0,4}={0,2}(?![\w+/=-])")
_HEX = re.compile(r"(?<!\w)(?:(?:\\x|0x|%)?[0-9a-fA-F]{2}[\s,:]?){16,}(?!\w)")
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|&#x?[0-9a-fA-F]{2,6};|%[0-9a-fA-F]{2}){4,}")
_BINARY = re.compile(r"(?<!\w)(?:[01]{8}\s?){8,}(?!\w)")
_SPACED = re.compile(r"(?<!\w)(?:\w[ \t.\-_*|]{1,2}){5,}\w(?!\w)")
_HOMOGLYPHS = str.maketrans(
    "аеорсухіјѕԁԛԝһкмтнвАЕОРСУХІЈЅКМТНВɡοανιτρεκυΑΒΕΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdqwhkmthbAEOPCYXIJSKMTHBgoavitpekuABEHIKMNOPTYX",
)
_LEET = str.maketrans("013457@$!", "oieastasi")
_CUES = ("ignore", "instruction", "prompt", "disregard")
_ROT13_CUES = tuple(codecs.encode(cue, "rot13") for cue in _CUES)
_REVERSED_CUES = tuple(cue[::-1] for cue in _CUES)
_LATIN = re.compile(r"[a-z]")
_DECODED_LETTERS = 0.7


def visible(text: str) -> str:
    """Folded text without invisible characters, look-alike letters brought to Latin in words that mix scripts."""
    bare = _INVISIBLE.sub("", text)
    if not bare.isascii():
        bare = re.sub(r"\S+", lambda word: _latin(word.group()), bare)
    return re.sub(r"[ \t\u00a0]+", " ", fold(bare)).replace("’", "'")


def _latin(word: str) -> str:
    return word.translate(_HOMOGLYPHS) if _LATIN.search(word.casefold()) and not word.isascii() else word


def hidden(text: str) -> str:
    """What is written in tag characters, which no reader sees and every tokenizer reads; empty where there are none."""
    return "".join("".join(chr(ord(c) - 0xE0000) for c in run.group()) for run in _TAGS.finditer(_FLAG.sub("", text)))


def disguises(text: str) -> Iterator[tuple[str, str]]:
    """Other readings of a text, folded: the name of the disguise and what it says.

    Only readings that differ from the plain one are given; each costs one pass over the text.
    """
    for run in _BASE64.finditer(text):
        if decoded := _base64(run.group()):
            yield "base64", visible(decoded)
    for run in _HEX.finditer(text):
        digits = re.sub(r"\\x|0x|[^0-9a-fA-F]", "", run.group())
        if decoded := _readable(bytes.fromhex(digits[: len(digits) // 2 * 2])):
            yield "hexadecimal", visible(decoded)
    for run in _BINARY.finditer(text):
        bits = "".join(run.group().split())
        if decoded := _readable(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))):
            yield "binary", visible(decoded)
    if _ESCAPES.search(text):
        unescaped = re.sub(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})", _character, text)
        yield "escape sequences", visible(unquote(html.unescape(unescaped)))
    if _SPACED.search(text):
        yield "spaced letters", visible(_SPACED.sub(lambda run: re.sub(r"[^\w]", "", run.group()), text))
        yield "spaced letters", visible(re.sub(r"(?<=\w)[ .\-_*|](?=\w(?:\W|$))", "", text))
    plain = visible(text)
    swapped = plain.translate(_LEET)
    if any(cue in swapped and cue not in plain for cue in _CUES):
        yield "digits for letters", swapped
    if any(cue in plain for cue in _ROT13_CUES):
        yield "rot13", codecs.encode(plain, "rot13")
    if any(cue in plain for cue in _REVERSED_CUES):
        yield "reversed", plain[::-1]


def _character(match: re.Match[str]) -> str:
    return chr(int(match.group(1) or match.group(2), 16))


def _base64(run: str) -> str:
    bare = "".join(run.split()).rstrip("=")
    for alphabet in (b"+/", b"-_"):
        try:
            decoded = base64.b64decode(bare + "=" * (-len(bare) % 4), altchars=alphabet, validate=True)
        except (binascii.Error, ValueError):
            continue
        if text := _readable(decoded):
            return text
    return ""


def _readable(data: bytes) -> str:
    """The bytes as text where they are words, else empty."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    letters = sum(character.isalpha() or character.isspace() for character in text)
    return text if letters >= _DECODED_LETTERS * len(text) and text.isprintable() else ""
