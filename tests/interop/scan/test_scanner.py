"""Planted secrets are found in every place that a library has, and said by place alone."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.catalogue.loader import shipped
from replaylab.interop.scan.detect import Detective
from replaylab.interop.scan.places import _interaction, of_library, of_path
from replaylab.interop.scan.scanner import Scanned, scan
from replaylab.interop.transcript.importer import Reading, import_transcripts
from replaylab.schema.finding import Finding
from replaylab.schema.interaction import Attempt, Failure, Interaction, RequestLine
from replaylab.store.frames import PREAMBLE, FrameWriter
from replaylab.store.library import Library
from tests.interop.transcript.made import line, no_catalogue, step, written
from tests.playground import SHORT, record

KEY = "sk-" + "q8W2e0R4t1" * 4
REPO = Path(__file__).resolve().parents[3]


def found(library: Library) -> list[Finding]:
    return list(scan(of_library(library), Detective(), Scanned()))


def library_with(root: Path, **changed: Any) -> Library:
    """A library whose one cassette was written without any redaction."""
    reading = Reading(no_catalogue, lambda value: value)
    path = written(root / "t.jsonl", line(**changed))
    library = Library(root / "library")
    import_transcripts(library, "t", {"t.jsonl": path}, reading)
    return library


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"task": {"instruction": f"Use {KEY} now"}}, "header"),
        ({"steps": [step(observation={"seen": KEY})]}, "simulator#0"),
        ({"steps": [step(arguments={"k": KEY})]}, "agent#0"),
        ({"final_answer": f"It is {KEY}."}, "agent#1"),
        ({"provenance": {"from": KEY}}, "label import"),
    ],
)
def test_a_secret_in_a_cassette_is_found_by_its_place(
    tmp_path: Path, changed: dict[str, Any], where: str
) -> None:
    library = library_with(tmp_path, **changed)
    findings = found(library)
    assert any(where in one.where for one in findings)
    assert all(one.kind == "secret" for one in findings)
    assert KEY[4:] not in json.dumps([one.to_json() for one in findings])
    assert len({one.id for one in findings}) == len(findings)


def test_the_pointer_leads_to_the_field(tmp_path: Path) -> None:
    library = library_with(tmp_path, final_answer=f"It is {KEY}.")
    pointers = [one.pointer for one in found(library) if "agent#1" in one.where]
    assert "/attempts/0/body/choices/0/message/content" in pointers


def test_headers_attempts_and_failures_are_looked_at() -> None:
    attempts = (
        Attempt(status=500, headers={"x-request-id": KEY}, failure=Failure(kind="http_status", message=KEY)),
        Attempt(status=200, b64=base64.b64encode(b"\xff " + KEY.encode()).decode()),
    )
    row = Interaction(
        path="p",
        request=RequestLine(digest="0" * 64, alias="m", path=f"/v1/x?key={KEY}"),
        attempts=attempts,
        outcome="0" * 64,
        extra={"more": KEY},
    )
    places = [one for one in _interaction(row, "here") if Detective().hits(one.text)]
    assert dict.fromkeys(one.pointer for one in places) == dict.fromkeys(
        [
            "/request/path",
            "/attempts/0/headers/x-request-id",
            "/attempts/0/failure",
            "/attempts/1/body",
            "/extra/more",
        ]
    )


def test_a_secret_in_a_journal_and_in_a_run_object_is_found(tmp_path: Path) -> None:
    library = library_with(tmp_path)
    assert found(library) == []
    folder = library.root / "journal" / "cut"
    folder.mkdir(parents=True)
    with FrameWriter(folder / "1.frames") as frames:
        frames.append(json.dumps({"body": {"x": KEY}}).encode())
    (one,) = found(library)
    assert (one.where, one.pointer) == ("journal/cut/1.frames frame 0", "/body/x")


def test_a_damaged_journal_is_read_as_far_as_it_is_whole(tmp_path: Path) -> None:
    library = library_with(tmp_path)
    path = library.root / "journal" / "cut" / "1.damaged"
    path.parent.mkdir(parents=True)
    with FrameWriter(path) as frames:
        frames.append(b"{}")
        frames.append(json.dumps({"body": {"x": KEY}}).encode())
    data = bytearray(path.read_bytes())
    data[len(PREAMBLE) + 16] ^= 1  # of the first payload
    path.write_bytes(data)
    assert [(one.kind == "unread", one.where) for one in found(library)] == [
        (True, "journal/cut/1.damaged"),
        (False, "journal/cut/1.damaged frame 0"),
    ]


def test_a_cassette_that_can_t_be_read_is_a_finding(tmp_path: Path) -> None:
    library = library_with(tmp_path)
    (name,) = library.objects("cassette")
    path = library.path(name, "cassette")
    path.chmod(0o600)
    path.write_bytes(b"damaged")
    (one,) = found(library)
    assert one.kind == "unread"


def test_files_are_read_by_value_or_by_line(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    har = {"log": {"entries": [{"request": {"headers": [{"name": "Cookie", "value": "sid=q8W2e0R4t1"}]}}]}}
    (tmp_path / "a.har").write_text(json.dumps(har), encoding="utf-8")
    (tmp_path / "sub" / "b.md").write_text(f"one\ntwo {KEY}\n", encoding="utf-8")
    (tmp_path / "c.jsonl").write_text(
        json.dumps({"k": 1}) + "\n" + json.dumps({"k": KEY}) + "\n", encoding="utf-8"
    )
    (tmp_path / "d.json").write_text("{ no json " + KEY, encoding="utf-8")
    findings = list(scan(of_path(tmp_path, "x"), Detective(), Scanned()))
    assert [(one.where, one.pointer) for one in findings] == [
        ("x/a.har", "/log/entries/0/request/headers/0/value"),
        ("x/c.jsonl:2", "/k"),
        ("x/d.json:1", ""),
        ("x/sub/b.md:2", ""),
    ]


def test_what_was_recorded_with_redaction_holds_none(tmp_path: Path) -> None:
    library, _ = record(tmp_path / "library", tasks=(SHORT,), agents=("scripted:careful",), name="s")
    assert found(library) == []


def test_the_shipped_scenarios_and_reports_give_no_false_alarm() -> None:
    scanned = Scanned()
    for folder in (shipped(), REPO / "reports"):
        assert list(scan(of_path(folder, folder.name), Detective(), scanned)) == []
    assert scanned.characters > 1_000_000
