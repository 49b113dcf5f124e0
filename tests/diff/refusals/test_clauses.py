"""Clauses of a reason, and what they speak of."""

from __future__ import annotations

from typing import Any

from replaylab.diff.refusals.clauses import (
    clauses,
    halves,
    is_denied,
    known_words,
    open_words,
    things_in,
    values_now,
    writes_on,
)
from replaylab.diff.refusals.reason import Reason
from tests.diff.houses import FILM, GLIDING
from tests.diff.ward import call, reason


def _refused(text: str, *before: Any, reel: str = "RL-10") -> Reason:
    return reason(call("scan_reel", {"error": text}, reel=reel), *before, of=FILM)


def test_a_reason_is_split_into_clauses_and_no_time_is() -> None:
    assert clauses("No slot at 10:15; the last one is at 09:15, but not today.") == [
        "No slot at 10:15",
        "the last one is at 09:15",
        "not today",
    ]
    assert halves("it was sold and is gone") == ["it was sold", "is gone"]
    assert halves("it was sold") == []


def test_a_word_may_deny_by_its_beginning() -> None:
    assert is_denied("W-1 is unmanned")
    assert not is_denied("W-1 is under way")


def test_the_words_of_the_call_say_nothing_new() -> None:
    assert open_words(_refused("RL-10 is mouldy"), "RL-10 is mouldy") == {"mouldy"}


def test_a_clause_speaks_of_what_it_names_else_of_what_the_call_names() -> None:
    said = _refused("Glass is torn")
    assert [one.entity.id for one in things_in(said, "it is torn")] == ["RL-10"]
    named = reason(call("launch", {"error": "W-1 is off"}, glider="GL-1"), of=GLIDING)
    assert [one.entity.id for one in things_in(named, "W-1 is off")] == ["W-1"]


def test_what_accepted_calls_were_given_is_known() -> None:
    sent = call("send_reel", {"ok": True}, reel="RL-10", to="Lyon")
    assert "lyon" in known_words(_refused("it is in Lyon", sent))
    assert "lyon" not in known_words(_refused("it is in Lyon", sent, reel="RL-11"))
    assert len(writes_on(_refused("it is in Lyon", sent))) == 1


def test_what_a_call_has_named_is_not_known_by_the_state() -> None:
    moved = call("move_reel", {"ok": True}, reel="RL-10", vault="V-2")
    there, gone = _refused("it is off"), _refused("it is off", moved)
    assert values_now(there, things_in(there, "")[0])["vault"] == "V-1"
    assert values_now(gone, things_in(gone, "")[0]).get("vault") != "V-1"
