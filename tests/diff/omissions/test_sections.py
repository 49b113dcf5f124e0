"""Lists inside one record or one section of the state that show only some of it."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.diff.omissions.sections import shortened
from replaylab.schema.scenario import Environment
from tests.diff.valley import LOCKS, true_of
from tests.diff.ward import call, found, look, tool

STATE: dict[str, Any] = {
    "pupil_skills": {"Skill_A": 0.4, "Skill_B": 0.8},
    "finished_modules": ["M-1", "M-2", "M-3"],
    "session_history": [
        {"action": "watch", "score": 1.0, "skill": "Skill_B"},
        {"action": "test", "score": 0.4, "skill": "Skill_A"},
    ],
    "score_log": [{"score": 1.0, "minutes": 5}, {"score": 0.4, "minutes": 7}],
    "medical_notes": {"history": ["Measles", "Broken arm (left)", "Asthma"], "allergies": ["Nuts"]},
    "parcel_manifest": [
        {"parcel_id": "PC-1", "status": "in_van"},
        {"parcel_id": "PC-2", "status": "in_van"},
        {"parcel_id": "PC-3", "status": "at_hub"},
    ],
    "gates": {"G-7": {"open": True}},
    "lanes": [{"lane_id": "L-1", "gate": "G-7"}, {"lane_id": "L-2", "gate": "G-8"}],
}


def school() -> Environment:
    parts: dict[str, Any] = {
        "parts": {"type": "array", "items": {"type": "string", "enum": ["medical_notes", "skills"]}}
    }
    tools = (
        tool("get_pupil_state", "Shows skills and finished modules.", "pupil_id"),
        tool("get_recent_history", "Shows the last N actions.", "pupil_id", limit={"type": "integer"}),
        tool("get_scores", "Shows the scores."),
        tool("get_file", "Shows parts of the file.", **parts),
        tool("get_lanes", "Shows lanes.", gate={"type": "string"}),
        tool("get_van", "Shows what the van has."),
        tool("drop_module", "Takes a module back.", "module_id", effect="write"),
        tool("teach", "Teaches.", "topic", effect="write"),
    )
    return Environment(
        id="school", initial_state=STATE, system_prompt="You simulate.", state_description={}, tools=tools
    )


def missed(*calls: Observed) -> list[str]:
    return [entity for kind, _, entity in found(*calls, of=school()) if kind == "omission"]


def state(*modules: str) -> Observed:
    return call("get_pupil_state", {"engagement": 0.9, "finished_modules": list(modules)}, pupil_id="P-1")


def history(limit: int, *rows: int) -> Observed:
    shown = [STATE["session_history"][at] for at in rows]
    return call("get_recent_history", {"history": shown}, pupil_id="P-1", limit=limit)


def file(**said: Any) -> Observed:
    return call("get_file", {"medical_notes": said}, parts=["medical_notes"])


def test_a_list_of_the_only_one_is_whole() -> None:
    assert missed(state("M-1", "M-3")) == ["M-2"]
    assert missed(state("M-3", "M-2", "M-1")) == []


def test_what_a_call_has_taken_out_is_not_missed() -> None:
    assert missed(call("drop_module", {"success": True}, module_id="M-2"), state("M-1", "M-3")) == []


def test_a_limit_that_lets_all_through_cuts_nothing() -> None:
    assert missed(history(5, 1)) == ["watch"]
    assert missed(history(1, 1)) == missed(history(5, 1, 0)) == []


def test_rows_without_ids_may_have_been_replaced_by_what_was_done() -> None:
    scores = call("get_scores", {"score_log": STATE["score_log"][1:]})
    assert len(missed(scores)) == 1
    assert missed(call("teach", {"success": True}, topic="x"), scores) == []


def test_a_list_in_a_section_is_whole_under_any_name() -> None:
    assert missed(file(conditions=["Measles", "broken arm, left"])) == ["Asthma"]
    assert missed(file(conditions=["Asthma", "Measles", "broken arm, left"])) == []
    assert missed(file(conditions=["Measles", "An old fracture"])) == [], "put in other words"
    assert missed(call("get_file", {"notes": {"conditions": ["Measles"]}}, parts=["skills"])) == []


def test_what_members_have_picks_among_them() -> None:
    picked = call("get_lanes", {"lanes": [STATE["lanes"][0]]}, gate="G-7")
    assert list(shortened(look(picked, of=school()))) == []
    whole = call("get_lanes", {"lanes": [STATE["lanes"][0]]})
    assert [one.entity for one in shortened(look(whole, of=school()))] == ["L-2"]
    assert missed(call("get_lanes", {"lanes": [STATE["lanes"][0]]}, gate="G-7")) == []


def test_what_stands_otherwise_may_be_in_no_such_list() -> None:
    def short(*shown: str) -> list[str]:
        one = call("get_van", {"manifest": list(shown)})
        return [each.entity for each in shortened(look(one, of=school()))]

    assert short("PC-1", "PC-2") == []
    assert short("PC-1", "PC-3") == ["PC-2"]


def test_the_last_so_many_are_a_page() -> None:
    assert true_of(LOCKS, ("read_log", {"last": 3})) == []
