"""The thirty reproducibility defects that were found in the published reference code, and what shows that none is here.

The table names for each the tests that would fail if it were; a defect that can't occur has the reason instead.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.engine.ledger import status_counts
from replaylab.engine.verify import verify
from replaylab.schema.outcome import body_bytes
from tests.engine.playing import YES, failure, header, scripted, sealed
from tests.playground import SHORT, record

REPO = Path(__file__).resolve().parents[2]


class Defect(NamedTuple):
    """`tests` as file::function below tests/; without any, `absent` says why the defect can't occur."""

    what: str
    tests: tuple[str, ...] = ()
    absent: str = ""


HERE = "conformance/test_reference_defects.py::"
TRIAL, PLAN, SEAL = "engine/test_trial.py::", "engine/test_plan.py::", "engine/test_seal.py::"
AGENT, SIMULATOR, VERIFIER = "roles/test_agent.py::", "roles/test_simulator.py::", "roles/test_verifier.py::"
RETRY, PARSING, RECORD = "wire/test_retry.py::", "roles/test_parsing.py::", "cli/test_record.py::"

DEFECTS = {
    1: Defect(
        "today's date in the agent's prompt",
        (
            TRIAL + "test_the_agent_is_told_the_frozen_clock",
            "roles/test_prompts.py::test_nothing_is_said_about_a_date_when_there_is_no_clock",
            HERE + "test_no_clock_of_the_machine_reaches_a_request",
        ),
    ),
    2: Defect(
        "no sampling parameter is sent",
        (
            TRIAL + "test_the_sampling_of_a_model_is_in_every_request_of_its_role",
            PLAN + "test_what_a_trial_is_given_takes_part_in_its_inputs",
            "cassette/test_request.py::test_it_takes_part",
        ),
    ),
    3: Defect(
        "a judge's failed call counts as a vote against",
        (
            TRIAL + "test_a_failing_judge_turns_no_pass_into_a_fail",
            VERIFIER + "test_a_failed_call_is_an_error_vote_and_no_fail",
            VERIFIER + "test_an_answer_that_is_no_vote_is_asked_again",
        ),
    ),
    4: Defect(
        'the text "false" counts as true', (VERIFIER + "test_what_is_not_a_boolean_with_feedback_is_no_vote",)
    ),
    5: Defect(
        "braces in prose or a second object spoil a vote",
        (
            VERIFIER + "test_braces_in_prose_and_extra_keys_do_not_spoil_a_vote",
            PARSING + "test_any_object_is_found_in_any_noise",
            PARSING + "test_two_objects_count_only_when_identical",
        ),
    ),
    6: Defect(
        "a tie is a fail, and only one vote is kept",
        (
            TRIAL + "test_a_tie_is_an_error_and_never_a_fail",
            "derive/test_verdict.py::test_a_tie_is_an_error_and_keeps_every_vote_and_its_reason",
        ),
    ),
    7: Defect(
        "the judge reads the state description as Python",
        (VERIFIER + "test_the_state_description_goes_out_as_json_and_not_as_python",),
    ),
    8: Defect(
        "another simulator means another judge",
        (
            PLAN + "test_the_verifier_is_chosen_apart_from_the_simulator",
            "engine/test_swap.py::test_a_rejudged_run_keeps_what_happened_and_only_the_judges_are_asked",
        ),
    ),
    9: Defect(
        "hundreds of hidden and unrecorded attempts a call",
        (
            "wire/test_endpoint.py::test_the_client_never_retries_by_itself",
            RETRY + "test_attempts_are_bounded",
            RETRY + "test_every_attempt_is_kept_and_the_last_decides",
            SIMULATOR + "test_a_failed_call_is_not_asked_again_here",
        ),
    ),
    10: Defect(
        "a simulator's failure becomes an observation",
        (
            TRIAL + "test_a_simulator_that_fails_is_an_error_and_no_observation",
            SIMULATOR + "test_no_usable_answer_within_the_askings_is_a_failure_and_never_an_observation",
        ),
    ),
    11: Defect(
        "thinking and fences leak into observations, a valid null is asked for again",
        (
            TRIAL + "test_an_unusable_observation_is_asked_again_and_never_shown",
            SIMULATOR + "test_the_history_is_actions_and_clean_observations_in_canonical_json",
            SIMULATOR + "test_a_list_or_null_is_an_observation_only_where_the_tools_example_is_one",
            PARSING + "test_thinking_is_dropped_even_when_its_tags_are_not_paired",
        ),
    ),
    12: Defect(
        "unseeded random sleeps",
        (
            RETRY + "test_waits_grow_up_to_the_cap_and_differ_by_call_path_only",
            "wire/test_played.py::test_a_replay_never_waits",
        ),
    ),
    13: Defect(
        "spacing in the agent's arguments changes the simulator's prompt",
        (SIMULATOR + "test_spacing_and_key_order_of_the_agents_arguments_do_not_reach_the_simulator",),
    ),
    14: Defect(
        "prompts with placeholders that nobody filled",
        (
            SIMULATOR + "test_placeholders_point_to_the_section_below_and_foreign_ones_stay",
            SIMULATOR + "test_the_state_is_shown_once_and_as_json",
        ),
    ),
    15: Defect(
        "faults are a wish put to the model, and no record says which call met one",
        (
            "faults/test_inject.py::test_a_long_enough_trial_of_reads_meets_exactly_the_planned_faults",
            "faults/test_inject.py::test_a_retry_after_the_duration_finds_the_clean_value",
            "faults/test_schedule.py::test_the_schedule_is_the_same_in_any_process",
            SEAL + "test_every_delivered_fault_has_a_label_and_nothing_else_has",
            TRIAL + "test_an_explicit_fault_never_reaches_the_simulator",
            VERIFIER + "test_a_judge_sees_what_the_agent_saw_and_that_a_fault_was_there_but_not_what_it_hid",
        ),
    ),
    16: Defect(
        "an agent's failed call is judged, saved as a fail, and never repeated",
        (
            TRIAL + "test_an_agent_that_fails_is_an_error_that_nobody_judges",
            RECORD + "test_a_trial_that_failed_is_repeated_only_when_asked",
        ),
    ),
    17: Defect(
        "a finish reason ends a trial though there are calls",
        (
            AGENT + "test_only_the_absence_of_calls_ends_the_conversation_whatever_the_finish_reason",
            "derive/test_trajectory.py::test_a_finish_reason_of_stop_with_calls_does_not_end_the_trial",
        ),
    ),
    18: Defect(
        "the step limit leaves no trace",
        (
            TRIAL + "test_the_step_limit_ends_a_trial_as_such_and_it_is_judged",
            "derive/test_trajectory.py::test_the_step_limit_is_its_own_end_and_is_looked_at_before_a_turn",
        ),
    ),
    19: Defect(
        "reasoning, ids, usage and finish reasons are dropped",
        (
            "derive/test_trajectory.py::test_reasoning_ids_and_finish_reasons_are_kept",
            HERE + "test_an_answer_is_kept_as_it_came_with_usage_model_and_ids",
        ),
    ),
    20: Defect(
        "different configurations share one file of results",
        (
            RECORD + "test_another_spec_under_the_same_name_is_refused_naming_the_field",
            PLAN + "test_what_a_trial_is_given_takes_part_in_its_inputs",
        ),
    ),
    21: Defect(
        "resuming writes over what the run was",
        (HERE + "test_a_run_that_goes_on_is_a_new_object_that_follows_the_old_one",),
    ),
    22: Defect(
        "the API key lies beside the results",
        ("e2e/test_secrets.py::test_no_piece_of_a_planted_key_reaches_the_disk",),
    ),
    23: Defect(
        "a torn last line swallows the next record",
        (
            "store/test_frames.py::test_opening_cuts_the_torn_tail_and_appending_goes_on",
            "store/test_frames.py::test_every_truncation_gives_the_frames_wholly_before_it",
        ),
    ),
    24: Defect(
        "tasks that crashed leave the denominator",
        (HERE + "test_errors_and_missing_trials_stay_in_what_was_planned",),
    ),
    25: Defect(
        "totals count tasks outside the selection, and can't be told after resuming",
        (
            HERE + "test_errors_and_missing_trials_stay_in_what_was_planned",
            RECORD + "test_a_run_may_not_shrink",
        ),
    ),
    26: Defect(
        "rows lie in the order of completion",
        (
            SEAL + "test_the_bytes_do_not_depend_on_which_vote_came_first",
            PLAN + "test_planned_trials_come_in_the_order_of_the_keys_and_carry_them",
            "e2e/test_votes.py::test_480_of_480_votes_land_where_they_were_recorded",
        ),
    ),
    27: Defect(
        "an option that does nothing is written down as done",
        (
            "builtin/test_scripted.py::test_a_task_without_a_plan_is_refused_and_the_explorer_named",
            RECORD + "test_an_amount_that_is_none_is_refused",
        ),
    ),
    28: Defect(
        "the default simulator is another one than the paper's",
        absent="No model that is paid for is a default: a run names its models, and its spec holds their settings.",
    ),
    29: Defect(
        "one log of all threads, emptied when the run goes on",
        absent="There is no log. What happened is in the journal of each trial, which is only ever appended to.",
    ),
    30: Defect(
        "edited data goes unnoticed",
        (
            PLAN + "test_an_edited_scenario_is_another_content_and_refuses_the_old_spec",
            "engine/test_verify.py::test_a_cassette_of_another_setting_in_the_place_of_the_planned_one_is_found",
        ),
    ),
}


