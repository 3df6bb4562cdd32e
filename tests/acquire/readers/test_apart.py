"""Files that would keep their reader busy for ever, or bring it down, cost one file and no more."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from reader_samples import SETTINGS, pdf

from tamis.acquire.readers import read
from tamis.acquire.readers.apart import READING, Reading
from tamis.acquire.readers.base import Body
from tamis.errors import UnreadableError
from tamis.settings import ReadSettings

_PDF = pdf([["Hello from a PDF."]])


def one(settings: ReadSettings = SETTINGS, data: bytes = _PDF) -> str:
    return read(data, url="file:///x.pdf", settings=settings).documents[0].text


def child() -> int:
    worker = READING._worker
    assert worker is not None
    return worker._process.pid


def test_one_child_reads_file_after_file() -> None:
    assert one() == "Hello from a PDF."
    first = child()
    with pytest.raises(UnreadableError, match="scanned"):
        one(data=pdf([[]]))
    assert one() == "Hello from a PDF."
    assert child() == first != os.getpid()


def test_what_takes_too_long_is_ended_and_the_next_file_is_read() -> None:
    one()
    first = child()
    began = time.monotonic()
    # A stopped child is one that never answers.
    os.kill(first, signal.SIGSTOP)
    with pytest.raises(UnreadableError, match=r"took longer than 0\.5 s"):
        one(SETTINGS.model_copy(update={"document_seconds": 0.5}))
    assert time.monotonic() - began < 5
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)
    assert one() == "Hello from a PDF."


def test_a_reader_that_dies_takes_nothing_along() -> None:
    one()
    first = child()
    os.kill(first, signal.SIGSTOP)
    threading.Timer(0.3, os.kill, (first, signal.SIGKILL)).start()
    with pytest.raises(UnreadableError, match="crashed"):
        one()
    assert one() == "Hello from a PDF."


def test_a_child_that_died_between_two_files_is_replaced() -> None:
    one()
    os.kill(child(), signal.SIGKILL)
    time.sleep(0.2)
    assert one() == "Hello from a PDF."


def test_a_file_in_the_working_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pypdfium2.py").write_text("raise SystemExit(1)\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    fresh = Reading()
    try:
        assert fresh.read(Body(_PDF, "file:///x.pdf", settings=SETTINGS)).documents[0].text == "Hello from a PDF."
    finally:
        fresh.close()
