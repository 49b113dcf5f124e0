"""The table of who solves what is the one that the tool writes, and says what it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.catalogue.index import read_index
from replaylab.catalogue.loader import shipped
from replaylab.examine.examine import Examiner
from tools import solvability


def test_the_shipped_scenarios_keep_every_rule() -> None:
    examined = Examiner(trusted=[shipped()], published=read_index(shipped())).examine([shipped()])
    assert [(one.kind, one.where, one.message) for one in examined.findings] == []
    assert examined.unrun == ()
    assert len(examined.scenarios) >= 20
    assert examined.tasks >= 60


def test_every_task_is_solved_by_its_plan_alone_and_the_table_is_up_to_date(tmp_path: Path) -> None:
    assert solvability.main(tmp_path / "solvability.md") == 0
    written = (tmp_path / "solvability.md").read_text(encoding="utf-8")
    assert written == solvability.REPORT.read_text(encoding="utf-8")


@pytest.mark.soak
def test_the_verdict_changes_with_every_wrong_step_and_no_check_is_dead() -> None:
    examined = Examiner(trusted=[shipped()], mutants=True).examine([shipped()])
    found = {(one.kind, one.where, one.message) for one in examined.findings}
    assert len(examined.mutations) == examined.tasks
    assert found == set()
