from __future__ import annotations

import json
from pathlib import Path

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.engine.replay import replay_run
from tools import bench_parts


@pytest.mark.parametrize("steps", [1, 3])
def test_a_trial_has_as_many_steps_as_wanted_and_replays(tmp_path: Path, steps: int) -> None:
    library = bench_parts.record(tmp_path / "library", steps, 2)
    _, run = library.run("bench")
    assert [entry.status for entry in run.ledger] == ["recorded"] * 2
    for entry in run.ledger:
        lanes = open_cassette(library, entry.tries[0].cassette).lanes
        assert {lane: len(rows) for lane, rows in lanes.items()} == {
            "agent": steps + 1, "simulator": steps, "verifier.0": 1, "verifier.1": 1, "verifier.2": 1,
        }  # fmt: skip
    assert replay_run(library, run).findings == ()


def test_a_report_is_written_as_numbers_and_as_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_parts, "REPORTS", tmp_path / "reports")
    bench_parts.write("x", "Title", "How.", [("Table", ("a", "b"), [(1, 2)])], {"n": 1.5})
    assert json.loads((tmp_path / "reports" / "x.json").read_text(encoding="utf-8")) == {"n": 1.5}
    page = (tmp_path / "reports" / "x.md").read_text(encoding="utf-8")
    assert page.startswith("# Title\n\nHow.\n")
    assert "| a | b |\n|---|---|\n| 1 | 2 |" in page


def test_what_was_measured_in_part_leaves_the_report_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_parts, "REPORTS", tmp_path / "reports")
    bench_parts.write("x", "Title", "How.", [("Table", ("a", "b"), [(1, 2)])], {"n": 1.5}, whole=False)
    assert "| 1 | 2 |" in capsys.readouterr().out
    assert not (tmp_path / "reports").exists()


def test_the_median_is_of_so_many_measurements() -> None:
    values = iter([5.0, 1.0, 3.0])
    assert bench_parts.median_of(3, lambda: next(values)) == 3.0
