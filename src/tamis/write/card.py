"""The wording of a card: one call of the main model over numbered sentences (L7).

The reply is asked for as JSON and read as whatever came: a whole object, a broken one, or prose. It is taken apart by
code, never by a second call, and never trusted: every sentence is checked by whoever asked for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from tamis.models.protocols import Message
from tamis.schema.evidence import Evidence
from tamis.schema.library import EvidenceQuality
from tamis.schema.report import Sentence
from tamis.write.labels import extract, lift
from tamis.write.prompts import card as card_prompt
from tamis.write.reply import clean, parse, strip_thoughts, without_urls

SUMMARY_SENTENCES = 5
TITLE_WORDS = 10
_MOST_TITLE_CHARACTERS = 120
_FIELDS = ("title", "summary", "tip", "controversy_note", "confidence_note", "evidence_quality")
_GRADES: tuple[str, ...] = get_args(EvidenceQuality)
_FIELD = re.compile(rf'"({"|".join(_FIELDS)})"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **{name: {"type": "string"} for name in _FIELDS[:-1]},
        "evidence_quality": {"type": "string", "enum": list(_GRADES)},
    },
    "required": list(_FIELDS),
    "additionalProperties": False,
}
"""What an endpoint that can hold a model to a schema is asked to hold it to."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What a model made of a card.

    Attributes:
        title: plain text, empty where it wrote none.
        summary: the draft, labels extracted; empty where nothing can be used.
        tip: one sentence, None without one.
        controversy_note: plain text, not yet believed.
        confidence_note: likewise.
        quality: its opinion, empty where it is none of the grades.
        flaw: why nothing can be used, empty where something can.
    """

    title: str = ""
    summary: tuple[Sentence, ...] = ()
    tip: Sentence | None = None
    controversy_note: str = ""
    confidence_note: str = ""
    quality: str = ""
    flaw: str = ""


def conversation(
    subject: str, evidence: Sequence[Evidence], *, language: str, disagreement: str, thin: str
) -> tuple[Message, ...]:
    """What the model is shown."""
    return card_prompt(
        subject,
        evidence,
        language=language,
        sentences=SUMMARY_SENTENCES,
        title_words=TITLE_WORDS,
        disagreement=disagreement,
        thin=thin,
    )


def worded(reply: str, messages: Sequence[Message], evidence: Sequence[Evidence], *, max_tokens: int) -> Wording:
    """Take a reply apart.

    Args:
        reply: as received.
        messages: what was asked; echoes of it are no wording.
        evidence: what may be cited.
        max_tokens: of the reply; a summary that fills them may end in half a sentence.
    """
    known = [item.label for item in evidence]
    text = "\n".join(item.text for item in evidence)
    spoken = clean(strip_thoughts(reply))
    if not spoken:
        return Wording(flaw="the model wrote nothing")
    fields = _fields(spoken)
    complete = spoken.rstrip("`\n ").endswith("}")
    prompt = "\n".join(message.content.rpartition("</evidence>")[2] for message in messages)
    draft = parse(
        fields.get("summary", "") if fields else spoken,
        known,
        evidence_text=text,
        prompt=prompt,
        cut_off=bool(fields) and not complete,
        most_characters=16 * max_tokens,
    )
    summary = tuple(sentence for sentence in draft.sentences if sentence.kind in ("claim", "step"))
    if draft.echo or not summary:
        return Wording(flaw="the model repeated its instructions" if draft.echo else "the model wrote no summary")
    grade = fields.get("evidence_quality", "").strip().lower()
    return Wording(
        title=_title(fields.get("title", "")),
        summary=summary[:SUMMARY_SENTENCES],
        tip=_sentence(fields.get("tip", ""), known),
        controversy_note=_plain(fields.get("controversy_note", "")),
        confidence_note=_plain(fields.get("confidence_note", "")),
        quality=grade if grade in _GRADES else "",
    )


def _fields(text: str) -> Mapping[str, str]:
    """The fields of a JSON object, however much of it is there; empty for prose."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0:
        return {}
    try:
        data = json.loads(text[start : end + 1], strict=False)
    except (ValueError, RecursionError):
        # Cut off, or with a comma too many: what can be read of each field.
        return {name: _unescaped(value) for name, value in reversed(_FIELD.findall(text[start:]))}
    if not isinstance(data, dict):
        return {}
    return {name: _text(data.get(name)) for name in _FIELDS}


def _text(value: object) -> str:
    """A field as one string: some models write a list of sentences."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return " ".join(_text(part) for part in value)
    if isinstance(value, dict):
        return " ".join(_text(part) for part in value.values())
    return ""


def _unescaped(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"', strict=False))
    except ValueError:
        return value.replace('\\"', '"').replace("\\n", "\n")


def _plain(text: str) -> str:
    without, _ = without_urls(extract(lift(" ".join(text.split())), ()).text)
    return without.strip()


def _title(text: str) -> str:
    title = _plain(text).strip(" .\"'*#_")
    return title if 0 < len(title) <= _MOST_TITLE_CHARACTERS else ""


def _sentence(text: str, known: Sequence[str]) -> Sentence | None:
    found = extract(lift(" ".join(text.split())), known)
    said, _ = without_urls(found.text)
    return Sentence(said.strip(), found.labels) if len(said.split()) > 2 else None
