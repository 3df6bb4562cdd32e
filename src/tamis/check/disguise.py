"""The ways an order hides from a reader: invisible characters, look-alike letters, encodings."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator
from string import ascii_lowercase
from urllib.parse import unquote

from tamis.text.tokens import fold

_INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_TAGS = re.compile(r"[\U000e0020-\U000e007e]+")
_FLAG = re.compile(r"\U0001f3f4[\U000e0020-\U000e007e]{2,8}\U000e007f")
"""The flags of England, Scotland and Wales are spelled in tag characters."""
_ODD = re.compile(
    r"[\w+/=-]{16}|[A-Za-z][013457@$!][A-Za-z]|\\[ux]|%[0-9a-fA-F]{2}|&#"
    r"|(?<!\w)\w[ \t.\-_*|]{1,3}\w[ \t.\-_*|]{1,3}\w\b|\w[_|]\w+[_|]"
    r"|(?:\d{2,3}[\s,;]+){6}|(?:(?:0x)?[0-9a-fA-F]{2}[\s,:]){6}|(?:[A-Za-z0-9+/]{4} ){5}|(?:[01]{8}\s){3}"
)
"""What every disguise but a turned alphabet shows of itself; most text has none of it."""
_BASE64 = re.compile(r"(?<![\w+/=-])(?:[A-Za-z0-9+/_-]{4}\s?){5,}[A-Za-z0-9+/_-]{0,4}={0,2}(?![\w+/=-])")
_BASE32 = re.compile(r"(?<!\w)[A-Z2-7]{24,}={0,6}(?!\w)")
_HEX = re.compile(r"(?<!\w)(?:(?:\\x|0x|%)?[0-9a-fA-F]{2}[\s,:]?){16,}(?!\w)")
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|&#x?[0-9a-fA-F]{2,6};|%[0-9a-fA-F]{2}){4,}")
_BINARY = re.compile(r"(?<!\w)(?:[01]{8}\s?){8,}(?!\w)")
_DECIMAL = re.compile(r"(?<!\w)(?:\d{2,3}[\s,;]+){12,}\d{2,3}(?!\w)")
_SPACED = re.compile(r"(?<!\w)(?:[^\W_][ \t.\-_*|]{1,2}){5,}[^\W_](?![^\W_])")
_HOMOGLYPHS = str.maketrans(
    "аеорсухіјѕԁԛԝһкмтнвАЕОРСУХІЈЅКМТНВɡοανιτρεκυΑΒΕΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdqwhkmthbAEOPCYXIJSKMTHBgoavitpekuABEHIKMNOPTYX",
)
_SMALL_CAPITALS = str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnopqrstuvwyz")
_LEET = str.maketrans("013457@$!", "oieastasi")
_CUES = ("ignore", "instruction", "prompt", "disregard")
_ALPHABETS = (*(ascii_lowercase[by:] + ascii_lowercase[:by] for by in range(1, 26)), ascii_lowercase[::-1])
_TURNED = (
    *((cue[::-1], "reversed", None) for cue in _CUES),
    *(
        (
            cue.translate(str.maketrans(ascii_lowercase, letters)),
            "shifted letters",
            str.maketrans(letters, ascii_lowercase),
        )
        for letters in _ALPHABETS
        for cue in _CUES
    ),
)
"""What the cues look like backwards, in each Caesar alphabet and in the reversed one, with the way back."""
_LATIN = re.compile(r"[a-z]")
_BLANKS = re.compile(r"[ \t\u00a0]+")
_DECODED_LETTERS = 0.7


def visible(text: str) -> str:
    """Folded text without invisible characters, look-alike letters brought to Latin in words that mix scripts."""
    bare = _INVISIBLE.sub("", text)
    if not bare.isascii():
        bare = re.sub(r"\S+", lambda word: _latin(word.group()), bare.translate(_SMALL_CAPITALS))
    # Letters without a small form of their own (bold, circled) get one by decomposition only.
    return _BLANKS.sub(" ", fold(bare).lower()).replace("’", "'")


def _latin(word: str) -> str:
    return word.translate(_HOMOGLYPHS) if _LATIN.search(word.casefold()) and not word.isascii() else word


def hidden(text: str) -> str:
    """What is written in tag characters, which no reader sees and every tokenizer reads; empty where there are none."""
    if text.isascii():
        return ""
    return "".join("".join(chr(ord(c) - 0xE0000) for c in run.group()) for run in _TAGS.finditer(_FLAG.sub("", text)))


def disguises(text: str, plain: str) -> Iterator[tuple[str, str]]:
    """Other readings of a text, folded: the name of the disguise and what it says.

    Args:
        text: as written.
        plain: the same, `visible`.

    Yields:
        Readings that differ from the plain one.
    """
    if _ODD.search(text):
        yield from _encoded(text)
        yield from _scattered(text, plain)
    for cue, name, back in _TURNED:
        if cue in plain:
            yield name, plain.translate(back) if back else plain[::-1]


def _scattered(text: str, plain: str) -> Iterator[tuple[str, str]]:
    """Readings of a text whose letters are spelled out, set apart or swapped for signs that look like them."""
    if _ESCAPES.search(text):
        unescaped = re.sub(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})", _character, text)
        yield "escape sequences", visible(unquote(html.unescape(unescaped)))
    if _SPACED.search(text):
        # What divides letters is less than what divides words, or there is nothing between words either.
        yield "spaced letters", visible(re.sub(r"(?<=\w)[.\-_*|](?=\w\b)", "", text))
        yield "spaced letters", visible(re.sub(r"(?<=\w)[ .\-_*|](?=\w(?:\W|$))", "", text))
        yield "spaced letters", visible(_SPACED.sub(lambda run: re.sub(r"[\W_]", "", run.group()), text))
    if any(cue in plain for cue in _CUES):
        yield "marks for blanks", re.sub(r"[_|]+", " ", plain)
    swapped = plain.translate(_LEET)
    if any(cue in swapped and cue not in plain for cue in _CUES):
        yield "digits for letters", swapped


def _encoded(text: str) -> Iterator[tuple[str, str]]:
    """Readings of long runs of letters and digits without blanks, or of numbers."""
    for run in _BASE64.finditer(text):
        if decoded := _base64(run.group()):
            yield "base64", visible(decoded)
    for run in _BASE32.finditer(text):
        if decoded := _base32(run.group()):
            yield "base32", visible(decoded)
    for run in _HEX.finditer(text):
        digits = re.sub(r"\\x|0x|[^0-9a-fA-F]", "", run.group())
        if decoded := _readable(bytes.fromhex(digits[: len(digits) // 2 * 2])):
            yield "hexadecimal", visible(decoded)
    for run in _BINARY.finditer(text):
        bits = "".join(run.group().split())
        if decoded := _readable(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))):
            yield "binary", visible(decoded)
    for run in _DECIMAL.finditer(text):
        codes = [int(code) for code in re.findall(r"\d+", run.group())]
        if max(codes) < 256 and (decoded := _readable(bytes(codes))):
            yield "character codes", visible(decoded)


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


def _base32(run: str) -> str:
    bare = run.rstrip("=")
    try:
        return _readable(base64.b32decode(bare + "=" * (-len(bare) % 8)))
    except (binascii.Error, ValueError):
        return ""


def _readable(data: bytes) -> str:
    """The bytes as text where they are words, else empty."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    letters = sum(character.isalpha() or character.isspace() for character in text)
    return text if letters >= _DECODED_LETTERS * len(text) and text.isprintable() else ""
