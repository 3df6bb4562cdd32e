"""Every failure becomes one clear line and its exit code."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest

from tamis.cli.failures import Exit, guarded
from tamis.errors import (
    BoundExceededError,
    BreachError,
    BusyStoreError,
    FetchError,
    ModelAuthError,
    SchemaVersionError,
    TamisError,
    UnknownCollectionError,
)


def fail_with(error: BaseException) -> int:
    def run() -> int:
        raise error

    return guarded(run, debug=False)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TamisError("odd"), Exit.FAILURE),
        (UnknownCollectionError("no collection 'x'", fix="make it"), Exit.USAGE),
        (SchemaVersionError("newer"), Exit.USAGE),
        (BusyStoreError("busy"), Exit.FAILURE),
        (FetchError("404", status=404), Exit.FAILURE),
        (ModelAuthError("key"), Exit.USAGE),
        (BoundExceededError("9 > 5"), Exit.REFUSED_BOUND),
        (BreachError("hash"), Exit.BREACH),
        (click.UsageError("no such option"), Exit.USAGE),
        (KeyboardInterrupt(), Exit.INTERRUPTED),
        (click.Abort(), Exit.INTERRUPTED),
        (PermissionError(13, "Permission denied", "/x"), Exit.FAILURE),
        (ZeroDivisionError("division by zero"), Exit.FAILURE),
    ],
)
def test_exit_codes(error: BaseException, code: Exit, capsys: pytest.CaptureFixture[str]) -> None:
    assert fail_with(error) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("tamis: ")
    assert "Traceback" not in err


def test_the_fix_stands_on_its_own_line(capsys: pytest.CaptureFixture[str]) -> None:
    fail_with(UnknownCollectionError("no collection 'fod'", fix="did you mean food?"))
    assert capsys.readouterr().err.splitlines() == ["tamis: no collection 'fod'", "       did you mean food?"]


def test_what_nobody_expected_is_named_and_traced_only_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    def run() -> int:
        raise LookupError("lost")

    assert guarded(run, debug=False) == 1
    assert "unexpected failure: LookupError: lost" in capsys.readouterr().err
    assert guarded(run, debug=True) == 1
    assert "Traceback" in capsys.readouterr().err


def test_messages_from_outside_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    fail_with(FetchError("title \x1b[31mred"))
    assert "\x1b" not in capsys.readouterr().err


def test_interruption_says_that_nothing_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    fail_with(KeyboardInterrupt())
    assert "state kept" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="pipes close differently elsewhere")
def test_a_reader_that_has_enough_is_no_failure() -> None:
    code = "import sys; from tamis.cli import main; sys.exit(main(['config']))"
    tamis = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert tamis.stdout is not None
    assert tamis.stderr is not None
    tamis.stdout.close()
    err = tamis.stderr.read()
    tamis.stderr.close()
    assert (tamis.wait(), err) == (0, b"")
