"""`replaylab purge`: remove a cassette's content on request."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.errors import EXIT_STORE, StoreError, UsageError

if TYPE_CHECKING:
    from replaylab.engine.purge import Purge
    from replaylab.store.library import Library

ELSEWHERE = (
    "other copies of this library, and whoever fetched one",
    "packs that lie elsewhere or were published",
    "pages, reports and exports that were made from it",
    "backups, file system snapshots, and version control: git keeps a file that was committed",
)


@click.command(
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(
        ("replaylab purge 3f9c --reason 'a key was in an answer'", "asks before it removes anything"),
        ("replaylab purge 3f9c --reason 'request of a person' --yes", "for scripts"),
        ("replaylab purge 3f9c --reason '…' --yes --pack study.tar", "also makes that pack again without it"),
    ),
)
@click.argument("cassette")
@click.option("--reason", required=True, metavar="TEXT", help="Why. It is kept, and shown to every reader.")
@click.option("--yes", is_flag=True, help="Don't ask.")
@click.option(
    "--pack",
    "packs",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Make this pack again without it. May be repeated.",
)
@json_option
@pass_app
def command(app: App, cassette: str, reason: str, yes: bool, packs: Sequence[Path]) -> None:
    """Remove the content of a CASSETTE (its name or the first digits of it): a leaked secret, a person's data.

    A tombstone with its name and the reason stays, so the ledger stays whole. Its trial then counts as neither passed nor
    failed. The library's own copies go with it: the journal of the recording, the index. What can't be reached is said.
    """
    from replaylab.cli.output import counted
    from replaylab.cli.reading import library_of
    from replaylab.engine.purge import plan_purge, purge
    from replaylab.engine.seams import real_seams
    from replaylab.interop.pack.purged import packs_with

    library = library_of(app)
    planned, out = plan_purge(library, cassette), app.output
    files = [(app.cwd / file).resolve() for file in packs]
    if not yes:
        _ask(app, planned)
    if not planned.done:
        purge(library, planned, reason, real_seams().now())
        _index(app, library)
    remade = _remake(app, library, planned, files)
    places = (app.cwd, library.root, library.root.parent)
    left = sorted(packs_with(places, planned.cassette))
    out.text(f"purged {planned.cassette}{' (was done before)' if planned.done else ''}")
    if planned.key:
        out.text(
            f"trial {planned.key}, in {', '.join(planned.runs) or 'no run'}: counted neither way from now on"
        )
    if planned.journals:
        out.text(f"also removed: {counted(len(planned.journals), 'journal file')} of that recording")
    for file in remade:
        out.text(
            f"made again without it: {file} (another SHA-256; a signature over its SHA256SUMS no longer fits)"
        )
    if (library.root / "SHA256SUMS").is_file():
        out.text(
            "SHA256SUMS of the pack that this was unpacked from still lists it; `replaylab pack` makes another"
        )
    for line in _left(planned, left):
        out.text(line)
    out.document(
        ok=True,
        cassette=planned.cassette,
        trial=planned.key or None,
        runs=list(planned.runs),
        reason=reason.strip() if planned.before is None else planned.before.reason or reason.strip(),
        journals=[str(path) for path in planned.journals],
        repacked=[str(file) for file in remade],
        packs_left=[str(file) for file in left],
        copies_left=list(planned.copies),
        unreachable=list(ELSEWHERE),
    )


def _ask(app: App, planned: Purge) -> None:
    """Raise UsageError unless somebody at a terminal says yes."""
    what = f"the content of {planned.cassette[:16]} ({planned.key or 'it can not be read'}, {planned.size:,} bytes)"
    if app.json or not sys.stdin.isatty():
        raise UsageError(
            f"{what} would be gone for good",
            where=str(app.library),
            fix="add --yes, or run it in a terminal, where it asks",
        )
    if not click.confirm(f"Remove {what} for good?", err=True):
        raise UsageError("nothing was removed", fix="answer y, or add --yes")


def _index(app: App, library: Library) -> None:
    from replaylab.cassette.indexing import sync_index

    try:
        sync_index(library)
    except StoreError as error:
        app.output.say(f"the index is made again by the next command that needs it ({error.what})")


def _remake(app: App, library: Library, planned: Purge, files: Sequence[Path]) -> list[Path]:
    from replaylab.cli.progress import Progress
    from replaylab.interop.pack.purged import pack_without

    stone = library.tombstones.get(planned.cassette)
    made = []
    for file in files:
        with Progress(f"pack {file.name}", unit="objects", err=app.output.err) as bar:
            if stone is not None and pack_without(file, stone, bar.update_counts) is not None:
                made.append(file)
    return made


def _left(planned: Purge, packs: Sequence[Path]) -> Iterator[str]:
    if planned.copies:
        yield f"still here: lanes that were copied from it, in {', '.join(name[:16] for name in planned.copies)}"
        yield "  purge these too, if what was to go is in the copied lanes"
    for file in packs:
        yield f"still in the pack {file}: delete it, or name it with --pack"
    yield "not reached from here:"
    yield from (f"  - {one}" for one in ELSEWHERE)
