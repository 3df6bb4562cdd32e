"""Fit the probe for orders to a model: ``python tools/make_probe.py``. Writes ``src/tamis/check/probe.yaml``.

Orders are the dev attacks in English that give an order in words, each once with its made-up name and once with an
ordinary one, so that it is not the names that are learned. Everything else is not: the innocent look-alikes, what the
attacks' documents say beside the order, the example documents and the documentation. What the held-out files hold is
not read.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from check.planted import attacks, innocents  # noqa: E402
from tamis.app import Tamis  # noqa: E402
from tamis.settings import Settings  # noqa: E402
from tamis.text.markdown import plain  # noqa: E402
from tamis.text.sentences import sentences  # noqa: E402

FAMILIES = re.compile(
    r"plain orders|ignore instr|orders to|roles$|secrets|prompt and|actions$|cut|white|metadata|in pictures|code "
)
NAMES = ("Nordwind", "Acme pills", "our shop", "the Hotel Bellevue", "banana")
PENALTY = 0.01
THRESHOLD = 2.2
"""Chosen by cross-validation: fewer than one in a hundred look-alikes are above it while left out of the fit."""
LONGEST = 500
FOLDS = 5


def orders() -> tuple[list[str], list[str], list[str]]:
    """Family, wording with a made-up name, and the same with an ordinary one."""
    families, made_up, ordinary = [], [], []
    for case in attacks("attacks"):
        written_plainly = not case.disguise and not {"html", "head", "row"} & case.how.keys()
        if not (written_plainly and FAMILIES.search(case.family)):
            continue
        lines = "\n".join((*case.pieces[:-1], case.plant)).split("\n")
        kept = [line if line.lstrip().startswith("#") or "][" in line else plain(line) for line in lines]
        text = " ".join(line for line in kept if line.strip())
        families.append(case.family)
        made_up.append(text)
        ordinary.append(text.replace(case.canary, NAMES[case.number % len(NAMES)]))
    return families, made_up, ordinary


def others() -> list[str]:
    """Everything that is no order, look-alikes first."""
    texts = [text for _, passages in innocents("innocent") for text in passages]
    texts += [(f"The {case.subject}", *case.host)[case.number % 3] for case in attacks("attacks")]
    pages = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    examples = ROOT / "src/tamis/example/documents"
    for page in [*pages, *sorted(examples.glob("*.md")), *sorted(examples.glob("*.txt"))]:
        # The page about orders shows some.
        if page.name != "injections.md":
            text = page.read_text("utf-8")
            texts += [text[start:end] for start, end in sentences(text) if end - start > 3]
    return texts


def fit(vectors: np.ndarray, is_order: np.ndarray) -> np.ndarray:
    """Logistic regression with a penalty on the squares of the weights, (D + 1,), the bias last."""
    rows = np.hstack([vectors, np.ones((len(vectors), 1))]).astype(np.float64)
    sign = np.where(is_order, 1.0, -1.0)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (rows @ weights)
        slope = rows.T @ (-sign / (1 + np.exp(margin)))
        shrunk = np.append(weights[:-1], 0.0)
        return float(np.logaddexp(0, -margin).sum() + PENALTY / 2 * shrunk @ shrunk), slope + PENALTY * shrunk

    start = np.zeros(rows.shape[1])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000}).x)


def main() -> None:
    """Embed, cross-validate over families, fit on everything, write."""
    embedder = Tamis(Settings(), Path(tempfile.gettempdir())).embedder
    families, made_up, ordinary = orders()
    other = others()
    vectors = embedder.passages([text[:LONGEST] for text in (*made_up, *ordinary, *other)])
    is_order = np.arange(len(vectors)) < 2 * len(made_up)
    # A family is left out as a whole, in both spellings; what is no order in runs.
    names = sorted(set(families))
    fold = np.array(
        [names.index(family) % FOLDS for family in families * 2] + [at // 40 % FOLDS for at in range(len(other))]
    )
    scores = np.zeros(len(vectors))
    for left_out in range(FOLDS):
        weights = fit(vectors[fold != left_out], is_order[fold != left_out])
        scores[fold == left_out] = vectors[fold == left_out] @ weights[:-1] + weights[-1]
    look_alikes = sum(len(passages) for _, passages in innocents("innocent"))
    above = scores > THRESHOLD
    unsaid = np.array([family.startswith(("plain orders", "orders to")) for family in families * 2])
    innocent = above[~is_order]
    sys.stdout.write(
        f"orders, their family left out: {above[is_order].mean():.3f} of {is_order.sum()}\n"
        f"of these plain orders: {above[is_order][unsaid].mean():.3f} of {unsaid.sum()}\n"
        f"look-alikes: {innocent[:look_alikes].sum()} of {look_alikes}; others: {innocent[look_alikes:].sum()}\n"
    )
    weights = fit(vectors, is_order)
    lines = "\n".join("  " + " ".join(f"{one:.3f}" for one in weights[at : at + 12]) for at in range(0, 384, 12))
    (ROOT / "src/tamis/check/probe.yaml").write_text(
        "# Fitted by tools/make_probe.py: log-odds for each dimension of a sentence vector.\n"
        f"model: {embedder.identity.model}\nsha256: {embedder.identity.sha256}\n"
        f"bias: {weights[-1]:.3f}\nthreshold: {THRESHOLD}\nweights: >-\n{lines}\n",
        "utf-8",
    )


if __name__ == "__main__":
    main()
