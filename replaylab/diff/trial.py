"""The contract check of a recorded trial: which calls the simulator answered, what it cleanly said, and under which faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from replaylab.derive.answers import Read, read_recorded
from replaylab.derive.trajectory import trajectory_of
from replaylab.diff.check import Observed, check_observations
from replaylab.errors import CallFailed
from replaylab.roles.simulator import read_observation
from replaylab.schema.callpath import CallPath, Condition, TrialKey
from replaylab.schema.cassette import ORIGIN, Header
from replaylab.schema.interaction import Interaction
from replaylab.schema.trajectory import Action, Trajectory
from replaylab.schema.violation import CheckReport, Violation
from replaylab.wire.completion import read_answer

LANE = "simulator"


def check_trajectory(
    header: Header,
    trajectory: Trajectory,
    lane: Sequence[Interaction] = (),
    *,
    past: Trajectory | None = None,
) -> CheckReport:
    """What the simulator of a trial said against its contract.

    A fault that the harness injected is none of it: a call that it answered is no call, and of a disturbed observation
    the clean one is read. Faults that the prompt asked for may explain what is found (`header.faults`). With the
    simulator's `lane` each violation names the very interaction, also where an answer was asked for again. `past` is the
    trajectory whose observations its history held, where that is another one (`lockstep/recorded`).
    """
    actions = answered(trajectory)
    held = {action.call: (action.clean,) for action in answered(past)} if past else {}
    steps = [
        Observed(action.tool, action.arguments or {}, action.clean, held.get(action.call, ()))
        for action in actions
    ]
    report = check_observations(header.environment, header.task, steps, faults=header.faults)
    key = TrialKey(Condition.parse(header.subject.condition), header.subject.task, header.subject.trial)
    ordinals = answered_at(header, actions, lane) or list(range(len(actions)))

    def placed(one: Violation) -> Violation:
        path = str(CallPath(key, LANE, ordinals[one.call]))
        player = key.condition.simulator
        return one.model_copy(update={"call": actions[one.call].call, "path": path, "simulator": player})

    return CheckReport(
        findings=tuple(map(placed, report.findings)),
        candidates=tuple(map(placed, report.candidates)),
        faults=tuple(map(placed, report.faults)),
        coverage=report.coverage,
    )


def answered(trajectory: Trajectory) -> list[Action]:
    """The calls that the simulator answered."""
    return [action for action in trajectory.actions if action.by == "simulator"]


def past_of(
    header: Header, lanes: Mapping[str, Sequence[Interaction]], read: Read = read_recorded
) -> Trajectory | None:
    """The trajectory whose observations the simulator's history held; None where it is its own."""
    return origin_of(header, lanes, read) if header.mode == "lockstep/recorded" else None


def origin_of(
    header: Header, lanes: Mapping[str, Sequence[Interaction]], read: Read = read_recorded
) -> Trajectory:
    """Of a trial in lockstep: the trajectory that it was recorded with, out of the lanes that were copied."""
    players = {**header.players, LANE: header.players[ORIGIN]}
    before = header.model_copy(update={"mode": "run", "players": players})
    return trajectory_of(before, {"agent": lanes.get("agent", ()), LANE: lanes.get(ORIGIN, ())}, read)


def answered_at(header: Header, actions: Sequence[Action], lane: Sequence[Interaction]) -> list[int]:
    """The place in the simulator's lane of the answer that each call took; [] where the lane does not fit them."""
    found: list[int] = []
    at = 0
    for action in actions:
        tool = header.environment.tool(action.tool)
        while at < len(lane):
            at += 1
            try:
                usable = (
                    tool is not None and read_observation(read_answer(lane[at - 1].final), tool) is not ...
                )
            except CallFailed:
                continue
            if usable:
                found.append(at - 1)
                break
    return found if len(found) == len(actions) else []
