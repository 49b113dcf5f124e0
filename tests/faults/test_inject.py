from __future__ import annotations

import copy
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.canonical import canonical
from replaylab.checks.failure import is_error
from replaylab.faults.inject import Injector
from replaylab.faults.plan import named
from replaylab.schema.base import Json
from replaylab.schema.fault import FaultEvent, FaultPlan
from replaylab.schema.scenario import Tool

READ = Tool(name="get_units", effect="read")
WRITE = Tool(name="set_unit", effect="write")
names = st.sampled_from(["E1", "E2", "E3"])
counts, durations, seeds = st.integers(0, 4), st.integers(1, 4), st.integers(0, 50)


def units(reading: int) -> Json:
    """An observation that every implicit kind can disturb; `reading` moves on with time."""
    return {"units": [{"id": f"U-{n}", "rent": 1000 + n, "note": "ok"} for n in range(5)], "reading": reading}


def play(plan: FaultPlan, tools: list[Tool], expected: int, task: str = "task") -> list[FaultEvent]:
    """The events of a trial whose calls use these tools one after another."""
    injector = Injector(plan, task, expected)
    events = []
    for call, tool in enumerate(tools):
        event = injector.explicit(call, tool)
        if event is None:
            event = injector.implicit(call, tool, {}, units(call))
        events += [event] if event else []
    return events


@settings(max_examples=40, deadline=None)
@given(names, counts, durations, seeds, st.integers(1, 40))
def test_a_long_enough_trial_of_reads_meets_exactly_the_planned_faults(
    name: str, count: int, duration: int, seed: int, expected: int
) -> None:
    plan = named(name, count, duration, seed)
    events = play(plan, [READ] * (expected + count * (duration + 1) + 2), expected)
    assert Counter(event.fault for event in events) == dict.fromkeys(range(count), duration)
    for fault in range(count):
        calls = [event.call for event in events if event.fault == fault]
        assert calls == list(range(calls[0], calls[0] + duration))
        assert [event.left for event in events if event.fault == fault] == list(range(duration))[::-1]


@settings(max_examples=40, deadline=None)
@given(names, counts, durations, seeds, st.integers(1, 30))
def test_faults_never_overlap_and_a_call_between_two_is_clean(
    name: str, count: int, duration: int, seed: int, expected: int
) -> None:
    events = play(named(name, count, duration, seed), [READ] * 60, expected)
    for left, right in pairwise(events):
        assert right.call == left.call + 1 if left.fault == right.fault else right.call > left.call + 1


@given(names, durations, seeds)
def test_a_retry_after_the_duration_finds_the_clean_value(name: str, duration: int, seed: int) -> None:
    events = play(named(name, 3, duration, seed), [READ] * 60, 30)
    disturbed = {event.call for event in events}
    for event in events:
        assert event.call + event.left + 1 not in disturbed


@given(seeds, st.lists(st.sampled_from([READ, WRITE]), max_size=40))
def test_e0_delivers_none(seed: int, tools: list[Tool]) -> None:
    assert play(named("E0", 5, 5, seed), tools, 10) == []


@settings(max_examples=40, deadline=None)
@given(names, counts, durations, seeds, st.lists(st.sampled_from([READ, WRITE]), max_size=50))
def test_every_event_changes_what_is_seen_and_keeps_what_was_clean(
    name: str, count: int, duration: int, seed: int, tools: list[Tool]
) -> None:
    for event in play(named(name, count, duration, seed), tools, 12):
        if event.kind in ("http_500", "timeout", "refused", "unavailable"):
            assert event.clean is None
            assert is_error(event.delivered)
        else:
            assert event.tool == READ.name
            assert event.clean == units(event.call)
            assert canonical(event.delivered) != canonical(event.clean)
            assert not is_error(event.delivered)


@settings(max_examples=40, deadline=None)
@given(names, counts, durations, seeds, st.lists(st.sampled_from([READ, WRITE]), max_size=50))
def test_the_same_trial_meets_the_same_faults_again(
    name: str, count: int, duration: int, seed: int, tools: list[Tool]
) -> None:
    plan = named(name, count, duration, seed)
    assert play(plan, tools, 12) == play(plan, tools, 12)


