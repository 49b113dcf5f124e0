from __future__ import annotations

import re
from pathlib import Path

from replaylab.compare.regressions import regressions
from replaylab.report.regressions_page import OPEN, regressions_page
from replaylab.store.library import Library
from tests.playground import SHORT, record
from tests.score.written import TASKS, cast, write
from tools.authored import AuthoredTrial

HOSTILE = '<script>alert(1)</script>"\u202e'


def test_a_flip_shows_both_sides_and_the_field_that_differs(tmp_path: Path) -> None:
    record(tmp_path, tasks=(SHORT,), name="one")
    library, _ = record(tmp_path, tasks=(SHORT,), simulators=("example",), name="two")
    found = regressions(library, "one", "two")
    page = regressions_page(found)
    assert page == regressions_page(regressions(library, "one", "two"))
    said = page.decode()
    assert "<details open" in said
    for told in ("/places/0/monitored", "twin,rubric,E0/ed-sepsis-room/0/simulator#0", "1 regressed"):
        assert told in said
    assert "Scenarios that drive twin and example apart" in said
    assert not re.search(r'(?:src|href)="(?!#)', said)
    ids = re.findall(r' id="([^"]*)"', said)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]*)"', said)) <= set(ids)


def test_a_hostile_name_is_text(tmp_path: Path) -> None:
    for number, (name, outcome) in enumerate((("old", "pass"), (HOSTILE, "fail"))):
        trials = [AuthoredTrial(name, one.task.id, outcome) for one in TASKS]  # type: ignore[arg-type]
        write(tmp_path, f"run{number}", trials, cast(name))
    said = regressions_page(regressions(Library(tmp_path), "run0", "run1")).decode()
    assert "<script>alert" not in said
    assert "\u202e" not in said
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in said
    assert "Authored, not recorded" in said
    assert said.count("<details open") == min(OPEN, len(TASKS)) + 1  # the contents too
