"""`replaylab scan`: secrets that a library or other files keep."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.extra import how_to_get, require_packages
from replaylab.cli.help import Command
from replaylab.cli.output import counted
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, EXIT_STORE

if TYPE_CHECKING:
    from replaylab.interop.scan.places import Text, Unread


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE),
    examples=(
        ("replaylab scan", "the library: cassettes unpacked, runs, journals"),
        ("replaylab scan reports results.har", "and a folder and a file"),
        ("replaylab scan --json", "for a program; exit 1 for any finding"),
    ),
)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path, exists=True))
@json_option
@pass_app
def command(app: App, paths: tuple[Path, ...]) -> int:
    """Look for secrets in the library, and in the PATHs: files, or folders with all that is in them.

    Recording takes secrets out before anything is written. This looks again at what is kept: by the shapes of keys,
    tokens, cookies and signed URLs, by the values of the keys that are configured here, and with the detectors of
    detect-secrets. It says where and what kind, and never the secret. `replaylab purge` removes a cassette for good.
    """
    require_packages("scan", ("detect_secrets",), how_to_get("scan"))
    from replaylab.cli.keys import secrets_of
    from replaylab.cli.reading import library_of
    from replaylab.interop.scan.detect import Detective
    from replaylab.interop.scan.places import of_library, of_path
    from replaylab.interop.scan.scanner import Scanned, scan
    from replaylab.store.library import Library

    library = Library(app.library) if paths else library_of(app, "name files or folders to scan")
    library.ref_names()  # names are no text to look at, but a folder that can't be listed is damage
    sources: list[Iterator[Text | Unread]] = [of_library(library)] if library.exists() else []
    sources += [of_path(app.cwd / path, str(path)) for path in paths]
    scanned = Scanned()
    detective = Detective(secrets_of(app))
    findings = list(scan(chain.from_iterable(sources), detective, scanned))
    out = app.output
    if library.exists():
        out.text(f"library {app.library}")
    for path in paths:
        out.text(f"and {path}")
    out.text(f"{counted(scanned.texts, 'text')} with {scanned.characters:,} characters looked at")
    for one in findings:
        out.text(f"{one.where}{f' {one.pointer}' if one.pointer else ''}")
        out.text(f"    {one.message}{f': {one.observed}' if one.observed else ''}")
    out.text("no secret found" if not findings else counted(len(findings), "finding"))
    if findings:
        out.text(
            "what to do: revoke the key; "
            + app.proposing("`replaylab purge CASSETTE --reason TEXT` removes a cassette for good")
        )
    out.document(ok=not findings, findings=findings, texts=scanned.texts, characters=scanned.characters)
    return EXIT_FINDINGS if findings else EXIT_OK
