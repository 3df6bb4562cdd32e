"""A small real model: it proves the plumbing, and is a perfect sparring partner for the checker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from services.llm import model_file, serving
from tamis.check.ledger import check
from tamis.check.quarantine import reason
from tamis.models.llm import load_chat
from tamis.models.llm.ledger import CallLedger
from tamis.models.protocols import Message
from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence
from tamis.settings import CheckSettings, ModelRole
from tamis.write.standard import write

pytestmark = [pytest.mark.service, pytest.mark.slow]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with serving(model_file()) as url:
        yield url


def block(number: int, text: str) -> Evidence:
    return Evidence(f"E{number}", f"Page {number}", "", f"d{number}", f"d{number}#c0", (0, len(text)), "", text, 0.8)


EVIDENCE = [
    block(1, "The sqlite3 module uses placeholders to bind values. This prevents SQL injection."),
    block(2, "The default timeout of a connection is 5.0 seconds."),
]


def test_a_real_answer_is_one_call_and_every_claim_is_judged(base_url, embedder):
    role = ModelRole(base_url=base_url, model="smollm2", max_tokens=120, temperature=0.0, timeout_seconds=240)
    ledger = CallLedger()
    written = write(
        "What prevents SQL injection?", EVIDENCE, model=load_chat(role), role=role, ledger=ledger, suspicious=reason
    )
    record = ledger.closed()
    assert record.calls_total == 1 and record.bound == 1 and record.tokens_total <= record.token_bound
    assert written.usable or "extracts" in written.notes[-1]
    assert all(set(s.citations) <= {"E1", "E2"} for s in written.sentences)
    invented = Sentence("In 1987 a study of 9,321 servers in Oslo confirmed it.", ("E1",))
    kept, support = check(
        (*written.sentences, invented),
        EVIDENCE,
        embedder=embedder,
        settings=CheckSettings(),
        unknown_labels=written.unknown_labels,
    )
    assert invented.text in [s.text for s in support.removed]
    assert invented.text not in [s.text for s in kept]
    assert all(s.support != "none" for s in kept if s.kind in ("claim", "step"))


def test_a_schema_is_followed(base_url):
    import json

    role = ModelRole(base_url=base_url, model="smollm2", timeout_seconds=240)
    schema = {"type": "object", "properties": {"colour": {"enum": ["red", "blue"]}}, "required": ["colour"]}
    reply = load_chat(role).complete(
        (Message("user", "Name a colour as JSON."),), max_tokens=30, temperature=0.0, schema=schema
    )
    assert json.loads(reply.text)["colour"] in ("red", "blue")


def test_a_file_runs_in_the_process_and_repeats_itself():
    role = ModelRole(model=str(model_file()), context_tokens=1024, timeout_seconds=240)
    chat = load_chat(role)
    ask = (Message("user", "What is a sieve? One sentence."),)
    first = chat.complete(ask, max_tokens=16, temperature=0.0)
    assert first.text and first.text == chat.complete(ask, max_tokens=16, temperature=0.0).text
    assert 0 < first.prompt_tokens <= chat.count_tokens(ask[0].content) + 60
