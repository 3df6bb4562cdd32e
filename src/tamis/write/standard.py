"""The standard answer: one call of the main model over labelled evidence (W1-W3).

Whatever comes back is data. A reply that cannot be used is described in one line, and the caller steps down to the
extractive tier with the same evidence; a second call is never made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tamis.errors import ModelError
from tamis.models.llm.ledger import CallLedger, prompt_tokens
from tamis.models.protocols import ChatModel, Completion, Message
from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence
from tamis.settings import ModelRole
from tamis.text.language import language as language_of
from tamis.text.sentences import sentences as sentence_spans
from tamis.text.tokens import words
from tamis.write.prompts import UNANSWERED, language_name, standard
from tamis.write.reply import Parsed, parse

_LEAST_LETTERS = 60
"""Shorter replies are not judged by their language."""
_LEAST_EVIDENCE_CHARACTERS = 200
_CHARACTERS_PER_TOKEN = 16
"""More than any text a tokenizer was made for: what is longer did not keep to its token limit."""
_MOST_TIMES = 4
"""A draft of more sentences than this many times those asked for is cut there: each of them has to be checked."""
_REFUSAL = re.compile(
    r"\b(?:as an? (?:ai|language model|assistant)|i(?:'m| am) (?:sorry|unable|not able)"
    r"|i (?:cannot|can't|can not|won't)"
    r"|i do(?:n't| not) have (?:access|enough|the ability)|i apologi[sz]e)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Written:
    """What came of the one call.

    Attributes:
        sentences: the draft, labels extracted; empty where it cannot be used.
        notes: steps down and other things a reader should know, one line each.
        unknown_labels: citations of labels that were not shown, removed.
        usable: False: answer with extracts of the same evidence.
        shown: labels of the evidence that fitted into the prompt.
        prompt: the conversation sent.
        reply: as received, empty where none came.
    """

    sentences: tuple[Sentence, ...]
    notes: tuple[str, ...] = ()
    unknown_labels: int = 0
    usable: bool = False
    shown: tuple[str, ...] = ()
    prompt: tuple[Message, ...] = ()
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt that fits the model's context.

    Attributes:
        messages: the conversation.
        evidence: what it shows, in label order.
        dropped: how many blocks were left out.
        tokens: upper estimate of the conversation.
    """

    messages: tuple[Message, ...]
    evidence: tuple[Evidence, ...]
    dropped: int
    tokens: int


def fit(
    question: str, evidence: Sequence[Evidence], *, model: ChatModel, role: ModelRole, language: str, sentences: int
) -> Fitted:
    """Leave out the least relevant evidence, then shorten the last, until prompt and answer fit the context.

    Args:
        question: as asked.
        evidence: at least one block.
        model: counts tokens.
        role: context and answer length.
        language: ISO 639-1 code of the answer.
        sentences: most supporting sentences to ask for.
    """
    room = role.context_tokens - role.max_tokens
    kept = list(evidence)
    while True:
        messages = standard(question, kept, language=language, sentences=sentences)
        tokens = prompt_tokens(model, messages)
        if tokens <= room:
            break
        if len(kept) > 1:
            # Ties go to the later label: earlier ones were chosen first.
            kept.remove(min(reversed(kept), key=lambda item: item.relevance))
        elif len(kept[0].text) > _LEAST_EVIDENCE_CHARACTERS:
            kept[0] = replace(kept[0], text=_shortened(kept[0].text))
        else:
            break
    return Fitted(messages, tuple(kept), len(evidence) - len(kept), tokens)


def _shortened(text: str) -> str:
    """About two thirds of a text, ending with a whole sentence where there is one."""
    least = 2 * len(text) // 3
    ends = [end for _, end in sentence_spans(text) if end <= least]
    return text[: ends[-1]] if ends and ends[-1] > _LEAST_EVIDENCE_CHARACTERS // 2 else text[:least].rstrip()


