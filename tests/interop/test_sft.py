from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.derive.recovery import recovery_of
from replaylab.derive.verdict import derive
from replaylab.interop.sft import KINDS, Example, Passed, Wanted, examples
from replaylab.schema.run import Run
from replaylab.store.library import Library
from tests.playground import record

TASKS = ("ed-sepsis-room", "hazmat-power-station", "oncall-database-handover")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Run]:
    root = tmp_path_factory.mktemp("sft")
    agents = ("scripted:careful", "scripted:hasty", "scripted:quitter")
    library, recorded = record(root, tasks=TASKS, agents=agents, faults=("E0", "E1", "E2"))
    return library, recorded.run


def made(study: tuple[Library, Run], **wanted: Any) -> list[Example]:
    return [one for one in examples(*study, Wanted(**wanted)) if isinstance(one, Example)]


def test_every_trial_is_an_example_or_says_why_not(study: tuple[Library, Run]) -> None:
    found = list(examples(*study, Wanted()))
    assert [one.key for one in found] == [entry.key for entry in study[1].ledger]
    assert all(one.why for one in found if isinstance(one, Passed))


def test_an_example_recovered_from_a_fault_of_the_wanted_kind_and_was_solved(
    study: tuple[Library, Run],
) -> None:
    library, _ = study
    found = made(study)
    assert found
    for one in found:
        cassette = open_cassette(library, one.cassette)
        derived = derive(cassette.header, cassette.lanes)
        assert derived.verdict.outcome == "pass"
        faults = recovery_of(derived.trajectory).faults
        assert any(fault.recovered and fault.kind in KINDS["implicit"] for fault in faults)


def test_the_messages_are_those_of_the_trial_in_order(study: tuple[Library, Run]) -> None:
    library, _ = study
    example = made(study)[0]
    cassette = open_cassette(library, example.cassette)
    trajectory = derive(cassette.header, cassette.lanes).trajectory
    messages = example.body["messages"]
    asked = [call["function"]["name"] for one in messages for call in one.get("tool_calls", ())]
    assert asked == [action.tool for action in trajectory.actions]
    assert [one["role"] for one in messages[:2]] == ["system", "user"]
    assert messages[-1] == {"role": "assistant", "content": trajectory.answer}
    assert len([one for one in messages if one["role"] == "tool"]) == len(asked)
    assert {tool["function"]["name"] for tool in example.body["tools"]} == {
        tool.name for tool in cassette.header.environment.tools
    }


@pytest.mark.parametrize(
    ("wanted", "field", "value"),
    [
        ({"faults": ["E1"], "recovered": "explicit"}, "faults", "E1"),
        ({"scenarios": ["emergency-department-triage"]}, "scenario", "emergency-department-triage"),
        ({"outcome": "fail", "recovered": "none"}, "verdict", "fail"),
    ],
)
def test_a_filter_lets_through_only_what_it_names(
    study: tuple[Library, Run], wanted: dict[str, Any], field: str, value: str
) -> None:
    found = made(study, **wanted)
    assert found
    assert {one.body["metadata"][field] for one in found} == {value}
    assert len(found) < len(made(study, recovered="none", outcome=""))


def test_agents_tasks_industries_and_lengths_are_filtered(study: tuple[Library, Run]) -> None:
    everything = made(study, recovered="none", outcome="")
    assert len(everything) == len(study[1].ledger)
    careful = made(study, recovered="none", outcome="", agents=["scripted:careful"])
    assert {one.body["metadata"]["agent"]["alias"] for one in careful} == {"scripted:careful"}
    one_task = made(study, recovered="none", outcome="", tasks=[TASKS[1]])
    assert len(one_task) == len(everything) / len(TASKS)
    industry = everything[0].body["metadata"]["industry"]
    assert 0 < len(made(study, recovered="none", outcome="", industries=[industry])) < len(everything)
    short = made(study, recovered="none", outcome="", longest=8)
    assert {len(one.body["messages"]) > 8 for one in short} == {False}
    assert len(short) < len(everything)


def test_programs_are_left_out_where_only_llms_are_wanted(study: tuple[Library, Run]) -> None:
    assert made(study, players=["llm"]) == []


def test_authored_lanes_are_no_recordings(study: tuple[Library, Run]) -> None:
    assert made(study, provenance=["authored"]) == []
    assert {one.body["metadata"]["provenance"] for one in made(study)} == {"recorded"}


def test_a_trial_without_a_verdict_is_never_an_example(tmp_path: Path) -> None:
    def broken(path: str, body: bytes) -> Any:
        return 400, {"content-type": "application/json"}, [b'{"error": {"message": "no"}}']

    library, recorded = record(tmp_path, respond=broken)
    (found,) = examples(library, recorded.run, Wanted(recovered="none", outcome=""))
    assert isinstance(found, Passed)
    assert found.why == "error"
