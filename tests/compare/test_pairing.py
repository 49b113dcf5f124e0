from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.canonical import digest
from replaylab.compare.pairing import Paired, pair_trials
from replaylab.errors import UsageError
from replaylab.faults.plan import named
from replaylab.schema.cassette import Limits
from replaylab.schema.run import PlannedTask, RunSpec
from replaylab.score.facts import Study
from tests.score.studies import Outcomes, model, study


def spec(of: Study, **more: Any) -> RunSpec:
    tasks = dict.fromkeys(trial.task for trial in of.trials)
    values = {
        "agents": tuple(of.agents.values()),
        "simulators": tuple(of.simulators.values()),
        "verifiers": tuple(of.verifiers.values()),
        "faults": tuple(of.faults.values()),
        "tasks": tuple(PlannedTask(task=task, content=digest(task)) for task in tasks),
    }
    return RunSpec.model_validate(values | more)


def paired(a: Study, b: Study, match: dict[str, tuple[str, str]] | None = None, **more: Any) -> Paired:
    return pair_trials(a.trials, b.trials, (spec(a), spec(b, **more)), match)


def made(*conditions: str, outcomes: dict[str, Outcomes] | None = None) -> Study:
    return study(dict.fromkeys(conditions, outcomes or {"s1": "pf", "s2": "p"}))


def told(found: Paired) -> list[str]:
    return [one.message for one in found.changed]


def test_the_same_models_are_paired_with_themselves() -> None:
    found = paired(made("ann", "bob"), made("bob", "ann"))
    assert [(pair.a.agent, pair.a.task) for pair in found.pairs] == [
        (pair.b.agent, pair.b.task) for pair in found.pairs
    ]
    assert (len(found.pairs), found.changed, found.alone_a, found.alone_b) == (6, (), (), ())


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("ann-2", "agent: ann -> ann-2"),
        ("ann||sim-2", "simulator: sim -> sim-2"),
        ("ann|||judge-2", "verifier: judge -> judge-2"),
    ],
)
def test_the_one_model_that_differs_is_what_changed(condition: str, says: str) -> None:
    found = paired(made("ann"), made(condition))
    assert (len(found.pairs), told(found)) == (3, [says])


def test_a_model_that_one_run_has_alone_is_left_out_beside_shared_ones() -> None:
    found = paired(made("ann", "old"), made("ann", "new"))
    assert {(pair.a.agent, pair.b.agent) for pair in found.pairs} == {("ann", "ann")}
    assert ({one.agent for one in found.alone_a}, {one.agent for one in found.alone_b}) == ({"old"}, {"new"})


def test_which_belong_together_can_be_said() -> None:
    found = paired(made("ann", "old"), made("ann", "new"), {"agent": ("old", "new")})
    assert {(pair.a.agent, pair.b.agent) for pair in found.pairs} == {("old", "new")}
    with pytest.raises(UsageError, match="the second run has no agent 'nwe'"):
        paired(made("ann", "old"), made("ann", "new"), {"agent": ("old", "nwe")})


def test_what_cannot_be_told_is_not_guessed() -> None:
    with pytest.raises(UsageError, match="no agent in common") as caught:
        paired(made("ann"), made("bob", "cid"))
    assert (caught.value.closest, caught.value.fix) == (
        "ann in the first, bob, cid in the second",
        "say it: --match agent ann bob",
    )


@pytest.mark.parametrize(
    ("a", "b", "says", "closest"),
    [
        (made("ann", outcomes={"s1": "p"}), made("ann", outcomes={"s2": "p"}), "no task", "s1-0 and s2-0"),
        (made("ann|E0"), made("ann|E1"), "no fault plan", "E0 and E1"),
        (
            made("ann", outcomes={"s1": "p"}),
            made("bob", "cid", outcomes={"s2": "p"}),
            "no task",
            "s1-0 and s2-0",
        ),
    ],
)
def test_nothing_to_pair_says_what_keeps_them_apart(a: Study, b: Study, says: str, closest: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        paired(a, b)
    assert caught.value.closest == closest


def test_other_settings_under_one_name_are_named() -> None:
    warm = model("ann", sampling={"temperature": 1})
    found = paired(made("ann"), study({"ann": {"s1": "pf"}}, models={"ann": warm}))
    assert told(found) == ['agent ann: other settings: sampling {} -> {"temperature": 1}']
    assert len(found.alone_a) == 1


def test_everything_else_that_differs_is_named() -> None:
    a, b = made("ann"), made("ann")
    other: dict[str, Any] = {
        "tasks": (PlannedTask(task="s1-0", content=digest("edited")),),
        "faults": (named("E0").model_copy(update={"seed": 7}),),
        "prompts": {"agent": digest("prompt")},
        "limits": Limits(votes=1),
        "judged_by": "both",
    }
    messages = told(paired(a, b, **other))
    assert [one.partition(":")[0] for one in messages] == [
        "the fault plan E0 is not the same",
        "task s1-0",
        "prompt agent",
        "limits",
        "judged_by",
    ]


names = st.lists(st.sampled_from(["ann", "bob", "cid|E1", "ann|E1"]), min_size=1, max_size=3, unique=True)
outcomes = st.dictionaries(st.sampled_from(["s1", "s2"]), st.text("pfem", min_size=1, max_size=3), min_size=1)


@given(names, names, outcomes, outcomes)
def test_exchanged_runs_have_the_same_pairs(
    one: list[str], other: list[str], mine: dict[str, Outcomes], theirs: dict[str, Outcomes]
) -> None:
    a, b = study(dict.fromkeys(one, mine)), study(dict.fromkeys(other, theirs))
    try:
        found = paired(a, b)
    except UsageError:
        with pytest.raises(UsageError):
            paired(b, a)
        return
    back = paired(b, a)
    assert {(p.a.key, p.b.key) for p in found.pairs} == {(p.b.key, p.a.key) for p in back.pairs}
    assert {x.key for x in found.alone_a} == {x.key for x in back.alone_b}
    assert len(found.pairs) + len(found.alone_a) == len(a.trials)
    assert len({p.b.key for p in found.pairs}) == len(found.pairs)
