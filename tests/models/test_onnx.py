"""How the runtime is set up: one text after another of any length, without keeping what the longest one needed."""

from __future__ import annotations


def test_the_runtime_keeps_no_memory_between_texts(embedder) -> None:
    options = embedder._network._session.get_session_options()
    assert not options.enable_cpu_mem_arena
    assert not options.enable_mem_pattern
    assert options.intra_op_num_threads == 1
