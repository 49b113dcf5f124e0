"""Names: natural order, ids, and the closest one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from replaylab.catalogue import files
from replaylab.errors import UsageError


def test_numbers_in_names_order_by_value() -> None:
    names = ["t10", "t9", "t1a", "T2", "t", "10", "9"]
    assert sorted(names, key=files.natural) == ["9", "10", "T2", "t", "t1a", "t9", "t10"]


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "a b", "a,b", "ä", "a#1", "a.", "x" * 101])
def test_a_name_that_is_unsafe_in_a_file_name_or_callpath_is_no_id(name: str) -> None:
    with pytest.raises(UsageError, match="not an id"):
        files.check_id(name, Path("folder"))


@pytest.mark.parametrize("name", ["a", "env_153c260a856a", "occubench-11", "v1.2", "x" * 100])
def test_plain_names_are_ids(name: str) -> None:
    assert files.check_id(name, Path("folder")) == name


def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "state.json")
    with pytest.raises(UsageError, match="not a file"):
        files.read_text(tmp_path / "state.json")
