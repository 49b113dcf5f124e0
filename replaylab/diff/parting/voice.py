"""A simulator's voice in one trial: what it was asked, what it cleanly said, and what the contract check found in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from replaylab.cassette.codec import Cassette
from replaylab.derive.answers import Answers
from replaylab.derive.trajectory import trajectory_of
from replaylab.diff.check import Observed
from replaylab.diff.contract.contract import Contract
from replaylab.diff.parting.pairing import Source
from replaylab.diff.parting.projection import Projection, projections
from replaylab.diff.parting.repeats import repeated
from replaylab.diff.reading import Evidence, evidence_of
from replaylab.diff.trial import LANE, answered, answered_at, check_trajectory, origin_of, past_of
from replaylab.schema.base import Json
from replaylab.schema.callpath import CallPath
from replaylab.schema.cassette import ORIGIN, Header, key_of
from replaylab.schema.model import played_by
from replaylab.schema.trajectory import Action, Trajectory
from replaylab.schema.violation import CheckReport, Violation


@dataclass
class Voice:
    """`said` is by the number of the call, as are `paths` and `repeats`: further answers to the very same questions."""

    source: Source
    header: Header
    trajectory: Trajectory
    report: CheckReport
    evidence: Evidence
    player: str
    said: dict[int, Projection]
    paths: dict[int, str]
    repeats: dict[int, list[Projection]] = field(default_factory=dict)

    @property
    def simulator(self) -> str:
        return self.source.simulator

    @property
    def actions(self) -> tuple[Action, ...]:
        return self.trajectory.actions

    def found(self, call: int) -> tuple[Violation, ...]:
        """Its violations and candidates in a call."""
        return tuple(one for one in (*self.report.findings, *self.report.candidates) if one.call == call)

    def hushed(self, call: int) -> bool:
        """Whether a possible fault explains what it said to a call."""
        return any(one.call == call for one in self.report.faults)


def listen(cassette: Cassette, source: Source, contract: Contract) -> Voice:
    """Read a simulator's voice out of its cassette, or the original's out of one in lockstep."""
    header, read = cassette.header, Answers()
    lanes = cassette.lanes
    if source.lane == ORIGIN:
        trajectory, past = origin_of(header, lanes, read), None
        header = header.model_copy(
            update={
                "mode": "run",
                "players": {**header.players, LANE: header.players[ORIGIN]},
                "subject": header.subject.model_copy(update={"condition": str(source.key.condition)}),
            }
        )
    else:
        trajectory, past = trajectory_of(header, lanes, read), past_of(header, lanes, read)
    lane = lanes.get(source.lane, ())
    actions = answered(trajectory)
    report = check_trajectory(header, trajectory, lane, past=past)
    ordinals = answered_at(header, actions, lane) or list(range(len(actions)))
    # Where the answers really stand: the key of this cassette, which in a copied lane is not the original's.
    paths = {
        action.call: str(CallPath(key_of(cassette.header), source.lane, ordinal))
        for action, ordinal in zip(actions, ordinals, strict=True)
    }
    voice = Voice(
        source,
        header,
        trajectory,
        _placed(report, paths),
        evidence_of(cassette.header, source.lane),
        played_by(cassette.header.players[source.lane]),
        project_all(contract, header, actions, past),
        paths,
    )
    if source.lane == LANE:
        _add_repeats(voice, repeated(cassette, actions, read), contract, past or trajectory)
    return voice


def _add_repeats(
    voice: Voice, repeats: Sequence[dict[int, Json]], contract: Contract, held: Trajectory
) -> None:
    """Each was asked with the history of the simulator's own lane, so that is its past too."""
    actions = answered(voice.trajectory)
    for said in repeats:
        again = [
            one.model_copy(update={"observation": said.get(one.call, one.clean), "fault": None})
            for one in actions
        ]
        for call, one in project_all(contract, voice.header, again, held).items():
            if call in said:
                voice.repeats.setdefault(call, []).append(one)


def _placed(report: CheckReport, paths: dict[int, str]) -> CheckReport:
    def placed(found: Sequence[Violation]) -> tuple[Violation, ...]:
        return tuple(one.model_copy(update={"path": paths[one.call]}) for one in found)

    return report.model_copy(
        update={
            "findings": placed(report.findings),
            "candidates": placed(report.candidates),
            "faults": placed(report.faults),
        }
    )


def project_all(
    contract: Contract, header: Header, actions: Sequence[Action], past: Trajectory | None
) -> dict[int, Projection]:
    """What the contract fixes of each answer, by the number of the call."""
    held = {action.call: (action.clean,) for action in answered(past)} if past else {}
    steps = [
        Observed(action.tool, action.arguments or {}, action.clean, held.get(action.call, ()))
        for action in actions
    ]
    found = projections(contract, header.task, steps)
    return {action.call: one for action, one in zip(actions, found, strict=True)}