def write(
    question: str,
    evidence: Sequence[Evidence],
    *,
    model: ChatModel,
    role: ModelRole,
    ledger: CallLedger,
    language: str = "en",
    sentences: int = 6,
    suspicious: Callable[[str], str] | None = None,
) -> Written:
    """Write a standard answer with exactly one call.

    Args:
        question: as asked.
        evidence: what may be cited, in label order; with none, no call is made.
        model: the main model.
        role: its settings.
        ledger: counts the call and holds the bound.
        language: ISO 639-1 code of the answer.
        sentences: most supporting sentences to ask for.
        suspicious: says why a sentence reads like an instruction to a model, empty where it does not.

    Raises:
        BoundExceededError: the bound is above what the user allows; no call was made.
    """
    if not evidence:
        return Written((), ("no evidence, so no model was called",))
    fitted = fit(question, evidence, model=model, role=role, language=language, sentences=sentences)
    shown = tuple(item.label for item in fitted.evidence)
    blank = Written((), shown=shown, prompt=fitted.messages)
    if fitted.tokens > role.context_tokens - role.max_tokens:
        why = (
            f"no evidence fits into the model's context: {fitted.tokens} tokens to read and {role.max_tokens} to write "
            f"(llm.main.max_tokens) are more than {role.context_tokens} (llm.main.context_tokens)"
        )
        return replace(blank, notes=(_stepped(why),))
    ledger.reserve("main", role, calls=1, prompt=fitted.tokens, completion=role.max_tokens)
    notes: list[str] = []
    if fitted.dropped:
        notes.append(
            f"{fitted.dropped} of {len(evidence)} pieces of evidence left out to fit the model's context "
            f"of {role.context_tokens} tokens"
        )
    try:
        reply = ledger.metered("main", model, role).complete(
            fitted.messages, max_tokens=role.max_tokens, temperature=role.temperature
        )
    except ModelError as error:
        return replace(blank, notes=(*notes, _stepped(f"the model could not be used: {error.message}")))
    blank = replace(blank, reply=reply.text)
    parsed = parse(
        reply.text,
        shown,
        evidence_text="\n".join(item.text for item in fitted.evidence),
        prompt="\n".join((fitted.messages[0].content, *_frame(fitted.messages[1].content))),
        cut_off=reply.finish_reason == "length",
        most_characters=_CHARACTERS_PER_TOKEN * role.max_tokens,
    )
    notes += parsed.notes
    draft, beyond = _within(parsed.sentences, _MOST_TIMES * (sentences + 1))
    if beyond:
        notes.append(f"the model wrote far more than was asked for; {beyond} sentences left out")
    draft, taken = _without(draft, suspicious)
    if taken:
        notes.append(f"{taken} sentence{'s' * (taken > 1)} that read like an instruction to a model removed")
    reason = _flaw(replace(parsed, sentences=draft), reply, language)
    if reason:
        ledger.outcome(reason)
        return replace(blank, notes=(*notes, _stepped(reason)), unknown_labels=parsed.unknown_labels)
    return replace(blank, sentences=draft, notes=tuple(notes), unknown_labels=parsed.unknown_labels, usable=True)


def _frame(asked: str) -> list[str]:
    """What the last message says behind its evidence: the question, and how to answer it."""
    return asked.rpartition("</evidence>")[2].splitlines()


def _stepped(reason: str) -> str:
    return f"{reason}; answered with extracts instead"


def _within(draft: tuple[Sentence, ...], most: int) -> tuple[tuple[Sentence, ...], int]:
    """A draft up to its last sentence allowed, and how many were cut off; headings and code count like the rest."""
    return draft[:most], max(0, len(draft) - most)


def _without(draft: tuple[Sentence, ...], suspicious: Callable[[str], str] | None) -> tuple[tuple[Sentence, ...], int]:
    if suspicious is None:
        return draft, 0
    kept = tuple(sentence for sentence in draft if not suspicious(sentence.text))
    return kept, len(draft) - len(kept)


def _flaw(parsed: Parsed, reply: Completion, language: str) -> str:
    """Why a reply cannot be used, in one line; empty where it can."""
    claims = [sentence for sentence in parsed.sentences if sentence.kind in ("claim", "step")]
    prose = " ".join(sentence.text for sentence in claims)
    if parsed.thought_only:
        return "the model only thought and wrote no answer"
    if parsed.echo:
        return "the model repeated its instructions"
    if not claims:
        return f"the model's answer was {'cut off' if reply.finish_reason == 'length' else 'empty'}"
    cited = any(sentence.citations for sentence in claims)
    if reply.finish_reason == "length" and not cited:
        return "the model's answer was cut off before its first citation"
    if words(UNANSWERED) == words(prose):
        return "the model found no answer in the evidence"
    if not cited and _REFUSAL.search(prose):
        return "the model refused to answer"
    if sum(character.isalpha() for character in prose) >= _LEAST_LETTERS:
        spoken = language_of(prose, least=0.9)
        if language and spoken and spoken != language:
            return f"the model answered in {language_name(spoken)}, not in {language_name(language)}"
    return ""
