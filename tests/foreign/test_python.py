"""A Python function as the agent."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from replaylab.engine.replay import replay_cassette
from replaylab.errors import UsageError
from replaylab.foreign import python
from replaylab.foreign.python import load_python
from tests.foreign.playing import Stage, answered, sealed
from tests.foreign.test_own import echo, lanes


async def coroutine(task: Any, tools: Any, call: Any) -> str:
    client = task.async_client()
    said = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "a"}])
    places = await call.later("list_places")
    return str(said.choices[0].message.content) + json.dumps(sorted(places))


def test_a_coroutine_is_an_agent_too() -> None:
    cassette = sealed(Stage(coroutine, respond=echo))
    assert answered(cassette.lanes["agent"])[1] == 're: a["places"]'
    assert lanes(cassette) == {"llm.0": ["re: a"]}
    assert replay_cassette(cassette, Stage(coroutine).open_chat()).findings == ()


def test_what_a_tool_returned_is_a_value() -> None:
    def agent(task: Any, tools: Any, call: Any) -> str:
        assert isinstance(call("list_places")["places"], list)
        assert isinstance(call("get_patient", {"patient": "none"})["error"], str)
        return "done"

    assert answered(sealed(agent).lanes["agent"])[-1] == "done"


def test_arguments_that_are_no_json_are_the_agents_own_mistake() -> None:
    def agent(task: Any, tools: Any, call: Any) -> str:
        for bad in ({"x": float("nan")}, {"x": {1, 2}}):
            with pytest.raises(Exception, match=r".") as caught:
                call("list_places", bad)
            assert not isinstance(caught.value, AssertionError)
        with pytest.raises(ValueError, match="no call"):
            call.together([])
        return "done"

    assert answered(sealed(agent).lanes["agent"]) == ["done"]


def test_the_tools_are_those_that_a_model_gets() -> None:
    def agent(task: Any, tools: Any, call: Any) -> str:
        return json.dumps([sorted(tools[0]), sorted(tools[0]["function"])])

    said = json.loads(answered(sealed(agent).lanes["agent"])[0])
    assert said == [["function", "type"], ["description", "name", "parameters"]]


def test_a_failure_names_the_agents_own_line_and_no_path() -> None:
    def agent(task: Any, tools: Any, call: Any) -> str:
        return str(json.loads("{"))

    text = sealed(agent).lanes["agent"][0].final.text or ""
    assert f"{__name__}:" in text
    assert str(Path(__file__).parent) not in text


def test_an_agent_that_goes_on_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "GRACE_S", 0.1)
    go_on = threading.Event()

    def agent(task: Any, tools: Any, call: Any) -> str:
        threading.Thread(target=lambda: None).start()
        try:
            while True:
                call("list_places")
        finally:
            go_on.wait(3)

    from replaylab.schema.cassette import Limits
    from tests.foreign.playing import header

    stage = Stage(agent)
    begun = time.monotonic()
    sealed(stage, header(limits=Limits(max_steps=1, votes=1)))
    assert time.monotonic() - begun < 3
    assert "goes on" in stage.told[0]
    go_on.set()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "own_agent_of_a_test.py"
    path.write_text(
        "def act(task, tools, call):\n    return 'x'\n\nclass Some:\n    act = act\n\nnumber = 1\n"
    )
    yield path
    sys.modules.pop("own_agent_of_a_test", None)


def test_a_function_is_found_in_the_folder(module: Path) -> None:
    function, version = load_python("python:own_agent_of_a_test:act", module.parent)
    assert function(None, None, None) == "x"
    import hashlib

    assert version == hashlib.sha256(module.read_bytes()).hexdigest()


def test_a_function_may_lie_deeper(module: Path) -> None:
    assert callable(load_python("python:own_agent_of_a_test:Some.act", module.parent)[0])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("python:no_such_module_here:act", "can't be imported"),
        ("python:own_agent_of_a_test:nope", "has no 'nope'"),
        ("python:own_agent_of_a_test:number", "is no function"),
    ],
)
def test_what_is_not_there_is_said(module: Path, name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        load_python(name, module.parent)


def test_what_is_there_is_said_and_what_is_near_comes_closest(module: Path) -> None:
    for name, near in (("nope", ""), ("acts", "act")):
        with pytest.raises(UsageError) as caught:
            load_python(f"python:own_agent_of_a_test:{name}", module.parent)
        assert caught.value.closest == near
        assert caught.value.fix.endswith("it has act")


def test_a_module_that_fails_is_said_with_its_error(tmp_path: Path, module: Path) -> None:
    (tmp_path / "own_broken_of_a_test.py").write_text("1/0")
    with pytest.raises(UsageError, match="ZeroDivisionError"):
        load_python("python:own_broken_of_a_test:act", tmp_path)
