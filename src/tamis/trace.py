"""The facts that each step of the ask walk leaves in its trace; `--debug` draws them as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamis.rank.answerable import Verdict
    from tamis.reduce.reduce import Reduction
    from tamis.schema.question import Interpretation
    from tamis.schema.ranking import Ranking


def interpret_facts(question: Interpretation) -> dict[str, Any]:
    """How the question was understood."""
    return {
        "intent": question.intent,
        "shape": question.shape,
        "via": question.via,
        "subqueries": list(question.subqueries),
        "entities": list(question.entities),
    }


def rank_facts(name: str, ranking: Ranking, verdict: Verdict) -> dict[str, Any]:
    """What one collection brought."""
    return {
        "collection": name,
        "recipe": ranking.recipe,
        "matches": dict(ranking.layers),
        "terms": dict(ranking.terms),
        "items": len(ranking.items),
        "related via entity profiles": ranking.related,
        "answers": verdict.answered,
    }


def reduce_facts(reduction: Reduction) -> dict[str, Any]:
    """What became of it on the way to the evidence."""
    return {
        "segments": len(reduction.segments),
        "long items compressed": reduction.compressed,
        "dropped": dict(reduction.dropped),
        "quarantined": len(reduction.quarantine),
        "evidence": len(reduction.evidence),
    }
