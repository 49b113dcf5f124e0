"""Claims files for tests: a table in a line or two, read as a user's file is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from replaylab.audit.book import Book
from replaylab.audit.check import audit_claims
from replaylab.audit.claims import FORMAT, ClaimsFile, Loaded, load
from replaylab.audit.value import Assessment, AuditReport
from replaylab.canonical import digest_bytes

REPO = Path(__file__).resolve().parents[2]
OCCUBENCH = REPO / "reports" / "claims" / "occubench.yaml"


def table(rows: Mapping[str, list[str]], columns: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"columns": dict(columns), "rows": dict(rows)} | more


def file_of(tables: Mapping[str, Any], claims: list[dict[str, Any]] | None = None, **more: Any) -> Loaded:
    value = {"format": FORMAT, "title": "a study", "tables": tables, "claims": claims or []} | more
    return Loaded(ClaimsFile.model_validate(value), digest_bytes(b"test"), "claims.yaml")


def book_of(**tables: dict[str, Any]) -> Book:
    return Book(file_of(tables).file, "claims.yaml")


def audited(
    tables: Mapping[str, Any], *claims: dict[str, Any], **more: Any
) -> tuple[AuditReport, dict[str, Assessment]]:
    """The report, and its assessments by id."""
    report = audit_claims(file_of(tables, list(claims), **more))
    return report, {one.id: one for one in report.assessments}


def decided(tables: Mapping[str, Any], **claim: Any) -> Assessment:
    """What becomes of one claim."""
    return audited(tables, {"id": "c"} | claim)[1]["c"]


def occubench() -> AuditReport:
    return audit_claims(load(OCCUBENCH))
