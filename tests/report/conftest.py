"""Recorded once a session: the tests only look."""

from __future__ import annotations

import pytest

from replaylab.store.library import Library
from tests.report import recordings


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return recordings.plain(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return recordings.hostile(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="session")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return recordings.broken(tmp_path_factory.mktemp("broken"))
