"""A hundred processes killed in the middle of their work, and every collection as if they had not been."""

from __future__ import annotations

import pytest
from bench import kills

pytestmark = pytest.mark.gate


@pytest.mark.parametrize("operation", kills.OPERATIONS)
def test_killed_runs_end_as_undisturbed_ones(operation: str, report) -> None:
    outcome = kills.apart(operation, moments=34, seed=4)
    sound = 1.0 - len(outcome.faults) / outcome.collections
    report(gate=f"{operation} killed {outcome.kills} times", measured=sound, floor=1.0, note="; ".join(outcome.faults))
