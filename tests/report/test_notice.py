from __future__ import annotations

import pytest

from replaylab.report.notice import evidence_notices, players_notices
from replaylab.schema.model import Player


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        (["program", "program"], ["No LLM took part"]),
        (["llm", "program"], ["Some roles were played by programs"]),
        (["llm", "human"], ["Some roles were played by humans"]),
        (["llm", "llm"], []),
        (["own", "program"], ["Some roles were played by programs", "Some agents were the user's own"]),
        (["own"], ["Some agents were the user's own"]),
    ],
)
def test_a_reader_learns_whether_no_llm_played(kinds: list[Player], said: list[str]) -> None:
    found = players_notices(kinds)
    assert len(found) == len(said)
    assert all(words in notice for words, notice in zip(said, found, strict=True))


def test_what_nobody_recorded_says_so() -> None:
    assert "Authored, not recorded" in evidence_notices("authored")[0]
    assert "Imported, not recorded" in evidence_notices("imported")[0]
    assert evidence_notices("recorded") == []
