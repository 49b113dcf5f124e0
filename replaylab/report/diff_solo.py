"""A contract check of one simulator in the form of a comparison, which is what a page shows; and contracts to look up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.derive.verdict import derive
from replaylab.diff.calls.refusal import read_refusal
from replaylab.diff.reading import CheckedTrial
from replaylab.diff.trial import LANE, answered_at
from replaylab.diff.words.observed import read_observation
from replaylab.report.diff_finding import Contract, contract_json
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import CallPath
from replaylab.schema.difference import Answer, Row, TrialDiff
from replaylab.schema.scenario import Tool
from replaylab.schema.trajectory import Action
from replaylab.store.library import Library


def checked_trials(library: Library, checked: Iterable[CheckedTrial]) -> Iterator[TrialDiff]:
    """Checked trials with their trajectories. Raises StoreError for a cassette that is missing or damaged."""
    for one in checked:
        yield solo(one, open_cassette(library, one.cassette))


def contracts(library: Library) -> Contract:
    """Looks the contract of a trial up in its first cassette."""

    def of(trial: TrialDiff) -> JsonObject | None:
        if not trial.cassettes or not trial.cassettes[0]:
            return None
        header = open_cassette(library, trial.cassettes[0]).header
        return contract_json(header.environment, header.task)

    return of


def solo(checked: CheckedTrial, cassette: Cassette) -> TrialDiff:
    """A checked trial as rows: every call, what was cleanly said to it, and what was found in that."""
    report, header = checked.report, cassette.header
    actions = derive(header, cassette.lanes).trajectory.actions
    lane = cassette.lanes.get(LANE, ())
    answered = [action for action in actions if action.by == "simulator"]
    ordinals = answered_at(header, answered, lane) or range(len(answered))
    paths = {
        action.call: str(CallPath(checked.key, LANE, ordinal))
        for action, ordinal in zip(answered, ordinals, strict=True)
    }
    found: dict[int, list[str]] = {}
    for one in report.findings:
        found.setdefault(one.call, []).append(one.id)

    def row(action: Action) -> Row:
        tool = header.environment.tool(action.tool) or Tool(name=action.tool)
        said = read_observation(action.clean)
        answer = Answer(
            simulator=checked.simulator,
            path=paths.get(action.call, ""),
            observation=action.clean,
            by=action.by,
            refused=action.by == "simulator" and read_refusal(tool, said) is not None,
            violations=tuple(found.get(action.call, ())),
        )
        arguments = action.arguments or {}
        return Row(
            row=action.call, tool=action.tool, arguments=arguments, calls=(action.call,), answers=(answer,)
        )

    return TrialDiff(
        task=checked.task,
        scenario=checked.scenario,
        environment=checked.environment,
        industry=checked.industry,
        faults=checked.faults,
        manner="aligned",
        simulators=(checked.simulator,),
        keys=(checked.address,),
        cassettes=(checked.cassette,),
        verdicts=(checked.verdict,),
        rows=tuple(map(row, actions)),
        violations=report.findings,
        candidates=report.candidates,
        faults_found=report.faults,
        coverage=(report.coverage,),
        evidence=checked.evidence,
    )
