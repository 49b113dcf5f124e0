from __future__ import annotations

import json
from pathlib import Path

from replaylab.cli.config import load
from tests.cli.conftest import Call


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
