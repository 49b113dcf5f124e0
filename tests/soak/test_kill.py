"""Fifty kills at random moments of one recording."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.far import far_server
from tests.e2e.killing import killed

KILLS = 50

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("seed", [1])
def test_fifty_kills_lose_no_answer_that_was_journaled(tmp_path: Path, seed: int) -> None:
    with far_server() as server:
        accounts = killed(tmp_path, server, trials=12, kills=KILLS, seed=seed)
    assert len(accounts.lost) == KILLS + 1
