"""How a failure ends a command: an exit code, a message on stderr, and with --json a document on stdout."""

from __future__ import annotations

import codecs
import os
import select
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from replaylab import __version__
from replaylab.cli.help import BROKEN_PIPE, INTERNAL_ERROR, INTERRUPTED
from replaylab.errors import EXIT_USAGE, DivergenceError, ReplaylabError

if TYPE_CHECKING:
    from replaylab.cli.app import App
    from replaylab.schema.finding import Finding


def guarded(app: App, call: Callable[[], int]) -> int:
    """Runs `call` and turns whatever it raises into an exit code. Nothing but SystemExit passes."""
    make_writable()
    try:
        code = _reported(app, call)
        sys.stdout.flush()
    except BrokenPipeError as error:
        # Whoever read our output has what it wanted. Any other broken pipe is a failure like another.
        return BROKEN_PIPE if _reader_gone() else _unknown(app, error)
    except OSError as error:
        _silence(sys.stdout)
        return _refused(app, error)
    return code


def make_writable() -> None:
    """Makes any text writable: what the encoding lacks is spelt out or escaped, and a stream that was closed swallows."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open until exit
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replaylab.plain")


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    if error.object[error.start] == "…":  # the one character beyond ASCII that our own messages use
        return "...", error.start + 1
    return codecs.lookup_error("backslashreplace")(error)


codecs.register_error("replaylab.plain", _plain)


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
    except OSError as error:
        return _refused(app, error)
    except Exception as error:  # noqa: BLE001 - the last handler; what it catches is reported as a bug
        return _unknown(app, error)


def _known(app: App, error: ReplaylabError) -> int:
    error.fix = app.proposing(error.fix)
    parts = {"where": error.where, "closest": error.closest, "fix": error.fix}
    findings = [_divergence(error)] if isinstance(error, DivergenceError) else []
    kind = type(error).__name__
    return _failed(app, kind, error.exit_code, error.what, text=str(error), findings=findings, **parts)


def _divergence(error: DivergenceError) -> Finding:
    from replaylab.schema.finding import Finding

    return Finding.of(
        error.kind,
        error.callpath,
        error.what,
        expected=error.expected,
        observed=error.observed,
        pointer=error.pointer,
        closest=error.closest,
    )


def _usage(app: App, error: click.ClickException) -> int:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "replaylab"
    message = error.format_message()
    fix = f"{path} --help"
    return _failed(app, "UsageError", EXIT_USAGE, message, text=f"{message}\n  to do:   {fix}", fix=fix)


def _refused(app: App, error: OSError) -> int:
    _trace(app, error)
    what = f"the system refused: {error.strerror or error}"
    where = str(error.filename or "")
    text = f"{what}\n  where:   {where}" if where else what
    return _failed(app, "OSError", EXIT_USAGE, what, text=text, where=where)


def _unknown(app: App, error: Exception) -> int:
    _trace(app, error)
    what = f"an error inside replaylab {__version__}: {type(error).__name__}: {error}"
    fix = "this is a bug; run the command again with REPLAYLAB_DEBUG=1 and report what it prints"
    return _failed(app, "InternalError", INTERNAL_ERROR, what, text=f"{what}\n  to do:   {fix}", fix=fix)


def _trace(app: App, error: Exception) -> None:
    if app.env.get("REPLAYLAB_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)


def _failed(
    app: App,
    kind: str,
    code: int,
    what: str,
    *,
    text: str = "",
    findings: Sequence[Finding] = (),
    **parts: str,
) -> int:
    """Writes the message to stderr and, if wanted, the document to stdout; returns `code`."""
    from replaylab.cli.output import visible

    # Not click.echo: it writes UTF-8 where the locale is ASCII.
    sys.stderr.write(f"replaylab: {visible(text or what)}\n")
    sys.stderr.flush()
    if app.json:
        said: dict[str, Any] = {
            "kind": kind,
            "exit_code": code,
            "what": what,
            "where": "",
            "closest": "",
            "fix": "",
        }
        try:
            app.output.document(ok=False, findings=findings, error=said | parts)
        except BrokenPipeError:
            raise
        except OSError:  # the output itself is what fails, and stderr has said so
            _silence(sys.stdout)
    return code


def _reader_gone() -> bool:
    """Whether stdout or stderr is a pipe that nobody reads; both are silenced then, so that exit doesn't complain."""
    gone = False
    for stream in (sys.stdout, sys.stderr):
        poll = select.poll()
        poll.register(stream.fileno(), select.POLLOUT)
        if any(event & select.POLLERR for _, event in poll.poll(0)):
            _silence(stream)
            gone = True
    return gone


def _silence(stream: Any) -> None:
    """Points the stream's file descriptor at nothing, for good: the interpreter flushes it once more at exit."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, stream.fileno())
    os.close(sink)