def test_an_explicit_fault_hits_writes_as_well() -> None:
    events = play(named("E1", 2, 2), [WRITE] * 30, 20)
    assert [event.tool for event in events] == ["set_unit"] * 4


def test_an_implicit_fault_waits_for_a_read_and_leaves_writes_inside_it_alone() -> None:
    plan = named("E2", 1, 2, 3)
    assert play(plan, [WRITE] * 30, 10) == []
    events = play(plan, [WRITE] * 20 + [READ, WRITE, READ, READ], 10)
    assert [(event.call, event.left) for event in events] == [(20, 1)]


def test_an_implicit_fault_waits_for_an_observation_that_it_can_disturb() -> None:
    injector = Injector(named("E2", 1, 1), "task", 2)
    nothing: list[Json] = [
        {"error": "no such unit"},
        7,
        None,
        "text",
        [],
        {},
        [1],
        {"success": False, "a": [1, 2]},
    ]
    for call, clean in enumerate(nothing):
        assert injector.explicit(call, READ) is None
        assert injector.implicit(call, READ, {"call": call}, clean) is None
    assert len(injector.pending) == 1
    assert injector.implicit(8, READ, {}, units(8)) is not None
    assert not injector.pending


def test_unknown_effects_are_not_disturbed_implicitly() -> None:
    assert play(named("E2"), [Tool(name="x")] * 40, 10) == []


@pytest.mark.parametrize("seed", range(12))
def test_the_clean_value_is_never_changed_and_shares_nothing(seed: int) -> None:
    injector = Injector(named("E2", 3, 2, seed), "task", 12)
    for call in range(20):
        clean = units(call)
        before = copy.deepcopy(clean)
        event = injector.implicit(call, READ, {}, clean)
        assert clean == before
        if event is not None:
            event.delivered.clear()
            clean["units"].clear()
            assert event.clean == before


def test_a_stale_value_is_an_earlier_one_of_the_same_tool_and_arguments() -> None:
    seen = 0
    for seed in range(40):
        injector = Injector(named("E2", 4, 1, seed), "task", 16)
        for call in range(30):
            event = injector.implicit(call, READ, {"id": call % 2}, units(call))
            if event is not None and event.kind == "stale":
                assert event.delivered == units(call - 2)
                seen += 1
    assert seen > 20


def test_what_a_short_trial_does_not_reach_stays_pending() -> None:
    injector = Injector(named("E1", 2, 1), "task", 40)
    assert [due.fault for due in injector.pending] == [0, 1]
    for call in range(20):
        injector.explicit(call, READ)
    assert [due.fault for due in injector.pending] == [1]


def test_an_implicit_fault_that_waits_for_a_read_holds_no_explicit_one_up() -> None:
    for seed in range(8):
        events = play(named("E3", 4, 1, seed), [WRITE] * 40, 20)
        assert len(events) == 2
        assert all(event.fault % 2 == events[0].fault % 2 for event in events)


def test_what_callers_do_to_their_values_changes_no_later_stale_one() -> None:
    seen = 0
    for seed in range(20):
        injector = Injector(named("E2", 4, 2, seed), "task", 16)
        for call in range(30):
            clean = units(call)
            event = injector.implicit(call, READ, {}, clean)
            if event is not None and event.kind == "stale":
                assert event.delivered == units(call - 1)
                seen += 1
                event.delivered.clear()
            clean.clear()
    assert seen


def test_nothing_is_remembered_where_no_implicit_fault_is_to_come() -> None:
    for name in ("E0", "E1"):
        injector = Injector(named(name), "task", 16)
        for call in range(20):
            if injector.explicit(call, READ) is None:
                assert injector.implicit(call, READ, {}, units(call)) is None
        assert injector._seen == {}


def test_a_stale_value_is_one_from_before_the_fault_was_due() -> None:
    stale = [
        event
        for seed in range(60)
        for event in play(named("E2", seed=seed), [READ] * 20, 16)
        if event.kind == "stale"
    ]
    assert stale
    assert all(0 <= event.delivered["reading"] < event.call for event in stale)
