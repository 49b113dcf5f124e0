from __future__ import annotations

from replaylab.score.facts import Spent


def test_no_tokens_for_a_call_that_was_asked_are_no_count() -> None:
    assert not Spent(calls=1).is_counted
    assert Spent(calls=1, completion_tokens=1).is_counted
    assert Spent().is_counted


def test_no_time_for_a_call_that_was_asked_is_no_time() -> None:
    assert not Spent(calls=1).is_timed
    assert Spent(calls=1, wall_ms=0.5).is_timed
    assert Spent().is_timed
