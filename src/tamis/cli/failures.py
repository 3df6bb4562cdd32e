"""Exit codes, and what a person reads when something goes wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from enum import IntEnum

import click

from tamis.cli.terminal import escaped
from tamis.errors import TamisError


class Exit(IntEnum):
    """What the process returns; documented in docs/exit-codes.md."""

    DONE = 0
    FAILURE = 1
    USAGE = 2
    NO_EVIDENCE = 3
    BELOW_SUPPORT = 4
    REFUSED_BOUND = 5
    BREACH = 6
    INTERRUPTED = 130


def guarded(run: Callable[[], int], *, debug: bool) -> int:
    """Run, turning every failure into its exit code and one clear line on stderr.

    Args:
        run: returns the exit code where nothing fails.
        debug: show the traceback of what nobody expected.
    """
    try:
        code = run()
        sys.stdout.flush()
    except TamisError as error:
        return _say(error.message, error.fix, error.exit_code)
    except click.ClickException as error:
        return _say(error.format_message(), _help_hint(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _say("interrupted", "state kept: nothing is lost, run the same command again", Exit.INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has enough; keep the interpreter from flushing into the closed pipe on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    except OSError as error:
        _trace(debug)
        return _say(f"the system refused: {error}", "check space, permissions and the path named", Exit.FAILURE)
    except Exception as error:  # noqa: BLE001 - the one place that catches everything, so that a user gets a line
        _trace(debug)
        name = type(error).__name__
        return _say(f"unexpected failure: {name}: {error}", "--debug shows where; please report it", Exit.FAILURE)
    return code


def _trace(debug: bool) -> None:
    if debug:
        import traceback

        click.echo(escaped(traceback.format_exc()), err=True)


def _help_hint(error: click.ClickException) -> str:
    ctx = getattr(error, "ctx", None)
    if not isinstance(error, click.UsageError) or not isinstance(ctx, click.Context):
        return ""
    return f"`{ctx.command_path} --help` shows how"


def _say(message: str, fix: str, code: int) -> int:
    first, *rest = message.strip().splitlines() or ["failed"]
    click.echo(f"tamis: {escaped(first)}", err=True)
    for line in [*rest, *fix.splitlines()]:
        if line.strip():
            click.echo(f"       {escaped(line.strip())}", err=True)
    return int(code)
