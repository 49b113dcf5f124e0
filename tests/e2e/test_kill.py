from __future__ import annotations

from pathlib import Path

from tests.e2e.far import far_server
from tests.e2e.killing import killed

KILLS = 5  # fifty in the soak


def test_five_kills_lose_no_answer_that_was_journaled(tmp_path: Path) -> None:
    with far_server() as server:
        accounts = killed(tmp_path, server, trials=2, kills=KILLS, seed=20)
    assert len(accounts.lost) == KILLS + 1
