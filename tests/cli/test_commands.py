"""The commands `models`, `init` and `doctor`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from replaylab.cli.config import load
from tests.cli.conftest import Call

SECRET = "sk-Zq8vT3nB7mK1xW5y"


def test_models_says_who_plays_and_whether_the_key_is_set(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)
    models = {one["alias"]: one for one in json.loads(call("models", "--json").out)["models"]}
    assert (models["gemini"]["key_set"], models["gemini"]["ready"]) == (True, True)
    assert (models["gpt"]["key_set"], models["gpt"]["ready"]) == (False, False)
    assert (models["local"]["key_set"], models["local"]["ready"]) == (None, True)
    assert (models["twin"]["settings"]["player"], models["twin"]["role"]) == ("program", "simulator")


@pytest.mark.parametrize("command", ["models", "doctor"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_no_command_shows_a_key(
    call: Call, monkeypatch: pytest.MonkeyPatch, command: str, options: list[str]
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)
    ended = call(command, *options)
    assert "GEMINI_API_KEY" in ended.out
    assert SECRET[3:] not in ended.out + ended.err


def test_models_lists_those_of_the_configuration_first(call: Call, tmp_path: Path) -> None:
    (tmp_path / "replaylab.toml").write_text(
        '[models.zz]\nbase_url = "https://a.example/v1"\n', encoding="utf-8"
    )
    assert json.loads(call("models", "--json").out)["models"][0]["alias"] == "zz"
    assert call("models").out.splitlines()[1].split()[0] == "zz"


def test_init_writes_a_configuration_a_library_and_ignore_lines(call: Call, tmp_path: Path) -> None:
    assert call("init").code == 0
    assert (tmp_path / "cassettes").is_dir()
    assert (tmp_path / ".gitignore").read_text(encoding="utf-8").splitlines() == [
        "cassettes/index.db",
        "cassettes/index.db-*",
        "cassettes/journal/",
    ]
    assert call("models").code == 0


def test_what_init_explains_is_valid_when_uncommented(call: Call, tmp_path: Path) -> None:
    call("init")
    lines = (tmp_path / "replaylab.toml").read_text(encoding="utf-8").splitlines()
    kept = [line.removeprefix("# ") for line in lines if "=" in line or line.startswith("# [")]
    settings = [
        line
        for line in kept
        if line.startswith("[") or line.split(" = ")[0].strip('"').replace("-", "_").isidentifier()
    ]
    scenarios = [line for line in settings if line.startswith("scenarios")]
    path = tmp_path / "all.toml"
    path.write_text(
        "\n".join(scenarios + [one for one in settings if one not in scenarios]), encoding="utf-8"
    )
    config = load(path)
    assert config.models["mine"].price is not None
    assert config.prices["example-small"].output > 0
    assert config.record.names("agent") == ("scripted:careful", "scripted:hasty")
    assert config.scenarios == (tmp_path / "scenarios",)


def test_init_overwrites_nothing(call: Call, tmp_path: Path) -> None:
    (tmp_path / "replaylab.toml").write_text("# mine\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("cassettes/index.db\nown", encoding="utf-8")
    document = json.loads(call("init", "--json").out)
    assert [step["did"] for step in document["steps"]] == ["kept", "written", "extended"]
    assert (tmp_path / "replaylab.toml").read_text(encoding="utf-8") == "# mine\n"
    text = (tmp_path / ".gitignore").read_text(encoding="utf-8")
    assert text == "cassettes/index.db\nown\ncassettes/index.db-*\ncassettes/journal/\n"


def test_init_twice_changes_nothing(call: Call, tmp_path: Path) -> None:
    call("init")
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert [step["did"] for step in json.loads(call("init", "--json").out)["steps"]] == ["kept"] * 3
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


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


def test_doctor_reports_a_broken_configuration_and_goes_on(call: Call, tmp_path: Path) -> None:
    (tmp_path / "replaylab.toml").write_text("\n[recrod]\n", encoding="utf-8")
    ended = call("doctor", "--json")
    document = json.loads(ended.out)
    assert (ended.code, document["ok"]) == (1, False)
    (found,) = document["findings"]
    assert (found["kind"], found["where"]) == ("configuration", f"{tmp_path / 'replaylab.toml'}:2")
    assert document["packages"]["click"]
