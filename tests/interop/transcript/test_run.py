"""The run that transcripts become."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.engine.plan import keys
from replaylab.interop.transcript import TranscriptsRefused
from replaylab.schema.model import NOBODY
from tests.interop.transcript.made import imported, line


def test_simulators_on_one_task_are_trials_of_one_run(tmp_path: Path) -> None:
    run = imported(
        tmp_path, line(simulator="a"), line(simulator="b"), line(simulator="b", condition="E1")
    ).run
    assert [model.alias for model in run.spec.simulators] == ["a", "b"]
    assert run.spec.verifiers == (NOBODY,)
    assert [entry.status for entry in run.ledger] == ["recorded", "missing", "recorded", "recorded"]
    assert [entry.key for entry in run.ledger] == [str(key) for key in keys(run.spec)]


def test_it_says_what_its_evidence_is_and_how_much_was_read(tmp_path: Path) -> None:
    run = imported(tmp_path, line(), b"{", skip_bad=True).run
    assert run.evidence == "imported"
    assert run.origin == {"transcripts": 1, "skipped": 1}


def test_it_is_as_old_as_its_newest_transcript(tmp_path: Path) -> None:
    run = imported(tmp_path, line(created="2026-01-02"), line(created="2025-01-02")).run
    assert run.created == "2026-01-02T00:00:00.000Z"


def test_a_ledger_without_end_is_refused(tmp_path: Path) -> None:
    lines = [line(simulator=f"s{number}", agent=f"a{number}", trial=9_999) for number in range(11)]
    with pytest.raises(TranscriptsRefused, match="1,210,000 trials"):
        imported(tmp_path, *lines)
