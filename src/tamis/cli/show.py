"""Results as a person reads them in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tamis.cli.terminal import escaped, say, styled, width, wrapped
from tamis.schema.evidence import Quarantined
from tamis.schema.ranking import RankedItem, SignalShare
from tamis.schema.report import Answer, Deficit

if TYPE_CHECKING:
    from tamis.render.references import Reference

_TITLE_COLUMN = 90
_LEFT_OUT = 20
"""Names of what was left out that are shown."""
_EXPLAINED = 10
"""Documents explained below an answer; `--json` has all."""
_TOLD = 3
"""Signals named for a document, those that added most."""
_NEIGHBOURS = "neighbours"
_SIGNAL_NAMES = {"bm25": "full text", "query": "similarity"}


def answer(result: Answer, *, quiet: bool = False, explain: bool = False) -> None:
    """The answer, its references, what stands behind it."""
    if result.deficit is not None:
        deficit(result.deficit)
    else:
        from tamis.render.answer import plain_text
        from tamis.render.references import references

        refs = references(result.sentences, result.evidence)
        say(wrapped(plain_text(result.sentences, refs)))
        if refs:
            say()
            _references(refs)
    if explain:
        say()
        why(result.items)
        if result.quarantine:
            say()
            quarantine(result.quarantine)
    if not quiet:
        say()
        _behind(result, explain=explain)


def _references(refs: Sequence[Reference]) -> None:
    marks = [f"[{ref.number}]" for ref in refs]
    mark_width = max(map(len, marks))
    title_width = min(_TITLE_COLUMN, max(len(ref.title) for ref in refs))
    columns = width()
    lines = [
        f"{mark:<{mark_width}} {ref.title:<{title_width}}    {ref.url}" for mark, ref in zip(marks, refs, strict=True)
    ]
    stacked = columns is not None and max(map(len, lines)) > columns
    for mark, ref, line in zip(marks, refs, lines, strict=True):
        start = f"{mark:<{mark_width}} "
        say(f"{start}{ref.title}\n{' ' * len(start)}{ref.url}".rstrip() if stacked else line.rstrip())


def notes(found: Sequence[str]) -> None:
    """What a reader should know, a line each."""
    for note in found:
        styled(f"note: {note}", dim=True)


def _behind(result: Answer, *, explain: bool) -> None:
    from tamis.render.formats import footer

    notes(result.notes)
    removed = result.support.removed
    for sentence in removed:
        styled(f"dropped: {sentence.text} ({'; '.join(sentence.reasons)})", dim=True)
    if result.quarantine:
        count = len(result.quarantine)
        hint = "" if explain else " (which: --explain)"
        which = f"{count} passage{'s' * (count != 1)} that read{'s' * (count == 1)} like orders to a model"
        styled(f"kept out: {which}, by the check made while answering{hint}", dim=True)
    for source in result.sources:
        if source.status == "failed":
            styled(f"failed: {source.id}: {source.reason}", dim=True)
    hint = "" if explain or result.deficit is not None else "   (why these: --explain)"
    styled(footer(result) + hint, dim=True)


def quarantine(found: Sequence[Quarantined]) -> None:
    """Passages that no model is shown: where they stand, why, and what they say."""
    for entry in found:
        place = f"{entry.span[0]}-{entry.span[1]}" if entry.span[1] else "title"
        styled(f"{entry.document_id}  {place}  {entry.reason}", dim=True)
        say(wrapped(" ".join(entry.text.split()), indent="    "))


def deficit(found: Deficit) -> None:
    """Why there is no answer, and what to try."""
    from tamis.render.deficit import closest_page

    say(wrapped(found.reason))
    if page := closest_page(found):
        say(f"Closest page: {page}")
    for line in found.failed_sources:
        say(f"Failed: {line}")
    for line in found.suggestions:
        say(wrapped(f"Try: {line}", hanging="     "))


def items(ranked: Sequence[RankedItem], *, explain: bool = False) -> None:
    """A ranking, one document after another."""
    if not ranked:
        say("nothing found")
        return
    places = len(str(ranked[-1].rank))
    indent = " " * (places + 2)
    for item in ranked:
        via = f"  via {', '.join(item.via)}" if item.via else ""
        styled(f"{item.rank:>{places}}  {item.title or item.document_id}", bold=True)
        say(f"{indent}{item.url or item.document_id}")
        if item.snippet and not explain:
            say(wrapped(" ".join(item.snippet.split()).lstrip("| "), indent=indent))
        styled(f"{indent}score {item.score:.4f}, similarity {item.similarity:.2f}{via}", dim=True)
        if explain:
            say(wrapped(f"because: {_carried(item)}", indent=indent))


def why(ranked: Sequence[RankedItem]) -> None:
    """What carried each document to its place, one line each, the first ones only."""
    if not ranked:
        return
    say("Why these: the signals that carried each document, and their share of its score")
    places = len(str(min(len(ranked), _EXPLAINED)))
    for item in ranked[:_EXPLAINED]:
        say(f"{item.rank:>{places}}  {item.title or item.document_id}: {_carried(item)}")
    if len(ranked) > _EXPLAINED:
        styled(f"and {len(ranked) - _EXPLAINED} more (--json has all, with every signal)", dim=True)


def _carried(item: RankedItem) -> str:
    """The two or three signals that added most to a document's score."""
    own = sum(max(share.contribution, 0.0) for share in item.signals.values())
    shares = dict(item.signals)
    if 0 < own < item.score:
        # What no signal of its own explains came from the documents like it.
        shares[_NEIGHBOURS] = SignalShare(0.0, 0, item.score - own)
    total = max(own, item.score)
    parts = []
    for name, share in sorted(shares.items(), key=lambda entry: (-entry[1].contribution, entry[0]))[:_TOLD]:
        percent = round(100 * share.contribution / total) if total > 0 else 0
        if percent < 1:
            continue
        facts = [f"rank {share.rank}"] if share.rank else []
        if share.rank_without not in {0, item.rank}:
            facts.append(f"place {share.rank_without} without it")
        detail = f" ({', '.join(facts)})" if facts else ""
        parts.append(f"{_SIGNAL_NAMES.get(name, name)} {percent} %{detail}")
    return ", ".join(parts) or f"found by {', '.join(item.via) or 'nothing else'}"


