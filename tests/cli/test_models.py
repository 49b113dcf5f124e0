from __future__ import annotations

import json
from pathlib import Path

import pytest

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
