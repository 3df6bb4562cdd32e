"""A model's reply becomes a draft: cleaned, taken apart, each sentence with the labels it cites."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from tamis.schema.report import Sentence, SentenceKind
from tamis.text.markdown import Block, blocks, code_text, plain
from tamis.text.sentences import sentences as sentence_spans
from tamis.text.tokens import words
from tamis.write.labels import extract, lift

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Categories of characters that show nothing: controls, formats, lone surrogates, private and unassigned ones."""
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
_THOUGHT = re.compile(r"<(/?)(?:think|thinking|reasoning|thought)\b[^<>]{0,200}>", re.IGNORECASE)
_TEMPLATE_MARK = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>|\[/?INST\]|</?evidence\b[^<>]*>", re.IGNORECASE)
_TITLE = r"[\"'][^\"'\n]*+[\"']"
_LINK = re.compile(
    rf"!?\[([^\[\]\n]*+)\]\(\s*+(?:[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+(?:\s++{_TITLE})?|{_TITLE})\s*+\)"
)
_URL = re.compile(
    r"<?\b(?:[a-z][a-z0-9+.-]{1,15}://|www\.|mailto:)[^\s<>\"'`)\]]++>?"
    r"|\b(?:[a-z0-9-]{1,63}\.){1,8}(?:com|org|net|edu|gov|io|ai|dev|info|co|uk|de|fr|eu)/[^\s<>\"'`)\]]*",
    re.IGNORECASE,
)
_CODE_BLOCK = re.compile(r"^[ \t]*+(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ \t]*+\1[ \t]*+$|\Z)", re.DOTALL | re.MULTILINE)
_SOURCES = re.compile(r"^\W*(?:sources?|references?|citations?|evidence|quellen|literatur)\W*$", re.IGNORECASE)
_SOURCE_LIST = re.compile(
    r"\A[*_\s]*(?:sources?|references?|citations?)[*_\s]*:[*_\s]*(?:\n|[-*]?\s?[\[(]|\d|$)", re.IGNORECASE
)
_LEAD_IN = re.compile(
    r"^\W*(?:(?:sure|certainly|of course|okay)\b.{0,80}"
    r"|(?:here(?:'s| is| are)|the following|based on|below)\b[^.]{0,120}:"
    r"|answer|question|final answer|response)\W*$",
    re.IGNORECASE,
)
_ANSWER_PREFIX = re.compile(r"^\W*(?:(?:final )?answer|response)\W*:\s*", re.IGNORECASE)
_STOPS = (".", "!", "?", "…", ":", "。", "！", "？")
_CLOSERS = "\"'”’)]*_`» "
_JSON_FIELDS = ("answer", "text", "response", "summary", "content")
MOST_CHARACTERS = 64_000
"""Of a reply without its thoughts, where nobody says how long it may be."""
_MOST_ECHOES = 1
"""Sentences of the instructions in an answer; with more of them it is a copy of the prompt."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reply taken apart.

    Attributes:
        sentences: the draft, labels extracted.
        unknown_labels: how many citations named nothing.
        notes: what was taken out, one line each.
        thought_only: nothing but `<think>` text came.
        echo: the reply is a copy of the instructions.
    """

    sentences: tuple[Sentence, ...]
    unknown_labels: int = 0
    notes: tuple[str, ...] = ()
    thought_only: bool = False
    echo: bool = False


def strip_thoughts(text: str) -> str:
    """Without `<think>` blocks: closed ones, one never closed, and one whose opening the server swallowed."""
    parts: list[str] = []
    at = 0
    inside = False
    for mark in _THOUGHT.finditer(text):
        if not mark.group(1):
            if not inside:
                parts.append(text[at : mark.start()])
            inside = True
        else:
            if not inside:
                parts.clear()
            inside = False
            at = mark.end()
    return "".join(parts if inside else [*parts, text[at:]])


def clean(text: str) -> str:
    """Without terminal escapes, characters that show nothing and chat-template marks; lines end in line feeds."""
    text = _LINE_ENDS.sub("\n", _TERMINAL.sub("", text))
    if not text.isascii() or not text.isprintable():
        text = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in _UNSEEN)
    return _TEMPLATE_MARK.sub("", text).strip()


def without_urls(text: str, allowed: str = "") -> tuple[str, int]:
    """Remove every address outside code, and inside code those that the evidence does not contain.

    Args:
        text: Markdown.
        allowed: the evidence's text; code may repeat addresses that stand in it.

    Returns:
        The text, link texts kept, and how many addresses were removed.
    """
    removed = 0

    def link(match: re.Match[str]) -> str:
        nonlocal removed
        removed += 1
        return match.group(1)

    def url(_: re.Match[str]) -> str:
        nonlocal removed
        removed += 1
        return ""

    def code_url(match: re.Match[str]) -> str:
        return match.group() if match.group() in allowed else url(match)

    parts: list[str] = []
    at = 0
    for block in _CODE_BLOCK.finditer(text):
        parts += (_URL.sub(url, _LINK.sub(link, text[at : block.start()])), _URL.sub(code_url, block.group()))
        at = block.end()
    parts.append(_URL.sub(url, _LINK.sub(link, text[at:])))
    return "".join(parts), removed


