"""Writes an audit into a folder: the page, Markdown and the JSON document."""

from __future__ import annotations

from pathlib import Path

from replaylab.audit.value import AuditReport
from replaylab.report.audit_json import audit_json
from replaylab.report.audit_page import audit_page
from replaylab.report.audit_text import markdown
from replaylab.store.disk import refuse_links, write_file


def files_of(report: AuditReport) -> dict[str, bytes]:
    """Every file of a report by its name."""
    return {"audit.html": audit_page(report), "audit.md": markdown(report), "audit.json": audit_json(report)}


def write_audit(folder: Path, report: AuditReport) -> list[Path]:
    """Writes the files; those of an earlier audit are replaced, and nothing else is touched."""
    written = []
    for name, data in files_of(report).items():
        refuse_links(folder, folder / name)
        write_file(folder / name, data)
        written.append(folder / name)
    return written
