"""The audit of a recorded run, as `audit` asks for it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from replaylab.audit.dossier import open_dossier
from replaylab.audit.run import report_of
from replaylab.audit.value import AuditReport
from replaylab.cli.app import App
from replaylab.cli.progress import Progress
from replaylab.errors import UsageError
from replaylab.store.library import Library


def audited(
    app: App, runs: Sequence[str], claimed: AuditReport | None, *, expected: str, jobs: int | None
) -> AuditReport:
    """The report on one run, the newest recorded one where none is named. `claimed` is that on its claims file."""
    if len(runs) > 1:
        raise UsageError(f"audit takes one run, not {len(runs)}", fix="audit them one after the other")
    with Progress("audit", err=app.output.err) as bar:
        dossier = open_dossier(
            Library(app.library),
            runs[0] if runs else None,
            jobs=jobs or os.cpu_count() or 1,
            expected=expected.lower(),
            progress=bar.update_counts,
        )
    return report_of(dossier, claimed)
