"""From drafts to an `Ontology` without faults; every fault is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tamis.library.ontology.draft import Draft, Source
from tamis.schema.library import Ontology, Term

_SHOWN = 5


def checked(source: Source, name: str, sha256: str) -> Ontology:
    """Build the ontology from what a reader found.

    Left out and named: terms without id or name, second terms of an id, obsolete terms, parents that are not there, and
    of every cycle the link that closes it when terms are walked in the order of their ids.

    Args:
        source: what was read.
        name: where the file does not name itself.
        sha256: of the file's bytes.
    """
    problems = list(source.problems)
    drafts = _usable(source.drafts, problems)
    parents = _known_parents(drafts, problems)
    parents = _without_cycles(parents, problems)
    terms = {term_id: _term(drafts[term_id], parents[term_id]) for term_id in sorted(drafts)}
    return Ontology(name=source.name or name, sha256=sha256, terms=terms, problems=tuple(problems))


def _usable(drafts: Sequence[Draft], problems: list[str]) -> dict[str, Draft]:
    kept: dict[str, Draft] = {}
    faults: dict[str, list[str]] = {
        "terms without an id": [],
        "terms without a name": [],
        "terms whose id was taken": [],
        "obsolete terms": [],
    }
    for draft in drafts:
        fault = ""
        if not draft.term_id:
            fault = "terms without an id"
        elif draft.obsolete:
            fault = "obsolete terms"
        elif not draft.label:
            fault = "terms without a name"
        elif draft.term_id in kept:
            fault = "terms whose id was taken"
        if fault:
            faults[fault].append(draft.term_id or draft.label or "?")
        else:
            kept[draft.term_id] = draft
    problems += [_counted(fault, names) for fault, names in faults.items() if names]
    return kept


def _known_parents(drafts: Mapping[str, Draft], problems: list[str]) -> dict[str, tuple[str, ...]]:
    parents: dict[str, tuple[str, ...]] = {}
    missing: list[str] = []
    for term_id, draft in drafts.items():
        parents[term_id] = tuple(sorted({parent for parent in draft.parents if parent in drafts}))
        missing += [f"{parent} (of {term_id})" for parent in sorted({*draft.parents} - {*drafts})]
    if missing:
        problems.append(_counted("parents that are obsolete or not in the file", missing))
    return parents


def _counted(fault: str, names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    return f"left out {len(names)}, {fault}: {shown}"


def _without_cycles(parents: Mapping[str, tuple[str, ...]], problems: list[str]) -> dict[str, tuple[str, ...]]:
    """Drop every link that leads back to a term on the way up (depth-first search, ids ascending)."""
    kept: dict[str, list[str]] = {}
    done: set[str] = set()
    for start in sorted(parents):
        path: list[str] = []
        on_path: set[str] = set()
        stack: list[tuple[str, bool]] = [(start, True)]
        while stack:
            term_id, entering = stack.pop()
            if not entering:
                on_path.discard(path.pop())
                done.add(term_id)
                continue
            if term_id in done or term_id in on_path:
                continue
            path.append(term_id)
            on_path.add(term_id)
            kept[term_id] = []
            stack.append((term_id, False))
            for parent in parents[term_id]:
                if parent in on_path:
                    circle = " → ".join([*path[path.index(parent) :], parent])
                    problems.append(f"a cycle, {circle}: that {term_id} is below {parent} was left out")
                else:
                    kept[term_id].append(parent)
            stack += [(parent, True) for parent in reversed(kept[term_id])]
    return {term_id: tuple(kept[term_id]) for term_id in parents}


def _term(draft: Draft, parents: tuple[str, ...]) -> Term:
    label = " ".join(draft.label.split())
    synonyms = tuple(name for name in _distinct(draft.synonyms) if name != label)
    return Term(draft.term_id, label, synonyms, parents, " ".join(draft.definition.split()))


def _distinct(names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(" ".join(name.split()) for name in names) if name]
