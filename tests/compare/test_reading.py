from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.compare.reading import answered, counting
from replaylab.derive.verdict import derive
from replaylab.diff.trial import check_trajectory
from replaylab.errors import StoreError, UsageError
from replaylab.schema.run import Run
from replaylab.score.derive_facts import facts_of
from replaylab.store.library import Library
from tests.cli.conftest import REPO
from tests.score.written import CARE, FARM, model, write
from tools.authored import AuthoredTrial

REAL = "real-qwen2.5-coder-1.5b"


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A copy, since an index is written beside what is read."""
    root = tmp_path_factory.mktemp("shipped") / "cassettes"
    return Library(shutil.copytree(REPO / "cassettes", root, ignore=shutil.ignore_patterns("index.db")))


def run_of(library: Library) -> Run:
    return library.run(REAL)[1]


def test_the_check_of_each_trial_is_that_of_its_recording(shipped: Library) -> None:
    found = answered(shipped, counting(shipped, [REAL]))
    assert len(found) == 6
    assert sum(len(one.report.findings) for one in found.values()) > 5
    for name, one in found.items():
        cassette = open_cassette(shipped, name)
        derived = derive(cassette.header, cassette.lanes)
        lane = cassette.lanes["simulator"]
        assert one.report == check_trajectory(cassette.header, derived.trajectory, lane)
        assert (one.checked.verdict, one.scenario) == (derived.verdict.outcome, cassette.header.scenario)
        assert one.asked.latencies == tuple(row.final.latency_ms for row in lane)
        assert one.asked.spent == facts_of(cassette).spent["simulator"]
        assert (one.asked.simulator, one.asked.evidence, one.asked.source) == (
            cassette.header.players["simulator"],
            "recorded",
            "",
        )


def test_what_counts_is_each_cassette_once_in_the_runs_that_are_named(shipped: Library) -> None:
    entries = run_of(shipped).ledger
    assert counting(shipped, [REAL]) == {e.counting.cassette: e.key for e in entries if e.counting}
    assert counting(shipped, [REAL, REAL]) == counting(shipped, [REAL])
    assert len(counting(shipped)) == 6 + 108
    with pytest.raises(UsageError, match="there is no run"):
        counting(shipped, ["nothing"])


def test_what_was_read_once_is_not_read_again(tmp_path: Path) -> None:
    library = write(
        tmp_path, "run", [AuthoredTrial("a", task, "pass", calls=2) for task in ("care-1", "farm-1")]
    )
    told: list[tuple[int, int]] = []
    first = answered(library, counting(library), progress=lambda *counts: told.append(counts))
    assert told == [(1, 2), (2, 2)]
    assert answered(library, counting(library), progress=lambda *counts: told.append(counts)) == first
    assert told == [(1, 2), (2, 2)]
    (library.root / "index.db").unlink()
    assert answered(library, counting(library)) == first


def test_an_authored_lane_is_authored_and_a_broken_trial_breaks_nothing(tmp_path: Path) -> None:
    trials = [AuthoredTrial("a", "care-1", "pass", calls=2), AuthoredTrial("a", "farm-1", "error")]
    library = write(tmp_path, "run", trials)
    found = list(answered(library, counting(library)).values())
    assert [(one.asked.evidence, one.scenario, one.checked.verdict) for one in found] == [
        ("authored", CARE, "pass"),
        ("authored", FARM, "error"),
    ]
    assert [(one.asked.spent.calls, one.report.coverage.calls, one.broke) for one in found] == [
        (2, 2, False),
        (0, 0, False),
    ]
    assert [one.asked.simulator for one in found] == [model("sim")] * 2


def test_a_damaged_cassette_is_named(tmp_path: Path) -> None:
    library = write(tmp_path, "run", [AuthoredTrial("a", "care-1", "pass")])
    (name,) = counting(library)
    library.path(name, "cassette").chmod(0o644)
    library.path(name, "cassette").write_bytes(b"x")
    with pytest.raises(StoreError):
        answered(library, [name])