def test_every_one_of_the_thirty_has_a_test_or_a_reason() -> None:
    assert list(DEFECTS) == list(range(1, 31))
    assert [number for number, one in DEFECTS.items() if bool(one.tests) == bool(one.absent)] == []


@cache
def functions(file: str) -> frozenset[str]:
    """The test functions of a file, apart from those that are always skipped."""
    tree = ast.parse((REPO / "tests" / file).read_text(encoding="utf-8"))
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and not any("skip" in ast.unparse(d) for d in node.decorator_list)
    )


@pytest.mark.parametrize("number", DEFECTS)
def test_the_tests_of_a_defect_exist(number: int) -> None:
    for test in DEFECTS[number].tests:
        file, _, name = test.partition("::")
        assert name in functions(file), f"{test} is not there"


def test_no_clock_of_the_machine_reaches_a_request() -> None:
    def requests(cassette: Cassette) -> list[str]:
        return [row.request.digest for lane in cassette.lanes.values() for row in lane]

    head = header()
    later = head.model_copy(update={"created": "2039-12-31T23:59:59Z"})
    assert requests(sealed(head)[0]) == requests(sealed(later)[0])


def test_an_answer_is_kept_as_it_came_with_usage_model_and_ids() -> None:
    body = (
        b'{"id": "resp-1",  "object": "chat.completion", "model": "m-2026-01-01", "system_fingerprint": "fp-1", '
        b'"choices": [{"index": 0, "finish_reason": "stop", "extra": [1.50], "message": {"role": "assistant", '
        b'"content": "Done.", "reasoning_content": "hm"}}], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}'
    )
    answer = 200, {"content-type": "application/json", "x-request-id": "req-1"}, [body]
    respond = scripted(agent=[answer], judge=[YES])
    cassette, _ = sealed(header(agent="agent", verifier="judge"), respond)
    (row,) = cassette.lanes["agent"]
    assert body_bytes(row.final) == body
    assert (row.answered_by, row.fingerprint, row.request_id) == ("m-2026-01-01", "fp-1", "req-1")
    assert row.usage is not None
    assert (row.usage.prompt_tokens, row.usage.completion_tokens) == (7, 3)


