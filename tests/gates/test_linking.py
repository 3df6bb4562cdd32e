"""Linking: written variants of an ontology's labels, and mentions in real abstracts labelled by hand."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from gates.variants import variants
from tamis.example import ontologies_folder
from tamis.library.linking import Linker
from tamis.library.ontology import load_ontology
from tamis.library.shelves import project, scope
from tamis.schema.document import Chunk
from tamis.schema.library import EntityLink, Ontology
from tamis.settings_library import FacetSettings, LayerASettings, LinkSettings

pytestmark = pytest.mark.gate

NUTRIENTS = FacetSettings(root="CDNO:0000001")
BLOCKED = ("chamomile",)
"""CDNO calls apigenin chamomile; found in the half for tuning."""
LABELLED = Path(__file__).with_name("linking.yaml")


@pytest.fixture(scope="module")
def ontology(data: Path) -> Ontology:
    return load_ontology(data / "cdno" / "cdno.obo")


@pytest.fixture(scope="module")
def linker(ontology: Ontology) -> Linker:
    return Linker(ontology, LinkSettings(blocklist=BLOCKED), scope=scope(ontology, NUTRIENTS))


@pytest.fixture(scope="module")
def chunks(data: Path) -> list[Chunk]:
    found = []
    for line in (data / "nfcorpus" / "corpus.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        found.append(_chunk(row["_id"], f"{row['title']}\n\n{row['text']}"))
    return found


def _chunk(name: str, text: str) -> Chunk:
    return Chunk(f"{name}#c0", name, 0, 0, len(text), text)


def test_written_variants_of_labels(ontology: Ontology, linker: Linker, report) -> None:
    labels = [(term_id, ontology.terms[term_id].label) for term_id in sorted(scope(ontology, NUTRIENTS))]
    made = variants(labels)
    right: dict[str, list[bool]] = {}
    links = linker.links([_chunk(f"v{place}", variant.text) for place, variant in enumerate(made)])
    for variant, found in zip(made, links, strict=True):
        inside = [link for link in found if link.start < variant.end and variant.start < link.end]
        best = max(inside, key=lambda link: (link.end - link.start, link.confidence), default=None)
        right.setdefault(variant.kind, []).append(best is not None and best.term_id == variant.term_id)
    kinds = ", ".join(f"{kind} {sum(each) / len(each):.2f}" for kind, each in right.items())
    assert len(made) >= 300
    report("linking: CDNO variants, top-1", sum(map(sum, right.values())) / len(made), 0.95, f"{len(made)}: {kinds}")


@dataclass
class Tally:
    right: int = 0
    missed: int = 0
    wrong: int = 0

    @property
    def f1(self) -> float:
        return 2 * self.right / (2 * self.right + self.missed + self.wrong)

    @property
    def wrong_share(self) -> float:
        return self.wrong / (self.right + self.wrong)


def _judged(sentences: list[Mapping[str, Any]], links: Mapping[str, tuple[EntityLink, ...]]) -> Tally:
    tally = Tally()
    for sentence in sentences:
        inside = [link for link in links[sentence["document"]] if sentence["start"] <= link.start < sentence["end"]]
        for offset, written, terms in sentence["mentions"]:
            start = sentence["start"] + offset
            here = [link for link in inside if link.start < start + len(written) and start < link.end]
            inside = [link for link in inside if link not in here]
            if "any" in terms:
                continue
            found = any(link.term_id in terms for link in here)
            tally.right += found
            tally.missed += terms != ["none"] and not found
            tally.wrong += sum(link.term_id not in terms for link in here)
        tally.wrong += len(inside)
    return tally


@pytest.mark.parametrize("part", ["tune", "held_out"])
def test_mentions_labelled_by_hand(linker: Linker, chunks: list[Chunk], report, part: str) -> None:
    sentences = yaml.safe_load(LABELLED.read_text("utf-8"))[part]
    documents = {sentence["document"] for sentence in sentences}
    texts = {chunk.document_id: chunk.text for chunk in chunks}
    for sentence in sentences:
        for offset, written, _ in sentence["mentions"]:
            assert texts[sentence["document"]][sentence["start"] + offset :].startswith(written)
    read = [chunk for chunk in chunks if chunk.document_id in documents]
    links = dict(zip([chunk.document_id for chunk in read], linker.links(read), strict=True))
    tally = _judged(sentences, links)
    note = f"{tally.right} right, {tally.missed} missed, {tally.wrong} wrong in {len(sentences)} sentences"
    report(f"linking: NFCorpus mentions, F1, {part}", tally.f1, 0.80, note)
    report(f"linking: NFCorpus mentions, not wrong, {part}", 1 - tally.wrong_share, 0.95, "at most .05 wrong links")


def test_nutrients_of_the_whole_corpus(ontology: Ontology, linker: Linker, chunks: list[Chunk], report) -> None:
    begun = time.process_time()
    links = [link for each in linker.links(chunks) for link in each]
    seconds = time.process_time() - begun
    projection = project(ontology, links, LayerASettings(), "nutrients", NUTRIENTS)
    linked = {link.chunk_id for link in links}
    labels = {shelf.label for shelf in projection.shelves}
    assert {"vitamin D", "dietary calcium", "dietary fibre", "protein", "cholesterol", "caffeine"} <= labels
    assert all(shelf.support >= 20 and shelf.depth <= 5 for shelf in projection.shelves)
    note = f"{len(projection.shelves)} shelves, {len(linked)} of {len(chunks)} chunks, linked in {seconds:.1f} s"
    report("shelves: linked chunks on a shelf, CDNO", len(projection.attachments) / len(linked), 0.98, note)
    report("linking: abstracts a second", len(chunks) / seconds, 150.0, "3,633 abstracts, 2,068 terms, one thread")


def test_foods_of_the_whole_corpus(chunks: list[Chunk], report) -> None:
    with ontologies_folder() as folder:
        foods = load_ontology(folder / "foods.yaml")
    links = [link for each in Linker(foods, LinkSettings()).links(chunks) for link in each]
    projection = project(foods, links, LayerASettings(), "foods")
    labels = {shelf.label for shelf in projection.shelves}
    assert {"Fruit", "Vegetables", "Meat", "Dairy", "Tea", "olive oil", "Nuts", "Cruciferous vegetables"} <= labels
    linked = len({link.chunk_id for link in links})
    note = f"{len(projection.shelves)} shelves, {linked} of {len(chunks)} chunks linked"
    report("shelves: linked chunks on a shelf, foods", len(projection.attachments) / linked, 0.98, note)
