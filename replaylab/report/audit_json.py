"""An audit as JSON: what `audit --json` prints besides the fields of every document."""

from __future__ import annotations

import json

from replaylab.audit.value import AuditReport
from replaylab.schema.base import JsonObject


def document(report: AuditReport) -> JsonObject:
    """All of a report, defaults included; findings stand apart, as in every document."""
    return {
        "title": report.title,
        "source": report.source,
        "digest": report.digest,
        "counts": report.counts(),
        "notices": list(report.notices),
        "tables": list(report.tables),
        "steps": [step.model_dump(mode="json") for step in report.steps],
        "assessments": [one.model_dump(mode="json") for one in report.assessments],
    }


def audit_json(report: AuditReport) -> bytes:
    """The document as a file."""
    findings = [finding.to_json() for finding in report.all_findings()]
    whole = {
        "schema": "replaylab/audit/1",
        "run": report.runs[0] if report.runs else None,
        "ok": report.ok,
        **document(report),
        "findings": findings,
    }
    return (json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode(
        "utf-8", "backslashreplace"
    )
