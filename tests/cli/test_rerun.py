"""`replay --rerun-agent`: what can't be run again, and options that don't go together."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Call


def test_a_run_without_own_agents_has_nothing_to_run_again(call: Call, study: Path) -> None:
    ended = call("replay", "study", "--rerun-agent")
    assert ended.code == 2
    assert "nothing to run again" in ended.err


def test_a_swap_keeps_what_the_agent_did(call: Call, study: Path) -> None:
    ended = call("replay", "study", "--rerun-agent", "--swap", "verifier=coin")
    assert ended.code == 2
    assert "--swap keeps" in ended.err
