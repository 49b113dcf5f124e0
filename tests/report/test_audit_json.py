from __future__ import annotations

import json

from replaylab.report.audit_json import audit_json, document
from tests.report.audits import HOSTILE, hostile_report, plain_report


def test_the_file_is_the_document_of_the_command() -> None:
    report = plain_report()
    whole = json.loads(audit_json(report))
    assert {name: whole[name] for name in document(report)} == json.loads(json.dumps(document(report)))
    assert (whole["schema"], whole["ok"], whole["counts"]["fails"]) == ("replaylab/audit/1", False, 2)
    assert [one["kind"] for one in whole["findings"]] == ["claim-grim", "claim-equals"]


def test_every_assessment_has_every_field() -> None:
    whole = json.loads(audit_json(plain_report()))
    fields = {"id", "kind", "outcome", "where", "said", "found", "numbers", "explanation", "reason", "asked"}
    assert all(set(one) == fields for one in whole["assessments"])


def test_any_text_is_json() -> None:
    assert json.loads(audit_json(hostile_report()))["title"] == HOSTILE
