"""`replaylab verify`: the integrity of a library or of a pack."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.extra import require_extra
from replaylab.cli.help import Command
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, EXIT_STORE, StoreError, UsageError

if TYPE_CHECKING:
    from replaylab.cli.signatures import Signed
    from replaylab.engine.verify import Verified
    from replaylab.interop.pack.signed import Checked
    from replaylab.store.library import Library

TO_DO = {
    "damaged": "take the file from a copy of the library: `replaylab merge COPY` restores what is whole there",
    "cassette-missing": "`replaylab merge COPY` brings it from a library that has it; or record the run again",
    "ref": "`replaylab merge COPY` brings the run from a library that has it",
    "stray-file": "move the file out of the library",
    "purge-unfinished": "`replaylab purge CASSETTE --reason TEXT` again finishes it",
    "pack": "get the pack again from whoever published it",
    "signature": "compare the run id with the one that was published; ask whoever signed it",
    "signature-key": "ask whoever is said to have signed it for the right key, on another way than this file came",
}


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE),
    examples=(
        ("replaylab verify", "every object, run, reference and journal of the library"),
        ("replaylab --library other verify --json", "another library, for a program to read"),
        ("replaylab verify study.tar", "a pack, without unpacking it"),
        ("replaylab verify study.tar --key id_ed25519.pub", "and its signature, study.tar.sig"),
    ),
)
@click.argument("pack", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--key",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Check a signature with this Ed25519 public key: a .pub file, allowed_signers, or PEM.",
)
@click.option(
    "--signature",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --key. Default: PACK.sig.",
)
@json_option
@pass_app
def command(app: App, pack: Path | None, key: Path | None, signature: Path | None) -> int:
    """Check that nothing of a library, or of a PACK, is damaged, missing or contradicts itself.

    Every file is hashed; every blob, request, outcome, trajectory and verdict digest is computed again. It goes on
    after the first damage and names all of it. What was purged or redacted is named too: nobody can check it.
    """
    if signature is not None and key is None:
        raise UsageError("--signature wants a key to check it with", fix="add --key FILE, the public key")
    signed = None
    if key is not None:
        require_extra()
        from replaylab.cli.signatures import Signed

        signed = Signed.read(app.cwd, key, signature, pack)
    if pack is None:
        return _library(app, signed)
    return _pack(app, (app.cwd / pack).resolve(), signed)


def _library(app: App, signed: Signed | None) -> int:
    from replaylab.cli.reading import library_of

    library = library_of(app)
    app.output.text(f"library {library.root}")
    seen = _verified(app, library)
    return _show(app, seen, signed.of_library(library) if signed else None)


def _pack(app: App, file: Path, signed: Signed | None) -> int:
    from replaylab.canonical import digest_bytes
    from replaylab.engine.verify import Verified
    from replaylab.interop.pack.packed import open_packed
    from replaylab.schema.finding import Finding

    app.output.text(f"pack {file}")
    try:
        library, run_id, read = open_packed(file)
    except StoreError as error:
        found = Finding.of("pack", error.where or str(file), error.what)
        return _show(app, Verified(findings=[found]), None)
    name = next(iter(library.refs()))
    app.output.text(f"run {name}  {run_id}")
    seen = _verified(app, library)
    said = {"name": name, "sha256sums": digest_bytes(read.sums), "members": len(read.members)}
    return _show(app, seen, signed.of_pack(library, run_id, read) if signed else None, run_id, said)


def _verified(app: App, library: Library) -> Verified:
    from replaylab.cli.progress import Progress
    from replaylab.engine.verify import verify

    with Progress("verify", unit="objects", err=app.output.err) as bar:
        seen = verify(library, bar.update_counts)
        bar.update_counts(seen.cassettes + seen.runs, seen.cassettes + seen.runs)
    return seen


def _show(
    app: App,
    seen: Verified,
    checked: Checked | None,
    run_id: str | None = None,
    said: dict[str, object] | None = None,
) -> int:
    from replaylab.cli.gone import gone_document, gone_lines
    from replaylab.cli.output import counted

    out, sound = app.output, seen.sound
    findings = [*seen.findings, *([checked.finding] if checked and checked.finding else [])]
    out.text(
        f"{counted(seen.cassettes, 'cassette')} with {counted(seen.interactions, 'interaction')}, "
        f"{counted(seen.runs, 'run object')}, {counted(seen.refs, 'run name')}, "
        f"{counted(seen.journals, 'journal file')}"
    )
    for line in gone_lines(seen.gone):
        out.text(line)
    out.findings(findings, {kind: app.proposing(text) for kind, text in TO_DO.items()})
    if checked and checked.over:
        out.text(f"signed by {checked.key.fingerprint} {checked.key.comment}".rstrip())
        out.text(f"  over {checked.over.what}, run id {checked.over.run}")
    if sound:
        out.text(
            f"sound{' as far as it can be checked' if seen.gone else ''}{', but not signed so' if findings else ''}"
        )
    else:
        out.text(f"damaged: {counted(len(seen.findings), 'finding')}")
    out.document(
        ok=not findings,
        run=run_id,
        findings=findings,
        cassettes=seen.cassettes,
        interactions=seen.interactions,
        runs=seen.runs,
        refs=seen.refs,
        journals=seen.journals,
        **gone_document(seen.gone),
        **({"signature": _signature(checked)} if checked else {}),
        **(said or {}),
    )
    return EXIT_STORE if not sound else EXIT_FINDINGS if findings else EXIT_OK


def _signature(checked: Checked) -> dict[str, object]:
    over = checked.over
    return {
        "good": over is not None,
        "key": checked.key.fingerprint,
        "over": over.what if over else None,
        "run": over.run if over else None,
    }
