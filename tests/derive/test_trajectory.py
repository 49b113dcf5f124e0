from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.derive.digests import trajectory_digest
from replaylab.derive.episode import play
from replaylab.derive.trajectory import trajectory_of
from replaylab.errors import CallFailed
from replaylab.faults.inject import Injector
from replaylab.roles.agent import Agent
from replaylab.roles.simulator import Simulator
from replaylab.schema.cassette import ORIGIN, Header, Limits
from replaylab.schema.completion import Completion
from replaylab.schema.fault import FaultPlan
from replaylab.schema.trajectory import Trajectory
from tests.derive.recording import CLEAN, Answer, header, lanes
from tests.roles.fakes import ENVIRONMENT, NATIVE, TASK, FakeChat, call, calling

ROOMS = '{"rooms": [{"id": "R1"}, {"id": "R2"}]}'
FAILED = CallFailed("the words of the server", kind="read_error")
EXPLICIT = FaultPlan(name="E1", explicit=True, count=1, duration=1, seed=1)
IMPLICIT = FaultPlan(name="E2", implicit=True, count=1, duration=1, seed=1)


class Chatty(FakeChat):
    """Counts how many of the answers were used; asking beyond them is a mistake of the rules."""

    def __init__(self, answers: list[Any]) -> None:
        super().__init__(answers)
        self.answers = answers

    @property
    def used(self) -> list[Any]:
        return self.answers[: len(self.asked)]


def live(
    head: Header, agent: list[Answer], simulator: list[Answer]
) -> tuple[Trajectory, list[Any], list[Any]]:
    """The trajectory that live roles make of these answers, and the answers that they used."""
    one, two = Chatty(agent), Chatty(simulator)
    player = Agent(one, ENVIRONMENT, TASK, NATIVE)
    player.start()
    world = Simulator(two, ENVIRONMENT, NATIVE, asks=head.limits.asks)
    injector = Injector(head.faults, TASK.id, TASK.expected_calls)
    return play(player, world, injector, ENVIRONMENT, head.limits), one.used, two.used


def trial(agent: list[Answer], simulator: list[Answer] | None = None, **more: Any) -> Trajectory:
    return trajectory_of(header(**more), lanes(agent=agent, simulator=simulator or []))


AGENT = st.sampled_from(
    [
        call("list_rooms", {"floor": 1}),
        call("list_rooms", {"floor": 1}, ""),
        calling(("a", "list_rooms", "{}"), ("a", "ping", ""), finish="stop", reasoning="hm"),
        calling(("a", "nothing", "{}"), ("b", "list_rooms", '{"flo'), finish="length"),
        call("assign_room", {"patient": "P-1", "room": "R1"}),
        "Done.",
        Completion(refusal="No."),
        FAILED,
    ]
)
SIMULATOR = st.sampled_from([ROOMS, ROOMS, f"```\n{ROOMS}\n```", '{"error": "x"}', "null", "hm", "", FAILED])
FAULTS = st.builds(
    FaultPlan,
    name=st.just("E"),
    explicit=st.booleans(),
    implicit=st.booleans(),
    count=st.integers(0, 3),
    duration=st.integers(1, 2),
    seed=st.integers(0, 5),
)


@given(st.lists(AGENT, max_size=8), st.lists(SIMULATOR, max_size=24), FAULTS)
def test_a_recording_gives_the_trajectory_that_was_live(
    agent: list[Answer], simulator: list[Answer], faults: FaultPlan
) -> None:
    if not (faults.explicit or faults.implicit):
        faults = CLEAN
    head = header(faults=faults)
    trajectory, asked, answered = live(head, [*agent, *["Done."] * 9], [*simulator, *[ROOMS] * 40])
    derived = trajectory_of(head, lanes(agent=asked, simulator=answered))
    assert derived == trajectory
    assert trajectory_digest(derived) == trajectory_digest(trajectory)


def test_an_answer_without_a_call_ends_the_trial() -> None:
    trajectory = trial([call("list_rooms"), "Done."], [ROOMS])
    assert (trajectory.termination, trajectory.answer, len(trajectory.turns)) == ("answered", "Done.", 2)
    action = trajectory.actions[0]
    assert (action.call, action.tool, action.by, action.observation["rooms"][0]) == (
        0, "list_rooms", "simulator", {"id": "R1"},
    )  # fmt: skip


def test_a_finish_reason_of_stop_with_calls_does_not_end_the_trial() -> None:
    trajectory = trial([calling(("a", "ping", "{}"), finish="stop"), "Done."], ["null"])
    assert trajectory.termination == "answered"
    assert [turn.finish_reason for turn in trajectory.turns] == ["stop", "stop"]


def test_the_step_limit_is_its_own_end_and_is_looked_at_before_a_turn() -> None:
    three = calling(*[(str(n), "ping", "{}") for n in range(3)])
    trajectory = trial([three, three], ["null"] * 6, limits=Limits(max_steps=4, asks=2))
    assert (trajectory.termination, trajectory.answer, len(trajectory.actions)) == ("step_limit", "", 6)
    assert trial([three], ["null"] * 3, limits=Limits(max_steps=3)).termination == "step_limit"


def test_a_failed_agent_is_an_agent_error_and_what_came_before_is_kept() -> None:
    trajectory = trial([call("ping"), FAILED], ["null"])
    assert (trajectory.termination, trajectory.error) == ("agent_error", "turn 1: read_error")
    assert len(trajectory.actions) == 1


