from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tests.cli.conftest import Call


def put(library: Path, data: bytes, suffix: str = "cassette") -> Path:
    name = hashlib.sha256(data).hexdigest()
    path = library / "objects" / name[:2] / f"{name}.{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_doctor_is_content_on_a_fresh_folder(call: Call) -> None:
    document = json.loads(call("doctor", "--json").out)
    assert (document["ok"], document["findings"], document["config"]) == (True, [], None)
    assert document["library"]["objects"] == 0
    assert document["packages"]["pydantic"]


def test_doctor_finds_a_damaged_object_and_ends_with_4(call: Call, tmp_path: Path) -> None:
    put(tmp_path / "cassettes", b"sound", "run")
    damaged = put(tmp_path / "cassettes", b"whole")
    damaged.write_bytes(b"whol")
    ended = call("doctor", "--json")
    document = json.loads(ended.out)
    assert ended.code == 4
    assert document["library"]["objects"] == 2
    (found,) = document["findings"]
    assert (found["kind"], found["where"]) == ("damaged", str(damaged))
    assert str(damaged) in call("doctor").out


def test_doctor_finds_files_out_of_place_and_references_to_nothing(call: Call, tmp_path: Path) -> None:
    sound = put(tmp_path / "cassettes", b"sound", "run")
    stray = sound.with_name("notes.txt")
    stray.touch()
    (tmp_path / "cassettes" / "runs").mkdir()
    (tmp_path / "cassettes" / "runs" / "study").write_text("0" * 64 + "\n", encoding="utf-8")
    ended = call("doctor", "--json")
    assert ended.code == 4
    assert {one["where"] for one in json.loads(ended.out)["findings"]} == {
        str(stray),
        str(tmp_path / "cassettes" / "runs" / "study"),
    }


def test_doctor_finds_that_a_cassette_of_a_run_is_missing(call: Call, tmp_path: Path) -> None:
    call("record", "--task", "ed-sepsis-room", "--run", "a")
    assert call("doctor").code == 0
    (gone,) = (tmp_path / "cassettes" / "objects").glob("*/*.cassette")
    gone.unlink()
    ended = call("doctor", "--json")
    assert ended.code == 4
    (found,) = json.loads(ended.out)["findings"]
    assert (found["kind"], found["where"]) == ("cassette-missing", str(gone))


def test_doctor_reports_a_broken_configuration_and_goes_on(call: Call, tmp_path: Path) -> None:
    (tmp_path / "replaylab.toml").write_text("\n[recrod]\n", encoding="utf-8")
    ended = call("doctor", "--json")
    document = json.loads(ended.out)
    assert (ended.code, document["ok"]) == (1, False)
    (found,) = document["findings"]
    assert (found["kind"], found["where"]) == ("configuration", f"{tmp_path / 'replaylab.toml'}:2")
    assert document["packages"]["click"]
