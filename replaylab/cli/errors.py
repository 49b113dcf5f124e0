"""How a failure ends a command: an exit code, a message on stderr, and with --json a document on stdout."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from replaylab import __version__
from replaylab.cli.help import BROKEN_PIPE, INTERNAL_ERROR, INTERRUPTED
from replaylab.errors import EXIT_OK, EXIT_USAGE, DivergenceError, ReplaylabError

if TYPE_CHECKING:
    from replaylab.cli.app import App
    from replaylab.schema.finding import Finding


def guarded(app: App, call: Callable[[], int]) -> int:
    """Runs `call` and turns whatever it raises into an exit code. Nothing but SystemExit passes."""
    make_writable()
    try:
        code = _reported(app, call)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has what it wanted. The interpreter would flush again at exit and complain.
        _silence(sys.stdout)
        return BROKEN_PIPE
    return code


def make_writable() -> None:
    """Characters that the terminal's encoding lacks are written as escapes instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _reported(app: App, call: Callable[[], int]) -> int:
    try:
        return call()
    except BrokenPipeError:
        raise
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as stop:
        click.echo(stop.format_message(), err=True)
        return EXIT_USAGE
    except click.ClickException as error:
        return _usage(app, error)
    except (click.Abort, KeyboardInterrupt):
        return _failed(app, "Interrupted", INTERRUPTED, "interrupted")
    except ReplaylabError as error:
        return _known(app, error)
    except Exception as error:  # noqa: BLE001 - the last handler; what it catches is reported as a bug
        return _unknown(app, error)


def _known(app: App, error: ReplaylabError) -> int:
    parts = {"where": error.where, "closest": error.closest, "fix": error.fix}
    findings = [_divergence(error)] if isinstance(error, DivergenceError) else []
    kind = type(error).__name__
    return _failed(app, kind, error.exit_code, error.what, text=str(error), findings=findings, **parts)


def _divergence(error: DivergenceError) -> Finding:
    from replaylab.schema.finding import Finding

    where = error.callpath + (f" {error.pointer}" if error.pointer else "")
    return Finding.of(error.kind, where, error.what, expected=error.expected, observed=error.observed)


def _usage(app: App, error: click.ClickException) -> int:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "replaylab"
    message = error.format_message()
    fix = f"{path} --help"
    return _failed(app, "UsageError", EXIT_USAGE, message, text=f"{message}\n  to do:   {fix}", fix=fix)


def _unknown(app: App, error: Exception) -> int:
    if app.env.get("REPLAYLAB_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    what = f"an error inside replaylab {__version__}: {type(error).__name__}: {error}"
    fix = "this is a bug; run the command again with REPLAYLAB_DEBUG=1 and report what it prints"
    return _failed(app, "InternalError", INTERNAL_ERROR, what, text=f"{what}\n  to do:   {fix}", fix=fix)


def _failed(
    app: App,
    kind: str,
    code: int,
    what: str,
    *,
    text: str = "",
    findings: list[Finding] | None = None,
    **parts: Any,
) -> int:
    """Writes the message to stderr and, if wanted, the document to stdout; returns `code`."""
    from replaylab.cli.output import visible

    click.echo(f"replaylab: {visible(text or what)}", err=True)
    if app.json and code != EXIT_OK:
        said = {"kind": kind, "exit_code": code, "what": what, "where": "", "closest": "", "fix": ""} | parts
        app.output.document(ok=False, findings=findings or (), error=said)
    return code


def _silence(stream: Any) -> None:
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):  # not a real file, as in a test: nothing flushes it at exit
        return
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, descriptor)
    os.close(sink)
