"""A contract check of one simulator in the form of a comparison, which is what a page shows."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.diff.observed import read_observation
from replaylab.diff.refusal import read_refusal
from replaylab.diff.trial import LANE, answered_at
from replaylab.schema.callpath import CallPath, Condition, TrialKey
from replaylab.schema.cassette import Header
from replaylab.schema.difference import Answer, Row, TrialDiff
from replaylab.schema.interaction import Interaction
from replaylab.schema.scenario import Tool
from replaylab.schema.trajectory import Trajectory
from replaylab.schema.violation import CheckReport


def solo(
    header: Header,
    trajectory: Trajectory,
    report: CheckReport,
    lane: Sequence[Interaction] = (),
    *,
    cassette: str = "",
    verdict: str = "",
    notices: Sequence[str] = (),
) -> TrialDiff:
    """A checked trial as rows: every call, what was cleanly said to it, and what was found in that."""
    key = TrialKey(Condition.parse(header.subject.condition), header.subject.task, header.subject.trial)
    simulator = key.condition.simulator
    answered = [action for action in trajectory.actions if action.by == "simulator"]
    ordinals = answered_at(header, answered, lane) or range(len(answered))
    paths = {
        action.call: str(CallPath(key, LANE, ordinal))
        for action, ordinal in zip(answered, ordinals, strict=True)
    }
    found: dict[int, list[str]] = {}
    for one in report.findings:
        found.setdefault(one.call, []).append(one.id)
    rows = []
    for action in trajectory.actions:
        tool = header.environment.tool(action.tool) or Tool(name=action.tool)
        refused = action.by == "simulator" and read_refusal(tool, read_observation(action.clean)) is not None
        answer = Answer(
            simulator=simulator,
            path=paths.get(action.call, ""),
            observation=action.clean,
            by=action.by,
            refused=refused,
            violations=tuple(found.get(action.call, ())),
        )
        rows.append(
            Row(
                row=action.call,
                tool=action.tool,
                arguments=action.arguments or {},
                calls=(action.call,),
                answers=(answer,),
            )
        )
    return TrialDiff(
        task=header.subject.task,
        scenario=header.scenario.name,
        environment=header.environment.id,
        industry=header.scenario.industry,
        faults=header.faults.name,
        manner="aligned",
        simulators=(simulator,),
        keys=(str(key),),
        cassettes=(cassette,),
        verdicts=(verdict,) if verdict else (),
        rows=tuple(rows),
        violations=report.findings,
        candidates=report.candidates,
        faults_found=report.faults,
        coverage=(report.coverage,),
        notices=tuple(notices),
    )
