"""What has become of things."""

from __future__ import annotations

from tests.diff.valley import LOCKS, true_of, without


def test_who_quotes_a_notice_may_have_taken_it_down() -> None:
    text = "Summit Lock closed until further notice."
    down_taken = ("change_board", {"action": "take_down", "text": text})
    assert true_of(LOCKS, down_taken, ("read_board", {})) == []
    assert without(LOCKS, "notices", "text", text, ("read_board", {}))
