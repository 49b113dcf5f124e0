"""The faults beyond the published ones, over trials of reads and writes in every order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.canonical import canonical
from replaylab.checks.depends import Dependence
from replaylab.checks.failure import is_error
from replaylab.faults.of import injector_of
from replaylab.faults.plan import named
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.fault import FOREVER, FaultEvent, FaultPlan
from replaylab.schema.scenario import Environment, Rubric, Task, Tool

READS = tuple(Tool(name=f"get_{name}", effect="read") for name in ("units", "rents", "tenants"))
WRITE = Tool(name="set_unit", effect="write")
CHECKS: tuple[JsonObject, ...] = (
    {"id": "rent", "kind": "observed", "key": "rent", "value": {"gt": 0}, "tool": "get_units"},
    {"id": "set", "kind": "called", "tool": "set_unit", "args": {"unit": "U-3"}},
)
SITE = Environment(
    id="site",
    system_prompt="",
    tools=(*READS, WRITE),
    initial_state={"note": "never"},
    state_description={},
)
TASK = Task(
    id="task",
    scenario="s",
    environment="site",
    instruction="",
    rubric=Rubric(text="", checks=CHECKS),
    expected_calls=12,
)
BEYOND = ("persistent", "correlated", "targeted", "semantic", "slow", "E1+targeted", "E2+correlated")
plans = st.builds(named, st.sampled_from(BEYOND), st.integers(0, 3), st.integers(1, 3), st.integers(0, 30))
some_tools = st.lists(st.sampled_from([*READS, WRITE]), max_size=40)


def clean_at(call: int) -> Json:
    return {"units": [{"id": f"U-{n}", "rent": 1000 + n, "note": "ok"} for n in range(4)], "reading": call}


def play(plan: FaultPlan, tools: Sequence[Tool], arguments: JsonObject | None = None) -> list[FaultEvent]:
    """The events of a trial whose calls use these tools one after another."""
    injector = injector_of(plan, TASK, SITE)
    given_ = {"unit": "U-3"} if arguments is None else arguments
    events = []
    for call, tool in enumerate(tools):
        event = injector.explicit(call, tool, given_)
        event = event or injector.implicit(call, tool, given_, clean_at(call))
        events += [event] if event else []
    return events


@settings(max_examples=60, deadline=None)
@given(plans, some_tools)
def test_the_same_trial_meets_the_same_faults_again(plan: FaultPlan, tools: list[Tool]) -> None:
    assert play(plan, tools) == play(plan, tools)


@settings(max_examples=80, deadline=None)
@given(plans)
def test_a_long_enough_trial_meets_exactly_the_planned_faults(plan: FaultPlan) -> None:
    events = play(plan, [*READS, WRITE] * 40)
    if plan.persistent:
        return
    met = Counter((event.fault, event.tool) for event in events)
    assert {fault for fault, _ in met} == set(range(plan.count))
    assert set(met.values()) <= {plan.duration}
    for fault in range(plan.count):
        struck = {tool for number, tool in met if number == fault}
        assert len(struck) == (2 if plan.correlated else 1)


@settings(max_examples=60, deadline=None)
@given(plans, some_tools)
def test_a_retry_after_the_duration_gives_the_clean_value(plan: FaultPlan, tools: list[Tool]) -> None:
    events = {event.call: event for event in play(plan, tools)}
    for event in events.values():
        if event.left == 0:
            again = next(
                (call for call in range(event.call + 1, len(tools)) if tools[call].name == event.tool), None
            )
            assert again not in events


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 30), st.integers(1, 3))
def test_a_persistent_fault_never_recovers_and_leaves_other_tools_alone(seed: int, duration: int) -> None:
    events = play(named("E1+persistent", 1, duration, seed), [*READS, WRITE] * 10)
    (tool,) = {event.tool for event in events}
    first = events[0].call
    assert [event.call for event in events] == list(range(first, 40, 4))
    assert {event.left for event in events} == {FOREVER}
    assert tool in {one.name for one in SITE.tools}


@pytest.mark.parametrize("seed", range(8))
def test_a_correlated_fault_is_one_cause_at_several_tools_at_once(seed: int) -> None:
    events = play(named("correlated", 1, 2, seed), [*READS, WRITE] * 10)
    group = events[0].tools
    assert len(group) == 2
    assert {event.tool for event in events} == set(group)
    assert {(event.fault, event.kind, event.tools) for event in events} == {(0, events[0].kind, group)}
    one = [event.call for event in events if event.tool == group[0]]
    other = [event.call for event in events if event.tool == group[1]]
    assert min(other) < max(one)
    assert min(one) < max(other)


def test_a_correlated_fault_at_a_tool_that_nobody_calls_holds_no_later_one_up() -> None:
    for seed in range(8):
        plan = named("correlated", 3, 1, seed)
        group = play(plan, [*READS, WRITE] * 10)[0].tools
        used = next(tool for tool in SITE.tools if tool.name == group[0])
        first = [event for event in play(plan, [used] * 40) if event.fault == 0]
        assert len(first) == 1
        everything = play(plan, [used] * 8 + [*READS, WRITE] * 10)
        assert {event.fault for event in everything} == {0, 1, 2}


@pytest.mark.parametrize("seed", range(8))
def test_the_group_of_a_correlated_fault_is_the_same_for_every_agent(seed: int) -> None:
    plan = named("correlated", 1, 2, seed)
    forward = play(plan, [*READS, WRITE] * 10)
    assert {event.tools for event in forward} == {
        event.tools for event in play(plan, [WRITE, *READS[::-1]] * 10)
    }


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["targeted", "E1+targeted", "E2+targeted"]), st.integers(0, 20), some_tools)
def test_a_targeted_fault_strikes_a_call_that_a_check_depends_on(
    name: str, seed: int, tools: list[Tool]
) -> None:
    for event in play(named(name, 3, 1, seed), tools):
        assert event.tool in ("get_units", "set_unit")
    assert not any(
        event.tool == "set_unit" for event in play(named(name, 3, 1, seed), tools, {"unit": "U-1"})
    )


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 60), st.integers(1, 3), some_tools)
def test_a_semantic_fault_changes_a_value_that_a_check_depends_on_and_keeps_the_shape(
    seed: int, duration: int, tools: list[Tool]
) -> None:
    depends = Dependence(CHECKS)
    for event in play(named("semantic", 3, duration, seed), tools):
        before = depends.places(event.tool, {"unit": "U-3"}, event.clean)
        shown = [_at(event.delivered, place.path) for place in before]
        assert shown != [place.value for place in before]
        assert [type(one) for one in shown] == [type(place.value) for place in before]
        assert _shape(event.delivered) == _shape(event.clean)
        assert not is_error(event.delivered)


def test_a_long_semantic_trial_does_meet_its_faults() -> None:
    events = play(named("semantic", 2, 2), [READS[0]] * 30)
    assert Counter(event.fault for event in events) == {0: 2, 1: 2}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 20), some_tools)
def test_a_slow_answer_is_right_and_its_delay_is_a_value(seed: int, tools: list[Tool]) -> None:
    plan = named("slow", 3, 2, seed)
    for event in play(plan, tools):
        assert event.delay_s == plan.delay_s > 0
        told = dict(event.delivered)
        assert told.pop("timing") == {"took_s": plan.delay_s, "budget_s": plan.budget_s}
        assert told == event.clean == clean_at(event.call)


def test_what_is_no_object_is_late_without_saying_so() -> None:
    injector = injector_of(named("slow", 1, 1), TASK, SITE)
    events = [injector.implicit(call, READS[0], {}, [call]) for call in range(12)]
    (event,) = [event for event in events if event]
    assert event.delivered == event.clean
    assert event.delay_s


@settings(max_examples=60, deadline=None)
@given(plans, some_tools)
def test_only_reads_are_disturbed_and_what_was_clean_is_kept(plan: FaultPlan, tools: list[Tool]) -> None:
    for event in play(plan, tools):
        if event.kind in ("http_500", "timeout", "refused", "unavailable"):
            assert event.clean is None
            assert is_error(event.delivered)
        else:
            assert event.kind == "slow" or event.tool != WRITE.name
            assert event.clean == clean_at(event.call)
            assert canonical(event.delivered) != canonical(event.clean)


@settings(max_examples=40, deadline=None)
@given(plans, some_tools, st.integers(1, 5))
def test_between_a_hit_and_the_start_of_the_next_fault_lies_the_spacing(
    plan: FaultPlan, tools: list[Tool], spacing: int
) -> None:
    events = play(plan.model_copy(update={"spacing": spacing}), tools)
    started: set[int] = set()
    for place, event in enumerate(events):
        if event.fault not in started and place and not plan.persistent:
            assert event.call > events[place - 1].call + spacing
        started.add(event.fault)


def test_a_failed_call_is_not_disturbed_and_counts_as_no_hit() -> None:
    injector = injector_of(named("semantic", 1, 1), TASK, SITE)
    for call in range(20):
        assert injector.implicit(call, READS[0], {}, {"error": "closed", "rent": 5}) is None
    assert len(injector.pending) == 1


def _at(node: Json, path: Sequence[str | int]) -> Json:
    for part in path:
        node = node[part]
    return node


def _shape(node: Json) -> Json:
    if isinstance(node, dict):
        return {key: _shape(value) for key, value in node.items()}
    return [_shape(item) for item in node] if isinstance(node, list) else type(node).__name__
