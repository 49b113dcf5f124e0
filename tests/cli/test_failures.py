from __future__ import annotations

import pytest

from replaylab.cli.failures import mistaken, programs_behind
from tests.foreign.playing import careful, sealed


@pytest.mark.parametrize(("alias", "table"), [("mine", "[models.mine]"), ("gpt-5.1", '[models."gpt-5.1"]')])
def test_a_mistaken_player_is_told_as_the_file_would_have_it(alias: str, table: str) -> None:
    assert mistaken(alias, "replaylab:twin/1") == (
        f'{alias} answered as replaylab:twin/1, which is a program: set player = "program" in {table}'
    )


def test_what_an_own_agent_asks_is_no_configured_model() -> None:
    lanes = sealed(careful).lanes
    assert lanes["llm.0"][0].fingerprint.startswith("replaylab:")
    assert set(programs_behind(lanes)) == {"twin", "rubric"}
