"""Inline Markdown to plain text, in linear time and without failing on any string."""

from __future__ import annotations

import html
import re

_MARK = "\x00"
_TICKS = re.compile(r"`+")
_FENCE_LINE = re.compile(r"^[ \t]*+(?:`{3,}+|~{3,}+)[^`\n]*+$", re.MULTILINE)
_QUOTE = r"[ \t]*+(?:>[ \t]?){0,8}+"
_FIRST_MARKER = re.compile(rf"\A\s*+{_QUOTE}(?:#{{1,6}}[ \t]+|(?:[-*+]|\d{{1,9}}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?")
# A number that opens a later line is more often a wrapped sentence than a second item.
_LINE_MARKER = re.compile(rf"(?<=\n){_QUOTE}(?:#{{1,6}}[ \t]+|[-*+][ \t]+|(?:[-=]{{3,}}|[*_]{{3,}})[ \t]*(?=\n|\Z))?")
_CLOSING_HASHES = re.compile(r"(?<=[ \t])#{1,6}[ \t]*$", re.MULTILINE)
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]{1,300}+\]:[ \t]+\S+(?:[ \t]+[\"'(][^\n]*)?$", re.MULTILINE)
_LABEL = r"((?:[^\[\]]++|\[[^\[\]]{0,200}+\]){0,50}+)"
_TITLE = r"(?:\s{1,20}+(?:\"[^\"]{0,500}+\"|'[^']{0,500}+'))?"
_TARGET = rf"\((?:<[^<>\n]{{0,2000}}+>|(?:[^()\s]++|\([^()\s]{{0,500}}+\)){{0,20}}+){_TITLE}\s?\)"
_IMAGE = re.compile(rf"!\[{_LABEL}\]{_TARGET}")
_LINK = re.compile(rf"(?<!\\)\[{_LABEL}\]{_TARGET}")
_REFERENCE = re.compile(r"(?<![\w\]\\])\[([^\[\]]{1,500}+)\]\[[^\[\]]{0,200}+\]")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,60}+\]:?")
_AUTOLINK = re.compile(r"<((?:https?|ftp|mailto):[^<>\s]{1,2000}+|[\w.+-]{1,64}+@[\w.-]{1,255}+)>")
# Only names that HTML has: "x<y and y>z" and "List<String>" are text.
_TAG = re.compile(
    r"</?(?:a|abbr|b|bdi|big|blockquote|br|center|cite|code|dd|del|details|dfn|div|dl|dt|em|font|hr|i|img|ins|kbd|li|mark"
    r"|ol|p|pre|q|s|samp|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul|var|wbr)"
    r"(?:\s[^<>]{0,500}+)?/?>",
    re.IGNORECASE,
)
_EMPHASIS = (
    re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*]{1,1000}+)(?<![\s\\])\*(?![\w*])"),
    re.compile(r"(?<![\w*\\])\*{3}(?=[^\s*])([^*]{1,2000}+)(?<![\s\\])\*{3}(?![\w*])"),
    re.compile(r"(?<!\\)\*\*(?=[^\s*])([^*]{1,2000}+)(?<![\s\\])\*\*"),
    re.compile(r"(?<![\w_\\])_(?=[^\s_])([^_]{1,1000}+)(?<![\s\\])_(?![\w_])"),
    # `__name__` is an identifier far more often than it is strong.
    re.compile(r"(?<![\w_\\])__(?=[^_]{0,1000}[^\w_])(?=[^\s_])([^_]{1,2000}+)(?<![\s\\])__(?![\w_])"),
)
_STRUCK = re.compile(
    r"(?<![\\~])~~(?=[^\s~])[^~]{1,2000}+(?<!\s)~~(?!~)"
    r"|<(?P<tag>del|s|strike)(?:\s[^<>]{0,500}+)?>[^<]{0,2000}+(?:<(?!/(?P=tag)>)[^<]{0,2000}+){0,20}+</(?P=tag)>",
    re.IGNORECASE,
)
"""What its author took back."""
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def _lift_code(text: str) -> tuple[str, list[str]]:
    """Replace code spans by a mark each, and return their contents in order."""
    runs = list(_TICKS.finditer(text))
    following: dict[int, int] = {}
    partner = [-1] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        width = len(runs[index].group())
        partner[index] = following.get(width, -1)
        following[width] = index
    parts: list[str] = []
    spans: list[str] = []
    done, index = 0, 0
    while index < len(runs):
        other = partner[index]
        if other < 0:
            index += 1
            continue
        opening, closing = runs[index], runs[other]
        parts += (text[done : opening.start()], _MARK)
        code = text[opening.end() : closing.start()]
        # One space of padding belongs to the markup: `` ` `` is a backtick.
        padded = len(code) > 2 and code[0] == code[-1] == " " and code.strip() != ""
        spans.append(code[1:-1] if padded else code)
        done, index = closing.end(), other + 1
    parts.append(text[done:])
    return "".join(parts), spans


def without_comments(text: str) -> str:
    """Text without HTML comments; what opens one and never closes it stays."""
    parts: list[str] = []
    done = 0
    while (start := text.find("<!--", done)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            break
        parts.append(text[done:start])
        done = end + 3
    parts.append(text[done:])
    return "".join(parts)


def plain(markdown: str) -> str:
    """The text a reader sees of one block or inline run, on one line.

    Links and images keep their text, code spans their code; markers of headings, quotes and list items, emphasis,
    HTML tags, comments, footnote marks, link definitions and what is struck out go. White space collapses to single
    spaces.

    Args:
        markdown: any string; cost grows linearly with its length.

    Returns:
        Plain text; empty where nothing but markup was there.
    """
    text = _FENCE_LINE.sub("", markdown.replace(_MARK, ""))
    text, spans = _lift_code(text)
    if "<!--" in text:
        text = without_comments(text)
    text = _LINE_MARKER.sub("", _FIRST_MARKER.sub("", text, count=1))
    text = _CLOSING_HASHES.sub("", text)
    if "[" in text:
        text = _DEFINITION.sub("", text)
        text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
        text = _FOOTNOTE.sub("", _REFERENCE.sub(r"\1", text))
    if "~~" in text or "<" in text:
        text = _STRUCK.sub("", text)
    if "<" in text:
        text = _TAG.sub(_space_of_break, _AUTOLINK.sub(r"\1", text))
    if any(sign in text for sign in "*_"):
        for pattern in _EMPHASIS:
            text = pattern.sub(r"\1", text)
    if "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found.group()), text)
    if spans:
        pieces = text.split(_MARK)
        text = "".join(piece + span for piece, span in zip(pieces, [*spans, ""], strict=True))
    return " ".join(text.split())


def _space_of_break(tag: re.Match[str]) -> str:
    return " " if tag.group()[1:3].lower() in ("br", "hr", "td", "th", "tr", "li", "p>", "/p", "/t", "/l") else ""