def from_json(text: str) -> str | None:
    """The answer inside a reply that is JSON though prose was asked for; None for prose, empty where it has none."""
    bare = re.sub(r"^```(?:json)?\s*+|(?:(?<!\s)\s++)?```$", "", text.strip())
    if bare[:1] not in ("{", "["):
        return None
    try:
        data = json.loads(bare)
    except (ValueError, RecursionError):
        return "" if re.match(r'[\[{]\s*+"?\w*+"?\s*+[:{]', bare) else None
    fields = data if isinstance(data, dict) else {}
    return next((str(fields[name]) for name in _JSON_FIELDS if isinstance(fields.get(name), str)), "")


def parse(
    text: str,
    known: Collection[str],
    *,
    evidence_text: str,
    prompt: str,
    cut_off: bool,
    most_characters: int = MOST_CHARACTERS,
) -> Parsed:
    """Take a reply apart.

    Args:
        text: as received.
        known: the labels that exist.
        evidence_text: of all evidence shown.
        prompt: the instructions given; small models echo them, and echoes are no answer.
        cut_off: the model ran into its token limit, so the last sentence may be half of one.
        most_characters: what is longer, its thoughts aside, is cut there.
    """
    spoken = clean(strip_thoughts(text)[: 2 * most_characters])
    if not spoken:
        return Parsed((), thought_only=bool(clean(text[:most_characters])))
    notes: list[str] = []
    if len(spoken) > most_characters:
        spoken, cut_off = spoken[:most_characters], True
        notes.append(f"the model wrote far more than was asked for; read to its {most_characters:,}th character")
    inner = from_json(spoken)
    if inner is not None:
        notes.append("the model answered in JSON; its text was taken out")
        spoken = clean(inner)
    spoken, urls = without_urls(spoken, evidence_text)
    if urls:
        notes.append(f"{urls} address{'es' * (urls > 1)} written by the model removed")
    if cut_off:
        notes.append("the model's answer was cut off at its token limit; the unfinished sentence was left out")
    echoes = frozenset(_echoes(prompt))
    draft, unknown = _draft(spoken, known, echoes, cut_off=cut_off)
    echoed = sum(echo in echoes for echo in _echoes(spoken)) if echoes else 0
    return Parsed(draft, unknown, tuple(notes), echo=echoed > _MOST_ECHOES)


def _echoes(prompt: str) -> Iterator[str]:
    for line in prompt.splitlines():
        for start, end in sentence_spans(line):
            if len(found := words(line[start:end])) > 3:
                yield " ".join(found)


def _draft(
    text: str, known: Collection[str], echoes: frozenset[str], *, cut_off: bool
) -> tuple[tuple[Sentence, ...], int]:
    found: list[Sentence] = []
    said: set[str] = set()
    unknown = 0
    paragraph = -1
    previous = ""
    listed = blocks(text)
    for number, block in enumerate(listed):
        last = cut_off and number == len(listed) - 1
        raw = text[block.start : block.end]
        if _SOURCE_LIST.match(raw) or (block.kind == "heading" and _SOURCES.match(plain(raw))):
            break
        pieces = [] if last and block.kind in ("code", "table") else _pieces(block, raw)
        if last:
            pieces = _complete(pieces)
        if not (block.kind == "item" and previous == "item"):
            paragraph += 1
        previous = block.kind
        ended = False
        for kind, piece in pieces:
            cited = extract(piece, known) if kind not in ("code", "table") else None
            body = piece if cited is None else _ANSWER_PREFIX.sub("", cited.text)
            if cited is not None and _SOURCES.match(body):
                ended = True
                break
            unknown += cited.unknown if cited else 0
            key = " ".join(words(body)) or body.strip()
            if not key or key in said or key in echoes or (cited and not cited.labels and _LEAD_IN.match(body)):
                continue
            said.add(key)
            found.append(Sentence(body, cited.labels if cited else (), kind=kind, paragraph=paragraph))
        if ended:
            break
    return _code_cited(found), unknown


def _complete(pieces: list[tuple[SentenceKind, str]]) -> list[tuple[SentenceKind, str]]:
    """Without a last sentence that does not end."""
    if pieces and not extract(pieces[-1][1], ()).text.rstrip(_CLOSERS).endswith(_STOPS):
        return pieces[:-1]
    return pieces


def _pieces(block: Block, raw: str) -> list[tuple[SentenceKind, str]]:
    if block.kind == "code":
        return [("code", code_text(raw))]
    if block.kind == "table":
        return [("table", raw)]
    lifted = " ".join(plain(lift(raw)).split())
    if block.kind == "heading":
        return [("heading", lifted)]
    if block.kind == "item":
        return [("step", lifted)]
    return [("claim", lifted[start:end]) for start, end in sentence_spans(lifted)]


def _code_cited(found: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Code and tables rest on what the sentence before them cites; headings with nothing under them go."""
    out: list[Sentence] = []
    labels: tuple[str, ...] = ()
    for number, sentence in enumerate(found):
        if sentence.kind in ("code", "table"):
            sentence = Sentence(sentence.text, labels, kind=sentence.kind, paragraph=sentence.paragraph)
        elif sentence.kind == "heading" and (number + 1 == len(found) or found[number + 1].kind == "heading"):
            continue
        labels = sentence.citations or labels
        out.append(sentence)
    return tuple(out)
