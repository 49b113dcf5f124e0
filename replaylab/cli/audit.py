"""`replaylab audit`: published tables and claims, checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.extra import require, require_extra
from replaylab.cli.help import Command
from replaylab.cli.options import MAX_JOBS
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, EXIT_STORE, UsageError

if TYPE_CHECKING:
    from replaylab.cli.signatures import Signed


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE),
    examples=(
        (
            "replaylab audit",
            "the newest recorded run: 25 steps, from integrity to what its numbers can carry",
        ),
        (
            "replaylab audit study --run-id 3f9c… --claims paper.yaml",
            "a published run: is it that one, does it replay, do its tables and sentences hold",
        ),
        (
            "replaylab audit --claims reports/claims/occubench.yaml",
            "a published study, from nothing but its tables",
        ),
        (
            "replaylab audit --claims paper.yaml --out reports/paper",
            "the report as files: HTML, Markdown, JSON",
        ),
        ("replaylab audit --claims paper.yaml --all", "what holds too, and not only what fails or is open"),
        ("replaylab audit --schema > claims.schema.json", "the JSON Schema of a claims file, for an editor"),
    ),
)
@click.argument("runs", nargs=-1, metavar="[RUN]")
@click.option(
    "--run-id",
    "expected",
    metavar="ID",
    help="The run id that was published. Whoever seals a run anew can be told by it alone.",
)
@click.option(
    "--key",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With a RUN: check --signature with this Ed25519 public key, a .pub file, allowed_signers, or PEM.",
)
@click.option(
    "--signature",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A signature over the run, as `sign` or `ssh-keygen -Y sign` makes it.",
)
@click.option(
    "--claims",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Published tables and claims, YAML or JSON. CLAIMS.md describes the file.",
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of a claims file and end.")
@click.option("--all", "everything", is_flag=True, help="Print what holds too.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the report into this folder: audit.html, audit.md, audit.json.",
)
@click.option("--jobs", type=click.IntRange(1, MAX_JOBS), help="Processes. Default: the cores.")
@json_option
@pass_app
def command(
    app: App, /, runs: tuple[str, ...], claims: Path | None, everything: bool, out: Path | None, **given: Any
) -> int:
    """Check a published result: its recordings, its tables, and which of its claims they support.

    A run is read whole: every file is computed again and replayed without a network, and 25 steps say what follows.
    With --claims and no RUN nothing but the file is read.

    Every table is looked at without being asked: whole numbers of tasks, sums, averages, ranks, rounding, equal
    conditions, ties. Each claim holds, fails or can't be decided, with the numbers and, where it fails, the nearest
    reading under which it would hold. What can't be decided is neither a pass nor a failure.
    """
    if given["schema"]:
        from replaylab.audit.claims import schema as claims_schema

        click.echo(json.dumps(claims_schema(), indent=2, ensure_ascii=False))
        return EXIT_OK
    from replaylab.audit.claims import load

    signed = None
    if given["key"] is not None or given["signature"] is not None:
        signed = _signed(app, given["key"], given["signature"])
    loaded = load(app.cwd / claims, claims.name) if claims is not None else None
    if loaded is not None and not runs:
        if given["expected"] is not None or signed is not None:
            what = "--run-id" if given["expected"] is not None else "--signature"
            raise UsageError(
                f"{what} is of a run, and none is named: with --claims alone no recording is read",
                fix=f"replaylab audit RUN {what} … --claims FILE",
            )
        from replaylab.audit.check import audit_claims

        report = audit_claims(loaded)
    else:
        require("audit")
        from replaylab.cli.audit_run import audited

        report = audited(app, runs, loaded, expected=given["expected"], signed=signed, jobs=given["jobs"])
    from replaylab.cli.audited import show

    written = []
    if out is not None:
        from replaylab.report.audit_files import write_audit

        written = write_audit(app.cwd / out, report)
    show(app.output, report, everything=everything, written=written)
    return EXIT_OK if report.ok else EXIT_FINDINGS


def _signed(app: App, key: Path | None, signature: Path | None) -> Signed:
    if key is None or signature is None:
        raise UsageError("--key and --signature belong together", fix="name both files")
    require_extra()
    from replaylab.cli.signatures import Signed

    return Signed.read(app.cwd, key, signature, None)