def table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows with the same keys, numbers right-aligned."""
    if not rows:
        return
    names = list(rows[0])
    cells = [[_cell(row.get(name)) for name in names] for row in rows]
    widths = [max(len(name), *(len(row[i]) for row in cells)) for i, name in enumerate(names)]
    numeric = [all(isinstance(row.get(name), int | float) for row in rows) for name in names]

    def line(values: Sequence[str]) -> str:
        padded = [
            value.rjust(size) if right else value.ljust(size)
            for value, size, right in zip(values, widths, numeric, strict=True)
        ]
        return "  ".join(padded).rstrip()

    styled(line(names), bold=True)
    for row in cells:
        say(line(row))


def _cell(value: Any) -> str:  # noqa: ANN401 - a cell holds anything
    return f"{value:.4f}" if isinstance(value, float) else escaped("" if value is None else str(value))


def left_out(found: Sequence[tuple[str, str]], heading: str, *, of: int = 0) -> None:
    """What was not taken, with its reason, a line each on stderr; the first ones where there are many.

    Args:
        found: (name, reason).
        heading: put before each name.
        of: how many there were, where not all have a name.
    """
    for name, reason in found[:_LEFT_OUT]:
        say(f"{heading}{name}: {reason}", err=True)
    more = max(of, len(found)) - _LEFT_OUT
    if more > 0:
        say(f"{heading}… and {more:,} more (--json has their names)", err=True)


def facts(pairs: Sequence[tuple[str, Any]]) -> None:
    """Names and values, values aligned; empty ones left out."""
    shown = [(name, value) for name, value in pairs if value not in (None, "", {}, (), [])]
    size = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        say(f"{name:<{size}}  {_fact(value)}")


def _fact(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_fact(entry)}" for key, entry in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_fact(entry) for entry in value)
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value)


def tree(title: str, branches: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """The pipeline as a tree on stderr (`--debug`)."""
    say(title, err=True)
    for place, (name, below) in enumerate(branches, 1):
        _branch(name, below, "", last=place == len(branches))


def _counts(value: Mapping[str, Any]) -> bool:
    """Whether a mapping holds numbers only, and so reads best on one line."""
    return all(isinstance(entry, int | float) and not isinstance(entry, bool) for entry in value.values())


def _branch(name: str, value: Any, indent: str, *, last: bool) -> None:  # noqa: ANN401 - traces hold plain data
    joint, further = ("└─ ", "   ") if last else ("├─ ", "│  ")
    children: list[tuple[str, Any]] = []
    text = ""
    if isinstance(value, Mapping) and not (indent and _counts(value)):
        children = [(str(key), entry) for key, entry in value.items()]
    elif isinstance(value, list | tuple) and any(isinstance(entry, Mapping | list | tuple) for entry in value):
        children = [(str(number), entry) for number, entry in enumerate(value, 1)]
    else:
        text = f": {_fact(value)}"
    say(f"{indent}{joint}{name}{text}", err=True)
    for place, (key, entry) in enumerate(children, 1):
        _branch(key, entry, indent + further, last=place == len(children))
