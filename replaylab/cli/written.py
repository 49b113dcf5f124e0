"""Pages that commands write where `--html FILE` asks for one."""

from __future__ import annotations

from pathlib import Path

from replaylab.cli.app import App
from replaylab.schema.base import JsonObject


def write_page(app: App, page: Path, data: bytes) -> JsonObject:
    """Write a page and say where; returns what the JSON document says of it."""
    path = app.cwd / page
    path.write_bytes(data)
    app.output.text(f"wrote {path} ({len(data):,} bytes); open it in a browser")
    return {"html": {"path": str(path), "bytes": len(data)}}
