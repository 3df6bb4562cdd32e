"""Files that would keep their reader busy for ever, or bring it down, cost one file and no more."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from reader_samples import SETTINGS, pdf

from tamis.acquire.readers import apart, read
from tamis.acquire.readers.apart import READING, Reading
from tamis.acquire.readers.base import Body
from tamis.errors import UnreadableError
from tamis.settings import ReadSettings

_PDF = pdf([["Hello from a PDF."]])


def one(settings: ReadSettings = SETTINGS, data: bytes = _PDF) -> str:
    return read(data, url="file:///x.pdf", settings=settings).documents[0].text


def child() -> int:
    (worker,) = READING._idle
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


_DEADLY = "import os, signal; from tamis.acquire.readers import child; child.choose = lambda body: {}; child.serve()"


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", r"x\.pdf: crashed its reader \(SIGSEGV\)"),
        ("os._exit(3)", r"x\.pdf: crashed its reader \(exit code 3\)"),
        ("1 / 0", r"x\.pdf: broke its reader \(ZeroDivisionError: division by zero\)"),
        ("bytearray(3 << 30)", "takes more than 1,000,000,000 bytes of memory"),
    ],
)
def test_a_reader_that_dies_takes_nothing_along(end: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = Reading()
    body = Body(_PDF, "file:///x.pdf", settings=SETTINGS)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(apart, "_PROGRAM", _DEADLY.format(end))
            for _ in range(2):
                with pytest.raises(UnreadableError, match=reason):
                    fresh.read(body)
        fresh.close()
        assert fresh.read(body).documents[0].text == "Hello from a PDF."
    finally:
        fresh.close()


def test_what_an_earlier_file_broke_is_not_blamed_on_the_next() -> None:
    one()
    first = child()
    os.kill(first, signal.SIGSTOP)
    threading.Timer(0.3, os.kill, (first, signal.SIGKILL)).start()
    assert one() == "Hello from a PDF."
    assert child() != first


def test_a_stopped_child_does_not_hold_up_a_large_file() -> None:
    one()
    os.kill(child(), signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(UnreadableError, match=r"took longer than 0\.5 s"):
        one(SETTINGS.model_copy(update={"document_seconds": 0.5}), _PDF + b"\n" * 1_000_000)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(("share", "kept"), [("0.9", True), ("0.0", False)])
def test_a_child_that_has_grown_fat_is_replaced(share: str, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"from tamis.acquire.readers import child; child._RETIRE = {share}; child.serve()"
    monkeypatch.setattr(apart, "_PROGRAM", program)
    fresh = Reading()
    try:
        assert fresh.read(Body(_PDF, "file:///x.pdf", settings=SETTINGS)).documents
        assert bool(fresh._idle) == kept
    finally:
        fresh.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_leaves_the_child_alone() -> None:
    one()
    first = child()
    pid = os.fork()
    if not pid:
        os._exit(0 if not READING._idle and one() == "Hello from a PDF." and child() != first else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert one() == "Hello from a PDF."
    assert child() == first


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
