"""What the tests of packs share: a small recorded library and its pack."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from replaylab.interop.pack.write import pack
from replaylab.store.library import Library
from tests.playground import SHORT, record


@pytest.fixture(scope="session")
def _study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("packs") / "library"
    record(root, tasks=(SHORT,), agents=("scripted:careful", "scripted:greedy"), name="study", faults=("E3",))
    return root


@pytest.fixture(scope="session")
def _packed(_study: Path) -> Path:
    library = Library(_study)
    return pack(library, library.run("study")[0], _study.with_name("study.tar")).file


@pytest.fixture
def library(_study: Path, tmp_path: Path) -> Library:
    """One short task, two agents; a test may damage it."""
    return Library(shutil.copytree(_study, tmp_path / "library"))


@pytest.fixture
def file(_packed: Path, tmp_path: Path) -> Path:
    """The pack of that library, in a folder of its own; a test may damage it."""
    (tmp_path / "in").mkdir()
    return Path(shutil.copy(_packed, tmp_path / "in" / "study.tar"))
