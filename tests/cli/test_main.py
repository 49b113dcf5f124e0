from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from replaylab import __version__
from replaylab.cli.main import COMMANDS
from tests.cli.conftest import Call, process

HEAVY = {
    "pydantic",
    "openai",
    "httpx2",
    "rich",
    "genai_prices",
    "orjson",
    "sqlite_utils",
    "deepdiff",
    "zstandard",
}


def test_help_costs_less_than_300_ms_of_cpu(tmp_path: Path) -> None:
    def cost() -> float:
        before = os.times()
        assert process("-m", "replaylab", "--help", cwd=tmp_path).returncode == 0
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    assert min(cost() for _ in range(3)) < 0.3


def test_help_imports_no_heavy_package_and_no_command(tmp_path: Path) -> None:
    code = "import sys; from replaylab.cli.main import run; run(['--help']); print('\\n' + '\\n'.join(sys.modules))"
    loaded = set(process("-c", code, cwd=tmp_path).stdout.decode().splitlines())
    assert "click" in loaded
    assert not HEAVY & loaded
    assert not {module for module, _ in COMMANDS.values()} & loaded


def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    ended = process("-m", "replaylab", "--version", cwd=tmp_path)
    assert ended.stdout.decode() == f"replaylab {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_examples_and_exit_codes(call: Call, name: str) -> None:
    ended = call(name, "--help")
    assert ended.code == 0
    assert "Examples:\n" in ended.out
    assert "replaylab " + name in ended.out
    assert "Exit codes:\n  0 " in ended.out


def test_a_misspelt_command_gets_the_closest_one(call: Call) -> None:
    ended = call("modles")
    assert ended.code == 2
    assert "Did you mean 'models'?" in ended.err


def test_a_misspelt_option_gets_the_closest_one(call: Call) -> None:
    ended = call("models", "--jsno")
    assert ended.code == 2
    assert "--json" in ended.err
    assert "replaylab models --help" in ended.err


def test_no_command_shows_the_help_and_is_wrong_usage(call: Call) -> None:
    ended = call()
    assert ended.code == 2
    assert "Commands:" in ended.err


def test_a_usage_error_with_json_is_a_document_on_stdout(call: Call) -> None:
    ended = call("models", "--json", "--nonsense")
    document = json.loads(ended.out)
    assert (document["schema"], document["ok"], document["findings"]) == ("replaylab/models/1", False, [])
    assert document["error"]["exit_code"] == ended.code == 2


def test_json_after_two_dashes_belongs_to_another_program(call: Call) -> None:
    assert call("models", "--", "--json").out == ""


def test_the_library_lies_beside_the_nearest_configuration(call: Call, tmp_path: Path) -> None:
    (tmp_path / "replaylab.toml").touch()
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    os.chdir(inner)
    document = json.loads(call("doctor", "--json").out)
    assert document["config"] == str(tmp_path / "replaylab.toml")
    assert document["library"]["path"] == str(tmp_path / "cassettes")


def test_without_a_configuration_the_library_lies_here(call: Call, tmp_path: Path) -> None:
    assert json.loads(call("doctor", "--json").out)["library"]["path"] == str(tmp_path / "cassettes")


def test_the_library_option_beats_its_variable_which_beats_the_default(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPLAYLAB_LIBRARY", "from_env")
    assert json.loads(call("doctor", "--json").out)["library"]["path"] == str(tmp_path / "from_env")
    ended = call("--library", "given", "doctor", "--json")
    assert json.loads(ended.out)["library"]["path"] == str(tmp_path / "given")


def test_a_configuration_that_was_named_must_exist(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPLAYLAB_CONFIG", "missing.toml")
    ended = call("models")
    assert ended.code == 2
    assert "missing.toml" in ended.err


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize(
    "line",
    [
        ("record", "--task", "ed-sepsis-room", "--votes", "1"),
        ("replay", "study", "--offline"),
        ("replay", "study", "--swap", "verifier=coin"),
        ("merge", "cassettes"),
        ("verify",),
        ("runs",),
        ("scenarios",),
        ("models",),
        ("init",),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_with_json_one_document_is_on_stdout_in_the_shape_of_the_contract(
    call: Call, line: tuple[str, ...]
) -> None:
    ended = call(*line, "--json")
    keys = list(ended.document)
    assert ended.code == 0, ended.err
    assert (keys[:3], keys[-1]) == (["schema", "run", "ok"], "findings")
    assert ended.document["schema"] == f"replaylab/{line[0]}/1"
    assert (ended.document["ok"], ended.document["findings"]) == (True, [])
    plain = call(*line)
    assert (plain.code, plain.out.startswith("{")) == (0, False)


@pytest.mark.parametrize(
    "command", ["record", "replay", "merge", "verify", "runs", "scenarios", "models", "doctor"]
)
def test_an_error_with_json_is_a_document_of_the_command(call: Call, command: str) -> None:
    ended = call(command, "--json", "--nonsense")
    assert ended.code == 2
    assert ended.document["schema"] == f"replaylab/{command}/1"
    assert set(ended.document["error"]) == {"kind", "exit_code", "what", "where", "closest", "fix"}
