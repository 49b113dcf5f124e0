"""What refuses a call."""

from __future__ import annotations

from replaylab.diff.calls.refusal import read_refusal
from tests.diff.valley import BRIGADE, Asked, true_of
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


TEST = tool(
    "test_valve",
    "Tests a valve.",
    "valve",
    effect="write",
    example={"valve": "V-9", "result": "passed", "remark": "tight", "tests_left": 2},
)


def test_a_test_that_finds_a_fault_refuses_nothing() -> None:
    said = {
        "valve": "V-1",
        "result": "failed",
        "remark": "it leaks under the pressure of the line",
        "tests_left": 1,
    }
    assert read_refusal(TEST, said, {"valve": "V-1"}) is None


def test_a_fault_as_the_example_has_it_refuses_nothing() -> None:
    proof = tool(
        "proof", "Proofs it.", effect="write", example={"proof": "PF-1", "result": "failed", "why": ["thin"]}
    )
    assert read_refusal(proof, {"proof": "PF-2", "result": "failed", "why": ["pale"]}, {}) is None
    assert read_refusal(proof, {"result": "failed", "why": ["it may only be proofed by two"]}, {}) is not None


def test_a_test_that_was_not_made_is_a_refusal_whatever_it_says_of_the_thing() -> None:
    said = {
        "valve": "V-1",
        "result": "failed",
        "remark": "needs a second fitter",
        "tests_left": 2,
        "done": False,
    }
    said["outcome"] = "left as it was, since the shift has ended"
    assert read_refusal(TEST, said, {"valve": "V-1"}) is not None


def test_a_no_that_leaves_out_what_the_test_brings_is_a_refusal() -> None:
    said = {
        "valve": "V-1",
        "result": "failed",
        "remark": "it may not be tested under a permit that has expired",
    }
    assert read_refusal(TEST, said, {"valve": "V-1"}) is not None


def test_a_no_where_the_example_only_says_that_the_call_went_well_is_a_refusal() -> None:
    booked = tool("book", "Books a slot.", effect="write", example={"status": "approved", "note": "booked"})
    said = {"status": "rejected", "note": "must wait until the review is over"}
    assert read_refusal(booked, said, {}) is not None


def test_an_outcome_that_was_chosen_refuses_nothing() -> None:
    results = {"type": "string", "enum": ["repaired", "failed"]}
    close = tool("close_job", "Closes a job.", "job", effect="write", result=results)
    said = {"job": "J-1", "status": "failed", "note": "put aside for parts"}
    assert read_refusal(close, said, {"job": "J-1", "result": "failed"}) is None
    assert read_refusal(close, said, {"job": "J-1", "result": "repaired"}) is not None


def test_of_a_long_refusal_the_beginning_is_read_and_no_word_is_cut_in_two() -> None:
    found = read_refusal(REPORT, {"error": "the block is shut " * 1000, "detail": "later"})
    assert found is not None
    assert len(found.reasons) == 1
    assert 3_900 < len(found.text) <= 4_000
    assert set(found.text.split()) == {"the", "block", "is", "shut"}


def test_a_decision_to_refuse_is_no_refusal() -> None:
    asked: list[Asked] = [
        ("decide_swap", {"swap_id": "SW-73", "accept": False}),
        ("decide_swap", {"swap_id": "SW-74", "accept": True}),
        ("list_swaps", {"status": "open"}),
    ]
    assert true_of(BRIGADE, *asked) == []
    assert (
        true_of(
            BRIGADE,
            ("decide_swap", {"swap_id": "SW-73", "accept": False}),
            ("list_swaps", {"limit": 2, "offset": 2}),
        )
        == []
    )
