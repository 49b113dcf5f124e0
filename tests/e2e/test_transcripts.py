"""What was recorded here and is written down as transcripts comes back as the same conversation."""

from __future__ import annotations

from pathlib import Path

from replaylab.cassette.stored import open_cassette
from replaylab.derive.verdict import derive
from replaylab.diff.trial import check_trajectory
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import Header
from replaylab.schema.run import Run
from replaylab.schema.trajectory import Trajectory
from replaylab.schema.violation import CheckReport
from replaylab.store.library import Library
from tests.interop.transcript.made import imported
from tests.playground import SHORT, catalogue, record


def trials(library: Library, run: Run) -> list[tuple[Header, Trajectory, CheckReport]]:
    found = []
    for entry in run.ledger:
        one = open_cassette(library, entry.tries[-1].cassette)
        trajectory = derive(one.header, one.lanes).trajectory
        report = check_trajectory(one.header, trajectory, one.lanes["simulator"])
        found.append((one.header, trajectory, report))
    return found


def as_line(header: Header, trajectory: Trajectory) -> JsonObject:
    return {
        "environment": header.environment.id,
        "simulator": header.players["simulator"].to_json(),
        "agent": {"alias": header.players["agent"].alias, "player": "program"},
        "task": header.task.id,
        "steps": [
            {"tool": action.tool, "arguments": action.arguments, "observation": action.observation}
            for action in trajectory.actions
        ],
        "final_answer": trajectory.answer,
    }


def test_a_recorded_run_written_as_transcripts_is_the_same_conversation(tmp_path: Path) -> None:
    library, _ = record(
        tmp_path / "here", tasks=(SHORT,), agents=("scripted:careful", "scripted:hasty"), name="study"
    )
    before = trials(library, library.run("study")[1])
    lines = [as_line(header, trajectory) for header, trajectory, _ in before]
    made = imported(tmp_path, *lines, catalogue=catalogue)
    after = trials(Library(tmp_path / "library"), made.run)
    assert len(before) == len(after) == 2
    for (_, ours, report), (_, theirs, again) in zip(before, after, strict=True):
        assert [(one.tool, one.arguments, one.observation) for one in theirs.actions] == [
            (one.tool, one.arguments, one.observation) for one in ours.actions
        ]
        assert (theirs.answer, theirs.termination) == (ours.answer, ours.termination)
        assert again.coverage == report.coverage
        assert (again.findings, report.findings) == ((), ())
