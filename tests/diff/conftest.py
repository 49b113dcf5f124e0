"""Recordings that several tests read and none changes."""

from __future__ import annotations

import pytest

from replaylab.diff.parting.pair import compare_simulators
from replaylab.schema.difference import DiffReport, Row, TrialDiff
from replaylab.store.library import Library
from tests.diff.stage import lockstep, recorded, refusing, with_place, without

INVENTED = "Placements are only permitted before 22:00 on weekdays."


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """`run` with the simulator `twin`, and its calls put to others: faithful, leaving out, inventing, refusing."""
    library = recorded(tmp_path_factory.mktemp("stage") / "library", {}, simulators=("twin",))
    lockstep(library, "same")
    lockstep(library, "omits", without("ER-1"))
    lockstep(library, "invents", with_place("ER-9"))
    lockstep(library, "refuses", refusing("place_patient", INVENTED))
    lockstep(library, "wavers", without("ER-1", times=(0,)), repeats=3)
    return library


def report_of(library: Library, *sims: str) -> DiffReport:
    return compare_simulators(library, [library.run("run")], sims)


def only_trial(report: DiffReport) -> TrialDiff:
    (trial,) = report.trials
    return trial


def row_of(trial: TrialDiff, tool: str) -> Row:
    return next(row for row in trial.rows if row.tool == tool)
