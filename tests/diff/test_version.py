from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from replaylab.diff import version


def test_any_changed_rule_is_another_detector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in version._ROOMS:
        place = tmp_path / room
        if room.endswith(".py"):
            place.write_text("x = 1\n", encoding="utf-8")
        else:
            place.mkdir()
            (place / "rule.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(resources, "files", lambda name: tmp_path)
    before = version.detector_version.__wrapped__()
    assert version.detector_version.__wrapped__() == before
    (tmp_path / "checks" / "rule.py").write_text("x = 2\n", encoding="utf-8")
    other = version.detector_version.__wrapped__()
    assert other != before
    (tmp_path / "diff" / "inner").mkdir()
    (tmp_path / "diff" / "inner" / "rule.py").write_text("x = 1\n", encoding="utf-8")
    assert version.detector_version.__wrapped__() not in (before, other)


def test_every_room_that_a_check_depends_on_is_there() -> None:
    root = resources.files("replaylab")
    assert all((root / room).is_dir() or (root / room).is_file() for room in version._ROOMS)
    assert len(version.detector_version()) == 16
