from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.canonical import digest
from replaylab.catalogue.loader import Catalogue
from replaylab.engine.plan import (
    content,
    inputs_digest,
    key_texts,
    keys,
    lane_names,
    make_spec,
    planned_count,
    planned_trials,
    shard,
    this_engine,
)
from replaylab.errors import UsageError
from replaylab.faults.plan import named
from replaylab.roles.prompts import GENERATOR, VERSIONS, all_prompts
from replaylab.schema.cassette import Header, Limits, Prompt, Provenance
from replaylab.schema.scenario import Scenario
from replaylab.wire.redact import Redactor
from tests.engine.playing import choice, header, plan, same
from tests.playground import SHORT, catalogue, program

REPO = Path(__file__).resolve().parents[2]
TASKS = ["ed-sepsis-room", "hazmat-power-station"]
MANY: dict[str, Any] = {
    "agents": [program("a1"), program("a2")],
    "simulators": [program("s1"), program("s2")],
    "verifiers": [program("v1")],
    "faults": [named("E0"), named("E3")],
    "tasks": TASKS,
    "trials": 2,
}


def test_the_plan_is_the_whole_product_trial_by_trial_then_task_by_task() -> None:
    spec = make_spec(choice(**MANY), catalogue(), same)
    texts = [str(key) for key in keys(spec)]
    assert key_texts(spec) == texts
    assert len(set(texts)) == len(texts) == planned_count(spec) == 2 * 2 * 2 * 2 * 2
    assert texts[:5] == [
        "a1,s1,v1,E0/ed-sepsis-room/0",
        "a1,s1,v1,E3/ed-sepsis-room/0",
        "a1,s2,v1,E0/ed-sepsis-room/0",
        "a1,s2,v1,E3/ed-sepsis-room/0",
        "a2,s1,v1,E0/ed-sepsis-room/0",
    ]
    assert [text.rpartition("/")[2] for text in texts] == ["0"] * 16 + ["1"] * 16
    assert [key.task for key in keys(spec)] == ([TASKS[0]] * 8 + [TASKS[1]] * 8) * 2


def test_planned_trials_come_in_the_order_of_the_keys_and_carry_them() -> None:
    spec = make_spec(choice(**MANY), catalogue(), same)
    trials = planned_trials(spec, catalogue(), same)
    assert [trial.key for trial in trials] == keys(spec)
    for trial in trials:
        subject = trial.header.subject
        assert f"{subject.condition}/{subject.task}/{subject.trial}" == str(trial.key)


PRINT = """
from replaylab.canonical import digest
from replaylab.engine.plan import make_spec, planned_trials
from tests.engine.playing import choice, same
from tests.engine.test_plan import MANY
from tests.playground import catalogue
spec = make_spec(choice(**MANY), catalogue(), same)
print(digest(spec.to_json()), digest([trial.header.inputs for trial in planned_trials(spec, catalogue(), same)]))
"""


