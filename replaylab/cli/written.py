"""Files that commands write where an option names one: a page, a table, a figure."""

from __future__ import annotations

from pathlib import Path

from replaylab.cli.app import App
from replaylab.errors import StoreError, UsageError
from replaylab.schema.base import JsonObject
from replaylab.store.disk import doing, write_file


def write_page(app: App, page: Path, data: bytes) -> JsonObject:
    """Write a page and say where; returns what the JSON document says of it."""
    path = app.cwd / page
    write_whole(path, data)
    app.output.text(f"wrote {path} ({len(data):,} bytes); open it in a browser")
    return {"html": {"path": str(path), "bytes": len(data)}}


def write_whole(path: Path, data: bytes) -> None:
    """Give the file these bytes, or leave it as it was. Raises StoreError that names it.

    A link is followed, as the user's own; a device or a pipe can't be replaced and is written to.
    """
    if not path.parent.exists():  # a folder that is spelt wrong is not made
        raise UsageError(
            "there is no such folder to write into",
            where=str(path.parent),
            fix="make it, or name another file",
        )
    try:
        with doing("write", path):
            target = path.resolve() if path.is_symlink() else path
            if target.exists() and not target.is_file():
                target.write_bytes(data)
            else:
                write_file(target, data)
    except StoreError as error:
        raise StoreError(
            error.what,
            where=error.where,
            fix="see to the disk or its permissions, or name another file",
        ) from error