def test_a_run_that_goes_on_is_a_new_object_that_follows_the_old_one(tmp_path: Path) -> None:
    library, first = record(tmp_path / "library", trials=2, votes=1, max_calls=20)
    before = library.get(first.run_id, "run")
    _, second = record(tmp_path / "library", trials=2, votes=1)
    assert second.run_id != first.run_id
    assert second.run.follows == (first.run_id,)
    assert library.get(first.run_id, "run") == before
    for entry in first.run.ledger:
        assert all(one in second.run.ledger[first.run.ledger.index(entry)].tries for one in entry.tries)
    assert verify(library).findings == []


def test_errors_and_missing_trials_stay_in_what_was_planned(tmp_path: Path) -> None:
    """Six trials of two tasks: some fail, some are judged, one shard of two is not recorded at all."""
    unsteady: list[Any] = [failure(400), "Done.", failure(400), "Done."]
    library, recorded = record(
        tmp_path / "library",
        tasks=(SHORT, "hazmat-power-station"),
        agents=("unsteady",),
        verifiers=("judge",),
        trials=3,
        votes=1,
        shard="1/2",
        respond=scripted(unsteady=unsteady, judge=[YES]),
    )
    counts = status_counts(recorded.run)
    assert counts == {"planned": 6, "recorded": 1, "error": 2, "missing": 3, "pass": 1, "fail": 0}
    for entry in recorded.run.ledger:
        for one in entry.tries:
            assert open_cassette(library, one.cassette).seal.verdict == one.verdict