@pytest.mark.parametrize(("seed", "zone"), [("1", "UTC"), ("77", "Asia/Kathmandu")])
def test_the_same_spec_gives_the_same_digests_in_another_process(seed: str, zone: str) -> None:
    spec = make_spec(choice(**MANY), catalogue(), same)
    inputs = [trial.header.inputs for trial in planned_trials(spec, catalogue(), same)]
    done = subprocess.run(
        [sys.executable, "-c", PRINT],
        env={**os.environ, "PYTHONPATH": str(REPO), "PYTHONHASHSEED": seed, "TZ": zone},
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.decode().split() == [digest(spec.to_json()), digest(inputs)]


def with_(head: Header, **update: Any) -> Header:
    return head.model_copy(update=update)


TAKES_PART: dict[str, Callable[[Header], Header]] = {
    "trial": lambda h: with_(h, subject=h.subject.model_copy(update={"trial": 1})),
    "condition": lambda h: with_(h, subject=h.subject.model_copy(update={"condition": "x,y,z,E0"})),
    "task name": lambda h: with_(h, subject=h.subject.model_copy(update={"task": "other"})),
    "kind": lambda h: with_(h, subject=h.subject.model_copy(update={"kind": "import"})),
    "instruction": lambda h: with_(h, task=h.task.model_copy(update={"instruction": "Other."})),
    "rubric": lambda h: with_(
        h, task=h.task.model_copy(update={"rubric": h.task.rubric.model_copy(update={"text": "Other."})})
    ),
    "state": lambda h: with_(h, environment=h.environment.model_copy(update={"initial_state": {}})),
    "system prompt": lambda h: with_(h, environment=h.environment.model_copy(update={"system_prompt": "x"})),
    "tools": lambda h: with_(
        h, environment=h.environment.model_copy(update={"tools": h.environment.tools[::-1]})
    ),
    "scenario": lambda h: with_(h, scenario=h.scenario.model_copy(update={"industry": "Other"})),
    "faults": lambda h: with_(h, faults=named("E1")),
    "sampling": lambda h: with_(
        h, players={**h.players, "agent": program("scripted:careful", sampling={"top_p": 0.5})}
    ),
    "verifier": lambda h: with_(h, players={**h.players, "verifier": program("coin")}),
    "prompt": lambda h: with_(
        h, prompts={**h.prompts, "agent": Prompt(version="agent/2", digest="0" * 64, text="x")}
    ),
    "limits": lambda h: with_(h, limits=h.limits.model_copy(update={"asks": 9})),
    "clock": lambda h: with_(h, clock="2020-01-01T00:00:00Z"),
    "mode": lambda h: with_(h, mode="rejudge"),
    "judged by": lambda h: with_(h, judged_by="both"),
    "format": lambda h: with_(h, format="replaylab.cassette/9"),
}
TAKES_NO_PART: dict[str, Callable[[Header], Header]] = {
    "created": lambda h: with_(h, created="2031-01-01T00:00:00Z"),
    "try": lambda h: with_(h, subject=h.subject.model_copy(update={"attempt": 3})),
    "provenance": lambda h: with_(h, lanes={"agent": Provenance(how="copied", source="1" * 64)}),
    "engine": lambda h: with_(h, engine=this_engine().model_copy(update={"replaylab": "9", "parser": "9"})),
    "itself": lambda h: with_(h, inputs="2" * 64),
}


@pytest.mark.parametrize("field", TAKES_PART)
def test_what_a_trial_is_given_takes_part_in_its_inputs(field: str) -> None:
    changed = TAKES_PART[field](header())
    assert inputs_digest(changed) != inputs_digest(header()) == header().inputs


@pytest.mark.parametrize("field", TAKES_NO_PART)
def test_when_and_by_what_it_was_recorded_takes_no_part(field: str) -> None:
    changed = TAKES_NO_PART[field](header())
    assert changed != header()
    assert inputs_digest(changed) == header().inputs


def test_every_field_of_a_header_is_decided_about() -> None:
    tested = {"subject", "task", "environment", "scenario", "faults", "players", "prompts", "limits"}
    tested |= {"clock", "mode", "judged_by", "format", "created", "lanes", "engine", "inputs"}
    tested |= {"capture"}  # no trial has it, and it takes no part
    assert tested | {"type"} == set(Header.model_fields)


def edited(change: Callable[[Scenario], Scenario]) -> Catalogue:
    scenario = catalogue().task(SHORT).scenario
    return Catalogue([(change(scenario), catalogue().folder(scenario.id))])


EDITS: dict[str, Callable[[Scenario], Scenario]] = {
    "state": lambda s: s.model_copy(
        update={
            "environments": tuple(
                e.model_copy(update={"initial_state": {**e.initial_state, "x": 1}}) for e in s.environments
            )
        }
    ),
    "rubric check": lambda s: s.model_copy(
        update={
            "tasks": tuple(
                t.model_copy(update={"rubric": t.rubric.model_copy(update={"checks": t.rubric.checks[1:]})})
                for t in s.tasks
            )
        }
    ),
    "plan": lambda s: s.model_copy(
        update={"tasks": tuple(t.model_copy(update={"plan": None}) for t in s.tasks)}
    ),
    "name": lambda s: s.model_copy(update={"name": "Other"}),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_scenario_is_another_content_and_refuses_the_old_spec(edit: str) -> None:
    other = edited(EDITS[edit])
    before, after = content(*catalogue().task(SHORT), same), content(*other.task(SHORT), same)
    assert before != after
    spec = make_spec(choice(), catalogue(), same)
    assert make_spec(choice(), other, same) != spec
    with pytest.raises(UsageError, match="has changed since the run was planned"):
        planned_trials(spec, other, same)


def test_a_key_in_a_scenario_reaches_neither_the_header_nor_a_digest() -> None:
    key = "qx7-PLANTED-kEy-1357908642"
    redact = Redactor([key]).value
    other = edited(
        lambda s: s.model_copy(
            update={"tasks": tuple(t.model_copy(update={"instruction": f"Use {key}."}) for t in s.tasks)}
        )
    )
    spec = make_spec(choice(), other, redact)
    (trial,) = planned_trials(spec, other, redact)
    assert key not in trial.header.model_dump_json()
    assert key[4:12] not in trial.header.model_dump_json()
    assert trial.header.task.instruction.startswith("Use ")
    assert trial.header.inputs == inputs_digest(trial.header)
    assert spec.tasks[0].content == content(*other.task(SHORT), redact) != content(*other.task(SHORT), same)


def test_a_header_holds_all_prompts_the_environments_clock_and_a_lane_for_each_vote() -> None:
    head = header(limits=Limits(votes=2))
    assert (
        set(head.prompts)
        == set(all_prompts())
        == set(VERSIONS) - GENERATOR - {"simulator_faults", "contract_judge"}
    )
    assert head.clock == head.environment.clock != ""
    assert list(head.lanes) == ["agent", "simulator", "verifier.0", "verifier.1"] == list(lane_names(2))


def test_the_verifier_is_chosen_apart_from_the_simulator() -> None:
    trials = plan(simulators=[program("twin"), program("example")], verifiers=[program("rubric")])
    assert [trial.header.players["simulator"].alias for trial in trials] == ["twin", "example"]
    assert [trial.header.players["verifier"].alias for trial in trials] == ["rubric", "rubric"]


def test_one_alias_may_play_two_roles_with_different_settings() -> None:
    agent, judge = program("m", sampling={"temperature": 1}), program("m", sampling={"temperature": 0})
    (trial,) = plan(agents=[agent], simulators=[program("twin")], verifiers=[judge])
    assert (trial.header.players["agent"], trial.header.players["verifier"]) == (agent, judge)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"agents": []}, "has no agent"),
        ({"tasks": []}, "has no task"),
        ({"simulators": [program("s"), program("s")]}, "the simulator 's' is named twice"),
        ({"tasks": [SHORT, SHORT]}, f"the task '{SHORT}' is named twice"),
        ({"faults": [named("E1"), named("E1", seed=1)]}, "the fault plan 'E1' is named twice"),
        ({"trials": 0}, "at least one trial"),
        ({"limits": Limits(votes=0)}, "at least one trial and one vote"),
        ({"tasks": ["ed-sepsis-rom"]}, "ed-sepsis-rom"),
    ],
)
def test_a_choice_that_is_no_run_is_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make_spec(choice(**changed), catalogue(), same)


@given(st.integers(0, 40), st.integers(1, 9))
def test_the_shards_are_the_plan_each_trial_in_one(trials: int, whole: int) -> None:
    planned = list(range(trials))
    parts = [shard(planned, f"{part}/{whole}") for part in range(1, whole + 1)]
    assert sorted(one for part in parts for one in part) == planned
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert shard(planned, "") == planned


@pytest.mark.parametrize(
    "text", ["0/2", "3/2", "1", "1/", "/2", "a/b", "1/" + "9" * 5000, "-1/2", "1/0", "1/2/3", "²/3"]
)
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a shard"):
        shard([], text)
