"""The contract check of a recorded trial: which calls the simulator answered, what it cleanly said, and under which faults."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.diff.check import Observed, check_observations
from replaylab.errors import CallFailed
from replaylab.roles.simulator import read_observation
from replaylab.schema.callpath import CallPath, Condition, TrialKey
from replaylab.schema.cassette import Header
from replaylab.schema.interaction import Interaction
from replaylab.schema.trajectory import Action, Trajectory
from replaylab.schema.violation import CheckReport, Violation
from replaylab.wire.completion import read_answer

LANE = "simulator"


def check_trajectory(header: Header, trajectory: Trajectory, lane: Sequence[Interaction] = ()) -> CheckReport:
    """What the simulator of a trial said against its contract.

    A fault that the harness injected is none of it: a call that it answered is no call, and of a disturbed observation
    the clean one is read. Faults that the prompt asked for may explain what is found (`header.faults`). With the
    simulator's `lane` each violation names the very interaction, also where an answer was asked for again.
    """
    actions = [action for action in trajectory.actions if action.by == "simulator"]
    steps = [Observed(action.tool, action.arguments or {}, action.clean) for action in actions]
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
