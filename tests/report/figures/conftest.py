"""Drawn once a session: the tests only look."""

from __future__ import annotations

import pytest

from replaylab.report.figures import Drawn, draw_all
from tests.report.figures.tables import Made


@pytest.fixture(scope="session")
def drawn() -> dict[str, Drawn]:
    """Every figure, of two agents and three industries."""
    return draw_all(Made(["scripted:careful", "scripted:hasty"], 3).all(), radar=True)
