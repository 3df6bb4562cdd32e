"""Every call is counted, bounded and remembered."""

from __future__ import annotations

import pytest

from tamis.errors import BoundExceededError, ModelFilesError, ModelUnreachableError
from tamis.models.llm.ledger import CallLedger, cost_of, prompt_tokens
from tamis.models.protocols import Completion, Message
from tamis.settings import ModelRole

ASK = (Message("user", "one two three"),)
PRICED = ModelRole(base_url="http://127.0.0.1:1/v1", model="m", prompt_price=2.0, completion_price=10.0)
UNPRICED = ModelRole(base_url="http://127.0.0.1:1/v1", model="m")


class Model:
    name = "m"

    def __init__(self, *replies):
        self.replies = list(replies)

    def count_tokens(self, text):
        return len(text.split())

    def complete(self, messages, *, max_tokens, temperature, schema=None):
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return Completion(reply, 100, 20, "stop", 0.5)


def call(ledger, model, role=PRICED):
    return ledger.metered("main", model, role).complete(ASK, max_tokens=10, temperature=0.0)


def test_a_call_is_recorded_with_its_cost():
    ledger = CallLedger()
    ledger.reserve("main", PRICED, calls=1, prompt=200, completion=50)
    assert call(ledger, Model("hi")).text == "hi"
    closed = ledger.closed()
    assert closed.calls_total == 1 and closed.tokens_total == 120
    assert closed.calls[0].cost == pytest.approx((100 * 2 + 20 * 10) / 1e6)
    assert (closed.bound, closed.token_bound) == (1, 250)
    assert closed.cost_bound == pytest.approx((200 * 2 + 50 * 10) / 1e6)


@pytest.mark.parametrize("error", [ModelUnreachableError("nobody there", sent=False), ModelFilesError("no file")])
def test_a_call_that_reached_nobody_used_no_tokens(error):
    ledger = CallLedger()
    ledger.reserve("main", PRICED, calls=1, prompt=200, completion=50)
    with pytest.raises(type(error)):
        call(ledger, Model(error))
    closed = ledger.closed()
    assert (closed.calls_total, closed.tokens_total, closed.calls[0].cost) == (1, 0, 0.0)


def test_a_failed_call_counts_too_and_uses_up_the_bound():
    ledger = CallLedger()
    ledger.reserve("main", PRICED, calls=1, prompt=200, completion=50)
    model = Model(ModelUnreachableError("gone"), "second")
    with pytest.raises(ModelUnreachableError):
        call(ledger, model)
    with pytest.raises(BoundExceededError):
        call(ledger, model)
    closed = ledger.closed()
    assert [entry.outcome for entry in closed.calls] == ["gone"]
    assert closed.calls[0].prompt_tokens == prompt_tokens(model, ASK)
    assert model.replies == ["second"]


def test_no_call_without_a_reservation():
    with pytest.raises(BoundExceededError):
        call(CallLedger(), Model("hi"))


@pytest.mark.parametrize(
    ("limits", "role"),
    [
        ({"max_tokens": 249}, PRICED),
        ({"max_cost": 0.0008}, PRICED),
        ({"max_cost": 0.0008}, UNPRICED),
    ],
)
def test_above_the_limit_nothing_is_reserved(limits, role):
    ledger = CallLedger(**limits)
    with pytest.raises(BoundExceededError) as caught:
        ledger.reserve("main", role, calls=1, prompt=200, completion=50)
    assert caught.value.exit_code == 5 and caught.value.fix
    assert ledger.closed().bound == 0
    with pytest.raises(BoundExceededError):
        call(ledger, Model("hi"), role)


def test_exactly_at_the_limit_is_allowed():
    ledger = CallLedger(max_tokens=250, max_cost=0.0009)
    ledger.reserve("main", PRICED, calls=1, prompt=200, completion=50)
    assert ledger.closed().bound == 1


def test_reservations_of_several_calls_add_up():
    ledger = CallLedger(max_tokens=500)
    ledger.reserve("sentinel", PRICED, calls=1, prompt=200, completion=50)
    ledger.reserve("main", PRICED, calls=1, prompt=200, completion=50)
    with pytest.raises(BoundExceededError):
        ledger.reserve("main", PRICED, calls=1, prompt=1, completion=0)
    assert (ledger.closed().bound, ledger.closed().token_bound) == (1, 500)


def test_two_ledgers_share_nothing():
    first, second = CallLedger(), CallLedger()
    first.reserve("main", PRICED, calls=1, prompt=1, completion=1)
    call(first, Model("hi"))
    assert second.closed().calls == () and second.closed().bound == 0


def test_an_answer_not_used_says_why():
    ledger = CallLedger()
    ledger.reserve("main", UNPRICED, calls=1, prompt=1, completion=1)
    call(ledger, Model("hi"), UNPRICED)
    ledger.outcome("prose instead of JSON")
    assert ledger.closed().calls[0].outcome == "prose instead of JSON"
    assert ledger.closed().calls[0].cost is None and ledger.closed().cost_bound is None


def test_a_file_run_here_costs_nothing():
    assert cost_of(ModelRole(model="/models/a.gguf"), 1000, 1000) == 0.0
