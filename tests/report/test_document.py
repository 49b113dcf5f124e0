from __future__ import annotations

import json

from replaylab.report.document import asked_json, lane_json, run_json, trial_json
from replaylab.schema.trajectory import Trajectory, Verdict
from replaylab.store.library import Library
from tests.report.recordings import JUDGED, trial, view


def test_a_run_lists_every_planned_trial_with_its_numbers(broken: Library) -> None:
    document = run_json(view(broken, "broken"))
    assert [one["status"] for one in document["trials"]].count("missing") == 4
    assert document["counts"]["planned"] == len(document["trials"]) == 6
    errors = [one for one in document["trials"] if one["status"] == "error"]
    assert [(one["verdict"], one["tries"], one["failed"]) for one in errors] == [("error", 2, 1)]


def test_a_run_says_who_played_what(study: Library) -> None:
    players = run_json(view(study, "study"))["players"]
    assert [(one["role"], one["alias"], one["player"]) for one in players] == [
        ("agent", "scripted:hasty", "program"),
        ("agent", "scripted:careful", "program"),
        ("simulator", "twin", "program"),
        ("verifier", "rubric", "program"),
    ]


def test_a_trial_holds_the_whole_trajectory_and_verdict(study: Library) -> None:
    shown = trial(study, "study", lambda key: key == JUDGED)
    document = json.loads(json.dumps(trial_json(shown)))
    assert Trajectory.model_validate(document["trajectory"]) == shown.trajectory
    assert Verdict.model_validate(document["verdict"]) == shown.verdict
    assert document["digests"]["trajectory"] == shown.cassette.seal.trajectory_digest
    assert document["lanes"]["agent"]["provenance"] == {"how": "recorded", "source": None}


def test_costs_are_decimals_as_text(study: Library) -> None:
    assert run_json(view(study, "study"))["totals"]["cost_usd"] == "0"


def test_a_lane_has_a_line_for_each_interaction(study: Library) -> None:
    shown = trial(study, "study", lambda key: key == JUDGED)
    document = lane_json(shown, "simulator")
    rows = shown.cassette.lanes["simulator"]
    assert [one["path"] for one in document["interactions"]] == [row.path for row in rows]
    assert document["totals"]["model_calls"] == len(rows)


def test_an_interaction_holds_the_whole_body_and_every_attempt(study: Library) -> None:
    shown = trial(study, "study", lambda key: key == JUDGED)
    asked = list(shown.asked("agent"))[1]
    document = json.loads(json.dumps(asked_json(shown, asked)))
    assert document["request"]["body"] == asked.body
    assert document["attempts"][0]["text"] == asked.row.final.text
    assert document["answer"]["tool_calls"][0]["name"] == "get_patient"
    assert document["failure"] is None


def test_a_failed_interaction_has_a_failure_and_no_answer(broken: Library) -> None:
    shown = trial(broken, "broken")
    document = asked_json(shown, next(shown.asked("agent")))
    assert document["answer"] is None
    assert document["failure"]["kind"] == "http_status"
