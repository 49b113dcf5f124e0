from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.errors import StoreError, UsageError
from replaylab.report.audit_files import files_of, write_audit
from tests.report.audits import plain_report

NAMES = {"audit.html", "audit.md", "audit.json"}


def test_three_files_are_written_and_written_over(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    write_audit(folder, plain_report())
    (folder / "mine.txt").write_text("mine")
    written = write_audit(folder, plain_report())
    assert {path.name for path in written} == NAMES
    assert {path.name for path in folder.iterdir()} == NAMES | {"mine.txt"}
    assert {path.name: path.read_bytes() for path in written} == files_of(plain_report())


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "audit.md").symlink_to(tmp_path / "elsewhere")
    with pytest.raises((StoreError, UsageError)):
        write_audit(tmp_path / "out", plain_report())
    assert not (tmp_path / "elsewhere").exists()
