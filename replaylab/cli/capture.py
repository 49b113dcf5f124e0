"""`replaylab capture`: run somebody's program behind the proxy, and record it or play to it."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import INTERRUPTED, Command
from replaylab.cli.naming import run_option
from replaylab.errors import EXIT_DIVERGED, EXIT_OFFLINE, EXIT_STORE

if TYPE_CHECKING:
    from replaylab.cli.capturing import Staged, Wanted


class _Capture(Command):
    """Help that lists the variables; they stand in one place, which is not imported before."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        from replaylab.capture.variables import VENDORS

        with formatter.section("Variables that tell a program where the proxy is"):
            formatter.write_dl(
                [
                    (variable.name, f"{variable.read_by} ({vendor.name})")
                    for vendor in VENDORS
                    for variable in vendor.variables
                ]
            )


@click.command(
    cls=_Capture,
    context_settings={"allow_interspersed_args": False},
    exits=(EXIT_DIVERGED, EXIT_STORE, EXIT_OFFLINE, INTERRUPTED),
    examples=(
        ("replaylab capture -- python agent.py", "records every call that the program makes to an LLM API"),
        (
            "replaylab capture --offline -- python agent.py",
            "the same answers without a network or a key; 3 where it asks for something else",
        ),
        ("replaylab capture --extend -- python agent.py", "plays what is recorded and asks for what is new"),
        (
            "replaylab capture --run nightly --json -- pytest -q",
            "a name for the run, and a document on stdout",
        ),
    ),
)
@run_option("The run's name. Default: made from the command.", default="")
@click.option("--offline", is_flag=True, help="Play what is recorded; ask nobody.")
@click.option("--extend", is_flag=True, help="Play what is recorded, and ask for what is new.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Where the proxy listens. Default: a free port."
)
@click.option(
    "--patch",
    is_flag=True,
    help="For a Python program that reads none of the variables below: vcrpy in it catches what its HTTP clients ask. "
    "VCR.md says what it can't catch.",
)
@json_option
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
@pass_app
def command(
    app: App, name: str, offline: bool, extend: bool, port: int, patch: bool, program: Sequence[str]
) -> int:
    """Run a program, and record its calls to LLM APIs, or play to it what was recorded.

    The program is told by environment variables that each API is at a proxy on this machine; its key passes through and
    is never stored. What it prints is its own, and so is the exit code, unless a call missed. With --json its stdout goes
    to stderr. CAPTURE.md explains lanes, normalisers and misses.
    """
    from replaylab.cli.capturing import Wanted, mode_of
    from replaylab.cli.extra import require_capture, require_vcr
    from replaylab.cli.keys import secrets_of

    require_capture("capture")
    if patch:
        require_vcr("capture --patch")
    mode = mode_of(offline=offline, extend=extend)
    wanted = Wanted(
        name or run_name(program, secrets_of(app)), mode, port=port, command=tuple(program), patch=patch
    )
    return _run(app, wanted)


def run_name(program: Sequence[str], secrets: Sequence[str] = ()) -> str:
    """The name of a program's run: the same command line gives the same one, whatever key stands in it."""
    from replaylab.canonical import digest
    from replaylab.cli.capturing import legible
    from replaylab.wire.redact import Redactor

    redactor = Redactor(secrets)
    words = [redactor.text(legible(word)) for word in program]
    plain = re.sub(r"[^a-z0-9]+", "-", PurePath(words[0]).name.lower()).strip("-")[:24] or "program"
    return f"c-{plain}-{digest(words)[:8]}"


def _run(app: App, wanted: Wanted) -> int:
    from replaylab.capture.child import run_child
    from replaylab.capture.variables import child_variables, placeholder_keys
    from replaylab.cli.capturing import staged
    from replaylab.cli.ending import Ending

    with staged(app, wanted) as stage:
        keys = placeholder_keys(app.env) if wanted.mode == "offline" else {}
        told = child_variables(stage.server.address, stage.routes, app.env, stage.variables)
        sys.stdout.flush()
        out = sys.stderr.fileno() if app.json else None
        if wanted.patch:
            code = _run_patched(app, stage, wanted, {**app.env, **keys}, out)
        else:
            code = run_child(wanted.command, {**app.env, **keys, **told}, out)
        stage.server.stop()
        ending = Ending.of(stage, wanted, code)
    ending.show(app)
    if wanted.mode == "offline":
        _refused()
    return ending.code


def _run_patched(app: App, stage: Staged, wanted: Wanted, env: Mapping[str, str], out: int | None) -> int:
    """Run the program with vcrpy in it. It asks where it always did, so the variables are left alone."""
    from replaylab.capture.child import run_child
    from replaylab.capture.patch.server import Patch

    proxy = stage.app
    with Patch(stage.session, proxy.redactors, wanted.mode == "offline") as patch:
        code = run_child(wanted.command, patch.environment(env), out)
    for what in ("live", "played", "missed"):
        setattr(proxy.counts, what, getattr(proxy.counts, what) + patch.counts[what])
    proxy.defects += patch.defects
    if not patch.programs:
        app.output.say(
            "replaylab: no Python came up patched: --patch needs a Python program that reads PYTHONPATH (no -E, -I or -S)"
        )
    return code


def _refused() -> None:
    """Raise what the network guard refused to this process, should anything have wanted the network."""
    from replaylab.wire.offline import first_refusal

    if refusal := first_refusal():
        raise refusal
