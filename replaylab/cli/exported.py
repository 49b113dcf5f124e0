"""Writes an export of several files, and says what the other format can't carry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from replaylab.cli.app import App
from replaylab.cli.output import counted, number_of
from replaylab.errors import UsageError

if TYPE_CHECKING:
    from replaylab.interop.vcr.write import Form

_FILES: dict[str, Form] = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}


def write_cassettes(
    app: App, run_name: str | None, out: Path, form: str | None, bases: Sequence[str]
) -> None:
    """Export a run to vcrpy cassettes and show what was written."""
    from replaylab.cli.reading import library_of
    from replaylab.interop.vcr.exporter import export
    from replaylab.interop.vcr.played import LOST

    library = library_of(app)
    run_id, run = library.run(run_name)
    one_file = _FILES.get(out.suffix.lower())
    chosen: Form = "json" if form == "json" else "yaml" if form == "yaml" else one_file or "yaml"
    if one_file is not None and one_file != chosen:
        raise UsageError(
            f"{out.name} is not named as a {chosen} file", fix="leave out --format, or name it otherwise"
        )
    done = export(library, run, chosen, joined=one_file is not None, bases=_addresses(bases))
    target = app.cwd / out
    written = {target if one_file else target / name: data for name, data in done.files.items()}
    _write(written, target if one_file is None else target.parent)
    app.output.text(f"run {run.name}  {run_id}")
    app.output.text(f"wrote {counted(done.exchanges, 'exchange')} to {counted(len(written), 'file')}: {out}")
    for kind, number in done.lost.items():
        app.output.text(number_of(LOST[kind], number))
    if done.gone:
        app.output.text(f"left out: {counted(done.gone, 'cassette')} purged or redacted")
    app.output.document(
        ok=True,
        run=run_id,
        path=str(target),
        files=sorted(path.relative_to(target.parent).as_posix() for path in written),
        exchanges=done.exchanges,
        lost=dict(done.lost),
        gone=done.gone,
    )


def _addresses(given: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    for alias, equals, url in pairs:
        if not alias or not equals or not url.startswith(("http://", "https://")):
            raise UsageError(f"no address: {alias}{equals}{url}"[:200], fix="--base-url ALIAS=https://…")
    return {alias: url for alias, _, url in pairs}


def _write(files: dict[Path, bytes], root: Path) -> None:
    from replaylab.store import disk

    if not root.parent.is_dir():
        raise UsageError(
            "the folder of the export does not exist", where=str(root.parent), fix="make it first"
        )
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        disk.remove_leftovers(path.parent, ours=path.name.__eq__)
        disk.write_file(path, data)
