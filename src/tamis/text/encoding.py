"""Bytes to clean text: which encoding, and which characters never belong in a document."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Sequence

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# Labels mean what browsers take them for, which is always the superset (WHATWG Encoding, section 4.2).
_SUPERSETS = {
    "iso8859-1": "cp1252",
    "latin-1": "cp1252",
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "big5": "big5hkscs",
    "johab": "cp949",
}
_ALIASES = {
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "ms_kanji": "cp932",
    "x-gbk": "gb18030",
    "x-euc-jp": "euc_jp",
    "ks_c_5601": "cp949",
    "windows-949": "cp949",
    "x-x-big5": "big5hkscs",
    "x-cp1250": "cp1250",
    "x-cp1251": "cp1251",
    "x-cp1252": "cp1252",
    "dos-874": "cp874",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859_8",
    "x-mac-roman": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "unicode-1-1-utf-8": "utf-8",
}
# Python's own, not the web's: some fail in their own ways, one takes quadratic time, some read text out of thin air.
_NOT_OF_TEXTS = frozenset(
    {"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "utf-7", "mbcs", "oem"}
)

_XML_DECLARATION = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)""")
_META_CHARSET = re.compile(rb"""<meta[^>]{0,300}?charset\s*+=\s*+(?:["']\s*+)?([\w.:-]+)""", re.IGNORECASE)
_SINGLE_BYTE = (
    "cp125",
    "iso8859",
    "latin",
    "mac",
    "cp437",
    "cp85",
    "cp86",
    "hp_roman",
    "cp775",
    "cp1006",
    "cp720",
    "cp737",
)
_WESTERN = frozenset("àâäáãåæçèéêëìíîïñòóôõöøœùúûüÿßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØŒÙÚÛÜ«»‹›“”„‘’‚–—…•·°§©®€£¿¡ªº½¼×\xa0")
_HEAD_BYTES = 4096
_FOREIGN_LETTERS = 20
_FOREIGN_SHARE = 0.4
_TAG = re.compile(rb"<[^<>]{0,1000}+>")
_SHIFTED = re.compile(rb"\x1b\$[@B](?:[!-~]{2})+\x1b\([BJ]")
_STRAY = re.compile("[\udc80-\udcff]")
_BEYOND_LATIN = re.compile("[\x80-\ud7ff\ue000-\U0010ffff]+")
_PROPER_PER_STRAY = 4
"""Proper characters of several bytes to one stray byte from which a text is UTF-8."""
_MOSTLY_ASCII = 0.6
_LEAST_ASCII = 0.005
_PLAUSIBLE = 0.95
_POINTS = frozenset(".,;:!?()[]<>{}/\\\"'=-–—_#*|&%+@«»“”„‘’…·、。，．：；！？「」『』（）【】《》〈〉・～ー·\ufffd")
_SAMPLE_BYTES = 65_536

