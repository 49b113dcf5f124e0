"""The audit of a recorded run, as `audit` asks for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from replaylab.audit.check import audit_claims
from replaylab.audit.claims import Loaded
from replaylab.audit.dossier import Signed as Verdict
from replaylab.audit.dossier import open_dossier
from replaylab.audit.run import report_of
from replaylab.audit.value import AuditReport
from replaylab.canonical import Digest
from replaylab.cli.app import App
from replaylab.cli.progress import Progress
from replaylab.cli.reading import library_of
from replaylab.errors import UsageError
from replaylab.score.tables import build_document
from replaylab.store.library import Library

if TYPE_CHECKING:
    from replaylab.cli.signatures import Signed


def audited(
    app: App,
    runs: Sequence[str],
    claims: Loaded | None,
    *,
    expected: str | None,
    signed: Signed | None,
    jobs: int | None,
) -> AuditReport:
    """The report on one run, the newest recorded one where none is named. Tables of `claims` that say what they are
    printings of are compared with those that the run gives.
    """
    if len(runs) > 1:
        raise UsageError(f"audit takes one run, not {len(runs)}", fix="audit them one after the other")
    published = "" if expected is None else published_id(expected)
    library = library_of(app)
    with Progress("audit", err=app.output.err) as bar:
        dossier = open_dossier(
            library,
            runs[0] if runs else None,
            jobs=jobs or os.cpu_count() or 1,
            expected=published,
            sign=partial(_over, signed, library) if signed else None,
            progress=bar.update_counts,
        )
    if claims is None:
        return report_of(dossier)
    tables = build_document(dossier.studies[0], "full").tables if dossier.studies else ()
    return report_of(dossier, audit_claims(claims, {table.id: table for table in tables}))


def _over(signed: Signed, library: Library, run_id: Digest) -> Verdict:
    checked = signed.over_run(library, run_id)
    return Verdict(checked.key.fingerprint, checked.finding)


def published_id(text: str) -> Digest:
    """A published run id as it was given. Raises UsageError for anything but a whole one: the beginning of an id proves
    nothing, since whoever forges a run can search for one that begins so.
    """
    try:
        return Digest(text.strip().lower())
    except UsageError:
        raise UsageError(
            f"--run-id is not a run id: {ascii(text)[:80]}",
            fix="give all 64 hex digits, as `replaylab cite` prints them",
        ) from None