def test_a_failed_simulator_is_a_simulator_error_and_no_observation() -> None:
    two = calling(("a", "ping", "{}"), ("b", "ping", "{}"))
    trajectory = trial([two, "Done."], ["null", FAILED])
    assert (trajectory.termination, trajectory.error) == ("simulator_error", "call 1: read_error")
    assert [action.observation for action in trajectory.actions] == [None]


def test_an_unusable_answer_was_asked_again_up_to_the_limit() -> None:
    trajectory = trial([call("ping"), call("ping"), "Done."], ["hm", "null", "{}"])
    assert [action.observation for action in trajectory.actions] == [None, {}]
    trajectory = trial([call("ping"), "Done."], ["hm", "hm", "null"])
    assert (trajectory.termination, trajectory.error) == ("simulator_error", "call 0: unparsable")


def test_calls_that_cannot_be_made_are_answered_by_the_engine_and_take_no_simulator_answer() -> None:
    turn = calling(("a", "nothing", "{}"), ("b", "list_rooms", '{"flo'), ("c", "ping", "{}"), finish="length")
    trajectory = trial([turn, "Done."], ["null"])
    assert [action.by for action in trajectory.actions] == ["engine", "engine", "simulator"]
    assert "error" in trajectory.actions[0].observation
    assert (trajectory.actions[1].arguments, trajectory.actions[1].raw_arguments) == (None, '{"flo')


def test_an_explicit_fault_comes_before_the_call_and_takes_no_simulator_answer() -> None:
    calls: list[Answer] = [call("list_rooms")] * 5
    trajectory = trial([*calls, "Done."], [ROOMS] * 4, faults=EXPLICIT)
    hit = [action for action in trajectory.actions if action.fault]
    assert trajectory.termination == "answered"
    assert [(action.by, action.observation) for action in hit] == [
        ("faults", action.fault.delivered) for action in hit if action.fault
    ]
    assert len(hit) == 1


def test_an_implicit_fault_changes_what_the_agent_saw_and_keeps_what_was_said() -> None:
    calls: list[Answer] = [call("list_rooms")] * 5
    trajectory = trial([*calls, "Done."], [ROOMS] * 5, faults=IMPLICIT)
    hit = [action for action in trajectory.actions if action.fault]
    assert len(hit) == 1
    assert hit[0].by == "simulator"
    assert hit[0].clean == {"rooms": [{"id": "R1"}, {"id": "R2"}]} != hit[0].observation


def test_a_lane_that_ends_too_early_is_named() -> None:
    assert trial([]).error == "turn 0: lane_dry"
    assert trial([call("ping")]).error == "call 0: lane_dry"


def lockstep(agent: list[Answer], origin: list[Answer], other: list[Answer], **more: Any) -> Trajectory:
    recorded = lanes(agent=agent, simulator=other, **{ORIGIN: origin})
    return trajectory_of(header(mode="lockstep/recorded", **more), recorded)


def test_lockstep_gives_the_other_simulators_observations() -> None:
    trajectory = lockstep(
        [call("ping"), call("list_rooms"), "Done."], ["null", ROOMS], ["{}", '{"rooms": []}']
    )
    assert trajectory.termination == "lockstep"
    assert [action.observation for action in trajectory.actions] == [{}, {"rooms": []}]


def test_in_lockstep_faults_fall_where_they_fell_and_disturb_the_other_simulator_in_nothing() -> None:
    agent: list[Answer] = [*[call("list_rooms")] * 12, "Done."]
    limits = Limits(max_steps=20)
    mixed = [
        FaultPlan(name="E3", explicit=True, implicit=True, count=2, duration=2, seed=seed)
        for seed in range(4)
    ]
    for plan in (EXPLICIT, IMPLICIT, *mixed):
        before = trial(agent, [ROOMS] * 12, faults=plan, limits=limits)
        asked = sum(action.by == "simulator" for action in before.actions)
        # Errors can't be disturbed, so the fault would move if it followed the other simulator.
        after = lockstep(agent, [ROOMS] * asked, ['{"error": "x"}'] * asked, faults=plan, limits=limits)
        assert [action.by for action in after.actions] == [action.by for action in before.actions]
        answered = [action for action in after.actions if action.by == "simulator"]
        assert [(action.observation, action.fault) for action in answered] == [({"error": "x"}, None)] * asked


def test_lockstep_ends_in_an_error_only_where_the_other_simulator_failed() -> None:
    two: list[Answer] = [call("ping"), call("ping"), "Done."]
    failed = lockstep(two, ["null", "null"], ["null", FAILED])
    assert (failed.termination, failed.error) == ("simulator_error", "call 1: read_error")
    assert lockstep(two, ["null", FAILED], ["null"]).termination == "lockstep"
    assert lockstep([call("ping"), FAILED], ["null"], ["null"]).termination == "lockstep"


def test_reasoning_ids_and_finish_reasons_are_kept() -> None:
    trajectory = trial([calling(("", "ping", "{}"), text="Look.", reasoning="hm"), "Done."], ["null"])
    turn = trajectory.turns[0]
    assert (turn.text, turn.reasoning, turn.finish_reason, turn.actions[0].id) == (
        "Look.", "hm", "tool_calls", "call_0",
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["refused", "timeout", "empty_body", "not_json", "error_object"])
def test_the_error_names_the_kind_of_failure_and_not_the_servers_words(kind: str) -> None:
    assert trial([CallFailed("words", kind=kind)]).error == f"turn 0: {kind}"
