"""Bytes to clean text: which encoding, and which characters never belong in a document."""

from __future__ import annotations

import codecs
import re
import unicodedata

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
}

_XML_DECLARATION = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)""")
_META_CHARSET = re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
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
_SAMPLE_BYTES = 65_536

_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
# Characters without width, direction overrides and tag characters: nobody sees them, so no model shall read them.
_INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]"
)
# Joiners shape Persian, Indic scripts and emoji; beside ASCII they only hide things.
_STRAY_JOINER = re.compile("(?<=[\x00-\x7f])[\u200c\u200d]+|[\u200c\u200d]+(?=[\x00-\x7f]|$)|^[\u200c\u200d]+")
# One variation selector chooses a glyph; a run of them carries smuggled bytes.
_SELECTOR_RUN = re.compile("(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
_LINE_ENDS = re.compile("\r\n?|[\x0c\x85\u2028\u2029]")


def clean(text: str) -> str:
    """Normalise to NFC with plain line feeds, without control, invisible or unpaired characters."""
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_ENDS.sub("\n", text)
    text = _CONTROLS.sub("", text)
    if not text.isascii():
        text = _SELECTOR_RUN.sub("", _STRAY_JOINER.sub("", _INVISIBLE.sub("", text)))
        text = unicodedata.normalize("NFC", text)
    return text


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
    wide = _wide_without_mark(data)
    if wide:
        return data.decode(wide, errors="replace")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if text and not data.isascii():
        return text
    declared = [label for label in (charset, *_declared(data)) if label]
    for label in declared:
        decoded = _attempt(data, label)
        if decoded is not None:
            return decoded
    return text or _detected(data, declared)


def _wide_without_mark(data: bytes) -> str:
    """Name UTF-16 without a mark by where its zero bytes stand, empty where it is something else."""
    head = data[:_HEAD_BYTES]
    pairs = len(head) // 2
    if pairs < 2:
        return ""
    even, odd = head[0 : 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
    if odd > 0.6 * pairs and even < 0.05 * pairs:
        return "utf-16-le"
    if even > 0.6 * pairs and odd < 0.05 * pairs:
        return "utf-16-be"
    return ""


def _declared(data: bytes) -> tuple[str, ...]:
    head = data[:_HEAD_BYTES]
    found = (pattern.search(head) for pattern in (_XML_DECLARATION, _META_CHARSET))
    return tuple(match.group(1).decode("ascii") for match in found if match)


def _codec(label: str) -> str:
    """The Python codec of a declared label, empty where there is none."""
    try:
        name = codecs.lookup(label.strip().strip("\"'").lower()).name
    except (LookupError, ValueError):
        return ""
    return _SUPERSETS.get(name, name)


def _attempt(data: bytes, label: str) -> str | None:
    name = _codec(label)
    # A declaration readable as ASCII cannot be true of a wide encoding.
    if not name or name.startswith(("utf-16", "utf-32")):
        return None
    try:
        return data.decode(name)
    except (UnicodeDecodeError, LookupError):
        pass
    # cp1252 leaves five bytes undefined; pages that declare it often hold one of them.
    lenient = data.decode(name, errors="replace")
    return lenient if lenient.count("\ufffd") <= max(2, len(data) // 1000) else None


def _detected(data: bytes, declared: list[str]) -> str:
    """Guess from the bytes themselves, else the first declaration, else Windows-1252."""
    from charset_normalizer import from_bytes

    sample = data[:_SAMPLE_BYTES]
    best = from_bytes(sample).best()
    if best is not None and best.encoding.startswith(_SINGLE_BYTE) and _reads_western(sample):
        return data.decode("cp1252", errors="replace")
    name = best.encoding if best is not None else next((c for c in map(_codec, declared) if c), "cp1252")
    return data.decode(_SUPERSETS.get(name, name), errors="replace")


def _reads_western(sample: bytes) -> bool:
    """Whether nearly all characters beyond ASCII are letters and marks of western Europe when read as Windows-1252.

    Short texts fit many single-byte encodings; the tables of central Europe, the Baltic and Turkey put signs that no
    western text holds where their own letters stand, so this does not take their texts.
    """
    beyond = [character for character in sample.decode("cp1252", errors="replace") if character > "\x7f"]
    return sum(character in _WESTERN for character in beyond) >= 0.95 * len(beyond)
