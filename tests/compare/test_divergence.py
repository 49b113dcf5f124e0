"""Where recorded trials part. The trials are really recorded, by programs that a test makes answer as it likes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.cassette.stored import open_cassette
from replaylab.compare.divergence import Divergence, first_difference, first_divergence
from replaylab.compare.recorded import side_of
from replaylab.store.library import Library
from tests.playground import record, reply, responder

Respond = Callable[[str, bytes], Any]
AGENT = "scripted:careful"


def recorded(root: Path, name: str, respond: Respond | None = None, **wish: Any) -> tuple[Library, str]:
    library, made = record(root, name=name, respond=respond, **wish)
    counting = made.run.ledger[0].counting
    assert counting is not None
    return library, counting.cassette


def parted(root: Path, one: dict[str, Any], other: dict[str, Any]) -> Divergence:
    (library, a), (_, b) = recorded(root, "one", **one), recorded(root, "two", **other)
    found = first_divergence(side_of(library, a), side_of(library, b))
    back = first_divergence(side_of(library, b), side_of(library, a))
    assert back.model_copy(update={"message": found.message}) == found.mirrored()
    # Every path that is named is one of the recording.
    for name, path in ((a, found.path_a), (b, found.path_b)):
        rows = [row.path for lane in open_cassette(library, name).lanes.values() for row in lane]
        assert not path or path in rows
    return found


def test_a_trial_does_not_part_from_itself(tmp_path: Path) -> None:
    found = parted(tmp_path, {}, {})
    assert (found.what, found.call, found.path_a) == ("nothing", None, "")


def test_another_tool_is_an_action_that_differs(tmp_path: Path) -> None:
    found = parted(tmp_path, {}, {"agents": ("scripted:greedy",)})
    assert (found.what, found.call, found.pointer) == ("action", 1, "/tool")
    assert (found.a, found.b) == ("get_patient", "assess_patient")
    assert found.path_a.endswith("E0/ed-sepsis-room/0/agent#1")


def test_another_observation_names_the_simulators_own_answers(tmp_path: Path) -> None:
    found = parted(tmp_path, {}, {"simulators": ("example",)})
    assert (found.what, found.call, found.tool) == ("observation", 0, "list_places")
    assert (found.pointer, found.a, found.b) == ("/places/0/monitored", True, False)
    assert (found.by_a, found.by_b) == ("simulator", "simulator")
    assert (found.path_a.rpartition("/")[2], found.path_b.rpartition("/")[2]) == ("simulator#0",) * 2


def test_what_the_fault_plan_made_is_none_of_the_simulators(tmp_path: Path) -> None:
    found = parted(tmp_path, {"faults": ("E0",)}, {"faults": ("E1",)})
    assert (found.what, found.by_a, found.by_b) == ("observation", "simulator", "faults")
    assert "by simulator and by faults" in found.message


class Stumbles:
    """The simulator's first answer can't be used, so that it is asked again and the places in its lane move on."""

    def __init__(self) -> None:
        self.done = False

    def __call__(self, path: str, body: bytes) -> Any:
        if json.loads(body)["model"] == "twin" and not self.done:
            self.done = True
            return reply("{ no observation")
        return responder().respond(path, body)


def test_an_answer_that_was_asked_for_again_is_named_by_its_own_place(tmp_path: Path) -> None:
    found = parted(tmp_path, {"respond": Stumbles()}, {"simulators": ("example",)})
    assert found.what == "observation"
    assert found.path_a.endswith("simulator#1")
    assert found.path_b.endswith("simulator#0")


def says(text: str, calls: int = 0) -> Respond:
    """An agent that makes so many calls and then says this; everybody else as always."""

    def respond(path: str, body: bytes) -> Any:
        asked = json.loads(body)
        if asked["model"] != AGENT:
            return responder().respond(path, body)
        made = sum("tool_calls" in one for one in asked["messages"])
        return reply(text) if made >= calls else reply("", [("list_places", {})])

    return respond


def test_the_one_that_ends_earlier_has_no_call_there(tmp_path: Path) -> None:
    found = parted(tmp_path, {"respond": says("x", 1)}, {"respond": says("x", 2)})
    assert (found.what, found.call, found.a, found.b) == (
        "action",
        1,
        None,
        {"tool": "list_places", "arguments": {}},
    )
    assert "only the second makes a call 1 (list_places)" in found.message
    assert found.path_a.endswith("agent#1")  # its last turn, in which it made none


def test_after_the_same_calls_the_answer_is_what_differs(tmp_path: Path) -> None:
    found = parted(tmp_path, {"respond": says("yes", 1)}, {"respond": says("no", 1)})
    assert (found.what, found.call, found.a, found.b) == ("answer", None, "yes", "no")
    assert found.path_a.endswith("agent#1")


def judge(outcome: bool) -> Respond:
    def respond(path: str, body: bytes) -> Any:
        said = json.dumps({"is_correct": outcome, "feedback": "x"})
        mine = json.loads(body)["model"] == "rubric"
        return reply(said) if mine else responder().respond(path, body)

    return respond


def test_where_only_the_judges_differ_their_first_vote_is_named(tmp_path: Path) -> None:
    found = parted(tmp_path, {"respond": judge(True)}, {"respond": judge(False)})
    assert (found.what, found.a, found.b) == ("votes", "pass", "fail")
    assert found.path_a.endswith("verifier.0#0")


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ({"x": 1}, {"x": 1.0}, None),
        ({"x": True}, {"x": 1}, ("/x", True, 1)),
        ({"b": 1, "a": 2}, {"b": 3, "a": 4}, ("/a", 2, 4)),
        ({"x": None}, {}, ("/x", None, None)),
        ({"a/b": {"~": [1]}}, {"a/b": {"~": [1, 2]}}, ("/a~1b/~0/1", None, 2)),
        ([], {}, ("", [], {})),
        ("1", 1, ("", "1", 1)),
    ],
)
def test_the_first_field_that_differs_is_pointed_at(a: Any, b: Any, found: object) -> None:
    assert first_difference(a, b) == found


values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(values, values)
def test_there_is_a_difference_exactly_where_json_differs(a: Any, b: Any) -> None:
    found = first_difference(a, b)
    assert (found is None) == (json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True))
    back = first_difference(b, a)
    assert back == (None if found is None else (found[0], found[2], found[1]))
