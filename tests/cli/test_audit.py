from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Call

REPO = Path(__file__).resolve().parents[2]
STUDY = str(REPO / "reports" / "claims" / "occubench.yaml")
HEAD = "format: replaylab.claims/1\ntitle: t\n"


def test_the_published_study_is_audited_without_a_library(call: Call, tmp_path: Path) -> None:
    ended = call("audit", "--claims", STUDY)
    assert ended.code == 1, ended.err
    assert "no whole number of 32 tasks prints as 77" in ended.out
    assert "edu 24/31 and ind 46/54" in ended.out
    assert "all 10 fit without GPT-5.2 (the 14 others of 15)" in ended.out
    assert list(tmp_path.iterdir()) == []


def test_json_is_one_document_and_the_same_twice(call: Call) -> None:
    first = call("audit", "--claims", STUDY, "--json")
    assert first.document["schema"] == "replaylab/audit/1"
    assert first.document["ok"] is False
    assert first.document["counts"]["fails"] == len(first.document["findings"])
    assert call("audit", "--claims", STUDY, "--json").out == first.out


def test_files_are_the_same_bytes_twice(call: Call, tmp_path: Path) -> None:
    call("audit", "--claims", STUDY, "--out", "one")
    call("audit", "--claims", STUDY, "--out", "two")
    for name in ("audit.html", "audit.md", "audit.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_what_holds_ends_with_0_and_what_is_open_too(call: Call, tmp_path: Path) -> None:
    table = "tables:\n  t:\n    columns: {a: {}}\n    rows: {x: [50], y: [60]}\n"
    claim = "claims:\n  - {id: c, type: differs, a: t / x / a, b: t / y / a}\n"
    (tmp_path / "c.yaml").write_text(HEAD + table + claim, encoding="utf-8")
    ended = call("audit", "--claims", "c.yaml")
    assert ended.code == 0, ended.err
    assert "can't be decided (1)" in ended.out
    assert "c (differs)" in ended.out


def test_the_schema_is_printed(call: Call) -> None:
    ended = call("audit", "--schema")
    assert ended.code == 0
    assert json.loads(ended.out)["$id"] == "replaylab.claims/1"


def test_a_hostile_file_is_refused_and_nothing_happens(call: Call, tmp_path: Path) -> None:
    text = HEAD + 'notes: !!python/object/apply:os.system ["touch owned"]\n'
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    ended = call("audit", "--claims", "c.yaml", "--out", "out")
    assert ended.code == 2
    assert "tag" in ended.err
    assert "c.yaml:3" in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["c.yaml"]


def test_nothing_to_audit_is_wrong_usage(call: Call) -> None:
    ended = call("audit")
    assert ended.code == 2
    assert "replaylab record" in ended.err
    assert call("audit", "--claims", "absent.yaml").code == 2
