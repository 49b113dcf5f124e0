"""What refuses a call."""

from __future__ import annotations

from replaylab.diff.calls.refusal import read_refusal
from tests.diff.ward import tool

REPORT = tool("report_delay", "Reports a delay.", "train", "cause", effect="write")


def test_an_error_refuses_and_gives_its_reason() -> None:
    found = read_refusal(REPORT, {"error": "no such train"}, {"train": "T-1"})
    assert found is not None
    assert found.text == "no such train"


def test_what_only_repeats_an_argument_refuses_nothing() -> None:
    said = {"train": "T-1", "reported_cause": "block_closed"}
    assert read_refusal(REPORT, said, {"train": "T-1", "cause": "block_closed"}) is None
    assert read_refusal(REPORT, said, {"train": "T-1", "cause": "late_start"}) is not None


def test_an_error_stays_one_whatever_the_arguments_are() -> None:
    assert read_refusal(REPORT, {"error": "block_closed"}, {"cause": "block_closed"}) is not None
    assert read_refusal(REPORT, {"status": "rejected", "reason": "late"}, {"cause": "rejected"}) is not None


def test_an_outcome_that_was_chosen_refuses_nothing() -> None:
    results = {"type": "string", "enum": ["repaired", "failed"]}
    close = tool("close_job", "Closes a job.", "job", effect="write", result=results)
    said = {"job": "J-1", "status": "failed", "note": "put aside for parts"}
    assert read_refusal(close, said, {"job": "J-1", "result": "failed"}) is None
    assert read_refusal(close, said, {"job": "J-1", "result": "repaired"}) is not None
