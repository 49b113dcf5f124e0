"""What `audit` prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from replaylab.audit.value import AuditReport
from replaylab.cli.output import Output


def show(output: Output, report: AuditReport, *, everything: bool, written: Sequence[Path]) -> None:
    """The report as text, or as the one document of `--json`."""
    from replaylab.report.audit_json import document
    from replaylab.report.audit_text import plain

    output.text(plain(report, output.width, everything=everything).rstrip("\n"))
    for path in written:
        output.text(f"wrote {path}")
    fields = document(report)
    output.document(
        ok=report.ok,
        run=report.runs[0] if report.runs else None,
        findings=report.all_findings(),
        reports=[str(path) for path in written],
        **fields,
    )
