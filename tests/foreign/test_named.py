"""Names of own agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.errors import UsageError
from replaylab.foreign.named import (
    agent_settings,
    command_version,
    command_words,
    is_name,
    python_name,
    recorded_name,
)
from replaylab.schema.model import is_foreign
from tests.playground import program


@pytest.mark.parametrize("text", ["python:a:f", "python:a.b_c.d:Some.method", "python:ä:f"])
def test_a_python_agent_is_a_module_and_a_function(text: str) -> None:
    module, function = python_name(text)
    assert f"python:{module}:{function}" == text


@pytest.mark.parametrize(
    "text", ["python:a", "python:a:", "python::f", "python:a.py:f x", "python:a/b:f", "python:"]
)
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a Python agent"):
        python_name(text)


def test_a_command_is_split_as_a_shell_splits_it() -> None:
    assert command_words("command:agent --name 'two words' a,b") == ["agent", "--name", "two words", "a,b"]


@pytest.mark.parametrize("text", ["command:", "command:'open"])
def test_what_is_no_command_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        command_words(text)


def test_other_names_are_models() -> None:
    assert [is_name(name) for name in ("python:a:b", "command:x", "gpt", "scripted:careful")] == [
        True,
        True,
        False,
        False,
    ]


def test_the_version_of_a_command_covers_its_words_and_its_files(tmp_path: Path) -> None:
    program_ = tmp_path / "agent.py"
    program_.write_text("1")
    first = command_version(["python", "agent.py"], tmp_path)
    assert command_version(["python", "agent.py"], tmp_path) == first
    assert command_version(["python", "agent.py", "-v"], tmp_path) != first
    program_.write_text("2")
    assert command_version(["python", "agent.py"], tmp_path) != first


def test_the_version_of_a_command_is_the_same_on_every_machine(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("x")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "agent.py").write_text("1")
    words = ["python", "agent.py", str(outside)]
    versions = {command_version(words, tmp_path / name) for name in "ab"}
    outside.write_text("y")
    assert versions == {command_version(words, tmp_path / "a")}


def test_what_is_recorded_says_name_and_version() -> None:
    settings = agent_settings("python:a@b:f", "0123456789ab" + "f" * 52)
    assert recorded_name(settings) == ("python:a@b:f", "0123456789ab")
    assert recorded_name(program("twin")) == ("twin", "")
    assert is_foreign(settings)
    assert not is_foreign(program("python:a:f"))
