from __future__ import annotations

from replaylab.builtin.idle import ANSWER
from replaylab.builtin.responder import Responder
from tests.builtin.playing import trial


def test_the_idle_agent_calls_nothing_says_that_it_is_done_and_does_not_pass(models: Responder) -> None:
    for task in ("ed-sepsis-room", "hazmat-power-station"):
        played = trial(models, task, "scripted:idle")
        assert (played.trajectory.actions, played.trajectory.answer) == ((), ANSWER)
        assert played.verdict.outcome == "fail"
