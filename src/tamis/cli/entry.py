"""The `tamis` command: a group that imports a command's module when the command is asked for."""

from __future__ import annotations

import importlib
import logging
import sys
import warnings
from collections.abc import Sequence

import click

from tamis.cli.failures import Exit, guarded

_COMMANDS = (
    "audit",
    "build",
    "card",
    "cards",
    "collections",
    "config",
    "crawl",
    "demo",
    "doctor",
    "eval",
    "export",
    "ingest",
    "interpret",
    "page",
    "reembed",
    "scroll",
    "search",
    "shelves",
    "summarize",
    "themes",
    "verify",
)
"""Each is a module of this package that holds a click command named ``command``."""


class LazyGroup(click.Group):
    """Finds its commands by name among the modules of this package."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All names, ascending."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command's module."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"tamis.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command where there is none of that name."""
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], _COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise click.UsageError(f"no command {args[0]!r}; {hint}`tamis --help` lists them", ctx)
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from tamis import __version__

        click.echo(f"tamis {__version__}")
        ctx.exit()


@click.command(
    cls=LazyGroup,
    name="tamis",
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
@click.pass_context
def tamis(ctx: click.Context) -> None:
    """Reads a lot so that a small model has little to read.

    Collect documents (ingest, crawl), then ask them (scroll, search) or make a library of them (build, cards). Answers
    cite their sources; without a language model they are extracts, made on this machine.

    Start with `tamis demo`.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line.

    Args:
        argv: the words after ``tamis``; None takes the process's own.

    Returns:
        The exit code; see docs/exit-codes.md.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a replacement, not a traceback.
        getattr(stream, "reconfigure", dict)(errors="replace")
    with warnings.catch_warnings():
        if not debug:
            # What libraries think of each other is not the user's business.
            warnings.simplefilter("ignore")
            logging.getLogger().addHandler(logging.NullHandler())
        return guarded(lambda: _run(words), debug=debug)


def _run(words: list[str]) -> int:
    # Not `tamis.main`: it turns a closed pipe into an exit of its own.
    try:
        with tamis.make_context("tamis", words) as ctx:
            code = tamis.invoke(ctx)
    except click.exceptions.Exit as leaving:
        code = leaving.exit_code
    return code if isinstance(code, int) else Exit.DONE