# What Windows-1252 means by the bytes that pages put into references and wrongly declared text: dashes and quotes.
_MISTAKEN = re.compile("[\x80-\x84\x86-\x9f]")
_MEANT = {
    ord(place): bytes([ord(place)]).decode("cp1252", errors="ignore")
    for place in map(chr, (*range(0x80, 0x85), *range(0x86, 0xA0)))
}
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
# Characters without width, direction overrides and tag characters: nobody sees them, so no model shall read them.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
# Joiners shape Persian, Indic scripts and emoji; beside ASCII they only hide things.
_STRAY_JOINER = re.compile("(?<=[\x00-\x7f])[\u200c\u200d]+|[\u200c\u200d]+(?=[\x00-\x7f]|$)|^[\u200c\u200d]+")
# One variation selector chooses a glyph; a run of them carries smuggled bytes.
# No script stacks more marks on a letter (Unicode Annex 15, stream-safe text), and ordering a long run of them takes
# quadratic time.
_MARK_RUN = re.compile(r"[^\w\s\x00-\u02ff]{31,}")
_MOST_MARKS = 30
_SELECTOR_RUN = re.compile("(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
_LINE_ENDS = re.compile("\r\n?|[\x0c\x85\u2028\u2029]")


def clean(text: str) -> str:
    """Normalise to NFC with plain line feeds, without control, invisible or unpaired characters."""
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_ENDS.sub("\n", text)
    if _MISTAKEN.search(text):
        text = text.translate(_MEANT)
    text = _CONTROLS.sub("", text)
    if not text.isascii():
        text = _SELECTOR_RUN.sub("", _STRAY_JOINER.sub("", _INVISIBLE.sub("", text)))
        text = unicodedata.normalize("NFC", _MARK_RUN.sub(_fewer_marks, text))
    return text


def printable(name: str) -> str:
    """A name from outside as it is, but for characters that cannot be stored or would steer a terminal: escaped."""
    return _UNPRINTABLE.sub(lambda sign: ascii(sign.group())[1:-1], name)


def bare(url: str) -> str:
    """A URL without blanks and without characters that would steer a terminal: it has none."""
    return "".join(_UNPRINTABLE.sub("", url).split())


def _fewer_marks(run: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for sign in run.group():
        marks = marks + 1 if unicodedata.combining(sign) else 0
        if marks <= _MOST_MARKS:
            kept.append(sign)
    return "".join(kept)


def decode(data: bytes, charset: str = "") -> str:
    """Decode by byte order mark, then declaration, then detection. Never fails.

    Bytes that are valid multi-byte UTF-8 are UTF-8 whatever is declared: legacy text hardly ever is by chance.

    Args:
        data: the bytes as received.
        charset: what the transport declared (HTTP ``charset=``), empty where it did not.

    Returns:
        The text, not yet cleaned; undecodable bytes become U+FFFD.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data.decode(name, errors="replace")
    certain = wide_encoding(data) or ("iso2022_jp" if _SHIFTED.search(data) and data.isascii() else "")
    if certain:
        return data.decode(certain, errors="replace")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = _patched(data)
    if text and not data.isascii():
        return text
    declared = [label for label in (charset, *_declared(data)) if label]
    for label in declared:
        decoded = _attempt(data, label)
        if decoded is not None:
            return decoded
    return text or data.decode(detected_encoding(data, declared), errors="replace")


def _patched(data: bytes) -> str:
    """UTF-8 with some bytes of Windows-1252 among it, as pages put together from parts have; else empty."""
    text = data.decode("utf-8", errors="surrogateescape")
    strays = len(_STRAY.findall(text))
    proper = sum(map(len, _BEYOND_LATIN.findall(text)))
    if strays * _PROPER_PER_STRAY > proper:
        return ""
    return _STRAY.sub(lambda stray: _byte(stray).decode("cp1252", errors="replace"), text)


def _byte(stray: re.Match[str]) -> bytes:
    return bytes([ord(stray.group()) - 0xDC00])


def wide_encoding(data: bytes) -> str:
    """Name UTF-16 or UTF-32 without a mark by where its zero bytes stand, empty where it is something else."""
    head = data[:_HEAD_BYTES]
    if len(head) < 4 or b"\0" not in head:
        return ""
    zeros = [head[place::4].count(0) for place in range(4)]
    quads = len(head) // 4
    if all(zeros[place] > 0.9 * quads for place in (2, 3)) and zeros[0] < 0.05 * quads:
        return "utf-32-le"
    if all(zeros[place] > 0.9 * quads for place in (0, 1)) and zeros[3] < 0.05 * quads:
        return "utf-32-be"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    for name, here, there in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if there <= 0.2 * here and _reads_wide(head, name, here / (len(head) / 2)):
            return name
    return ""


def _reads_wide(head: bytes, name: str, share: float) -> bool:
    """Whether bytes with zeros in every other place are UTF-16: mostly ASCII, or letters where bytes alone are none."""
    if share > _MOSTLY_ASCII:
        return True
    text = head[: len(head) // 2 * 2].decode(name, errors="replace")
    # The head may end inside a pair.
    letters = sum(sign.isalnum() or sign.isspace() or sign in _POINTS for sign in text[:-1])
    return share >= _LEAST_ASCII and letters >= _PLAUSIBLE * len(text) and not _reads_bytewise(head)


def _reads_bytewise(head: bytes) -> bool:
    """Whether bytes are text with some zeros strewn in."""
    try:
        text = head.replace(b"\0", b"")[:-3].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return sum(sign < " " and not sign.isspace() for sign in text) < 0.02 * len(text)


def _declared(data: bytes) -> tuple[str, ...]:
    head = data[:_HEAD_BYTES]
    found = (pattern.search(head) for pattern in (_XML_DECLARATION, _META_CHARSET))
    return tuple(match.group(1).decode("ascii") for match in found if match)


def _codec(label: str) -> str:
    """The Python codec of a declared label, empty where there is none."""
    bare = label.strip().strip("\"'").lower()
    try:
        name = codecs.lookup(_ALIASES.get(bare, bare)).name
    except (LookupError, ValueError):
        return ""
    return "" if name in _NOT_OF_TEXTS else _SUPERSETS.get(name, name)


def _attempt(data: bytes, label: str) -> str | None:
    name = _codec(label)
    if not name:
        return None
    # A declaration readable as ASCII cannot be true of a wide encoding; what is no text of single bytes may be.
    if name.startswith(("utf-16", "utf-32")) and (len(data) % 2 or _reads_bytewise(data[:_HEAD_BYTES])):
        return None
    # Servers that do not know declare a western encoding of anything.
    if name == "cp1252" and not _mostly_ascii(data):
        return None
    try:
        return data.decode(name)
    except (UnicodeError, LookupError):
        pass
    # cp1252 leaves five bytes undefined; pages that declare it often hold one of them.
    try:
        lenient = data.decode(name, errors="replace")
    except (UnicodeError, LookupError):
        return None
    return lenient if lenient.count("\ufffd") <= max(2, len(data) // 1000) else None


def detected_encoding(data: bytes, declared: Sequence[str] = ()) -> str:
    """Guess from the bytes themselves, else the first declaration, else Windows-1252."""
    from charset_normalizer import from_bytes

    sample = data[:_SAMPLE_BYTES]
    best = from_bytes(sample).best()
    if best is not None and best.encoding.startswith(_SINGLE_BYTE) and _reads_western(sample) and _mostly_ascii(sample):
        return "cp1252"
    name = best.encoding if best is not None else next((c for c in map(_codec, declared) if c), "cp1252")
    name = _SUPERSETS.get(name, name)
    return "cp1252" if name.startswith(("utf-16", "utf-32")) or name in _NOT_OF_TEXTS else name


def _mostly_ascii(data: bytes) -> bool:
    """Whether a text is not too rich in letters beyond ASCII for a western language."""
    letters = [sign for sign in _TAG.sub(b"", data[:_SAMPLE_BYTES]).decode("cp1252", "replace") if sign.isalpha()]
    beyond = sum(sign > "\x7f" for sign in letters)
    return beyond < _FOREIGN_LETTERS or beyond < _FOREIGN_SHARE * len(letters)


def _reads_western(sample: bytes) -> bool:
    """Whether nearly all characters beyond ASCII are letters and marks of western Europe when read as Windows-1252.

    Short texts fit many single-byte encodings; the tables of central Europe, the Baltic and Turkey put signs that no
    western text holds where their own letters stand, so this does not take their texts.
    """
    beyond = [character for character in sample.decode("cp1252", errors="replace") if character > "\x7f"]
    return sum(character in _WESTERN for character in beyond) >= 0.95 * len(beyond)
